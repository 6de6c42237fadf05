// SPDX-License-Identifier: MIT
// Records of a field for the kernels.
#include "raytracer/physical/field.h"

#include "raytracer/physical/angular_shapes.h"
#include "raytracer/physical/facets.h"
#include "raytracer/physical/occlusion/neighbours.h"
#include "raytracer/physical/occlusion/obstacles.h"
#include "raytracer/physical/target_record.h"
#include "raytracer/target_frame.h"
#include "scenario/sun/attenuation.h"
#include "scenario/vector_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace helioray::physical {

namespace {

void set(float (&destination)[3], const Vec3& source) {
    for (size_t i = 0; i < 3; ++i) destination[i] = static_cast<float>(source[i]);
}

kernels::HeliostatRecord heliostat_record(const AimedHeliostat& aimed,
                                          const FacetStore::Range& facets,
                                          const TargetFrame& frame,
                                          const Vec3& sun_direction) {
    kernels::HeliostatRecord record{};
    record.first_facet = facets.first;
    record.num_facets = facets.count;
    record.target = static_cast<int32_t>(aimed.target);
    record.random_id = static_cast<uint32_t>(aimed.heliostat);
    // Rotation columns are the mirror's axes as the target sees them.
    for (size_t column = 0; column < 3; ++column) {
        const Vec3 axis{aimed.orientation[column],
                        aimed.orientation[4 + column],
                        aimed.orientation[8 + column]};
        const Vec3 in_frame = frame.direction_to_frame(axis);
        for (size_t row = 0; row < 3; ++row) {
            record.rotation[3 * row + column] = static_cast<float>(in_frame[row]);
        }
    }
    set(record.translation,
        frame.point_to_frame({aimed.orientation[3], aimed.orientation[7], aimed.orientation[11]}));
    set(record.sun_direction, normalized(frame.direction_to_frame(sun_direction)));
    return record;
}

int bits(int64_t n) {
    return static_cast<int>(std::bit_width(static_cast<uint64_t>(n)));
}

/// Largest exponent b such that `total_rays` rays of 2^b quanta stay below 2^62.
int quanta_exponent(int64_t total_rays) {
    // 22 bits use what float32 resolves; more rays than 2^40 give up resolution instead of
    // overflowing (kMostRaysOfField leave 17 bits).
    return std::min(22, 62 - bits(total_rays));
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

/// Tangent of the half angle of a cone that holds all rays; negative where nothing shall be left
/// out.
float cone_tangent(double angle, bool cull) {
    if (!cull || angle > kWidestCulledAngle) return -1.0f;
    // A hair more than the angle, so that rounding never excludes a ray.
    return static_cast<float>(std::tan(angle) + 1e-4);
}

/// What is the same for all rays of the field.
kernels::FieldView field_scalars(const FieldSettings& settings, std::vector<float>& floats) {
    kernels::FieldView view{};
    view.sun = sun_record(settings.sun_shape, floats);
    view.slope_error = error_record(settings.optics.slope_error);
    view.specularity_error = error_record(settings.optics.specularity_error);
    view.reflectivity = static_cast<float>(settings.optics.reflectivity);
    view.air = air_record(settings.optics.attenuation);
    view.num_obstacles = static_cast<int32_t>(settings.obstacles.size());
    // Bodies of the configuration are in the way whether or not mirrors are.
    view.shading = settings.shading || !settings.obstacles.empty() ? 1 : 0;
    view.blocking = settings.blocking || !settings.obstacles.empty() ? 1 : 0;
    view.bitmap_width = static_cast<int32_t>(settings.bitmap.width);
    view.bitmap_height = static_cast<int32_t>(settings.bitmap.height);
    view.filter = settings.bitmap.filter == Filter::box ? kernels::FilterKind::box
                                                        : kernels::FilterKind::bilinear;
    view.sampling = settings.sampling == Sampling::sobol ? kernels::SamplingKind::sobol
                                                         : kernels::SamplingKind::random;
    view.seed = settings.seed;
    return view;
}

/// Facets of the mirrors that are aimed, shapes of all that can stand in the way.
KnownSurfaces surfaces_of(const Scenario& scenario,
                          const std::vector<AimedHeliostat>& aimed,
                          const FieldSettings& settings,
                          KnownSurfaces known) {
    std::vector<SurfaceRequest> requests;
    const bool shapes = settings.shading || settings.blocking;
    for (const AimedHeliostat& one : aimed)
        requests.push_back({scenario.heliostats[one.heliostat].surface.get(), true, shapes});
    if (shapes) {
        for (const Heliostat& heliostat : scenario.heliostats)
            requests.push_back({heliostat.surface.get(), false, true});
    }
    add_surface_records(requests, known, settings.num_threads);
    return known;
}

}  // namespace

Field::Field(const Scenario& scenario,
             const std::vector<AimedHeliostat>& aimed,
             const FieldSettings& settings,
             const Plan& plan,
             const KnownSurfaces& known) {
    const KnownSurfaces surfaces = surfaces_of(scenario, aimed, settings, known);
    FacetStore store;
    std::map<size_t, TargetFrame> frames;
    targets_.resize(scenario.targets.size());
    for (const AimedHeliostat& one : aimed) {
        if (!frames.contains(one.target))
            frames[one.target] = target_frame(scenario.targets[one.target]);
        const Surface& surface = *scenario.heliostats[one.heliostat].surface;
        const FacetStore::Range facets = store.add(surface, *surfaces.at(&surface)->facets);
        heliostats_.push_back(
            heliostat_record(one, facets, frames[one.target], settings.sun_direction));
        areas_.push_back(facets.area);
    }
    facets_ = std::move(store.facets);
    floats_ = std::move(store.floats);
    scalars_ = field_scalars(settings, floats_);

    // Targets, and the bodies as seen from each.
    obstacles_.resize(targets_.size() * settings.obstacles.size());
    for (const auto& [index, frame] : frames) {
        const Target& target = scenario.targets[index];
        const auto extras = settings.targets.find(target.name);
        targets_[index] =
            target_record(target,
                          extras != settings.targets.end() ? extras->second : TargetConfig{},
                          frame,
                          floats_);
        for (size_t k = 0; k < settings.obstacles.size(); ++k) {
            obstacles_[index * settings.obstacles.size() + k] =
                obstacle_record(settings.obstacles[k], frame);
        }
    }

    // Mirrors in the light of others.
    const double sun_angle = largest_angle(scalars_.sun);
    const double reflected_angle = sun_angle + 2.0 * largest_angle(scalars_.slope_error) +
                                   largest_angle(scalars_.specularity_error);
    scalars_.shading_tangent = cone_tangent(sun_angle, settings.cull);
    scalars_.blocking_tangent = cone_tangent(reflected_angle, settings.cull);
    const OcclusionSettings occlusion{settings.shading,
                                      settings.blocking,
                                      settings.cull,
                                      settings.sun_direction,
                                      sun_angle,
                                      reflected_angle};
    occlusion_ = make_occlusion(scenario, aimed, frames, occlusion, surfaces, heliostats_);
    set_scale(settings, plan);
}

void Field::set_scale(const FieldSettings& settings, const Plan& plan) {
    // One scale for the whole field: the strongest ray carries 2^b quanta, exactly.
    const double largest_area =
        areas_.empty() ? 1.0 : *std::max_element(areas_.begin(), areas_.end());
    const int64_t total_rays = plan.rays_per_heliostat * std::ssize(areas_);
    const int exponent = quanta_exponent(total_rays);
    quanta_per_watt_ = std::ldexp(1.0, exponent) * static_cast<double>(plan.rays_per_heliostat) /
                       (settings.dni * largest_area);
    for (size_t i = 0; i < heliostats_.size(); ++i) {
        heliostats_[i].ray_power =
            static_cast<float>(std::ldexp(areas_[i] / largest_area, exponent));
    }

    // The difference of a unit's halves is at most all power of one half; the sum over all units
    // must stay below 2^62.
    int64_t half_unit_rays = 1;
    for (const kernels::WorkUnit& unit : plan.units) {
        half_unit_rays = std::max(half_unit_rays, plan.rays(unit) / 2);
    }
    const int square_bits = 2 * (exponent + bits(half_unit_rays)) + bits(std::ssize(plan.units));
    square_scale_ = std::ldexp(1.0, std::min(0, 62 - square_bits));
}

kernels::FieldView Field::view() const {
    kernels::FieldView view = scalars_;
    view.heliostats = heliostats_.data();
    view.facets = facets_.data();
    view.targets = targets_.data();
    view.floats = floats_.data();
    view.occluders = occlusion_.occluders.data();
    view.occluder_facets = occlusion_.facets.data();
    view.candidates = occlusion_.candidates.data();
    view.obstacles = obstacles_.data();
    view.num_heliostats = static_cast<int32_t>(heliostats_.size());
    view.num_targets = static_cast<int32_t>(targets_.size());
    view.square_scale = square_scale_;
    view.sizes = {std::ssize(facets_),
                  std::ssize(floats_),
                  std::ssize(occlusion_.occluders),
                  std::ssize(occlusion_.facets),
                  std::ssize(occlusion_.candidates)};
    return view;
}

}  // namespace helioray::physical
