// SPDX-License-Identifier: MIT
// Implements helioray::trace_flux and its backward pass for tensors with data, on the CPU and on
// CUDA devices, with a pool of prepared fields between calls.
#include "raytracer/operators/checks.h"
#include "raytracer/operators/field_trace.h"
#include "raytracer/operators/operator_node.h"
#include "raytracer/operators/signatures.h"
#include "raytracer/operators/tensor_field.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::operators {

namespace {

/// Pool of fields that no call uses at the moment.
///
/// A functional call has only its tensors, and its backward pass may be called from another thread,
/// inside torch.func or a compiled graph, where no object can be passed from the forward call. So a
/// call takes the most similar idle field, updates it, and returns it. Results do not depend on the
/// choice: records are recomputed wherever their content differs. Concurrent calls use different
/// fields. Users who want to own and free a field use the class helioray.Field.
class FieldPool {
  public:
    /// Returns the pool of the process.
    static FieldPool& instance();

    /// Returns a field updated with these inputs, which are on the CPU and checked except for the
    /// values of control points. Throws InputError and c10::Error for fields that cannot be traced.
    std::unique_ptr<TensorField> take(const FluxInputs& inputs, const FluxSettings& settings);

    /// Returns a field to the pool; do not call it after a failure. Drops the least recently used
    /// fields if there are too many.
    void put_back(std::unique_ptr<TensorField> field,
                  const FluxInputs& inputs,
                  const FluxSettings& settings);

  private:
    /// Properties that two fields must share so that setting tensors turns one into the other.
    struct Kind {
        int64_t num_heliostats = 0;
        std::vector<double> targets;
        std::array<int64_t, 2> bitmap{};
        int64_t rays = 0;
        std::string sun_shape;
        bool shading = false;
        bool blocking = false;
        bool operator==(const Kind&) const = default;
    };
    struct Idle {
        Kind kind;
        int64_t num_values = 0;  ///< number of control point values
        std::unique_ptr<TensorField> field;
    };

    static Kind make_kind(const FluxInputs& inputs, const FluxSettings& settings);
    std::unique_ptr<TensorField> take_best(const Kind& kind, const MirrorPoints& points);
    std::optional<Mirrors> known_mirrors(size_t num_heliostats, const MirrorPoints& points);

    std::mutex mutex_;
    std::deque<Idle> idle_;  ///< most recently used first
};

/// Number of idle fields: enough for a forward and a backward pass of two surfaces on two threads.
constexpr size_t kMostIdle = 4;
/// Largest number of control point values of all idle fields except the most recent one; a value
/// takes about 20 bytes of memory.
constexpr int64_t kMostIdleValues = 10'000'000;

SunShape sun_shape(const std::string& name) {
    if (name == "gaussian") return GaussianShape{};
    if (name == "pillbox") return PillboxShape{};
    return CollimatedShape{};
}

RunConfig make_config(const FluxSettings& settings) {
    RunConfig config;
    // Gradients need light that moves smoothly from pixel to pixel.
    config.bitmap = {settings.bitmap[1], settings.bitmap[0], Filter::bilinear};
    config.tracing.seed = static_cast<uint64_t>(settings.seed);
    config.tracing.shading = settings.shading;
    config.tracing.blocking = settings.blocking;
    config.tracing.rays_per_heliostat = settings.rays;
    config.sun.shape = sun_shape(settings.sun_shape);
    return config;
}

FieldPool& FieldPool::instance() {
    static FieldPool pool;
    return pool;
}

FieldPool::Kind FieldPool::make_kind(const FluxInputs& inputs, const FluxSettings& settings) {
    const at::Tensor targets = inputs.targets.contiguous();
    const double* values = targets.const_data_ptr<double>();
    return {inputs.orientation.size(0),
            {values, values + targets.numel()},
            settings.bitmap,
            settings.rays,
            settings.sun_shape,
            settings.shading,
            settings.blocking};
}

/// Returns the field of this kind that contains most of the mirrors. A field without any of them is
/// no better than a new one, and is only taken if the pool is full, so that loops over several
/// surfaces find each of them again.
std::unique_ptr<TensorField> FieldPool::take_best(const Kind& kind, const MirrorPoints& points) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto best = idle_.end();
    size_t most_known = 0;
    for (auto idle = idle_.begin(); idle != idle_.end(); ++idle) {
        if (idle->kind != kind) continue;
        const size_t known = idle->field->mirrors().num_known(points, idle->field->everyone());
        if (best != idle_.end() && known < most_known) continue;
        if (best != idle_.end() && known == most_known && known > 0) continue;
        best = idle;
        most_known = known;
    }
    if (best == idle_.end() || (most_known == 0 && idle_.size() < kMostIdle)) return nullptr;
    std::unique_ptr<TensorField> field = std::move(best->field);
    idle_.erase(best);
    return field;
}

/// Returns mirrors from a field of any other kind, for use in a new field.
std::optional<Mirrors> FieldPool::known_mirrors(size_t num_heliostats, const MirrorPoints& points) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Mirrors* best = nullptr;
    size_t most_known = 0;
    for (const Idle& idle : idle_) {
        if (idle.field->num_heliostats() != num_heliostats) continue;
        const size_t known = idle.field->mirrors().num_known(points, idle.field->everyone());
        if (known <= most_known) continue;
        best = &idle.field->mirrors();
        most_known = known;
    }
    return best != nullptr ? std::optional(*best) : std::nullopt;
}

std::unique_ptr<TensorField> FieldPool::take(const FluxInputs& inputs,
                                             const FluxSettings& settings) {
    const MirrorPoints points(inputs.control_points, settings.degrees);
    std::unique_ptr<TensorField> field = take_best(make_kind(inputs, settings), points);
    if (!field) {
        // Mirrors without target lie at the origin, because other calls use the field again.
        std::vector<Vec3> positions(static_cast<size_t>(inputs.orientation.size(0)));
        FieldSetup setup = make_setup(make_config(settings), inputs.targets, std::move(positions));
        std::optional<Mirrors> known = known_mirrors(setup.positions.size(), points);
        field = std::make_unique<TensorField>(std::move(setup), std::move(known));
    }
    field->set_mirrors(points, field->everyone());
    field->set_orientation(inputs.orientation, inputs.target_index);
    field->set_light(inputs.sun_direction, inputs.optics);
    field->set_seed(static_cast<uint64_t>(settings.seed));
    field->update();
    return field;
}

void FieldPool::put_back(std::unique_ptr<TensorField> field,
                         const FluxInputs& inputs,
                         const FluxSettings& settings) {
    Kind kind = make_kind(inputs, settings);
    std::vector<Idle> dropped;  // outlives the lock, because freeing takes long
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_front({std::move(kind), inputs.control_points.numel(), std::move(field)});
    const auto values = [&] {
        int64_t sum = 0;
        for (auto idle = idle_.begin() + 1; idle != idle_.end(); ++idle) sum += idle->num_values;
        return sum;
    };
    while (idle_.size() > kMostIdle || (idle_.size() > 1 && values() > kMostIdleValues)) {
        dropped.push_back(std::move(idle_.back()));
        idle_.pop_back();
    }
}

/// Calls function(field) with a field for these inputs.
template <typename Function>
auto with_field(const FluxInputs& inputs, const FluxSettings& settings, Function function) {
    FieldPool& pool = FieldPool::instance();
    std::unique_ptr<TensorField> field = pool.take(inputs, settings);
    auto result = function(*field);
    pool.put_back(std::move(field), inputs, settings);
    return result;
}

/// Returns the inputs without gradients on the CPU, after check_shapes() and check_values().
FluxInputs checked_on_cpu(const FluxInputs& inputs, const FluxSettings& settings) {
    check_shapes(inputs, settings);
    const auto on_cpu = [](const at::Tensor& tensor) { return tensor.to(at::kCPU); };
    const FluxInputs moved{on_cpu(inputs.orientation),
                           on_cpu(inputs.control_points),
                           on_cpu(inputs.target_index),
                           on_cpu(inputs.targets),
                           on_cpu(inputs.sun_direction),
                           on_cpu(inputs.optics)};
    check_values(moved);
    return moved;
}

at::Tensor trace(const FluxInputs& given, const FluxSettings& settings) {
    const FluxInputs inputs = checked_on_cpu(given, settings);
    const at::Device device = given.orientation.device();
    return with_torch_errors([&] {
        return with_field(inputs, settings, [&](const TensorField& field) {
            return compute_flux(field, traced_sums(field, settings.part, {device})).to(device);
        });
    });
}

Gradients zeros_like(const FluxInputs& inputs) {
    const auto zeros = [](const at::Tensor& tensor) {
        return at::zeros(tensor.sizes(), tensor.options());
    };
    return {zeros(inputs.orientation),
            zeros(inputs.control_points),
            zeros(inputs.sun_direction),
            zeros(inputs.optics)};
}

Gradients trace_backward(const at::Tensor& grad_flux,
                         const FluxInputs& given,
                         const FluxSettings& settings) {
    const FluxInputs inputs = checked_on_cpu(given, settings);
    check_flux_gradient(grad_flux, given, settings);
    const at::Tensor per_flux = grad_flux.to(at::kCPU);
    const bool is_zero = !has_gradient(per_flux);
    // The gradients are divided by the reflectivity.
    TORCH_CHECK(inputs.optics[OpticsColumns::reflectivity].item<double>() > 0.0,
                "optics[1], the reflectivity, must be above 0 for gradients");
    if (is_zero) return zeros_like(given);
    const at::Device device = grad_flux.device();
    auto [by_orientation, by_control_points, by_sun, by_optics] = with_torch_errors([&] {
        return with_field(inputs, settings, [&](TensorField& field) {
            GradientRequest request{{}, field.everyone(), inputs.sun_direction, inputs.optics};
            std::copy_n(inputs.control_points.sizes().begin(), 5, request.points_shape.begin());
            return flux_gradients(field, per_flux, request, settings.part, {device});
        });
    });
    return {by_orientation.to(device),
            by_control_points.to(device),
            by_sun.to(device),
            by_optics.to(device)};
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, CPU, m) {
    m.impl("trace_flux", flux_kernel<trace>);
    m.impl("trace_flux_backward", gradient_kernel<trace_backward>);
}

// In a build without CUDA, tensors on a device cause an error that states this.
TORCH_LIBRARY_IMPL(helioray, CUDA, m) {
    m.impl("trace_flux", flux_kernel<trace>);
    m.impl("trace_flux_backward", gradient_kernel<trace_backward>);
}

}  // namespace helioray::operators
