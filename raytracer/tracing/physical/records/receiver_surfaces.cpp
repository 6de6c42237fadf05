// SPDX-License-Identifier: MIT
// Records of the surfaces of receivers.
#include "raytracer/tracing/physical/records/receiver_surfaces.h"

#include "raytracer/tracing/physical/records/records.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

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
        case kernels::TargetKind::quadric:
            return std::hypot(static_cast<double>(shape.top), static_cast<double>(shape.radius));
        case kernels::TargetKind::concentrator:
            return std::hypot(static_cast<double>(shape.top),
                              static_cast<double>(shape.radius) *
                                  std::hypot(1.0, static_cast<double>(shape.side_tangent)));
        case kernels::TargetKind::mesh:
            return static_cast<double>(shape.radius);
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
    // Mirrors count light that they do not reflect as absorbers do, but as a loss.
    record.is_absorber = target.use == SurfaceUse::shield ? 0 : 1;
    record.shades = target.use == SurfaceUse::mirror ? 1 : 0;
    record.optics = {1.0f, -1.0f, 0.0f, 0.0f};
    return record;
}

void require_countable_pixels(int64_t num_maps, const BitmapConfig& bitmap) {
    const double pixels =
        static_cast<double>(bitmap.width * bitmap.height) * static_cast<double>(num_maps);
    constexpr double kMostPixels = 2147483647.0;  // the kernels count them in 32 bits
    if (pixels <= kMostPixels) return;
    throw InputError(Problem{"bitmap",
                             fmt::format("the receivers' {} maps of {} x {} pixels have more than "
                                         "2^31 pixels together",
                                         num_maps,
                                         bitmap.width,
                                         bitmap.height),
                             "rays fall on all of them at once",
                             "choose smaller maps or fewer surfaces"});
}

namespace {

/// Returns true if the absorptance depends on the angle.
bool needs_table(const SurfaceAbsorption& surface) {
    return !surface.table.empty() || surface.law != AbsorptanceLaw::constant;
}

bool has_same_absorptance(const SurfaceAbsorption& a, const SurfaceAbsorption& b) {
    return a.absorptance == b.absorptance && a.law == b.law && a.table == b.table &&
           a.martin_ruiz_coefficient == b.martin_ruiz_coefficient;
}

}  // namespace

ReceiverOptics::ReceiverOptics(std::span<const Target> targets) {
    for (const Target& target : targets) {
        if (!target.absorption) continue;
        const SurfaceAbsorption& surface = *target.absorption;
        reflects_ = true;
        if (!needs_table(surface)) {
            if (surface.bounces > 0)
                least_absorptance_ = std::min(least_absorptance_, surface.absorptance);
            continue;
        }
        // Diffuse light arrives at the mean angle of 45 degrees.
        if (surface.bounces > 0)
            least_absorptance_ =
                std::min(least_absorptance_, absorptance_at(surface, 0.25 * std::numbers::pi));
        if (std::ranges::any_of(tabulated_,
                                [&](const auto& t) { return has_same_absorptance(t, surface); }))
            continue;
        tabulated_.push_back(surface);
        for (int k = 0; k <= kernels::kAbsorptanceTableSize; ++k) {
            const double angle =
                2.0 * std::atan(static_cast<double>(k) / kernels::kAbsorptanceTableSize);
            tables_.push_back(static_cast<float>(absorptance_at(surface, angle)));
        }
    }
}

kernels::SurfaceOptics ReceiverOptics::record(const Target& target) const {
    if (!target.absorption) return {1.0f, -1.0f, 0.0f, 0.0f};
    const SurfaceAbsorption& surface = *target.absorption;
    kernels::SurfaceOptics record{};
    record.absorptance = static_cast<float>(surface.absorptance);
    record.table = -1.0f;
    if (needs_table(surface)) {
        const auto found = std::ranges::find_if(
            tabulated_, [&](const auto& t) { return has_same_absorptance(t, surface); });
        record.table = static_cast<float>(found - tabulated_.begin());
    }
    record.specular_fraction = static_cast<float>(surface.specular_fraction);
    record.bounces = static_cast<float>(surface.bounces);
    record.is_mirror = target.use == SurfaceUse::mirror ? 1.0f : 0.0f;
    record.slope_width = static_cast<float>(surface.slope_error);
    return record;
}

int32_t ReceiverOptics::rays_per_carrier() const {
    if (least_absorptance_ >= 0.96875) return 32;
    if (least_absorptance_ >= 0.9375) return 16;
    if (least_absorptance_ >= 0.875) return 8;
    if (least_absorptance_ >= 0.75) return 4;
    return least_absorptance_ >= 0.5 ? 2 : 1;
}

}  // namespace helioray::physical
