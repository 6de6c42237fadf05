// SPDX-License-Identifier: MIT
// A field of heliostats that follows tensors: keys of their content, mirrors, and the field itself.
#pragma once

#include "raytracer/physical/field.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace helioray::operators {

/// 128 bits that identify the bits of an array: -0 and 0 differ. Arrays that are not made to
/// deceive have equal keys with a probability of 2^-100 or less unless they are equal.
struct ContentKey {
    uint64_t low = 0;
    uint64_t high = 0;
    bool operator==(const ContentKey&) const = default;
};

/// Prefetches the memory 4 kB further on, which need not exist. Processors fetch
/// ahead by themselves, but not far enough: reading 19 MB takes 0.8 ms with this and 1 to 3 ms
/// without (Xeon with AVX-512 on a busy machine).
template <typename T>
inline void fetch_ahead(T* place) {
    __builtin_prefetch(reinterpret_cast<const char*>(place) + 4096, std::is_const_v<T> ? 0 : 1);
}

/// Key of values[0, count). meaning: a number for everything else that must be equal.
ContentKey content_key(const double* values, size_t count, uint64_t meaning);

/// A tensor that describes mirrors, one after the other. Reads all of it once.
class MirrorTensor {
  public:
    virtual ~MirrorTensor() = default;

    size_t num_mirrors() const { return keys_.size(); }
    /// Of each mirror: equal keys, equal mirrors.
    const std::vector<ContentKey>& keys() const { return keys_; }
    /// Throws c10::Error for values that are not finite.
    Surface surface(size_t mirror) const;

  protected:
    /// rows: [M, ...] float64 on the CPU. layout: other numbers that the mirrors depend on.
    MirrorTensor(const char* name, const at::Tensor& rows, std::span<const int64_t> layout);

  private:
    virtual Surface make_surface(const double* values) const = 0;

    const char* name_;  ///< for messages
    at::Tensor tensor_;
    const double* values_;
    int64_t size_;
    std::vector<ContentKey> keys_;
};

/// Control points, [M, F, nu, nv, 3]: metres, mirror frame, canting included.
class MirrorPoints : public MirrorTensor {
  public:
    MirrorPoints(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees);

  private:
    Surface make_surface(const double* values) const override;

    int64_t num_facets_;
    std::array<int64_t, 2> points_;
    std::array<int64_t, 2> degrees_;
};

/// Columns of facets with formulas; metres, mirror frame.
struct FacetColumns {
    static constexpr int64_t kind = 0;          ///< an AnalyticKind
    static constexpr int64_t focal_length = 1;  ///< of curved facets
    static constexpr int64_t translation = 2;   ///< 3, of the centre
    static constexpr int64_t canting_e =
        5;  ///< 3, half extent along the e edge, tilted by the canting
    static constexpr int64_t canting_n =
        8;  ///< 3, half extent along the n edge, tilted by the canting
    static constexpr int64_t count = 11;  ///< how many there are
};

/// Facets with formulas, [M, F, 11]; see FacetColumns.
class MirrorFormulas : public MirrorTensor {
  public:
    explicit MirrorFormulas(const at::Tensor& facets);

  private:
    Surface make_surface(const double* values) const override;

    int64_t num_facets_;
};

/// First column of the facets of MirrorFormulas.
enum class AnalyticKind : int { flat = 0, paraboloid = 1, sphere = 2 };

/// The records of each heliostat's mirror (areas, sampling tables, shapes), kept up to date with
/// tensors.
///
/// Content decides, not a tensor's identity or version: changes through .data, NumPy views and raw
/// pointers leave no trace there and would end in wrong maps. Reading 19 MB (2,000 mirrors of four
/// facets with 10 x 10 control points) takes about a millisecond.
class Mirrors {
  public:
    Mirrors() = default;
    explicit Mirrors(size_t num_heliostats) : records_(num_heliostats), keys_(num_heliostats) {}

    /// The mirrors of these heliostats: one for each, or one for all. shapes: for shading or
    /// blocking. Returns the heliostats that have other records than before. Throws c10::Error for
    /// values that are not finite, InputError for a facet without area; then nothing has changed.
    std::vector<size_t> update(const MirrorTensor& mirrors,
                               const std::vector<size_t>& heliostats,
                               bool shapes);

    /// How many of these heliostats would not get other records.
    size_t num_known(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats) const;

    /// By heliostat; null until it got a mirror.
    const std::vector<physical::MirrorRecords>& records() const { return records_; }

  private:
    std::vector<physical::MirrorRecords> records_;
    std::vector<ContentKey> keys_;  ///< of the content of each and of the heliostats that share it
};

/// The part of a field that does not come from changing tensors.
struct FieldSetup {
    std::vector<Vec3> positions;  ///< of all heliostats: where the mirror of one lies that serves
                                  ///< no target, facing up; metres, ENU
    std::vector<physical::FieldTarget> targets;
    physical::FieldSettings settings;
    SunShape sun_shape;   ///< its width counts only where it has no place in the tensor of optics
    OpticsConfig optics;  ///< kinds of errors, attenuation; the tensor has numbers
};

/// Targets from a tensor [T, 13] float64 on the CPU, named by their rows.
std::vector<physical::FieldTarget> targets_of(const at::Tensor& rows);

/// A prepared field and the state of the tensors that it was made from. When tensors are set again,
/// it recomputes only the records that depend on changed ones. After any call that throws the
/// object must not be used any more.
///
/// All tensors are float64 on the CPU unless said otherwise, and have passed the checks of their
/// shapes and values; shapes are those of FluxInputs.
class TensorField {
  public:
    /// known: mirrors of as many heliostats, which need not be made again if they are among those
    /// to come.
    explicit TensorField(FieldSetup setup, std::optional<Mirrors> known = {});

    /// Mirrors of some heliostats, one for each or one for all; whether any is another one than
    /// before. Every heliostat has one before the first update().
    bool set_mirrors(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats);
    /// target_index: int64; -1: serves no target.
    void set_orientation(const at::Tensor& orientation, const at::Tensor& target_index);
    void set_light(const at::Tensor& sun_direction, const at::Tensor& optics);
    void set_seed(uint64_t seed);

    /// Brings the field up to date. Throws InputError for fields that cannot be traced.
    void update();

    /// As of the last update().
    const physical::Field& field() const { return *field_; }
    const Mirrors& mirrors() const { return mirrors_; }
    size_t num_heliostats() const { return aimed_.size(); }
    int64_t num_targets() const { return std::ssize(setup_.targets); }
    const BitmapConfig& bitmap() const { return setup_.settings.bitmap; }
    /// All heliostats, 0 to N - 1.
    const std::vector<size_t>& everyone() const { return everyone_; }
    bool has_shapes() const { return setup_.settings.shading || setup_.settings.blocking; }

    /// Units of the part [index, count] to trace: every count-th, so that parts are about equal
    /// work.
    std::vector<kernels::WorkUnit> units_of_part(const std::array<int64_t, 2>& part) const;

    /// Flux in W/m2 of one quantum in a pixel, by target.
    std::vector<double> flux_per_quantum() const;
    /// Area of a pixel in m2, by target.
    std::vector<double> pixel_areas() const;

    /// Sums of derivatives by FieldView::floats, all zero; they are to be zero again after use.
    /// They stay, because memory that is new costs more than all else about them.
    std::vector<int64_t>& float_sums();

  private:
    void make_field();

    FieldSetup setup_;
    Mirrors mirrors_;
    physical::FieldLight light_;
    std::array<double, 5> optics_{};  ///< as the tensor had them
    std::vector<size_t> everyone_;
    std::vector<physical::AimedHeliostat>
        aimed_;  ///< by heliostat, whether it serves a target or not
    std::optional<physical::Field> field_;
    bool is_stale_ = true;  ///< something is other than at the last update()
    std::vector<int64_t> float_sums_;
};

}  // namespace helioray::operators
