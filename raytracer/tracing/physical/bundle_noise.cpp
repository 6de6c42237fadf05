// SPDX-License-Identifier: MIT
// Share of the noise by bundles of rays.
#include "raytracer/tracing/physical/bundle_noise.h"

#include "kernels/core/trace_types.h"
#include "raytracer/tracing/job/box_sums.h"
#include "scenario/sun/radial_profile.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>
#include <vector>

namespace helioray::physical {

namespace {

// Bundles that light one place and come from one block: from this number on, their Sobol points are
// spread more evenly than by chance. Measured as the noise of means over squares in replicated runs
// (scenes of scripts/studies/peak_flux.py): the excess falls from that of chance at 1 bundle to a
// tenth at 7 and a hundredth above 25.
constexpr double kFewBundles = 2.5;
// Heliostats that stand for all where aim points are compared.
constexpr size_t kMostCompared = 256;

/// Variance of reflected rays of one point about their mean, per axis, rad^2.
double variance_of_rays(const Field& field) {
    const FieldLight& light = field.light();
    const double sun = std::holds_alternative<CollimatedShape>(light.sun_shape)
                           ? 0.0
                           : radial_profile(light.sun_shape)->mean_square_angle() / 2.0;
    // A tilt of the normal turns the ray by twice the angle.
    return sun + field.error_variance();
}

/// Cosine of the angle between a ray and the normal of a surface, from the component of the ray's
/// direction along the third axis of the target's frame; of cylinders, of the normal that faces the
/// ray.
double incidence(const PlanarTarget&, double along) {
    return std::abs(along);
}
double incidence(const DiscTarget&, double along) {
    return std::abs(along);
}
double incidence(const CylindricalTarget&, double along) {
    return std::sqrt(std::max(0.0, 1.0 - along * along));
}
double incidence(const AnnularTarget&, double along) {
    return std::abs(along);
}
double incidence(const ConicalTarget& cone, double along) {
    // The normal is tilted out of the radial direction by the angle of the shell.
    const double length = shape_extent(cone)[1];
    const double widening = cone.top_radius - cone.bottom_radius;
    const double radial = std::sqrt(std::max(0.0, 1.0 - along * along));
    const double side = cone.side == ConicalTarget::Side::inner ? -1.0 : 1.0;
    return std::abs(cone.height * radial + side * widening * along) / length;
}
double incidence(const SphericalTarget&, double) {
    // Rays meet the point that faces them.
    return 1.0;
}
double incidence(const QuadricTarget&, double along) {
    return std::abs(along);
}
double incidence(const ConcentratorTarget&, double along) {
    return std::sqrt(std::max(0.0, 1.0 - along * along));
}
double incidence(const MeshTarget&, double) {
    return 1.0;
}
double incidence(const Target& lit, const TargetFrame& frame, const Vec3& ray) {
    const double along = dot(ray, frame.axes[2]) / norm(ray);
    return std::visit([along](const auto& shape) { return incidence(shape, along); }, lit.geometry);
}

/// Aim point of a heliostat and its power on the target.
struct AimedBundle {
    Vec3 point{};
    double power = 0.0;
};

/// Returns the fraction of the power that is aimed at one place, to within `distance`: the mean
/// over the places, weighted by power.
double aimed_together(const std::vector<AimedBundle>& aims, double distance) {
    const size_t step = (aims.size() + kMostCompared - 1) / kMostCompared;
    double together = 0.0;
    double all = 0.0;
    for (size_t i = 0; i < aims.size(); i += step) {
        for (const AimedBundle& other : aims) {
            const double both = aims[i].power * other.power;
            all += both;
            if (norm(subtract(other.point, aims[i].point)) <= distance) together += both;
        }
    }
    return together / all;
}

/// Returns the fraction of a mirror that lights one place of the size `area`: the largest fraction
/// of the power that falls into a square of this area, of what is aimed there.
double lit_fraction(const TargetResult& map, double area, double aimed) {
    const auto extent = surface_extent(map.target);
    const double pixel_width = extent[0] / static_cast<double>(map.width);
    const double pixel_height = extent[1] / static_cast<double>(map.height);
    const auto pixels = [&](double pixel, int64_t most) {
        return std::clamp<int64_t>(std::llround(std::sqrt(area) / pixel), 1, most);
    };
    const BoxSums flux(map.width, map.height, [&](size_t p) { return map.flux[p]; });
    double most = 0.0;
    flux.visit_boxes({pixels(pixel_width, map.width), pixels(pixel_height, map.height)},
                     8,
                     [&](const Box& box) { most = std::max(most, flux.mean(box)); });
    if (!(flux.total() > 0.0)) return 1.0;
    const double in_square = most * area / (pixel_width * pixel_height) / flux.total();
    return std::min(1.0, in_square / aimed);
}

/// Rays of a block in the last round that was traced.
int64_t rays_of_block(const Plan& plan, int64_t rays_per_heliostat) {
    int64_t rays = plan.units.empty() ? 1 : plan.units.front().rays_per_block;
    for (size_t round = 0; round < plan.round_ends.size(); ++round) {
        if (plan.round_rays[round] > rays_per_heliostat || plan.round_ends[round] == 0) break;
        rays = plan.units[static_cast<size_t>(plan.round_ends[round] - 1)].rays_per_block;
    }
    return rays;
}

}  // namespace

SharedNoise bundle_noise(const Field& field,
                         size_t target,
                         const TargetResult& map,
                         std::span<const int64_t> delivered,
                         int64_t rays_per_heliostat) {
    // Rays of two points of one bundle meet in an area with the inverse of 4 pi times the variance.
    const double variance = variance_of_rays(field);
    const Target& lit_target = field.targets()[target].target;
    const TargetFrame frame = target_frame(lit_target);
    std::vector<AimedBundle> aims;
    double power = 0.0;
    double per_area = 0.0;
    for (size_t i = 0; i < field.aimed().size(); ++i) {
        const AimedHeliostat& one = field.aimed()[i];
        // Any heliostat may light a surface of a receiver.
        const bool lights_target =
            one.target == target || (field.is_surface(target) && field.is_surface(one.target));
        if (!lights_target || delivered[i] <= 0) continue;
        const auto& m = one.orientation;
        const Vec3 ray = subtract(one.aim_point, {m[3], m[7], m[11]});
        const double distance = norm(ray);
        if (!(distance > 0.0)) continue;
        const double cosine = std::max(0.05, incidence(lit_target, frame, ray));
        const double area = 4.0 * std::numbers::pi * variance * distance * distance / cosine;
        aims.push_back({one.aim_point, static_cast<double>(delivered[i])});
        power += aims.back().power;
        per_area += aims.back().power / std::max(area, 1e-12);
    }
    const bool bilinear = field.settings().bitmap.filter == Filter::bilinear;
    if (!(power > 0.0)) return {0.0, 1.0, bilinear};
    const double area = power / per_area;
    const double lit = lit_fraction(map, area, aimed_together(aims, std::sqrt(area)));

    const auto rays = static_cast<double>(rays_of_block(field.plan(), rays_per_heliostat));
    const double bundle = std::min<double>(kernels::kRaysPerPoint, rays);
    const double bundles = std::ceil(rays / kernels::kRaysPerPoint);
    double chance = 1.0;
    if (field.settings().tracing.sampling != Sampling::random) {
        const double of_place = lit * bundles / kFewBundles;
        chance =
            std::min({1.0, kFewBundles / std::sqrt(bundles), 1.0 / (1.0 + of_place * of_place)});
    }
    return {(bundle - 1.0) * (1.0 - lit) * chance, area, bilinear};
}

}  // namespace helioray::physical
