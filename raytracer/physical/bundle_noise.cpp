// SPDX-License-Identifier: MIT
// Share of the noise by bundles of rays.
#include "raytracer/physical/bundle_noise.h"

#include "kernels/core/trace_types.h"
#include "scenario/sun/radial_profile.h"
#include "scenario/vector_math.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

namespace helioray::physical {

namespace {

// Bundles of a block from which on their Sobol points are spread more evenly than by chance, and
// the power of the decrease: with 4 bundles the quickstart's noise is that of chance, with 39
// hardly any of it is left (raytracer/job/peak_study.py).
constexpr double kFewBundles = 4.0;

/// Variance of the angle per axis, rad^2.
double variance_of(const ErrorShape& shape) {
    if (const auto* gaussian = std::get_if<GaussianShape>(&shape))
        return gaussian->sigma * gaussian->sigma;
    if (const auto* pillbox = std::get_if<PillboxShape>(&shape))
        return pillbox->half_angle * pillbox->half_angle / 4.0;
    return 0.0;
}

/// Variance of reflected rays of one point about their mean, per axis, rad^2.
double variance_of_rays(const FieldLight& light) {
    const double sun = std::holds_alternative<CollimatedShape>(light.sun_shape)
                           ? 0.0
                           : radial_profile(light.sun_shape)->mean_square_angle() / 2.0;
    // A tilt of the normal turns the ray by twice the angle.
    return sun + 4.0 * variance_of(light.optics.slope_error) +
           variance_of(light.optics.specularity_error);
}

/// Cosine of the angle between a ray and the normal of a target; of cylinders, of the normal that
/// faces the ray.
double incidence(const Field& field, size_t target, const Vec3& ray) {
    const TargetFrame& frame = field.frame(target);
    const double along = dot(ray, frame.axes[2]) / norm(ray);
    const bool is_cylinder =
        std::holds_alternative<CylindricalTarget>(field.targets()[target].target.geometry);
    return is_cylinder ? std::sqrt(std::max(0.0, 1.0 - along * along)) : std::abs(along);
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
                         std::span<const int64_t> delivered,
                         int64_t rays_per_heliostat) {
    const auto rays = static_cast<double>(rays_of_block(field.plan(), rays_per_heliostat));
    const double bundle = std::min<double>(kernels::kRaysPerPoint, rays);
    const double bundles = std::ceil(rays / kernels::kRaysPerPoint);
    const double chance = field.settings().sampling == Sampling::random
                              ? 1.0
                              : std::min(1.0, std::pow(kFewBundles / bundles, 2));
    // Rays of two points of one bundle meet in an area with the inverse of 4 pi times the variance.
    const double variance = variance_of_rays(field.light());
    double power = 0.0;
    double per_area = 0.0;
    for (size_t i = 0; i < field.aimed().size(); ++i) {
        const AimedHeliostat& one = field.aimed()[i];
        if (one.target != target || delivered[i] <= 0) continue;
        const auto& m = one.orientation;
        const Vec3 ray = subtract(one.aim_point, {m[3], m[7], m[11]});
        const double distance = norm(ray);
        if (!(distance > 0.0)) continue;
        const double cosine = std::max(0.05, incidence(field, target, ray));
        const double area = 4.0 * std::numbers::pi * variance * distance * distance / cosine;
        power += static_cast<double>(delivered[i]);
        per_area += static_cast<double>(delivered[i]) / std::max(area, 1e-12);
    }
    const bool bilinear = field.settings().bitmap.filter == Filter::bilinear;
    if (!(power > 0.0)) return {0.0, 1.0, bilinear};
    return {(bundle - 1.0) * chance, power / per_area, bilinear};
}

}  // namespace helioray::physical
