// SPDX-License-Identifier: MIT
// A prepared field that a user of the operators holds: the class helioray.Field.
#pragma once

#include "raytracer/operators/field_trace.h"
#include "raytracer/operators/operator_node.h"
#include "raytracer/operators/signatures.h"
#include "raytracer/operators/tensor_field.h"
#include "scenario/run_config.h"

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

/// Reads a text in the language of the run configuration (configs/README.md) with the sections
/// sun (shape and dni_w_m2), optics, targets (by row of the tensor of targets: "0", "1", ...),
/// obstacles, tracing and bitmap. Missing keys have the run configuration's defaults, the sun's
/// shape that of Gaussian light with 2.09 mrad. Files in it are relative to the working directory.
/// Throws InputError with every problem found, among them keys that have no meaning for a field.
RunConfig read_field_config(const std::string& text);

/// Heliostats, targets, sun and optics that follow changes and can be traced any number of times.
/// All tensors are float64 unless said otherwise, on the CPU or on a CUDA device; results come back
/// on the device of the orientations that the field was made with, where its rays are traced.
/// Tensors are read when they are given: changing them later changes nothing here.
///
/// Any number of fields live side by side, on as many threads; calls for one field follow each
/// other. Errors are c10::Error that name argument and value. After an error in a set_... call, all
/// of the field must be set again.
class FieldObject : public torch::CustomClassHolder {
  public:
    /// config: see read_field_config(). targets: [T, 13] as of trace_flux. target_index: [N] int64,
    /// -1 for heliostats that are not traced. orientation: [N, 4, 4]; where a heliostat is not
    /// traced, its mirror lies flat at the origin that it has here. per_heliostat: traces can
    /// return the maps of single heliostats, for which fewer of them share work.
    FieldObject(const std::string& config,
                const at::Tensor& targets,
                const at::Tensor& target_index,
                const at::Tensor& orientation,
                bool per_heliostat);

    /// points: [M, F, nu, nv, 3] as of trace_flux, one mirror for each of the heliostats ([M]
    /// int64, or all) or one for them together ([1, ...]).
    void set_control_points(const at::Tensor& points,
                            at::IntArrayRef degrees,
                            const std::optional<at::Tensor>& heliostats);
    /// facets: [M, F, 11] as of MirrorFormulas, for heliostats as above.
    void set_facets(const at::Tensor& facets, const std::optional<at::Tensor>& heliostats);
    /// Of all heliostats [N, 4, 4], or of these [M, 4, 4].
    void set_orientation(const at::Tensor& orientation,
                         const std::optional<at::Tensor>& heliostats);
    /// [N] int64; -1: is not traced.
    void set_target_index(const at::Tensor& target_index);
    /// [3], any length but zero.
    void set_sun(const at::Tensor& direction);
    /// [5] as of trace_flux; widths count for shapes that have one (Gaussian and pillbox).
    void set_optics(const at::Tensor& optics);
    void set_seed(int64_t seed);

    /// Flux [T, H, W] in W/m2 and energy [N, 8] in W: solar_power = cosine_loss + shading_loss +
    /// reflection_loss + blocking_loss + attenuation_loss + spillage_loss + target_power, in this
    /// order. Parts [index, count] add up.
    std::tuple<at::Tensor, at::Tensor> trace(at::IntArrayRef part);
    /// Flux of each heliostat on its target, [N, H, W] in W/m2.
    at::Tensor trace_heliostats(at::IntArrayRef part);

    /// The tensors that a differentiable call sets; empty ones stay as they are. control_points
    /// are those of the last set_control_points().
    struct GivenTensors {
        at::Tensor orientation;
        std::optional<at::Tensor> control_points;
        std::optional<at::Tensor> sun_direction;
        std::optional<at::Tensor> optics;
    };
    /// Which state of the field a trace belongs to.
    struct State {
        int64_t settings = 0;
        int64_t mirrors = 0;
    };
    /// Sets these tensors and traces as trace(); `state` receives the state of the field.
    std::tuple<at::Tensor, at::Tensor> trace_given(const GivenTensors& given,
                                                   at::IntArrayRef part,
                                                   State& state);
    /// Throws for a reach of edges, metres, that backward() cannot take: it is 0 (no edges) or
    /// above, and 0 where the field is traced on a CUDA device.
    void check_edge_reach(double edge_reach) const;
    /// Gradients of a loss by the tensors in `given`, which are set again; undefined for empty
    /// ones. edge_reach: as in kernels::CpuOptions, checked. Throws where the state of the trace is
    /// no longer known.
    Gradients backward(const at::Tensor& grad_flux,
                       const GivenTensors& given,
                       at::IntArrayRef part,
                       double edge_reach,
                       const State& state);
    /// The tensors that a call without them uses.
    at::Tensor sun_direction() const;
    at::Tensor optics() const;
    /// [T] W/m2 of the smallest step of a pixel: the flux of a part is a multiple of it, so that
    /// parts add up as integers. Throws before there is a sun.
    at::Tensor flux_per_quantum();
    /// [T] m2 of a pixel: the sum of a map times it is the power on the target in W.
    at::Tensor pixel_areas() const;
    /// [T, H, W] of the flux.
    std::vector<int64_t> flux_shape() const;

  private:
    std::vector<size_t> selected(const std::optional<at::Tensor>& heliostats, int64_t count) const;
    void take_mirrors(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats);
    void take(const GivenTensors& given);
    void update();
    FluxSums traced(at::IntArrayRef part, bool per_heliostat);
    at::Tensor energy_of(const FluxSums& sums, const std::array<int64_t, 2>& part) const;

    mutable std::mutex mutex_;
    at::Device device_;
    bool per_heliostat_;
    bool is_bilinear_ = true;
    std::optional<TensorField> field_;
    at::Tensor orientation_;  ///< on the CPU, like all here; its own memory
    at::Tensor target_index_;
    at::Tensor sun_direction_;  ///< undefined until it is set
    at::Tensor optics_;
    std::array<int64_t, 2> degrees_{3, 3};  ///< of the last control points
    std::vector<size_t> mirrors_;           ///< heliostats that have them; none yet
    std::array<int64_t, 5> points_shape_{};
    State state_;
};

}  // namespace helioray::operators
