// SPDX-License-Identifier: MIT
// Targets as the kernels know them.
#include "raytracer/physical/target_record.h"

#include "scenario/error.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::physical {

namespace {

kernels::TargetRecord surface_record(const Target& target) {
    kernels::TargetRecord record{};
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) {
        record.kind = kernels::TargetKind::plane;
        record.width = static_cast<float>(plane->width);
        record.height = static_cast<float>(plane->height);
        return record;
    }
    const auto& cylinder = std::get<CylindricalTarget>(target.geometry);
    // A hair above a full turn is rounding of the file's float32.
    constexpr double kFullTurn = 2.0 * std::numbers::pi;
    if (cylinder.opening_angle > kFullTurn * (1.0 + 1e-6)) {
        throw InputError(
            Problem{fmt::format("target_areas_cylindrical/{}/cylinder_opening_angle", target.name),
                    fmt::format("the opening angle {} is larger than a full turn (2 pi)",
                                cylinder.opening_angle),
                    "the file stores radians",
                    fmt::format("if degrees were meant, store {:.7g}",
                                cylinder.opening_angle * std::numbers::pi / 180.0)});
    }
    const double angle = std::min(cylinder.opening_angle, kFullTurn);
    record.kind = kernels::TargetKind::cylinder;
    record.width = static_cast<float>(cylinder.radius * angle);
    record.height = static_cast<float>(cylinder.height);
    record.radius = static_cast<float>(cylinder.radius);
    record.opening_angle = static_cast<float>(angle);
    record.inner_side = cylinder.side == CylindricalTarget::Side::inner ? 1 : 0;
    return record;
}

void set(float (&destination)[3], const Vec3& source) {
    for (size_t i = 0; i < 3; ++i) destination[i] = static_cast<float>(source[i]);
}

kernels::ApertureRecord aperture_record(const ApertureConfig& aperture, const TargetFrame& frame) {
    // The window's own axes are those of a planar target there.
    const bool is_disc = aperture.radius > 0.0;
    const TargetFrame window =
        target_frame({"", PlanarTarget{aperture.center, aperture.normal, 1.0, 1.0}});
    const double half_width = is_disc ? aperture.radius : 0.5 * aperture.width;
    const double half_height = is_disc ? aperture.radius : 0.5 * aperture.height;
    kernels::ApertureRecord record{};
    record.kind =
        is_disc ? kernels::ApertureRecord::Kind::disc : kernels::ApertureRecord::Kind::rectangle;
    set(record.center, frame.point_to_frame(aperture.center));
    set(record.normal, frame.direction_to_frame(window.axes[2]));
    set(record.axis_x, scaled(1.0 / half_width, frame.direction_to_frame(window.axes[0])));
    set(record.axis_y, scaled(1.0 / half_height, frame.direction_to_frame(window.axes[1])));
    return record;
}

/// Appends the half planes of a counter-clockwise convex outline in units of the target's sizes.
void append_edges(const std::vector<std::array<double, 2>>& outline,
                  double width,
                  double height,
                  std::vector<float>& floats) {
    for (size_t i = 0; i < outline.size(); ++i) {
        const auto& from = outline[i];
        const auto& to = outline[(i + 1) % outline.size()];
        // Outward normal of the edge, scaled to metres.
        const double x = to[1] - from[1];
        const double y = from[0] - to[0];
        const double length = std::hypot(x, y);
        floats.push_back(static_cast<float>(x / length * width));
        floats.push_back(static_cast<float>(y / length * height));
        floats.push_back(static_cast<float>((x * from[0] + y * from[1]) / length));
    }
}

}  // namespace

kernels::TargetRecord target_record(const Target& target,
                                    const TargetConfig& config,
                                    const TargetFrame& frame,
                                    std::vector<float>& floats) {
    kernels::TargetRecord record = surface_record(target);
    if (config.aperture) record.aperture = aperture_record(*config.aperture, frame);
    record.num_edges = static_cast<int32_t>(config.outline.size());
    record.edges = static_cast<int64_t>(floats.size());
    append_edges(config.outline, record.width, record.height, floats);
    return record;
}

}  // namespace helioray::physical
