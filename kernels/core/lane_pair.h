// SPDX-License-Identifier: MIT
// Two vectors of lanes as one of twice the width: two independent chains of operations, which a
// processor executes in parallel, while a single chain would make it wait.
#pragma once

#include "kernels/core/scalar.h"

namespace helioray::kernels {

/// Two vectors. Their copy functions copy vector by vector, because GCC copies structs of vectors
/// through memory in smaller pieces, and the processor waits when it then loads whole vectors.
template <typename Half>
struct VectorPair {
    Half low, high;

    VectorPair() = default;
    HELIORAY_HD VectorPair(const Half& l, const Half& h) : low(l), high(h) {}
    HELIORAY_HD VectorPair(const VectorPair& other) : low(other.low), high(other.high) {}
    HELIORAY_HD VectorPair& operator=(const VectorPair& other) {
        low = other.low;
        high = other.high;
        return *this;
    }
};

template <typename Lanes>
struct PairMask : VectorPair<typename LaneTraits<Lanes>::Mask> {
    using VectorPair<typename LaneTraits<Lanes>::Mask>::VectorPair;

    HELIORAY_HD friend PairMask operator&(const PairMask& x, const PairMask& y) {
        return {x.low & y.low, x.high & y.high};
    }
    HELIORAY_HD friend PairMask operator|(const PairMask& x, const PairMask& y) {
        return {x.low | y.low, x.high | y.high};
    }
    HELIORAY_HD friend PairMask operator!(const PairMask& x) { return {!x.low, !x.high}; }
    HELIORAY_HD friend bool any(const PairMask& x) { return any(x.low | x.high); }
};

template <typename Lanes>
struct PairUint : VectorPair<typename LaneTraits<Lanes>::Uint> {
    using VectorPair<typename LaneTraits<Lanes>::Uint>::VectorPair;

    HELIORAY_HD friend PairUint operator^(const PairUint& x, const PairUint& y) {
        return {x.low ^ y.low, x.high ^ y.high};
    }
    HELIORAY_HD friend PairUint operator+(const PairUint& x, const PairUint& y) {
        return {x.low + y.low, x.high + y.high};
    }
    HELIORAY_HD friend void multiply_wide(const PairUint& x,
                                          uint32_t factor,
                                          PairUint& high_word,
                                          PairUint& low_word) {
        multiply_wide(x.low, factor, high_word.low, low_word.low);
        multiply_wide(x.high, factor, high_word.high, low_word.high);
    }
};

template <typename Lanes>
struct PairInt : VectorPair<typename LaneTraits<Lanes>::Int> {
    using VectorPair<typename LaneTraits<Lanes>::Int>::VectorPair;
    using Mask = PairMask<Lanes>;

    HELIORAY_HD friend PairInt operator+(const PairInt& x, const PairInt& y) {
        return {x.low + y.low, x.high + y.high};
    }
    HELIORAY_HD friend PairInt operator-(const PairInt& x, const PairInt& y) {
        return {x.low - y.low, x.high - y.high};
    }
    HELIORAY_HD friend PairInt operator*(const PairInt& x, const PairInt& y) {
        return {x.low * y.low, x.high * y.high};
    }
    HELIORAY_HD friend PairInt operator&(const PairInt& x, const PairInt& y) {
        return {x.low & y.low, x.high & y.high};
    }
    HELIORAY_HD friend PairInt operator|(const PairInt& x, const PairInt& y) {
        return {x.low | y.low, x.high | y.high};
    }
    HELIORAY_HD friend PairInt power_of_two(const PairInt& n) {
        return {power_of_two(n.low), power_of_two(n.high)};
    }
    HELIORAY_HD friend Mask operator==(const PairInt& x, const PairInt& y) {
        return {x.low == y.low, x.high == y.high};
    }
    HELIORAY_HD friend Mask operator<(const PairInt& x, const PairInt& y) {
        return {x.low < y.low, x.high < y.high};
    }
    HELIORAY_HD friend PairInt min_(const PairInt& x, const PairInt& y) {
        return {min_(x.low, y.low), min_(x.high, y.high)};
    }
    HELIORAY_HD friend PairInt max_(const PairInt& x, const PairInt& y) {
        return {max_(x.low, y.low), max_(x.high, y.high)};
    }
    HELIORAY_HD friend PairInt min_where(const Mask& m, const PairInt& x, const PairInt& y) {
        return {min_where(m.low, x.low, y.low), min_where(m.high, x.high, y.high)};
    }
    HELIORAY_HD friend PairInt max_where(const Mask& m, const PairInt& x, const PairInt& y) {
        return {max_where(m.low, x.low, y.low), max_where(m.high, x.high, y.high)};
    }
    HELIORAY_HD friend PairInt select(const Mask& m, const PairInt& x, const PairInt& y) {
        return {select(m.low, x.low, y.low), select(m.high, x.high, y.high)};
    }
    HELIORAY_HD friend PairInt shift_right(const PairInt& x, int n) {
        return {shift_right(x.low, n), shift_right(x.high, n)};
    }
    HELIORAY_HD friend PairInt shift_left(const PairInt& x, int n) {
        return {shift_left(x.low, n), shift_left(x.high, n)};
    }
    HELIORAY_HD friend void store(int32_t* p, const PairInt& x) {
        store(p, x.low);
        store(p + LaneTraits<Lanes>::kWidth, x.high);
    }
    /// The pairwise sums of both vectors must fit in 32 bits.
    HELIORAY_HD friend int64_t sum(const PairInt& x) { return sum(x.low + x.high); }
    HELIORAY_HD friend int32_t smallest(const PairInt& x) { return smallest(min_(x.low, x.high)); }
    HELIORAY_HD friend int32_t largest(const PairInt& x) { return largest(max_(x.low, x.high)); }
};

template <typename Lanes>
struct LanePair : VectorPair<Lanes> {
    using VectorPair<Lanes>::VectorPair;
    using Mask = PairMask<Lanes>;
    using Int = PairInt<Lanes>;
    using Uint = PairUint<Lanes>;
    static constexpr int kHalf = LaneTraits<Lanes>::kWidth;

    LanePair() = default;
    HELIORAY_HD LanePair(float x) : VectorPair<Lanes>(Lanes(x), Lanes(x)) {}

    HELIORAY_HD friend LanePair operator+(const LanePair& x, const LanePair& y) {
        return {x.low + y.low, x.high + y.high};
    }
    HELIORAY_HD friend LanePair operator-(const LanePair& x, const LanePair& y) {
        return {x.low - y.low, x.high - y.high};
    }
    HELIORAY_HD friend LanePair operator*(const LanePair& x, const LanePair& y) {
        return {x.low * y.low, x.high * y.high};
    }
    HELIORAY_HD friend LanePair operator/(const LanePair& x, const LanePair& y) {
        return {x.low / y.low, x.high / y.high};
    }
    HELIORAY_HD friend LanePair operator-(const LanePair& x) { return {-x.low, -x.high}; }
    HELIORAY_HD friend LanePair fma_(const LanePair& x, const LanePair& y, const LanePair& z) {
        return {fma_(x.low, y.low, z.low), fma_(x.high, y.high, z.high)};
    }
    HELIORAY_HD friend LanePair sqrt_(const LanePair& x) { return {sqrt_(x.low), sqrt_(x.high)}; }
    HELIORAY_HD friend LanePair abs_(const LanePair& x) { return {abs_(x.low), abs_(x.high)}; }
    HELIORAY_HD friend LanePair min_(const LanePair& x, const LanePair& y) {
        return {min_(x.low, y.low), min_(x.high, y.high)};
    }
    HELIORAY_HD friend LanePair max_(const LanePair& x, const LanePair& y) {
        return {max_(x.low, y.low), max_(x.high, y.high)};
    }
    HELIORAY_HD friend Mask operator<(const LanePair& x, const LanePair& y) {
        return {x.low < y.low, x.high < y.high};
    }
    HELIORAY_HD friend Mask operator<=(const LanePair& x, const LanePair& y) {
        return {x.low <= y.low, x.high <= y.high};
    }
    HELIORAY_HD friend Mask operator>(const LanePair& x, const LanePair& y) {
        return {x.low > y.low, x.high > y.high};
    }
    HELIORAY_HD friend Mask operator>=(const LanePair& x, const LanePair& y) {
        return {x.low >= y.low, x.high >= y.high};
    }
    HELIORAY_HD friend LanePair select(const Mask& m, const LanePair& x, const LanePair& y) {
        return {select(m.low, x.low, y.low), select(m.high, x.high, y.high)};
    }
    HELIORAY_HD friend Int make_int(int32_t x, const LanePair& any_real) {
        return {make_int(x, any_real.low), make_int(x, any_real.high)};
    }
    HELIORAY_HD friend Uint make_uint(uint32_t x, const LanePair& any_real) {
        return {make_uint(x, any_real.low), make_uint(x, any_real.high)};
    }
    HELIORAY_HD friend Int round_to_int(const LanePair& x) {
        return {round_to_int(x.low), round_to_int(x.high)};
    }
    HELIORAY_HD friend Int truncate_to_int(const LanePair& x) {
        return {truncate_to_int(x.low), truncate_to_int(x.high)};
    }
    HELIORAY_HD friend LanePair to_real(const Int& x, const LanePair& any_real) {
        return {to_real(x.low, any_real.low), to_real(x.high, any_real.high)};
    }
    HELIORAY_HD friend Int float_bits(const LanePair& x) {
        return {float_bits(x.low), float_bits(x.high)};
    }
    HELIORAY_HD friend LanePair unit_interval(const Uint& bits, const LanePair& any_real) {
        return {unit_interval(bits.low, any_real.low), unit_interval(bits.high, any_real.high)};
    }
    HELIORAY_HD friend LanePair gather(const float* p, const Int& i, const LanePair& any_real) {
        return {gather(p, i.low, any_real.low), gather(p, i.high, any_real.high)};
    }
    HELIORAY_HD friend LanePair look_up(const float* table,
                                        const Int& i,
                                        const LanePair& any_real) {
        return {look_up(table, i.low, any_real.low), look_up(table, i.high, any_real.high)};
    }
    HELIORAY_HD friend LanePair look_up_few(const float* table,
                                            const Int& i,
                                            const LanePair& any_real) {
        return {look_up_few(table, i.low, any_real.low), look_up_few(table, i.high, any_real.high)};
    }
    HELIORAY_HD friend void store(float* p, const LanePair& x) {
        store(p, x.low);
        store(p + kHalf, x.high);
    }
    HELIORAY_HD friend LanePair load(const float* p, const LanePair& any_real) {
        return {load(p, any_real.low), load(p + kHalf, any_real.high)};
    }
    HELIORAY_HD friend Uint load(const uint32_t* p, const LanePair& any_real) {
        return {load(p, any_real.low), load(p + kHalf, any_real.high)};
    }
    HELIORAY_HD friend Uint lane_index(const LanePair& any_real) {
        return {lane_index(any_real.low),
                lane_index(any_real.high) + make_uint(kHalf, any_real.high)};
    }
    /// Returns first, first + 1, ...
    HELIORAY_HD friend LanePair lane_number(int first, const LanePair& zero) {
        return {lane_number(first, zero.low), lane_number(first + kHalf, zero.high)};
    }
    /// Returns the sum of all lanes by halves, in the order of a single vector.
    HELIORAY_HD friend float sum_by_halves(const LanePair& x) {
        return sum_by_halves(x.low + x.high);
    }
};

template <typename Lanes>
HELIORAY_HD LanePair<Lanes> bits_to_float(const PairInt<Lanes>& x) {
    return {bits_to_float(x.low), bits_to_float(x.high)};
}

template <typename Lanes>
struct LaneTraits<LanePair<Lanes>> {
    using Mask = PairMask<Lanes>;
    using Int = PairInt<Lanes>;
    using Uint = PairUint<Lanes>;
    static constexpr int kWidth = 2 * LaneTraits<Lanes>::kWidth;
};

#if defined(HELIORAY_SINGLE_VECTORS)
// Sanitizer builds use single vectors, because instrumented pairs take minutes to compile. The sums
// are the same.
template <typename Lanes>
using RayLanes = Lanes;
#else
template <typename Lanes>
using RayLanes = LanePair<Lanes>;
#endif

/// Type of a single vector of the lanes that a block traces at once.
template <typename Real>
struct SingleLanes {
    using Type = Real;
};
template <typename Lanes>
struct SingleLanes<LanePair<Lanes>> {
    using Type = Lanes;
};

}  // namespace helioray::kernels
