// SPDX-License-Identifier: MIT
// Prepares a plant for tracing.
#include "raytracer/tracing/physical/prepared_field.h"

#include "scenario/config/state_aims.h"
#include "scenario/files/error.h"
#include "scenario/sun/attenuation.h"
#include "scenario/sun/clouds.h"
#include "scenario/types/bent_surface.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace helioray::physical {

namespace {

FieldSettings settings_of_run(const RunConfig& config, bool cull) {
    FieldSettings settings = field_settings(config);
    settings.cull = cull;
    settings.rays.separate_heliostats = config.output.per_heliostat;
    settings.rays.in_rounds = config.tracing.relative_error.has_value();
    settings.rays.full_bundles = true;
    settings.rays.large_units = true;
    return settings;
}

std::vector<FieldTarget> field_targets(const RunConfig& config, const Scenario& scenario) {
    std::vector<FieldTarget> targets;
    for (const Target& target : scenario.targets) {
        const auto extras = config.targets.find(target.name);
        targets.push_back(
            {target, extras != config.targets.end() ? extras->second : TargetConfig{}});
    }
    return targets;
}

/// Warns of a shifted sun: ARTIST shifts its sun by a mean about two axes of the world, which does
/// not exist for a sun in the sky.
void warn_of_shifted_sun(const RunConfig& config,
                         const Scenario& scenario,
                         std::vector<std::string>& warnings) {
    if (config.sun.shape || scenario.light_sources.empty()) return;
    const LightSource& source = scenario.light_sources.front();
    if (source.mean == 0.0) return;
    warnings.push_back(
        fmt::format("/lightsources/{}: its mean of {:.7g} rad is left out: the sun of model "
                    "physical is centred",
                    source.name,
                    source.mean));
}

/// Warns of heliostats beyond the distances that a polynomial of the attenuation holds for.
void warn_of_long_distances(const RunConfig& config,
                            const Scenario& scenario,
                            const std::vector<Aim>& aims,
                            std::vector<std::string>& warnings) {
    const auto limit = polynomial_limit(config.optics.attenuation);
    if (!limit) return;
    size_t beyond = 0;
    double farthest = 0.0;
    for (const Aim& aim : aims) {
        const double distance =
            norm(subtract(aim.point, scenario.heliostats[aim.heliostat].position));
        beyond += distance > *limit;
        farthest = std::max(farthest, distance);
    }
    if (beyond == 0) return;
    warnings.push_back(fmt::format(
        "optics.attenuation: {} heliostats are farther than {:g} km from their target, up to "
        "{:.2f} km; beyond that distance an exponential continues the polynomial",
        beyond,
        1e-3 * *limit,
        1e-3 * farthest));
}

}  // namespace

PreparedField::PreparedField(const RunConfig& config,
                             const Scenario& scenario,
                             bool cull,
                             int num_threads)
    : scenario_(scenario),
      settings_(settings_of_run(config, cull)),
      light_{direction_to_sun(config.sun, scenario.position),
             config.sun.dni,
             effective_sun_shape(config.sun, scenario),
             config.optics},
      targets_(field_targets(config, scenario)),
      tracking_error_{config.optics.tracking_error, config.tracing.seed, {}},
      sunlit_shares_(sunlit_shares(config.sun, scenario, configuration_warnings_)),
      aims_(scenario.heliostats.size()),
      mirrors_(scenario.heliostats.size()),
      temperature_(config.sun.temperature),
      is_turned_(scenario.heliostats.size(), 0) {
    set_states(config);
    // Before those of the clouds, which are there already.
    configuration_warnings_.insert(
        configuration_warnings_.begin(), config.warnings.begin(), config.warnings.end());
    warn_of_shifted_sun(config, scenario, configuration_warnings_);
    const std::vector<Aim> aims = resolve_aims(config.aim, scenario);
    warn_of_long_distances(config, scenario, aims, configuration_warnings_);
    for (const Heliostat& heliostat : scenario.heliostats) surfaces_.push_back(heliostat.surface);
    for (const Aim& aim : aims) set_aim(aim);
    update(num_threads);
}

/// Sets what the table of states gives for each heliostat, except for aims.
void PreparedField::set_states(const RunConfig& config) {
    if (config.state.rows.empty()) return;
    const int64_t instant = state_instant(config.state, position_time(config.sun));
    std::vector<double> dni_shares;
    bool has_tracking = false, has_shares = false;
    for (const Heliostat& heliostat : scenario_.heliostats) {
        const MirrorState state = state_at(config.state, heliostat.name, instant);
        own_optics_.push_back({state.reflectivity,
                               1.0 - state.soiling.value_or(0.0),
                               state.slope_error,
                               state.specularity_error});
        OwnTrackingError& tracking = tracking_error_.own.emplace_back();
        tracking.sigma = state.tracking_error.value_or(tracking_error_.sigma);
        for (size_t axis = 0; axis < 2; ++axis)
            tracking.bias[axis] = state.tracking_bias[axis].value_or(0.0);
        has_tracking = has_tracking || state.tracking_error || state.tracking_bias[0] ||
                       state.tracking_bias[1];
        has_shares = has_shares || state.dni_share;
        dni_shares.push_back(state.dni_share.value_or(1.0));
    }
    if (!has_tracking) tracking_error_.own.clear();
    if (!has_shares) return;
    if (sunlit_shares_.empty()) sunlit_shares_.assign(dni_shares.size(), 1.0);
    for (size_t i = 0; i < dni_shares.size(); ++i) sunlit_shares_[i] *= dni_shares[i];
}

// The following functions record changes.

void PreparedField::note_turn(size_t heliostat) {
    if (is_turned_[heliostat]) return;
    is_turned_[heliostat] = 1;
    turned_.push_back(heliostat);
}

void PreparedField::set_sun(const Vec3& direction, double dni) {
    sun_moved_ = sun_moved_ || direction != light_.sun_direction;
    light_.sun_direction = direction;
    light_.dni = dni;
}

void PreparedField::set_optics(const SunShape& sun_shape, const OpticsConfig& optics) {
    light_.sun_shape = sun_shape;
    light_.optics = optics;
    if (field_) field_->set_optics(sun_shape, optics);
}

void PreparedField::set_aim(const Aim& aim) {
    aims_[aim.heliostat] = aim;
    note_turn(aim.heliostat);
}

void PreparedField::set_inactive(size_t heliostat) {
    aims_[heliostat].reset();
    note_turn(heliostat);
}

void PreparedField::set_surface(size_t heliostat, std::shared_ptr<const Surface> surface) {
    surfaces_[heliostat] = std::move(surface);
    mirrors_[heliostat].reset();
    bent_.erase(heliostat);
    if (surfaces_[heliostat]->is_bent_by(BendingAxis::elevation)) note_turn(heliostat);
}

// The following functions process the recorded changes.

/// Aligns the active heliostats whose aim or sun changed.
AlignedField PreparedField::align(int num_threads) const {
    std::vector<Aim> aims;
    for (size_t i = 0; i < aims_.size(); ++i) {
        if (!aims_[i]) continue;
        const bool follows_sun = !aims_[i]->motor_positions;
        if (is_turned_[i] || (sun_moved_ && follows_sun)) aims.push_back(*aims_[i]);
    }
    return align_field(aims, scenario_, light_.sun_direction, tracking_error_, num_threads);
}

/// Replaces the notes of heliostats that turned; the other notes remain valid.
void PreparedField::replace_notes(const AlignedField& aligned) {
    std::vector<uint8_t> is_old = is_turned_;
    for (const AimedHeliostat& heliostat : aligned.heliostats) is_old[heliostat.heliostat] = 1;
    std::erase_if(notes_, [&](const AlignmentNote& note) { return is_old[note.heliostat] != 0; });
    notes_.insert(notes_.end(), aligned.notes.begin(), aligned.notes.end());
    std::stable_sort(notes_.begin(), notes_.end(), [](const auto& a, const auto& b) {
        return a.heliostat < b.heliostat;
    });
    warnings_ = configuration_warnings_;
    for (std::string& line : first_lines(notes_, scenario_)) warnings_.push_back(std::move(line));
}

/// Bends the mirrors that turned to the elevations of their normals. Mirrors that are not aimed lie
/// flat.
void PreparedField::bend_mirrors(const AlignedField& aligned) {
    const auto bend = [&](size_t heliostat, double elevation) {
        const Surface& surface = *surfaces_[heliostat];
        if (!surface.is_bent_by(BendingAxis::elevation)) return;
        const auto known = bent_.find(heliostat);
        if (known != bent_.end() && known->second.at == elevation) return;
        bent_[heliostat] = {elevation,
                            std::make_shared<const Surface>(surface_at(surface, elevation))};
        mirrors_[heliostat].reset();
    };
    for (const AimedHeliostat& aimed : aligned.heliostats)
        bend(aimed.heliostat, std::asin(std::clamp(aimed.orientation[10], -1.0, 1.0)));
    for (size_t i = 0; i < surfaces_.size(); ++i)
        if (!aims_[i]) bend(i, 0.5 * std::numbers::pi);
}

/// Bends the mirrors whose shape changes with the temperature. Heliostats that share a surface
/// still share it.
void PreparedField::bend_by_temperature() {
    std::unordered_map<const Surface*, std::shared_ptr<const Surface>> shared;
    for (size_t i = 0; i < surfaces_.size(); ++i) {
        const Surface* surface = surfaces_[i].get();
        if (!surface->is_bent_by(BendingAxis::temperature)) continue;
        if (!temperature_) throw InputError(missing_temperature(scenario_.heliostats[i].name));
        const auto known = bent_.find(i);
        if (known != bent_.end() && known->second.at == *temperature_) continue;
        auto& bent = shared[surface];
        if (!bent) bent = std::make_shared<const Surface>(surface_at(*surface, *temperature_));
        bent_[i] = {*temperature_, bent};
        mirrors_[i].reset();
    }
}

/// Returns the surface of a mirror in its present orientation.
const Surface& PreparedField::present_surface(size_t heliostat) const {
    const auto bent = bent_.find(heliostat);
    return bent == bent_.end() ? *surfaces_[heliostat] : *bent->second.surface;
}

/// Builds records of mirrors that are needed and do not exist yet. Heliostats that share a surface
/// share its records. Returns the heliostats that received records.
std::vector<size_t> PreparedField::make_mirrors(int num_threads) {
    KnownSurfaces known;
    std::vector<SurfaceRequest> requests;
    std::vector<size_t> lacking;
    for (size_t i = 0; i < mirrors_.size(); ++i) {
        const bool facets = aims_[i].has_value();
        const MirrorRecords& have = mirrors_[i];
        const bool lacks_facets = facets && (!have || !have->facets);
        const bool lacks_shape = has_occlusion() && (!have || !have->shape);
        if (!lacks_facets && !lacks_shape) continue;
        if (have) known.try_emplace(&present_surface(i), have);
        requests.push_back({&present_surface(i), facets, has_occlusion()});
        lacking.push_back(i);
    }
    add_surface_records(requests, known, num_threads);
    for (const size_t i : lacking) mirrors_[i] = known.at(&present_surface(i));
    return lacking;
}

FieldUpdate PreparedField::update(int num_threads) {
    // Perform the steps that may fail first.
    const AlignedField aligned = align(num_threads);
    bend_by_temperature();
    bend_mirrors(aligned);
    const std::vector<size_t> new_mirrors = make_mirrors(num_threads);
    if (!field_) {
        std::vector<FieldHeliostat> heliostats;
        for (size_t i = 0; i < mirrors_.size(); ++i)
            heliostats.push_back({mirrors_[i], scenario_.heliostats[i].position});
        field_.emplace(std::move(heliostats), std::move(targets_), light_, settings_);
    }

    replace_notes(aligned);
    field_->set_sun(light_.sun_direction, light_.dni);
    for (const size_t heliostat : turned_) {
        if (!aims_[heliostat]) field_->stow(heliostat);
        is_turned_[heliostat] = 0;
    }
    for (const size_t heliostat : new_mirrors) field_->set_mirror(heliostat, mirrors_[heliostat]);
    for (AimedHeliostat heliostat : aligned.heliostats) {
        if (!sunlit_shares_.empty()) heliostat.sunlit_share = sunlit_shares_[heliostat.heliostat];
        if (!own_optics_.empty()) heliostat.optics = own_optics_[heliostat.heliostat];
        field_->aim(heliostat);
    }
    turned_.clear();
    sun_moved_ = false;
    return field_->update(num_threads);
}

}  // namespace helioray::physical
