// SPDX-License-Identifier: MIT
// Uniform numbers of a block of rays, which depend only on (seed, heliostat, block, bundle, lane).
// Counter-based numbers use Philox 4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
// 3", SC 2011); sequences are Sobol points with the direction numbers of Joe and Kuo
// (new-joe-kuo-6.21201).
//
// random: independent numbers. sobol: one Sobol sequence over the bundles of a block, dimensions 0
// and 1 for the mirror point, 2 to 7 for the rays (sun, slope, specularity). The lanes of a bundle
// are consecutive points of the ray dimensions, so that they stratify sun and slope among
// themselves. A digital shift per (seed, heliostat, block) makes every block an independent
// randomisation.
#pragma once

#include "kernels/core/scalar.h"
#include "kernels/core/trace_types.h"

namespace helioray::kernels {

/// Seven rounds pass all of BigCrush in the authors' tests.
inline constexpr int kPhiloxRounds = 7;

/// Four 32-bit words per lane.
template <typename Real>
struct PhiloxWords {
    typename LaneTraits<Real>::Uint word[4];
};

/// Returns one block of Philox 4x32, which depends only on counter and key. Real chooses the lanes.
template <typename Real, int kRounds = kPhiloxRounds>
HELIORAY_HD PhiloxWords<Real> philox(PhiloxWords<Real> counter, uint32_t key0, uint32_t key1) {
    using Uint = typename LaneTraits<Real>::Uint;
    for (int round = 0; round < kRounds; ++round) {
        Uint high0, low0, high1, low1;
        multiply_wide(counter.word[0], 0xD2511F53u, high0, low0);
        multiply_wide(counter.word[2], 0xCD9E8D57u, high1, low1);
        counter = {{high1 ^ counter.word[1] ^ make_uint(key0, Real()),
                    low1,
                    high0 ^ counter.word[3] ^ make_uint(key1, Real()),
                    low0}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

/// Number of dimensions of Joe and Kuo that are used, 1 to 8.
inline constexpr int kSobolDimensions = 8;
inline constexpr int kSobolBits = 32;

/// Direction numbers: bit k of the Gray code of an index adds direction[dimension][k] by exclusive
/// or.
struct SobolTable {
    uint32_t direction[kSobolDimensions][kSobolBits];
};

/// Builds the table at compile time from primitive polynomials and initial numbers.
constexpr SobolTable make_sobol_table() {
    struct Polynomial {
        int degree;
        uint32_t coefficients;
        uint32_t initial[5];
    };
    constexpr Polynomial kPolynomials[kSobolDimensions] = {{0, 0, {1}},
                                                           {1, 0, {1}},
                                                           {2, 1, {1, 3}},
                                                           {3, 1, {1, 3, 1}},
                                                           {3, 2, {1, 1, 1}},
                                                           {4, 1, {1, 1, 3, 3}},
                                                           {4, 4, {1, 3, 5, 13}},
                                                           {5, 2, {1, 1, 5, 5, 17}}};
    SobolTable table{};
    for (int d = 0; d < kSobolDimensions; ++d) {
        const Polynomial& polynomial = kPolynomials[d];
        const int degree = polynomial.degree;
        for (int k = 0; k < kSobolBits; ++k) {
            if (degree == 0) {
                table.direction[d][k] = 1u << (31 - k);
            } else if (k < degree) {
                table.direction[d][k] = polynomial.initial[k] << (31 - k);
            } else {
                uint32_t v =
                    table.direction[d][k - degree] ^ (table.direction[d][k - degree] >> degree);
                for (int j = 1; j < degree; ++j) {
                    if ((polynomial.coefficients >> (degree - 1 - j)) & 1u)
                        v ^= table.direction[d][k - j];
                }
                table.direction[d][k] = v;
            }
        }
    }
    return table;
}

/// Returns point `index` of one dimension in natural (not Gray) order, as 32 bits.
HELIORAY_HD uint32_t sobol(const SobolTable& table, int dimension, uint32_t index) {
    uint32_t x = 0;
    for (int k = 0; index != 0; ++k, index >>= 1) {
        if (index & 1u) x ^= table.direction[dimension][k];
    }
    return x;
}

inline constexpr int kPointDimensions = 2;
inline constexpr int kRayDimensions = 6;  // two each for sun, slope error and specularity
inline constexpr int kDimensions = kPointDimensions + kRayDimensions;
inline constexpr int kLaneBits = 5;  // log2(kRaysPerPoint)

/// Precomputed Sobol numbers for bundles.
struct SequenceTables {
    /// Exclusive or of direction numbers 0..k of each dimension (for ray dimensions from kLaneBits
    /// on): the change in natural order when index i becomes i + 1, where i + 1 ends with k zeros.
    uint32_t step[kDimensions][kSobolBits];
    uint32_t lane[kRayDimensions][kRaysPerPoint];
};

constexpr SequenceTables make_sequence_tables() {
    constexpr SobolTable sobol_table = make_sobol_table();
    SequenceTables tables{};
    for (int d = 0; d < kDimensions; ++d) {
        const int shift = d < kPointDimensions ? 0 : kLaneBits;
        uint32_t x = 0;
        for (int k = 0; k + shift < kSobolBits; ++k) {
            x ^= sobol_table.direction[d][k + shift];
            tables.step[d][k] = x;
        }
    }
    for (int d = 0; d < kRayDimensions; ++d) {
        for (int lane = 0; lane < kRaysPerPoint; ++lane) {
            uint32_t x = 0;
            for (int k = 0; k < kLaneBits; ++k) {
                if ((lane >> k) & 1) x ^= sobol_table.direction[kPointDimensions + d][k];
            }
            tables.lane[d][lane] = x;
        }
    }
    return tables;
}

/// Tables for all blocks that a CPU traces, built by the compiler.
constexpr SequenceTables kSequenceTables = make_sequence_tables();

/// Purpose of the numbers of a Philox block.
enum class StreamTag : uint32_t {
    ray,
    bundle,
    shift,
    specularity,
    tracking = 16,
    carrier = 17,    ///< choice of the rays that carry reflected light
    reflection = 64  ///< directions of reflected light; reflection + n for the n-th bounce
};

/// Returns random words of the counter (low, high) for a heliostat in each lane.
template <typename Real>
HELIORAY_HD PhiloxWords<Real> stream_of_lanes(uint64_t seed,
                                              typename LaneTraits<Real>::Uint random_id,
                                              StreamTag tag,
                                              typename LaneTraits<Real>::Uint low,
                                              typename LaneTraits<Real>::Uint high) {
    return philox<Real>({{low, high, random_id, make_uint(static_cast<uint32_t>(tag), Real())}},
                        static_cast<uint32_t>(seed),
                        static_cast<uint32_t>(seed >> 32));
}

/// Returns random words of the counter for one heliostat in all lanes.
template <typename Real>
HELIORAY_HD PhiloxWords<Real> stream(uint64_t seed,
                                     uint32_t random_id,
                                     StreamTag tag,
                                     typename LaneTraits<Real>::Uint low,
                                     typename LaneTraits<Real>::Uint high) {
    return stream_of_lanes<Real>(seed, make_uint(random_id, Real()), tag, low, high);
}

/// Computes the shifts of the Sobol sequence of a block in each lane, dimension by dimension; low
/// and high are the words of twice the block's number.
template <typename Real>
HELIORAY_HD void block_shifts(uint64_t seed,
                              typename LaneTraits<Real>::Uint random_id,
                              typename LaneTraits<Real>::Uint low,
                              typename LaneTraits<Real>::Uint high,
                              typename LaneTraits<Real>::Uint (&shift)[kDimensions]) {
    static_assert(kDimensions == 8, "two calls give eight words");
    for (uint32_t half = 0; half < 2; ++half) {
        const PhiloxWords<Real> words = stream_of_lanes<Real>(
            seed, random_id, StreamTag::shift, low + make_uint(half, Real()), high);
        for (int i = 0; i < 4; ++i) shift[4 * half + i] = words.word[i];
    }
}

/// Uniform numbers in (0, 1) of a ray, in pairs of polar angle and azimuth.
template <typename Real>
struct RayNumbers {
    Real sun_and_slope[4];
    Real specularity[2];  ///< 0 without a specularity error
};

/// Sequence of the numbers of the bundles of one block.
class BundleSequence {
  public:
    HELIORAY_HD BundleSequence(const SequenceTables& tables,
                               SamplingKind kind,
                               uint64_t seed,
                               uint32_t random_id,
                               int64_t block,
                               int64_t bundles_per_block)
        : tables_(tables),
          kind_(kind),
          seed_(seed),
          random_id_(random_id),
          bundle_(static_cast<uint64_t>(block) * static_cast<uint64_t>(bundles_per_block)) {
        if (kind == SamplingKind::sobol) {
            const uint64_t first_word = 2 * static_cast<uint64_t>(block);
            block_shifts<float>(seed,
                                random_id,
                                static_cast<uint32_t>(first_word),
                                static_cast<uint32_t>(first_word >> 32),
                                state_);
        }
    }

    /// Creates the sequence with known shifts, which are only used with Sobol's sequence.
    HELIORAY_HD BundleSequence(const SequenceTables& tables,
                               SamplingKind kind,
                               uint64_t seed,
                               uint32_t random_id,
                               int64_t block,
                               int64_t bundles_per_block,
                               const uint32_t (&shift)[kDimensions])
        : tables_(tables),
          kind_(kind),
          seed_(seed),
          random_id_(random_id),
          bundle_(static_cast<uint64_t>(block) * static_cast<uint64_t>(bundles_per_block)) {
        for (int d = 0; d < kDimensions; ++d) state_[d] = shift[d];
    }

    /// Goes to bundle `index` of the block; advance() is cheaper for consecutive bundles.
    HELIORAY_HD void seek(uint32_t index) {
        index_ = index;
        bundle_ += index;
        if (kind_ != SamplingKind::sobol) return;
        for (int k = 0; (index >> k) != 0; ++k) {
            if (((index >> k) & 1u) == 0) continue;
            for (int d = 0; d < kDimensions; ++d) {
                // Direction k is the difference of two neighbouring steps.
                state_[d] ^= tables_.step[d][k] ^ (k > 0 ? tables_.step[d][k - 1] : 0u);
            }
        }
    }

    HELIORAY_HD void advance() {
        ++bundle_;
        ++index_;
        if (kind_ != SamplingKind::sobol) return;
        const int zeros = trailing_zeros(index_);
        for (int d = 0; d < kDimensions; ++d) state_[d] ^= tables_.step[d][zeros];
    }

    /// Returns the number of the bundle among all bundles of its heliostat.
    HELIORAY_HD uint64_t bundle() const { return bundle_; }

    /// Returns the two uniform numbers of the mirror point.
    HELIORAY_HD void point(float& xi, float& eta) const { points(xi, eta); }

    /// Returns the two uniform numbers of the mirror points of this bundle and the following ones,
    /// one per lane.
    template <typename Real>
    HELIORAY_HD void points(Real& xi, Real& eta) const {
        constexpr int kWidth = LaneTraits<Real>::kWidth;
        uint32_t words[2][kWidth];
        uint32_t next[2] = {state_[0], state_[1]};
        for (int lane = 0; lane < kWidth; ++lane) {
            if (kind_ == SamplingKind::random) {
                const uint64_t bundle = bundle_ + static_cast<uint64_t>(lane);
                const PhiloxWords<float> block = stream<float>(seed_,
                                                               random_id_,
                                                               StreamTag::bundle,
                                                               static_cast<uint32_t>(bundle),
                                                               static_cast<uint32_t>(bundle >> 32));
                next[0] = block.word[0];
                next[1] = block.word[1];
            }
            words[0][lane] = next[0];
            words[1][lane] = next[1];
            if (kWidth == 1 || kind_ == SamplingKind::random) continue;
            const int zeros = trailing_zeros(index_ + static_cast<uint32_t>(lane) + 1);
            for (int d = 0; d < kPointDimensions; ++d) next[d] ^= tables_.step[d][zeros];
        }
        xi = unit_interval(load(words[0], Real()), Real());
        eta = unit_interval(load(words[1], Real()), Real());
    }

    /// Computes the numbers of the rays that start at lane `first_lane`.
    template <typename Real>
    HELIORAY_HD void fill(int first_lane, bool with_specularity, RayNumbers<Real>& numbers) const {
        draw<0>(StreamTag::ray, first_lane, numbers.sun_and_slope);
        if (with_specularity) draw<4>(StreamTag::specularity, first_lane, numbers.specularity);
    }
    template <typename Real>
    HELIORAY_HD RayNumbers<Real> ray_numbers(int first_lane, bool with_specularity) const {
        RayNumbers<Real> numbers{};
        fill(first_lane, with_specularity, numbers);
        return numbers;
    }

  private:
    template <int kFirst, int kCount, typename Real>
    HELIORAY_HD void draw(StreamTag tag, int first_lane, Real (&u)[kCount]) const {
        if (kind_ == SamplingKind::random) {
            // The lane is stored in the upper word, because bundle numbers stay far below 2^59.
            const auto low = make_uint(static_cast<uint32_t>(bundle_), Real());
            const auto high = make_uint((static_cast<uint32_t>(bundle_ >> 32) << kLaneBits) +
                                            static_cast<uint32_t>(first_lane),
                                        Real()) +
                              lane_index(Real());
            const PhiloxWords<Real> words = stream<Real>(seed_, random_id_, tag, low, high);
            for (int d = 0; d < kCount; ++d) u[d] = unit_interval(words.word[d], Real());
            return;
        }
        for (int d = 0; d < kCount; ++d) {
            u[d] = unit_interval(make_uint(state_[kPointDimensions + kFirst + d], Real()) ^
                                     load(tables_.lane[kFirst + d] + first_lane, Real()),
                                 Real());
        }
    }

    const SequenceTables& tables_;
    SamplingKind kind_;
    uint64_t seed_;
    uint32_t random_id_;
    uint64_t bundle_;
    uint32_t index_ = 0;
    uint32_t state_[kDimensions] = {};
};

}  // namespace helioray::kernels
