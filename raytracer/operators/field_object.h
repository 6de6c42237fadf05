// SPDX-License-Identifier: MIT
// A prepared field for users of the operators: the class helioray.Field.
#pragma once

#include "raytracer/operators/field_trace.h"
#include "raytracer/operators/operator_node.h"
#include "raytracer/operators/signatures.h"
#include "raytracer/operators/tensor_field.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/types/run_config.h"

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace helioray::operators {

/// Reads a text in the format of the run configuration (configs/README.md) with the sections sun
/// (shape and dni_w_m2), optics, targets (by row of the tensor of targets: "0", "1", ...),
/// receivers, obstacles, terrain, tracing and bitmap. Missing keys have the run configuration's
/// defaults; the default sun shape is Gaussian with 2.09 mrad. Paths are relative to the working
/// directory. Throws InputError with every problem found, including keys that have no meaning for a
/// field.
RunConfig read_field_config(const std::string& text);

/// Heliostats, targets, sun and optics that can be changed and traced any number of times. All
/// tensors are float64 unless stated otherwise, on the CPU or on a CUDA device. Results are on the
/// device of the orientations with which the field was created; rays are traced on this device, or
/// on those of set_devices(). Tensors are read when they are passed: changing them later has no
/// effect.
///
/// Any number of fields may be used concurrently in different threads; calls for one field are
/// serialised. Errors are c10::Error that name argument and value. After an error in a set_...()
/// call, all tensors of the field must be set again.
class FieldObject : public torch::CustomClassHolder {
  public:
    /// Creates a field. config: see read_field_config(). targets: [T, 13] as for trace_flux; the
    /// surfaces of the configuration's receivers follow them, see map_names(). T may be 0 if there
    /// are receivers. target_index: [N] int64, -1 for heliostats that are not traced; the index of
    /// any surface for those that aim at receivers, whose light falls on all surfaces. orientation:
    /// [N, 4, 4]; the mirror of a heliostat that is not traced lies flat at the origin in its
    /// matrix. per_heliostat: traces can return the maps of single heliostats, for which fewer
    /// heliostats share a work unit.
    FieldObject(const std::string& config,
                const at::Tensor& targets,
                const at::Tensor& target_index,
                const at::Tensor& orientation,
                bool per_heliostat);

    /// Traces on these CUDA devices together, each once; empty: on the device of the orientations.
    /// Sums are integers, so that results do not depend on the number of devices.
    void set_devices(at::IntArrayRef devices);

    /// Sets B-spline mirrors. points: [M, F, nu, nv, 3] as for trace_flux, one mirror for each of
    /// the heliostats ([M] int64, or all) or one that they share ([1, ...]).
    void set_control_points(const at::Tensor& points,
                            at::IntArrayRef degrees,
                            const std::optional<at::Tensor>& heliostats);
    /// Sets analytic mirrors. facets: [M, F, 11] as in MirrorFormulas; heliostats as in
    /// set_control_points().
    void set_facets(const at::Tensor& facets, const std::optional<at::Tensor>& heliostats);
    /// Sets the orientations of all heliostats [N, 4, 4], or of the given ones [M, 4, 4].
    void set_orientation(const at::Tensor& orientation,
                         const std::optional<at::Tensor>& heliostats);
    /// Sets the target of each heliostat, [N] int64; -1 for heliostats that are not traced.
    void set_target_index(const at::Tensor& target_index);
    /// Sets the direction to the sun, [3], any non-zero length.
    void set_sun(const at::Tensor& direction);
    /// Sets the optics, [5] as for trace_flux. Widths apply to shapes that have one (Gaussian and
    /// pillbox).
    void set_optics(const at::Tensor& optics);
    void set_seed(int64_t seed);

    /// Returns flux [T, H, W] in W/m2 and energy [N, 8] in W: solar_power = cosine_loss +
    /// shading_loss + reflection_loss + blocking_loss + attenuation_loss + spillage_loss +
    /// target_power, in this order. The results of all parts [index, count] add up.
    ///
    /// With receivers of several surfaces, the flux also has a map for each of their surfaces, and
    /// if surfaces reflect light, then one of the incident light on each, see map_names(); energy
    /// has a column for each of energy_terms().
    std::tuple<at::Tensor, at::Tensor> trace(at::IntArrayRef part);
    /// Returns the flux of each heliostat on its target, [N, H, W] in W/m2.
    at::Tensor trace_heliostats(at::IntArrayRef part);

    /// The tensors that a differentiable call sets; empty ones do not change. control_points
    /// replace those of the last set_control_points().
    struct GivenTensors {
        at::Tensor orientation;
        std::optional<at::Tensor> control_points;
        std::optional<at::Tensor> sun_direction;
        std::optional<at::Tensor> optics;
    };
    /// Identifies the state of the field that was traced.
    struct State {
        int64_t settings = 0;
        int64_t mirrors = 0;
    };
    /// Sets these tensors and traces like trace(); `state` receives the state of the field.
    std::tuple<at::Tensor, at::Tensor> trace_given(const GivenTensors& given,
                                                   at::IntArrayRef part,
                                                   State& state);
    /// Throws for values of edge_reach (metres) that backward() does not support: negative values,
    /// and values other than 0 (no edges) for a field that is traced on a CUDA device.
    void check_edge_reach(double edge_reach) const;
    /// Returns the gradients of a loss with respect to the tensors in `given`, which are set again;
    /// undefined for empty ones. edge_reach: as in kernels::CpuOptions, already checked. Throws if
    /// the field no longer has the state of the trace.
    Gradients backward(const at::Tensor& grad_flux,
                       const GivenTensors& given,
                       at::IntArrayRef part,
                       double edge_reach,
                       const State& state);
    /// Returns the direction to the sun that calls without this tensor use.
    at::Tensor sun_direction() const;
    at::Tensor optics() const;
    /// Returns the flux of one quantum in a pixel, [T] W/m2. The flux of a part is a multiple of
    /// it, so that parts can be added as integers. Throws before the sun has been set.
    at::Tensor flux_per_quantum();
    /// Returns the area of a pixel, [T] m2: the sum of a map times this area is the power on the
    /// target in W.
    at::Tensor pixel_areas() const;
    /// Returns the shape of the flux, [T, H, W].
    std::vector<int64_t> flux_shape() const;
    /// Returns the names of the maps of the flux: the rows of targets as numbers, the surfaces of
    /// receivers as in results, and then these with ", incident" if surfaces reflect light.
    std::vector<std::string> map_names() const;
    /// Returns the names of the columns of energy: the first one is the sum of the others.
    std::vector<std::string> energy_terms() const;

  private:
    std::vector<EnergyTermInfo> make_energy_terms() const;
    void check_differentiable() const;
    std::vector<size_t> selected(const std::optional<at::Tensor>& heliostats, int64_t count) const;
    void take_mirrors(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats);
    void take(const GivenTensors& given);
    void update();
    FluxSums traced(at::IntArrayRef part, bool per_heliostat);
    at::Tensor compute_energy(const FluxSums& sums, const std::array<int64_t, 2>& part) const;

    mutable std::mutex mutex_;
    Place place_;
    bool per_heliostat_;
    bool is_bilinear_ = true;
    std::optional<TensorField> field_;
    at::Tensor orientation_;  ///< on the CPU, like all tensors below; a copy
    at::Tensor target_index_;
    at::Tensor sun_direction_;  ///< undefined until it is set
    at::Tensor optics_;
    std::array<int64_t, 2> degrees_{3, 3};  ///< degrees of the last control points
    std::vector<size_t> mirrors_;           ///< heliostats that have control points
    std::array<int64_t, 5> points_shape_{};
    State state_;
};

}  // namespace helioray::operators
