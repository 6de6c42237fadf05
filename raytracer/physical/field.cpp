// SPDX-License-Identifier: MIT
// Records of a field for the kernels.
#include "raytracer/physical/field.h"

#include "raytracer/physical/facets.h"
#include "raytracer/physical/target_record.h"
#include "raytracer/target_frame.h"
#include "raytracer/vector_math.h"
#include "scenario/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace helioray::physical {

namespace {

kernels::AngularShape sun_record(const SunShape& shape) {
    using Kind = kernels::AngularShape::Kind;
    if (const auto* gaussian = std::get_if<GaussianShape>(&shape)) {
        return {gaussian->sigma > 0.0 ? Kind::gaussian : Kind::none,
                static_cast<float>(gaussian->sigma)};
    }
    if (const auto* pillbox = std::get_if<PillboxShape>(&shape)) {
        return {Kind::pillbox, static_cast<float>(pillbox->half_angle)};
    }
    if (std::holds_alternative<CollimatedShape>(shape)) return {Kind::none, 0.0f};
    throw InputError(Problem{"sun.shape",
                             "this sun shape cannot be traced by model physical",
                             "",
                             "use gaussian, pillbox or collimated"});
}

kernels::AngularShape error_record(const ErrorShape& shape) {
    using Kind = kernels::AngularShape::Kind;
    if (const auto* gaussian = std::get_if<GaussianShape>(&shape)) {
        return {gaussian->sigma > 0.0 ? Kind::gaussian : Kind::none,
                static_cast<float>(gaussian->sigma)};
    }
    if (const auto* pillbox = std::get_if<PillboxShape>(&shape)) {
        return {pillbox->half_angle > 0.0 ? Kind::pillbox : Kind::none,
                static_cast<float>(pillbox->half_angle)};
    }
    return {Kind::none, 0.0f};
}

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
    return std::bit_width(static_cast<uint64_t>(n));
}

/// Largest exponent b such that `total_rays` rays of 2^b quanta stay below 2^62.
int quanta_exponent(int64_t total_rays) {
    // 22 bits use what float32 resolves; more rays than 2^40 give up resolution instead of
    // overflowing.
    return std::min(22, 62 - bits(total_rays));
}

}  // namespace

Field::Field(const Scenario& scenario,
             const std::vector<AimedHeliostat>& aimed,
             const FieldSettings& settings,
             const Plan& plan)
    : settings_(settings) {
    FacetStore store;
    std::map<size_t, TargetFrame> frames;
    targets_.resize(scenario.targets.size());
    for (const AimedHeliostat& one : aimed) {
        if (!frames.contains(one.target)) {
            frames[one.target] = target_frame(scenario.targets[one.target]);
            targets_[one.target] = target_record(scenario.targets[one.target]);
        }
        const FacetStore::Range facets = store.add(*scenario.heliostats[one.heliostat].surface);
        heliostats_.push_back(
            heliostat_record(one, facets, frames[one.target], settings.sun_direction));
        areas_.push_back(facets.area);
    }
    facets_ = std::move(store.facets);
    floats_ = std::move(store.floats);

    // One scale for the whole field: the strongest ray carries 2^b quanta, exactly.
    const double largest_area =
        areas_.empty() ? 1.0 : *std::max_element(areas_.begin(), areas_.end());
    const int64_t total_rays = plan.rays_per_heliostat * static_cast<int64_t>(aimed.size());
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
    kernels::FieldView view{};
    view.heliostats = heliostats_.data();
    view.facets = facets_.data();
    view.targets = targets_.data();
    view.floats = floats_.data();
    view.num_heliostats = static_cast<int32_t>(heliostats_.size());
    view.num_targets = static_cast<int32_t>(targets_.size());
    view.sun = sun_record(settings_.sun_shape);
    view.slope_error = error_record(settings_.optics.slope_error);
    view.reflectivity = static_cast<float>(settings_.optics.reflectivity);
    view.bitmap_width = static_cast<int32_t>(settings_.bitmap.width);
    view.bitmap_height = static_cast<int32_t>(settings_.bitmap.height);
    view.filter = settings_.bitmap.filter == Filter::box ? kernels::FilterKind::box
                                                         : kernels::FilterKind::bilinear;
    view.sampling = settings_.sampling == Sampling::sobol ? kernels::SamplingKind::sobol
                                                          : kernels::SamplingKind::random;
    view.seed = settings_.seed;
    view.square_scale = square_scale_;
    return view;
}

}  // namespace helioray::physical
