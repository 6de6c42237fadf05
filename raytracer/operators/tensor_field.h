// SPDX-License-Identifier: MIT
// A field of heliostats that follows tensors.
#pragma once

#include "raytracer/operators/mirrors.h"
#include "raytracer/physical/field.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace helioray::operators {

/// What of a field does not come from tensors that change.
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

/// A prepared field and the state of the tensors that it was made from. Told tensors again it makes
/// anew what depends on those that are others than before. After any call that throws the object
/// must not be used any more.
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

    /// Brings the field up to date. Throws InputError for what cannot be traced.
    void update();

    /// As of the last update().
    const physical::Field& field() const { return *field_; }
    const Mirrors& mirrors() const { return mirrors_; }
    size_t num_heliostats() const { return aimed_.size(); }
    int64_t num_targets() const { return std::ssize(setup_.targets); }
    /// All heliostats, 0 to N - 1.
    const std::vector<size_t>& everyone() const { return everyone_; }
    bool has_shapes() const { return setup_.settings.shading || setup_.settings.blocking; }

    /// Units of the part [index, count] to trace: every count-th, so that parts are about equal
    /// work.
    std::vector<kernels::WorkUnit> units_of_part(const std::array<int64_t, 2>& part) const;

    /// Flux in W/m2 of one quantum in a pixel, by target.
    std::vector<double> flux_per_quantum() const;

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
