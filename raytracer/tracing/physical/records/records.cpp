// SPDX-License-Identifier: MIT
// Converts distributions and targets to the kernels' records.
#include "raytracer/tracing/physical/records/records.h"

#include "kernels/receiver/target.h"
#include "scenario/files/error.h"
#include "scenario/sun/attenuation.h"
#include "scenario/sun/radial_profile.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace helioray::physical {

namespace {

using Kind = kernels::AngularShape::Kind;

static_assert(helioray::kRadialTableSize == kernels::kRadialTableSize);

kernels::AngularShape plain(Kind kind, double width) {
    return {width > 0.0 ? kind : Kind::none, static_cast<float>(width), 0.0f, 0};
}

// These overloads exist for shapes that the kernels sample with a closed form.
kernels::AngularShape closed_form(const GaussianShape& shape) {
    return plain(Kind::gaussian, shape.sigma);
}
kernels::AngularShape closed_form(const PillboxShape& shape) {
    return plain(Kind::pillbox, shape.half_angle);
}
kernels::AngularShape closed_form(const CollimatedShape&) {
    return plain(Kind::none, 0.0);
}
kernels::AngularShape closed_form(const NoError&) {
    return plain(Kind::none, 0.0);
}

kernels::AngularShape tabulated(const SunShape& shape, std::vector<float>& floats) {
    const RadialTable table = radial_table(shape);
    kernels::AngularShape record{Kind::table,
                                 std::sqrt(table.tail.back()),
                                 table.split,
                                 static_cast<int64_t>(floats.size())};
    floats.insert(floats.end(), table.core.begin(), table.core.end());
    floats.insert(floats.end(), table.tail.begin(), table.tail.end());
    return record;
}

}  // namespace

kernels::AngularShape sun_record(const SunShape& shape, std::vector<float>& floats) {
    return std::visit(
        [&](const auto& form) {
            if constexpr (requires { closed_form(form); })
                return closed_form(form);
            else
                return tabulated(shape, floats);
        },
        shape);
}

kernels::AngularShape error_record(const ErrorShape& shape) {
    return std::visit([](const auto& form) { return closed_form(form); }, shape);
}

std::vector<float> incidence_table(std::span<const AngleValue> factors) {
    std::vector<float> table;
    for (int i = 0; i <= kernels::kIncidenceTableSize; ++i) {
        const double t = static_cast<double>(i) / kernels::kIncidenceTableSize;
        const double angle = 2.0 * std::asin(t * std::numbers::sqrt2 / 2.0);
        table.push_back(static_cast<float>(value_at(factors, angle)));
    }
    return table;
}

double largest_angle(const kernels::AngularShape& shape) {
    // The factor is sqrt(-2 ln u) for the smallest uniform number, 2^-24.
    constexpr double kWidestGaussian = 5.77;
    constexpr double kRounding = 1.0 + 1e-5;
    if (shape.kind == Kind::none) return 0.0;
    const double factor = shape.kind == Kind::gaussian ? kWidestGaussian : 1.0;
    return factor * kRounding * static_cast<double>(shape.width);
}

namespace {

kernels::TargetRecord make_record(const PlanarTarget& plane, const std::string&) {
    return kernels::plane_record(plane.width, plane.height);
}

kernels::TargetRecord make_record(const CylindricalTarget& cylinder, const std::string& name) {
    // Allow for rounding of a full turn in the file's float32.
    constexpr double kFullTurn = 2.0 * std::numbers::pi;
    if (cylinder.opening_angle > kFullTurn * (1.0 + 1e-6)) {
        throw InputError(
            Problem{fmt::format("target_areas_cylindrical/{}/cylinder_opening_angle", name),
                    fmt::format("the opening angle {} is larger than a full turn (2 pi)",
                                cylinder.opening_angle),
                    "the file stores radians",
                    fmt::format("if degrees were meant, store {:.7g}",
                                cylinder.opening_angle * std::numbers::pi / 180.0)});
    }
    return kernels::cylinder_record(cylinder.radius,
                                    cylinder.height,
                                    std::min(cylinder.opening_angle, kFullTurn),
                                    cylinder.side == CylindricalTarget::Side::inner);
}

kernels::TargetRecord make_record(const DiscTarget& disc, const std::string&) {
    return kernels::disc_record(disc.radius);
}

kernels::TargetRecord make_record(const AnnularTarget& annulus, const std::string&) {
    const auto [width, height] = shape_extent(annulus);
    return kernels::annulus_record(
        annulus.radius, annulus.inner_radius, annulus.opening_angle, width, height);
}

kernels::TargetRecord make_record(const ConicalTarget& cone, const std::string&) {
    const auto [width, height] = shape_extent(cone);
    return kernels::cone_record(cone.bottom_radius,
                                cone.top_radius,
                                cone.height,
                                cone.opening_angle,
                                cone.side == ConicalTarget::Side::inner,
                                width,
                                height);
}

kernels::TargetRecord make_record(const SphericalTarget& sphere, const std::string&) {
    const auto [bottom, top] = rim_heights(sphere);
    return kernels::sphere_record(sphere.radius,
                                  bottom,
                                  top,
                                  sphere.opening_angle,
                                  sphere.side == SphericalTarget::Side::inner);
}

kernels::TargetRecord make_record(const QuadricTarget& quadric, const std::string&) {
    // The overlap of rims is meant along the surface, not along the axis.
    const auto rim = [&](double radius, double side) {
        constexpr double kOverlap = static_cast<double>(kernels::kEdgeOverlap);
        const double along_axis = std::min(1.0, slope_at(quadric, radius));
        return height_above_vertex(quadric, radius) - side * kOverlap * (1.0 - along_axis);
    };
    const kernels::QuadricSizes sizes{
        quadric.curvature_radius,
        quadric.conic_constant,
        quadric.radius,
        quadric.inner_radius > 0.0 ? rim(quadric.inner_radius, -1.0) : 0.0,
        rim(quadric.radius, 1.0),
        shape_extent(quadric)[0]};
    double map[kernels::kMapTerms];
    std::ranges::copy(map_polynomial(quadric), map);
    return kernels::quadric_record(sizes, quadric.side == QuadricTarget::Side::inner, map);
}

kernels::TargetRecord make_record(const ConcentratorTarget& concentrator, const std::string&) {
    const auto [width, height] = shape_extent(concentrator);
    const kernels::ConcentratorSizes sizes{concentrator.exit_radius,
                                           std::sin(concentrator.half_angle),
                                           std::cos(concentrator.half_angle),
                                           wall_radius(concentrator, concentrator.length),
                                           concentrator.length,
                                           side_tangent(concentrator),
                                           width,
                                           height};
    double map[kernels::kMapTerms];
    std::ranges::copy(map_polynomial(concentrator), map);
    return kernels::concentrator_record(sizes, map);
}

kernels::TargetRecord make_record(const MeshTarget& mesh, const std::string&) {
    kernels::TargetRecord record = kernels::plane_record(mesh.side, mesh.side);
    record.kind = kernels::TargetKind::mesh;
    double reach = 0.0;
    if (mesh.triangles) {
        for (const MeshTriangle& triangle : *mesh.triangles)
            for (const Vec3& corner : triangle) reach = std::max(reach, norm(corner));
    }
    record.radius = static_cast<float>(reach);
    return record;
}

kernels::ApertureRecord aperture_record(const ApertureConfig& aperture, const TargetFrame& frame) {
    // The axes of the window are those of a planar target at its place.
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

/// Appends the half planes of a counter-clockwise convex outline, in units of the target's size.
void append_edges(const std::vector<std::array<double, 2>>& outline,
                  double width,
                  double height,
                  std::vector<float>& floats) {
    for (size_t i = 0; i < outline.size(); ++i) {
        const auto& from = outline[i];
        const auto& to = outline[(i + 1) % outline.size()];
        // Compute the outward normal of the edge, scaled to metres.
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
    kernels::TargetRecord record = std::visit(
        [&](const auto& shape) { return make_record(shape, target.name); }, target.geometry);
    if (config.aperture) record.aperture = aperture_record(*config.aperture, frame);
    record.num_edges = static_cast<int32_t>(config.outline.size());
    record.edges = static_cast<int64_t>(floats.size());
    append_edges(config.outline, record.width, record.height, floats);
    return record;
}

kernels::AirRecord air_record(const AttenuationConfig& config) {
    const AttenuationRecord model = attenuation_record(config);
    kernels::AirRecord record{};
    record.is_clear = config.model == AttenuationConfig::Model::none ? 1 : 0;
    std::copy_n(model.coefficients, 5, record.coefficients);
    record.limit_km = model.limit_km;
    record.far_scale = model.far_scale;
    record.far_rate = model.far_rate;
    return record;
}

}  // namespace helioray::physical
