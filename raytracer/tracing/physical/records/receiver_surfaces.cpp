// SPDX-License-Identifier: MIT
// Records of the surfaces of receivers.
#include "raytracer/tracing/physical/records/receiver_surfaces.h"

#include "raytracer/tracing/physical/records/records.h"
#include "scenario/types/vector_math.h"

#include <cmath>

namespace helioray::physical {

std::optional<TargetFrame> receivers_frame(std::span<const Target> targets) {
    TargetFrame frame{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}};
    size_t count = 0;
    for (const Target& target : targets) {
        if (target.receiver.empty()) continue;
        frame.origin = add(frame.origin, target_frame(target).origin);
        ++count;
    }
    if (count == 0) return std::nullopt;
    frame.origin = scaled(1.0 / static_cast<double>(count), frame.origin);
    return frame;
}

namespace {

/// Returns the radius of a sphere about the origin of its frame that contains the surface, metres.
double bounding_radius(const kernels::TargetRecord& shape) {
    const double half_width = 0.5 * static_cast<double>(shape.width);
    const double half_height = 0.5 * static_cast<double>(shape.height);
    switch (shape.kind) {
        case kernels::TargetKind::plane:
        case kernels::TargetKind::disc:
            return std::hypot(half_height, half_width);
        case kernels::TargetKind::cylinder_outside:
        case kernels::TargetKind::cylinder_inside:
            return std::hypot(half_height, static_cast<double>(shape.radius));
        case kernels::TargetKind::annulus:
        case kernels::TargetKind::sphere:
            return static_cast<double>(shape.radius);
        case kernels::TargetKind::cone:
            return std::hypot(static_cast<double>(shape.top), static_cast<double>(shape.radius));
    }
    return 0.0;
}

}  // namespace

kernels::SurfaceRecord surface_record(const Target& target,
                                      const kernels::TargetRecord& shape,
                                      size_t index,
                                      const TargetFrame& shared) {
    const TargetFrame own = target_frame(target);
    kernels::SurfaceRecord record{};
    record.shape = shape;
    for (size_t i = 0; i < 3; ++i) {
        // The axes of the shared frame are those of the world.
        for (size_t k = 0; k < 3; ++k)
            record.rotation[3 * i + k] = static_cast<float>(own.axes[i][k]);
    }
    set(record.origin, shared.point_to_frame(own.origin));
    // The margin covers the rounding of float32.
    constexpr double kMargin = 1e-3;
    record.radius = static_cast<float>(bounding_radius(shape) + kMargin);
    record.target = static_cast<int32_t>(index);
    record.is_absorber = target.use == SurfaceUse::absorber ? 1 : 0;
    return record;
}

}  // namespace helioray::physical
