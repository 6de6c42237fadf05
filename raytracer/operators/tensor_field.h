// SPDX-License-Identifier: MIT
// A field of heliostats that follows tensors: content keys, mirrors, and the field itself.
#pragma once

#include "raytracer/tracing/physical/field.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace helioray::operators {

/// A 128-bit key of the bits of an array, for which -0 and 0 differ. Different arrays that are not
/// constructed to collide have equal keys with a probability of at most 2^-100.
struct ContentKey {
    uint64_t low = 0;
    uint64_t high = 0;
    bool operator==(const ContentKey&) const = default;
};

/// Prefetches the memory 4 kB ahead, which need not exist. Hardware prefetching does not reach far
/// enough: reading 19 MB takes 0.8 ms with this and 1 to 3 ms without (Xeon with AVX-512 on a busy
/// machine).
template <typename T>
inline void fetch_ahead(T* place) {
    __builtin_prefetch(reinterpret_cast<const char*>(place) + 4096, std::is_const_v<T> ? 0 : 1);
}

/// Returns the key of values[0, count). meaning: a number for all other properties that must be
/// equal.
ContentKey content_key(const double* values, size_t count, uint64_t meaning);

/// A tensor that describes mirrors. The constructor reads all of it once.
class MirrorTensor {
  public:
    virtual ~MirrorTensor() = default;

    size_t num_mirrors() const { return keys_.size(); }
    /// Returns a key per mirror; mirrors with equal keys are equal.
    const std::vector<ContentKey>& keys() const { return keys_; }
    /// Returns the surface of a mirror. Throws c10::Error for values that are not finite.
    Surface surface(size_t mirror) const;

  protected:
    /// Reads all rows. rows: [M, ...] float64 on the CPU. layout: other numbers on which the
    /// mirrors depend.
    MirrorTensor(const char* name, const at::Tensor& rows, std::span<const int64_t> layout);

  private:
    virtual Surface make_surface(const double* values) const = 0;

    const char* name_;  ///< name of the tensor for messages
    at::Tensor tensor_;
    const double* values_;
    int64_t size_;
    std::vector<ContentKey> keys_;
};

/// Mirrors with control points, [M, F, nu, nv, 3]: metres, mirror frame, canting included.
class MirrorPoints : public MirrorTensor {
  public:
    MirrorPoints(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees);

  private:
    Surface make_surface(const double* values) const override;

    int64_t num_facets_;
    std::array<int64_t, 2> points_;
    std::array<int64_t, 2> degrees_;
};

/// Columns of analytic facets; metres, mirror frame.
struct FacetColumns {
    static constexpr int64_t kind = 0;          ///< an AnalyticKind
    static constexpr int64_t focal_length = 1;  ///< focal length of curved facets
    static constexpr int64_t translation = 2;   ///< centre, 3 columns
    static constexpr int64_t canting_e =
        5;  ///< half extent along the e edge, tilted by the canting, 3 columns
    static constexpr int64_t canting_n =
        8;  ///< half extent along the n edge, tilted by the canting, 3 columns
    static constexpr int64_t count = 11;  ///< number of columns
};

/// Mirrors with analytic facets, [M, F, 11]; see FacetColumns.
class MirrorFormulas : public MirrorTensor {
  public:
    explicit MirrorFormulas(const at::Tensor& facets);

  private:
    Surface make_surface(const double* values) const override;

    int64_t num_facets_;
};

/// Values of the first column of MirrorFormulas.
enum class AnalyticKind : int { flat = 0, paraboloid = 1, sphere = 2 };

/// The records of each heliostat's mirror (areas, sampling tables, shapes), updated from tensors.
///
/// Tensors are compared by content, not by identity or version: changes through .data, NumPy views
/// and raw pointers do not change the version and would cause wrong maps. Reading 19 MB (2,000
/// mirrors of four facets with 10 x 10 control points) takes about a millisecond.
class Mirrors {
  public:
    Mirrors() = default;
    explicit Mirrors(size_t num_heliostats) : records_(num_heliostats), keys_(num_heliostats) {}

    /// Sets the mirrors of these heliostats: one for each, or one for all. shapes: build shapes for
    /// shading or blocking. Returns the heliostats whose records changed. Throws c10::Error for
    /// values that are not finite and InputError for a facet without area; then nothing has
    /// changed.
    std::vector<size_t> update(const MirrorTensor& mirrors,
                               const std::vector<size_t>& heliostats,
                               bool shapes);

    /// Returns the number of these heliostats whose records would not change.
    size_t num_known(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats) const;

    /// Records by heliostat; null until the heliostat has a mirror.
    const std::vector<physical::MirrorRecords>& records() const { return records_; }

  private:
    std::vector<physical::MirrorRecords> records_;
    /// Key of each heliostat's mirror and of the heliostats that share it.
    std::vector<ContentKey> keys_;
};

/// The part of a field that does not depend on changing tensors.
struct FieldSetup {
    /// Positions of all heliostats, metres, ENU: the mirror of a heliostat without target lies flat
    /// there.
    std::vector<Vec3> positions;
    std::vector<physical::FieldTarget> targets;
    physical::FieldSettings settings;
    /// Sun shape; its width is used only if the tensor of optics has no column for it.
    SunShape sun_shape;
    OpticsConfig optics;  ///< kinds of errors, and attenuation; the tensor contains the numbers
};

/// Returns the width of a shape for an entry of the optics tensor: 0 for shapes without a width.
double get_width(SunShape shape);
double get_width(ErrorShape shape);

/// Returns the setup of a field with a configuration. targets: tensor [T, 13] float64 on the CPU;
/// their names are their row numbers.
FieldSetup make_setup(const RunConfig& config,
                      const at::Tensor& targets,
                      std::vector<Vec3> positions);

/// Appends the surfaces of the configuration's receivers to the targets, in the order of a
/// scenario: by shape, then by name. Throws InputError for receivers that break the rules of
/// check_receivers() and for meshes.
void add_surfaces(const RunConfig& config, FieldSetup& setup);

/// A prepared field and the state of the tensors from which it was built. If tensors are set again,
/// only the records that depend on changed tensors are recomputed. After any call that throws, the
/// object must not be used any more.
///
/// All tensors are float64 on the CPU unless stated otherwise, with checked shapes and values;
/// shapes are those of FluxInputs.
class TensorField {
  public:
    /// Creates a field. known: existing mirrors of as many heliostats, which need not be built
    /// again.
    explicit TensorField(FieldSetup setup, std::optional<Mirrors> known = {});

    /// Sets the mirrors of some heliostats, one for each or one for all. Returns true if any mirror
    /// changed. Every heliostat needs a mirror before the first update().
    bool set_mirrors(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats);
    /// Sets orientations and targets. target_index: int64; -1 for no target.
    void set_orientation(const at::Tensor& orientation, const at::Tensor& target_index);
    void set_light(const at::Tensor& sun_direction, const at::Tensor& optics);
    void set_seed(uint64_t seed);

    /// Updates the field. Throws InputError for fields that cannot be traced.
    void update();

    /// Returns the field as of the last update().
    const physical::Field& field() const { return *field_; }
    const Mirrors& mirrors() const { return mirrors_; }
    size_t num_heliostats() const { return aimed_.size(); }
    int64_t num_targets() const { return std::ssize(setup_.targets); }
    const std::vector<physical::FieldTarget>& targets() const { return setup_.targets; }
    /// Returns true if there are surfaces of receivers among the targets.
    bool has_receivers() const;
    /// Returns true if some of them reflect light, so that each has a map of incident light.
    bool reflects() const;
    /// Returns the index of the target of each map of the flux: the targets, and if surfaces
    /// reflect light, the surfaces of receivers again, for the maps of incident light.
    std::vector<size_t> maps() const;
    const BitmapConfig& bitmap() const { return setup_.settings.bitmap; }
    /// Returns the indices of all heliostats, 0 to N - 1.
    const std::vector<size_t>& everyone() const { return everyone_; }
    bool has_shapes() const {
        return setup_.settings.tracing.shading || setup_.settings.tracing.blocking;
    }

    /// Returns the units of the part [index, count]: every count-th unit, so that parts have about
    /// equal work.
    std::vector<kernels::WorkUnit> units_of_part(const std::array<int64_t, 2>& part) const;

    /// Returns the flux of one quantum in a pixel of each map, W/m2.
    std::vector<double> flux_per_quantum() const;
    /// Returns the area of a pixel of each map, m2.
    std::vector<double> pixel_areas() const;

    /// Returns the sums of derivatives by FieldView::floats, all zero; the caller must set them to
    /// zero again after use. The memory is reused, because allocating it would be the largest cost.
    std::vector<int64_t>& float_sums();

  private:
    void make_field();

    FieldSetup setup_;
    Mirrors mirrors_;
    physical::FieldLight light_;
    std::array<double, 5> optics_{};  ///< optics in the tensor
    std::vector<size_t> everyone_;
    std::vector<physical::AimedHeliostat> aimed_;  ///< aims by heliostat, with or without target
    std::optional<physical::Field> field_;
    bool is_stale_ = true;  ///< something changed since the last update()
    std::vector<int64_t> float_sums_;
};

}  // namespace helioray::operators
