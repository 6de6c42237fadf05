// SPDX-License-Identifier: MIT
// Compares names and ranges of the configuration with those of the scenario.
#include "scenario/config/checks/checks.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/types/bent_surface.h"
#include "scenario/types/type_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

template <typename Items>
std::vector<std::string> collect_names(const Items& items) {
    std::vector<std::string> names;
    for (const auto& item : items) names.push_back(item.name);
    return names;
}

class ScenarioCheck {
  public:
    ScenarioCheck(const RunConfig& config, const Scenario& scenario)
        : config_(config),
          scenario_(scenario),
          targets_(collect_names(scenario.targets)),
          heliostats_(collect_names(scenario.heliostats)) {}

    std::vector<Problem> run() {
        if (!is_from_table("", config_.aim.target))
            check_aim_target(place_of(config_, "aim.target"), config_.aim.target);
        check_active();
        check_state();
        check_ground();
        for (const auto& [name, aim] : config_.aim.heliostats) check_heliostat(name, aim);
        for (const auto& [name, target] : config_.targets) check_target_settings(name, target);
        for (const auto& [name, share] : config_.aiming.target_shares)
            check_target_share("aiming.target_shares." + name, name);
        check_model();
        check_everyone_has_a_target();
        check_light_source();
        check_rays();
        return std::move(problems_);
    }

  private:
    void add(const std::string& key,
             const std::string& what,
             const std::string& why,
             const std::string& advice) {
        problems_.push_back({place_of(config_, key), what, why, advice});
    }

    /// Heliostats below the ground indicate a wrong origin of the terrain.
    void check_ground() {
        if (!config_.terrain.ground) return;
        std::vector<std::string> buried;
        double deepest = 0.0;
        for (const Heliostat& heliostat : scenario_.heliostats) {
            const Vec3& at = heliostat.position;
            const double depth =
                config_.terrain.ground->height_at(at[0], at[1]).value_or(at[2]) - at[2];
            // Pivots may lie on the ground.
            constexpr double kRounding = 1e-3;
            if (depth <= kRounding) continue;
            buried.push_back(heliostat.name);
            deepest = std::max(deepest, depth);
        }
        if (buried.empty()) return;
        add("terrain.file",
            fmt::format("{} of {} heliostats are below the ground, such as '{}', by up to {:.3g} m",
                        buried.size(),
                        scenario_.heliostats.size(),
                        buried.front(),
                        deepest),
            "the ground would hide them",
            "check terrain.origin_m, which is subtracted from the coordinates of the file");
    }

    void check_target(const std::string& key, const std::optional<std::string>& target) {
        if (!target || scenario_.find_target(*target)) return;
        add(key,
            fmt::format("the scenario has no target '{}'", *target),
            "",
            suggest(*target, targets_));
    }

    /// Heliostats aim at targets and receivers, but not at shields or mirrors. Problems name this
    /// place.
    void check_aim_target(const std::string& place, const std::optional<std::string>& name) {
        if (!name || scenario_.find_receiver(*name)) return;
        const auto index = scenario_.find_target(*name);
        if (!index) {
            // Receivers come first: they are meant more often than one of their surfaces.
            std::vector<std::string> names = collect_names(scenario_.receivers);
            names.insert(names.end(), targets_.begin(), targets_.end());
            problems_.push_back({place,
                                 fmt::format("the scenario has no target '{}'", *name),
                                 "",
                                 suggest(*name, names)});
            return;
        }
        const Target& target = scenario_.targets[*index];
        if (target.use == SurfaceUse::absorber) return;
        const bool is_mirror = target.use == SurfaceUse::mirror;
        problems_.push_back(
            {place,
             fmt::format("'{}' is a {}", *name, to_string(target.use)),
             is_mirror ? "its light goes on to other surfaces" : "its light is lost",
             fmt::format("aim at receiver '{}' or one of its absorbing surfaces",
                         target.receiver)});
    }

    void check_target_share(const std::string& key, const std::string& name) {
        const auto index = scenario_.find_target(name);
        const bool is_surface = index && !scenario_.targets[*index].receiver.empty();
        if (!is_surface && !scenario_.find_receiver(name)) {
            check_target(key, name);
            return;
        }
        add(key,
            fmt::format("'{}' is {} receiver", name, is_surface ? "a surface of a" : "a"),
            "shares of the power are chosen among targets that stand alone",
            "remove the shares");
    }

    /// Model artist traces targets that stand alone.
    void check_model() {
        if (config_.tracing.model != Model::artist) return;
        const auto check = [&](const std::string& key, const std::optional<std::string>& name) {
            if (!name) return;
            const auto index = scenario_.find_target(*name);
            if (!scenario_.find_receiver(*name) &&
                !(index && !scenario_.targets[*index].receiver.empty()))
                return;
            add(key,
                fmt::format("'{}' is a receiver of several surfaces or one of them", *name),
                "model artist traces targets that stand alone",
                "choose another target, or tracing.model: physical");
        };
        check("aim.target", config_.aim.target);
        for (const auto& [name, aim] : config_.aim.heliostats)
            check("aim.heliostats." + name + ".target", aim.target);
    }

    void check_target_settings(const std::string& name, const TargetConfig& settings) {
        const std::string key = "targets." + name;
        const auto index = scenario_.find_target(name);
        if (!index) {
            check_target(key, name);
            return;
        }
        if (!scenario_.targets[*index].receiver.empty()) {
            add(key,
                fmt::format(
                    "'{}' is a surface of receiver '{}'", name, scenario_.targets[*index].receiver),
                "apertures and outlines of this section are for targets that stand alone",
                "give the surface its outline where the receiver is described");
            return;
        }
        if (!settings.outline.empty() && !is_flat(scenario_.targets[*index])) {
            add(key + ".outline_m",
                fmt::format("target '{}' is a cylinder", name),
                "outlines are drawn on planes",
                "remove it, or give the cylinder another height or opening angle in the scenario");
        }
    }

    /// Checks the names of the table of states.
    void check_state() {
        for (const auto& [name, place] : config_.state.places) {
            if (!name.empty() && !scenario_.find_heliostat(name)) {
                problems_.push_back({place + ": name",
                                     fmt::format("the scenario has no heliostat '{}'", name),
                                     "",
                                     suggest(name, heliostats_)});
            }
            check_aim_target(place + ": target",
                             config_.state.rows.at(name).begin()->second.target);
        }
    }

    /// Returns true if check_state() checks this target of a heliostat, or of all for "".
    bool is_from_table(const std::string& name, const std::optional<std::string>& target) const {
        return config_.state.places.contains(name) &&
               config_.state.rows.at(name).begin()->second.target == target;
    }

    /// Returns true for a name that check_state() reports.
    bool is_reported(const std::string& name) const {
        return config_.state.places.contains(name) && !scenario_.find_heliostat(name);
    }

    void check_active() {
        if (!config_.aim.active) return;
        for (size_t i = 0; i < config_.aim.active->size(); ++i) {
            const std::string& name = (*config_.aim.active)[i];
            // check_heliostat() reports heliostats with settings of their own.
            if (scenario_.find_heliostat(name) || config_.aim.heliostats.contains(name) ||
                is_reported(name))
                continue;
            add(fmt::format("aim.active[{}]", i),
                fmt::format("the scenario has no heliostat '{}'", name),
                "",
                suggest(name, heliostats_));
        }
    }

    void check_heliostat(const std::string& name, const HeliostatAim& aim) {
        if (is_reported(name)) return;
        const std::string key = "aim.heliostats." + name;
        const auto index = scenario_.find_heliostat(name);
        if (!index) {
            add(key,
                fmt::format("the scenario has no heliostat '{}'", name),
                "",
                suggest(name, heliostats_));
        }
        if (!is_from_table(name, aim.target))
            check_aim_target(place_of(config_, key + ".target"), aim.target);
        if (index && aim.motor_positions) {
            check_motors(key, *scenario_.heliostats[*index].actuators, *aim.motor_positions);
        }
    }

    void check_motors(const std::string& key,
                      const ActuatorPair& actuators,
                      const std::array<double, 2>& positions) {
        for (size_t i = 0; i < 2; ++i) {
            const double low = actuators[i].min_motor_position;
            const double high = actuators[i].max_motor_position;
            // Equal limits mean that the scenario has none.
            if (low >= high || (positions[i] >= low && positions[i] <= high)) continue;
            add(fmt::format("{}.motor_positions[{}]", key, i),
                fmt::format("{} is outside of the actuator's range", positions[i]),
                "the drive cannot reach it",
                fmt::format("give a value from {} to {}", low, high));
        }
    }

    void check_everyone_has_a_target() {
        // If there is a list of active heliostats, the reader has checked it already.
        if (config_.aim.target || config_.aim.active) return;
        for (const std::string& name : heliostats_) {
            const auto it = config_.aim.heliostats.find(name);
            if (it != config_.aim.heliostats.end() && (it->second.target || !it->second.active))
                continue;
            add(fmt::format("aim.heliostats.{}.target", name),
                fmt::format("heliostat '{}' has no target", name),
                "rays count where they meet their heliostat's target",
                "add aim.target, or a target for every active heliostat");
        }
    }

    void check_light_source() {
        if (!scenario_.light_sources.empty()) return;
        if (!config_.sun.shape) {
            add("sun.shape",
                "the scenario has no light source, and no shape is given",
                "the angular distribution of sunlight is unknown",
                "add for example shape: {type: gaussian, sigma_mrad: 2.09}");
        }
        if (config_.tracing.model == Model::artist && !config_.artist.rays_per_point) {
            add("artist.rays_per_point",
                "the scenario has no light source, and no number of rays is given",
                "model artist takes its number of rays from there",
                "add for example artist: {rays_per_point: 10}");
        }
    }

    void check_rays() {
        // A run with an accuracy limits its rays to what can be traced.
        if (config_.tracing.model != Model::physical || config_.tracing.relative_error) return;
        const size_t mirrors =
            config_.aim.active ? config_.aim.active->size() : scenario_.heliostats.size();
        const int64_t most = most_rays_per_heliostat(mirrors);
        const int64_t rays = config_.tracing.rays_per_heliostat;
        if (rays <= most) return;
        add("tracing.rays_per_heliostat",
            fmt::format("{:g} rays on each of {} heliostats are more than {:g} in all",
                        static_cast<double>(rays),
                        mirrors,
                        static_cast<double>(kMostRaysOfField)),
            "the exact sums would hold a ray with fewer than 17 bits",
            fmt::format("give at most {}, or tracing.relative_error for a run that stops by itself",
                        most));
    }

    const RunConfig& config_;
    const Scenario& scenario_;
    std::vector<std::string> targets_;
    std::vector<std::string> heliostats_;
    std::vector<Problem> problems_;
};

}  // namespace

int64_t most_rays_per_heliostat(size_t heliostats) {
    return kMostRaysOfField / static_cast<int64_t>(std::max<size_t>(1, heliostats));
}

void check_against_scenario(const RunConfig& config, const Scenario& scenario) {
    std::vector<Problem> problems = ScenarioCheck(config, scenario).run();
    const bool has_one_sun = config.sun.has_position && !config.sun.series;
    if (has_one_sun && !config.sun.temperature) {
        if (const Heliostat* heliostat = find_bent_by_temperature(scenario.heliostats)) {
            problems.push_back(missing_temperature(heliostat->name));
            problems.back().where = place_of(config, problems.back().where);
        }
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace helioray
