// SPDX-License-Identifier: MIT
// Builds the records of a field for the kernels and updates them.
#include "raytracer/tracing/physical/field.h"

#include "kernels/core/trace_types.h"
#include "kernels/host/parallel_for.h"
#include "raytracer/tracing/job/result.h"
#include "raytracer/tracing/physical/occlusion/occluders.h"
#include "raytracer/tracing/physical/records/records.h"
#include "scenario/config/checks/checks.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace helioray::physical {

namespace {

constexpr size_t kSunTableFloats = size_t{2} * (kernels::kRadialTableSize + 1);
constexpr size_t kIncidenceTableFloats = size_t{kernels::kIncidenceTableSize} + 1;
/// Marks a heliostat in aimed_ that is no longer aimed, until the rows are sorted again.
constexpr size_t kGone = static_cast<size_t>(-1);
/// Number of rows that a thread processes at once.
constexpr size_t kRowsPerShare = 256;

/// Variance of the angle per axis, rad^2.
double angular_variance(const NoError&) {
    return 0.0;
}
double angular_variance(const GaussianShape& shape) {
    return shape.sigma * shape.sigma;
}
double angular_variance(const PillboxShape& shape) {
    return shape.half_angle * shape.half_angle / 4.0;
}

std::array<double, 16> lying_flat(const Vec3& position) {
    return {1, 0, 0, position[0], 0, 1, 0, position[1], 0, 0, 1, position[2], 0, 0, 0, 1};
}

int bits(int64_t n) {
    return static_cast<int>(std::bit_width(static_cast<uint64_t>(n)));
}

/// Returns the largest exponent b for which `total_rays` rays of 2^b quanta stay below 2^62.
int quanta_exponent(int64_t total_rays) {
    // 22 bits use the whole resolution of float32; more rays than 2^40 reduce the resolution
    // instead of overflowing (kMostRaysOfField leave 17 bits).
    return std::min(22, 62 - bits(total_rays));
}

/// Returns the tangent of the half angle of a cone that contains all rays, or a negative number if
/// no occluder may be culled.
float cone_tangent(double angle, bool cull) {
    if (!cull || angle > kWidestCulledAngle) return -1.0f;
    // The small margin ensures that rounding never excludes a ray.
    return static_cast<float>(std::tan(angle) + 1e-4);
}

/// Throws std::logic_error if an aimed heliostat has no facets.
void require_facets(const MirrorRecords& mirror) {
    if (!mirror || !mirror->facets)
        throw std::logic_error("an aimed heliostat has no records of its facets");
}

/// Returns the scalars of the view, which the settings fix for all rays of the field.
kernels::FieldView settings_view(const FieldSettings& settings) {
    kernels::FieldView view{};
    view.num_obstacles = static_cast<int32_t>(settings.obstacles.size());
    // Bodies of the configuration obstruct light even if mirrors do not.
    view.shading = settings.tracing.shading || !settings.obstacles.empty() ? 1 : 0;
    view.blocking = settings.tracing.blocking || !settings.obstacles.empty() ? 1 : 0;
    view.bitmap_width = static_cast<int32_t>(settings.bitmap.width);
    view.bitmap_height = static_cast<int32_t>(settings.bitmap.height);
    view.filter = settings.bitmap.filter == Filter::box ? kernels::FilterKind::box
                                                        : kernels::FilterKind::bilinear;
    view.sampling = settings.tracing.sampling == Sampling::sobol ? kernels::SamplingKind::sobol
                                                                 : kernels::SamplingKind::random;
    view.seed = settings.tracing.seed;
    view.absorptance_tables = -1;
    return view;
}

}  // namespace

FieldSettings field_settings(const RunConfig& config) {
    FieldSettings settings;
    settings.obstacles = config.obstacles;
    settings.bitmap = config.bitmap;
    settings.tracing = config.tracing;
    settings.rays.rays = config.tracing.rays_per_heliostat;
    settings.ground = config.terrain.ground;
    return settings;
}

Field::Field(std::vector<FieldHeliostat> heliostats,
             std::vector<FieldTarget> targets,
             const FieldLight& light,
             const FieldSettings& settings)
    : heliostats_(std::move(heliostats)),
      targets_(std::move(targets)),
      light_(light),
      settings_(settings),
      rows_(heliostats_.size(), -1),
      ranges_(heliostats_.size()),
      scalars_(settings_view(settings)),
      occlusion_(heliostats_.size(), settings.ground, settings.tracing.facet_occlusion),
      is_changed_(heliostats_.size(), 0) {
    lay_out_targets();
    make_optics();
    for (size_t i = 0; i < heliostats_.size(); ++i) note_change(i);
}

void Field::lay_out_targets() {
    int64_t num_floats = 0;
    std::vector<Target> plain;
    for (const FieldTarget& target : targets_) plain.push_back(target.target);
    const std::optional<TargetFrame> shared = receivers_frame(plain);
    for (FieldTarget& target : targets_) {
        const bool is_surface = !target.target.receiver.empty();
        frames_.push_back(is_surface ? *shared : target_frame(target.target));
        if (target.extras.outline.empty()) target.extras.outline = target.target.outline;
        outlines_.push_back(num_floats);
        num_floats += 3 * std::ssize(target.extras.outline);
    }
    outlines_.push_back(num_floats);
    const ReceiverOptics optics(plain);
    // Behind the outlines: the sun's table, that of the incidence, those of the absorptance.
    const size_t first_table =
        static_cast<size_t>(num_floats) + kSunTableFloats + kIncidenceTableFloats;
    facets_ = FacetStore(first_table + optics.tables().size());
    std::copy(optics.tables().begin(),
              optics.tables().end(),
              facets_.shared_floats().begin() + static_cast<std::ptrdiff_t>(first_table));
    if (!optics.tables().empty()) scalars_.absorptance_tables = static_cast<int64_t>(first_table);
    target_records_.resize(targets_.size());
    obstacles_.resize(targets_.size() * settings_.obstacles.size());
    occlusion_frames_.assign(targets_.size(), -1);
    if (shared) make_surfaces(optics);
}

void Field::make_surfaces(const ReceiverOptics& optics) {
    scalars_.reflects = optics.reflects() ? 1 : 0;
    scalars_.rays_per_carrier = optics.rays_per_carrier();
    for (size_t t = 0; t < targets_.size(); ++t) {
        if (!is_surface(t)) continue;
        make_target(t);
        surfaces_.push_back(surface_record(targets_[t].target, target_records_[t], t, frames_[t]));
        surfaces_.back().optics = optics.record(targets_[t].target);
        if (surfaces_.back().shades != 0) scalars_.has_shading_surfaces = 1;
        if (const auto* mesh = std::get_if<MeshTarget>(&targets_[t].target.geometry))
            meshes_.add(*mesh, settings_.bitmap, surfaces_.back().shape);
    }
    require_countable_pixels(std::ssize(surfaces_) + num_incident_maps(), settings_.bitmap);
}

void Field::make_target(size_t target) {
    const TargetFrame& frame = frames_[target];
    std::vector<float> outline;
    target_records_[target] =
        target_record(targets_[target].target, targets_[target].extras, frame, outline);
    target_records_[target].edges += outlines_[target];
    target_records_[target].in_receiver = is_surface(target) ? 1 : 0;
    std::copy(outline.begin(),
              outline.end(),
              facets_.shared_floats().begin() + static_cast<std::ptrdiff_t>(outlines_[target]));
    for (size_t k = 0; k < settings_.obstacles.size(); ++k) {
        obstacles_[target * settings_.obstacles.size() + k] =
            obstacle_record(settings_.obstacles[k], frame);
    }
    occlusion_frames_[target] = occlusion_.add_frame(frame);
}

void Field::make_optics() {
    std::vector<float> table;
    scalars_.sun = sun_record(light_.sun_shape, table);
    scalars_.sun.table += outlines_.back();
    std::copy(table.begin(),
              table.end(),
              facets_.shared_floats().begin() + static_cast<std::ptrdiff_t>(outlines_.back()));
    scalars_.slope_error = error_record(light_.optics.slope_error);
    scalars_.specularity_error = error_record(light_.optics.specularity_error);
    scalars_.air = air_record(light_.optics.attenuation);
    const auto& by_angle = light_.optics.reflectivity_by_angle;
    scalars_.has_incidence_table = by_angle.empty() ? 0 : 1;
    scalars_.incidence_table = outlines_.back() + static_cast<int64_t>(kSunTableFloats);
    if (!by_angle.empty())
        std::ranges::copy(incidence_table(by_angle),
                          facets_.shared_floats().begin() +
                              static_cast<std::ptrdiff_t>(scalars_.incidence_table));
    light_stale_ = true;
    update_light();
}

void Field::update_light() {
    const double sun_angle = largest_angle(scalars_.sun);
    const double reflected_angle = sun_angle + 2.0 * largest_angle(scalars_.slope_error) +
                                   largest_angle(scalars_.specularity_error);
    scalars_.shading_tangent = cone_tangent(sun_angle, settings_.cull);
    scalars_.blocking_tangent = cone_tangent(reflected_angle, settings_.cull);
    occlusion_.set_light({settings_.tracing.shading,
                          settings_.tracing.blocking,
                          settings_.cull,
                          light_.sun_direction,
                          sun_angle,
                          reflected_angle});
}

/// Sets the distributions of errors to the largest widths of the traced heliostats.
void Field::update_errors() {
    const auto largest = [&](const ErrorShape& shape, std::optional<double> OwnOptics::*member) {
        kernels::AngularShape record = error_record(shape);
        const auto is_own = [&](const AimedHeliostat& aimed) {
            return (aimed.optics.*member).has_value();
        };
        if (std::ranges::none_of(aimed_, is_own)) return record;
        float width = std::ranges::all_of(aimed_, is_own) ? 0.0f : record.width;
        for (const AimedHeliostat& aimed : aimed_)
            width = std::max(width, static_cast<float>((aimed.optics.*member).value_or(0.0)));
        // A width of 0 for all heliostats is no error at all.
        record.kind = width > 0.0f ? kernels::AngularShape::Kind::gaussian
                                   : kernels::AngularShape::Kind::none;
        record.width = width;
        return record;
    };
    bool changed = false;
    const auto set_error = [&](kernels::AngularShape& error, const kernels::AngularShape& now) {
        changed = changed || error.kind != now.kind || error.width != now.width;
        error = now;
    };
    set_error(scalars_.slope_error, largest(light_.optics.slope_error, &OwnOptics::slope_error));
    set_error(scalars_.specularity_error,
              largest(light_.optics.specularity_error, &OwnOptics::specularity_error));
    if (!changed) return;
    light_stale_ = true;
    update_light();
}

// The following functions record changes.

void Field::note_change(size_t heliostat) {
    if (is_changed_[heliostat]) return;
    is_changed_[heliostat] = 1;
    changed_.push_back(heliostat);
}

void Field::aim(const AimedHeliostat& aimed) {
    require_facets(heliostats_[aimed.heliostat].mirror);
    note_change(aimed.heliostat);
    int32_t& row = rows_[aimed.heliostat];
    if (row < 0) {
        row = static_cast<int32_t>(aimed_.size());
        aimed_.push_back(aimed);
        rows_stale_ = true;
        return;
    }
    AimedHeliostat& before = aimed_[static_cast<size_t>(row)];
    rows_stale_ = rows_stale_ || before.target != aimed.target;
    before = aimed;
}

void Field::stow(size_t heliostat) {
    int32_t& row = rows_[heliostat];
    if (row < 0) return;
    note_change(heliostat);
    aimed_[static_cast<size_t>(row)].heliostat = kGone;
    row = -1;
    rows_stale_ = true;
}

void Field::set_sun(const Vec3& direction, double dni) {
    // Sums do not depend on the irradiance.
    light_.dni = dni;
    if (light_.sun_direction == direction) return;
    light_.sun_direction = direction;
    light_stale_ = true;
    update_light();
}

void Field::set_optics(const SunShape& sun_shape, const OpticsConfig& optics) {
    light_.sun_shape = sun_shape;
    light_.optics = optics;
    make_optics();
}

void Field::set_seed(uint64_t seed) {
    if (settings_.tracing.seed == seed) return;
    settings_.tracing.seed = scalars_.seed = seed;
    light_stale_ = true;
}

void Field::set_mirror(size_t heliostat, MirrorRecords mirror) {
    FieldHeliostat& changed = heliostats_[heliostat];
    if (ranges_[heliostat].count > 0) facets_.release(*changed.mirror->facets);
    ranges_[heliostat] = {};
    shapes_stale_ = true;
    changed.mirror = std::move(mirror);
    if (rows_[heliostat] >= 0) require_facets(changed.mirror);
    note_change(heliostat);
}

// The following functions update the records that depend on the changes.

void Field::order_rows() {
    std::erase_if(aimed_, [](const AimedHeliostat& aimed) { return aimed.heliostat == kGone; });
    // Work units combine neighbouring heliostats with one target.
    std::sort(aimed_.begin(), aimed_.end(), [](const AimedHeliostat& a, const AimedHeliostat& b) {
        return a.target != b.target ? a.target < b.target : a.heliostat < b.heliostat;
    });
    PlanRequest request{settings_.rays, {}};
    request.targets.reserve(aimed_.size());
    for (size_t i = 0; i < aimed_.size(); ++i) {
        rows_[aimed_[i].heliostat] = static_cast<int32_t>(i);
        if (occlusion_frames_[aimed_[i].target] < 0) make_target(aimed_[i].target);
        request.targets.push_back(static_cast<int32_t>(aimed_[i].target));
    }
    request.rays = std::min(settings_.rays.rays, most_rays_per_heliostat(aimed_.size()));
    request.num_pixels = settings_.bitmap.width * settings_.bitmap.height;
    // A heliostat lights a few surfaces of a receiver, whose maps are added at the end of a unit.
    constexpr int64_t kSurfacesOfUnit = 8;
    // Reflected light falls on all of them; more would leave few units to threads.
    constexpr int64_t kMostMapsOfUnit = 32;
    if (has_receivers())
        request.num_pixels *= num_incident_maps() > 0
                                  ? std::min(kMostMapsOfUnit, 2 * num_incident_maps())
                                  : std::min(kSurfacesOfUnit, std::ssize(surfaces_));
    plan_ = make_plan(request);
    records_.resize(aimed_.size());
}

void Field::place_mirror(size_t heliostat) {
    const FieldHeliostat& placed = heliostats_[heliostat];
    const int32_t row = rows_[heliostat];
    if (row >= 0 && ranges_[heliostat].count == 0) {
        ranges_[heliostat] = facets_.acquire(*placed.mirror->facets);
        shapes_stale_ = true;
    }
    if (!has_occlusion()) return;
    occlusion_.place(
        heliostat,
        *placed.mirror->shape,
        row >= 0 ? aimed_[static_cast<size_t>(row)].orientation : lying_flat(placed.position));
}

void Field::update_occlusion(int num_threads, std::vector<uint8_t>& affected) {
    std::vector<LitMirror> lit;
    if (has_occlusion()) {
        lit.reserve(aimed_.size());
        for (const AimedHeliostat& aimed : aimed_)
            lit.push_back({aimed.heliostat, occlusion_frames_[aimed.target], aimed.aim_point});
    }
    occlusion_.update(lit, num_threads, affected);
    scalars_.own_facets = occlusion_.has_own_facets() ? 1 : 0;
}

Field::Scale Field::make_scale() const {
    // The whole field has one scale: the strongest ray carries exactly 2^b quanta.
    Scale scale;
    for (const AimedHeliostat& aimed : aimed_)
        scale.largest_area = std::max(scale.largest_area, ranges_[aimed.heliostat].area);
    if (aimed_.empty()) scale.largest_area = 1.0;
    scale.rays_per_heliostat = plan_.rays_per_heliostat;
    if (!plan_.units.empty()) scale.rays_per_block = plan_.units.front().rays_per_block;
    scale.exponent = quanta_exponent(num_rays());

    // The difference of a unit's halves is at most all power of one half; the sum over all units
    // must stay below 2^62.
    int64_t half_unit_rays = 1;
    for (const kernels::WorkUnit& unit : plan_.units)
        half_unit_rays = std::max(half_unit_rays, Plan::rays(unit) / 2);
    const int square_bits =
        2 * (scale.exponent + bits(half_unit_rays)) + bits(std::ssize(plan_.units));
    scale.square_scale = std::ldexp(1.0, std::min(0, 62 - square_bits));
    return scale;
}

void Field::write_record(size_t row) {
    const AimedHeliostat& aimed = aimed_[row];
    const TargetFrame& frame = frames_[aimed.target];
    const FacetStore::Range& range = ranges_[aimed.heliostat];
    const Occlusion::Lists& lists = occlusion_.lists(aimed.heliostat);
    kernels::HeliostatRecord& record = records_[row];
    record.first_facet = range.first;
    record.num_facets = range.count;
    record.target = static_cast<int32_t>(aimed.target);
    record.random_id = static_cast<uint32_t>(aimed.heliostat);
    // The columns of the rotation are the mirror's axes in the frame of the target.
    for (size_t column = 0; column < 3; ++column) {
        const Vec3 axis{aimed.orientation[column],
                        aimed.orientation[4 + column],
                        aimed.orientation[8 + column]};
        const Vec3 in_frame = frame.direction_to_frame(axis);
        for (size_t i = 0; i < 3; ++i)
            record.rotation[3 * i + column] = static_cast<float>(in_frame[i]);
    }
    set(record.translation,
        frame.point_to_frame({aimed.orientation[3], aimed.orientation[7], aimed.orientation[11]}));
    set(record.sun_direction, normalized(frame.direction_to_frame(light_.sun_direction)));
    record.ray_power = static_cast<float>(
        std::ldexp(aimed.sunlit_share * range.area / scale_.largest_area, scale_.exponent));
    record.optics.reflectivity = static_cast<float>(reflectivity(row));
    record.optics.slope_width = aimed.optics.slope_error
                                    ? static_cast<float>(*aimed.optics.slope_error)
                                    : error_record(light_.optics.slope_error).width;
    record.optics.specularity_width = aimed.optics.specularity_error
                                          ? static_cast<float>(*aimed.optics.specularity_error)
                                          : error_record(light_.optics.specularity_error).width;
    record.num_shaders = lists.num_shaders;
    record.num_blockers = lists.num_blockers;
    record.first_shader = lists.first;
    record.first_blocker = lists.first_blocker;
}

FieldUpdate Field::update(int num_threads) {
    const bool rows_moved = rows_stale_;
    if (rows_stale_) order_rows();
    update_errors();
    for (const size_t heliostat : changed_) place_mirror(heliostat);
    std::vector<uint8_t> affected;
    update_occlusion(num_threads, affected);
    const Scale scale = make_scale();

    FieldUpdate update;
    update.everything = light_stale_ || scale != scale_;
    update.shapes = shapes_stale_;
    scale_ = scale;
    for (const size_t heliostat : changed_) affected[heliostat] = 1;
    if (!update.everything) {
        for (size_t i = 0; i < affected.size(); ++i)
            if (affected[i]) update.heliostats.push_back(i);
    }
    // Positions in the lists of candidates may change even if no heliostat's light does.
    const bool all_records = update.everything || rows_moved || has_occlusion();
    const size_t count = all_records ? aimed_.size() : changed_.size();
    parallel_shares(count, kRowsPerShare, num_threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            const auto row = all_records ? static_cast<int32_t>(i) : rows_[changed_[i]];
            if (row >= 0) write_record(static_cast<size_t>(row));
        }
    });

    for (const size_t heliostat : changed_) is_changed_[heliostat] = 0;
    changed_.clear();
    rows_stale_ = light_stale_ = shapes_stale_ = false;
    return update;
}

// The following functions return data of the field.

kernels::SumsLayout Field::sums_layout(bool per_heliostat) const {
    return {.num_targets = std::ssize(targets_),
            .num_heliostats = std::ssize(aimed_),
            .height = settings_.bitmap.height,
            .width = settings_.bitmap.width,
            .per_heliostat = per_heliostat,
            .receivers = has_receivers(),
            .num_incident = num_incident_maps()};
}

size_t Field::incident_map(size_t target) const {
    if (num_incident_maps() == 0) return target;
    for (size_t i = 0; i < surfaces_.size(); ++i)
        if (static_cast<size_t>(surfaces_[i].target) == target) return targets_.size() + i;
    return target;
}

double Field::reflectivity(size_t row) const {
    const OwnOptics& own = aimed_[row].optics;
    return own.reflectivity.value_or(light_.optics.reflectivity) * own.clean_share;
}

double Field::error_variance() const {
    const auto variance = [&](const ErrorShape& shape, std::optional<double> OwnOptics::*member) {
        const double common = std::visit(
            [](const auto& alternative) { return angular_variance(alternative); }, shape);
        double sum = 0.0;
        size_t count = 0;
        for (const AimedHeliostat& aimed : aimed_) {
            if (!(aimed.optics.*member)) continue;
            sum += *(aimed.optics.*member) * *(aimed.optics.*member) - common;
            ++count;
        }
        return count == 0 ? common : common + sum / static_cast<double>(aimed_.size());
    };
    return 4.0 * variance(light_.optics.slope_error, &OwnOptics::slope_error) +
           variance(light_.optics.specularity_error, &OwnOptics::specularity_error);
}

double Field::quanta_per_watt() const {
    return std::ldexp(1.0, scale_.exponent) * static_cast<double>(plan_.rays_per_heliostat) /
           (light_.dni * scale_.largest_area);
}

double Field::flux_per_quantum(size_t target) const {
    const auto extent = surface_extent(targets_[target].target);
    const auto pixels = static_cast<double>(settings_.bitmap.width * settings_.bitmap.height);
    return pixels / (quanta_per_watt() * extent[0] * extent[1]);
}

kernels::FieldView Field::view() const {
    kernels::FieldView view = scalars_;
    view.heliostats = records_.data();
    view.facets = facets_.facets().data();
    view.targets = target_records_.data();
    view.floats = facets_.floats().data();
    view.occluders = occlusion_.occluders().data();
    view.occluder_facets = occlusion_.facets().data();
    view.candidates = occlusion_.candidates().data();
    view.obstacles = obstacles_.data();
    view.surfaces = surfaces_.data();
    view.meshes = meshes_.records().empty() ? nullptr : meshes_.records().data();
    view.occluder_outlines = occlusion_.outlines().data();
    view.num_heliostats = static_cast<int32_t>(records_.size());
    view.num_targets = static_cast<int32_t>(target_records_.size());
    view.num_surfaces = static_cast<int32_t>(surfaces_.size());
    view.square_scale = scale_.square_scale;
    view.sizes = {std::ssize(facets_.facets()),
                  std::ssize(facets_.floats()),
                  std::ssize(occlusion_.occluders()),
                  std::ssize(occlusion_.facets()),
                  std::ssize(occlusion_.candidates()),
                  std::ssize(occlusion_.outlines()),
                  std::ssize(meshes_.records())};
    return view;
}

}  // namespace helioray::physical
