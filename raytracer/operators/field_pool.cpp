// SPDX-License-Identifier: MIT
// Which idle field a call gets, and how many stay.
#include "raytracer/operators/field_pool.h"

#include <algorithm>
#include <utility>

namespace helioray::operators {

namespace {

/// Fields that stay idle: enough for a forward and a backward of two surfaces on two threads.
constexpr size_t kMostIdle = 4;
/// Doubles of control points that all of them but the last used one have together; about 20 bytes
/// of memory each.
constexpr int64_t kMostIdleValues = 10'000'000;

SunShape sun_shape(const std::string& name) {
    if (name == "gaussian") return GaussianShape{};
    if (name == "pillbox") return PillboxShape{};
    return CollimatedShape{};
}

FieldSetup setup_of(const FluxInputs& inputs, const FluxSettings& settings) {
    FieldSetup setup;
    setup.positions.resize(static_cast<size_t>(inputs.orientation.size(0)));
    setup.targets = targets_of(inputs.targets);
    // Gradients need light that moves smoothly from pixel to pixel.
    setup.settings.bitmap = {settings.bitmap[1], settings.bitmap[0], Filter::bilinear};
    setup.settings.seed = static_cast<uint64_t>(settings.seed);
    setup.settings.shading = settings.shading;
    setup.settings.blocking = settings.blocking;
    setup.settings.rays.rays = settings.rays;
    setup.sun_shape = sun_shape(settings.sun_shape);
    return setup;
}

}  // namespace

FieldPool& FieldPool::instance() {
    static FieldPool pool;
    return pool;
}

FieldPool::Kind FieldPool::kind_of(const FluxInputs& inputs, const FluxSettings& settings) {
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

/// The field of this kind that knows most of the mirrors. One that knows none is as good as a new
/// one, and is taken instead of it only when there are enough to choose from: so loops over several
/// surfaces find each again.
std::unique_ptr<TensorField> FieldPool::best_of(const Kind& kind, const MirrorPoints& points) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto best = idle_.end();
    size_t most_known = 0;
    for (auto one = idle_.begin(); one != idle_.end(); ++one) {
        if (one->kind != kind) continue;
        const size_t known = one->field->mirrors().num_known(points, one->field->everyone());
        if (best != idle_.end() && known < most_known) continue;
        if (best != idle_.end() && known == most_known && known > 0) continue;
        best = one;
        most_known = known;
    }
    if (best == idle_.end() || (most_known == 0 && idle_.size() < kMostIdle)) return nullptr;
    std::unique_ptr<TensorField> field = std::move(best->field);
    idle_.erase(best);
    return field;
}

/// Mirrors of a field of any other kind, for a new one.
std::optional<Mirrors> FieldPool::known_mirrors(size_t num_heliostats, const MirrorPoints& points) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Mirrors* best = nullptr;
    size_t most_known = 0;
    for (const Idle& one : idle_) {
        if (one.field->num_heliostats() != num_heliostats) continue;
        const size_t known = one.field->mirrors().num_known(points, one.field->everyone());
        if (known <= most_known) continue;
        best = &one.field->mirrors();
        most_known = known;
    }
    return best != nullptr ? std::optional(*best) : std::nullopt;
}

std::unique_ptr<TensorField> FieldPool::take(const FluxInputs& inputs,
                                             const FluxSettings& settings) {
    const MirrorPoints points(inputs.control_points, settings.degrees);
    std::unique_ptr<TensorField> field = best_of(kind_of(inputs, settings), points);
    if (!field) {
        FieldSetup setup = setup_of(inputs, settings);
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
    Kind kind = kind_of(inputs, settings);
    std::vector<Idle> dropped;  // outlives the lock: freeing takes long
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_front({std::move(kind), inputs.control_points.numel(), std::move(field)});
    const auto values = [&] {
        int64_t sum = 0;
        for (auto one = idle_.begin() + 1; one != idle_.end(); ++one) sum += one->num_values;
        return sum;
    };
    while (idle_.size() > kMostIdle || (idle_.size() > 1 && values() > kMostIdleValues)) {
        dropped.push_back(std::move(idle_.back()));
        idle_.pop_back();
    }
}

}  // namespace helioray::operators
