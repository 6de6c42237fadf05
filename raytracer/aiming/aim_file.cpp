// SPDX-License-Identifier: MIT
// Aim points as CSV, and results with their limits and prices as HDF5.
#include "raytracer/aiming/aim_file.h"

#include "raytracer/results/result_layout.h"
#include "scenario/files/output_files.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>

namespace helioray::aiming {

namespace {

/// A heliostat that the configuration leaves out still needs a target in the file.
Aim aim_of_idle(size_t index,
                const RunConfig& config,
                const Scenario& scenario,
                size_t usual_target) {
    Aim aim;
    aim.heliostat = index;
    aim.target = usual_target;
    const auto own = config.aim.heliostats.find(scenario.heliostats[index].name);
    if (own != config.aim.heliostats.end() && own->second.target)
        aim.target = scenario.find_target(*own->second.target).value_or(usual_target);
    aim.point =
        default_aim_point(scenario.targets[aim.target], scenario.heliostats[index].position);
    return aim;
}

}  // namespace

void write_aims(const AimingResult& result,
                const RunConfig& config,
                const Scenario& scenario,
                const std::filesystem::path& path) {
    std::map<size_t, const AimedPoint*> points;
    for (const AimedPoint& point : result.points) points[point.aim.heliostat] = &point;
    std::string text = "name,target,east,north,up,active\n";
    for (size_t i = 0; i < scenario.heliostats.size(); ++i) {
        const auto found = points.find(i);
        const bool is_aimed = found != points.end();
        // These have no point; the configuration has their motor positions.
        if (is_aimed && found->second->aim.motor_positions) continue;
        const Aim aim = is_aimed ? found->second->aim
                                 : aim_of_idle(i, config, scenario, result.points[0].aim.target);
        fmt::format_to(std::back_inserter(text),
                       "{},{},{},{},{},{}\n",
                       csv_cell(scenario.heliostats[i].name),
                       csv_cell(scenario.targets[aim.target].name),
                       aim.point[0],
                       aim.point[1],
                       aim.point[2],
                       is_aimed && found->second->active);
    }
    AtomicFile file(path);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

namespace {

/// One number for each aimed heliostat.
template <typename Value>
void write_column(hdf5::Group& group,
                  const char* name,
                  const std::vector<AimedPoint>& points,
                  const char* unit,
                  const char* description,
                  const Value& value) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const AimedPoint& point : points) values.push_back(value(point));
    annotate(group.write_array(name, values, {values.size()}), unit, description);
}

void write_points(hdf5::Group& group, const AimingResult& result, const Scenario& scenario) {
    std::vector<std::string> names, targets;
    std::vector<double> places;
    std::vector<int32_t> active;
    for (const AimedPoint& point : result.points) {
        names.push_back(scenario.heliostats[point.aim.heliostat].name);
        targets.push_back(scenario.targets[point.aim.target].name);
        places.insert(places.end(), point.aim.point.begin(), point.aim.point.end());
        active.push_back(point.active ? 1 : 0);
    }
    const size_t count = names.size();
    annotate(group.write_strings("name", names), "1", "Names of the heliostats.");
    annotate(group.write_strings("target", targets), "1", "Targets that they aim at.");
    annotate(
        group.write_array("aim_point", places, {count, 3}), "m", "Aim points: east, north, up.");
    annotate(group.write_array("active", active, {count}), "1", "0: the heliostat is turned off.");
    write_column(group,
                 "x",
                 result.points,
                 "m",
                 "Aim points on the unrolled surface, to the right of its centre.",
                 [](const AimedPoint& point) { return point.x; });
    write_column(group,
                 "y",
                 result.points,
                 "m",
                 "Aim points on the unrolled surface, above its centre.",
                 [](const AimedPoint& point) { return point.y; });
}

void write_maps(hdf5::Group& group, const AimingResult& result) {
    const auto write_map = [&](const TargetResult& target,
                               const char* name,
                               const std::vector<double>& values,
                               const char* unit,
                               const char* description) {
        const auto rows = static_cast<size_t>(target.height);
        const auto columns = static_cast<size_t>(target.width);
        require(values.size() == rows * columns, std::string(name) + " has another shape");
        annotate(group.create_group(target.target.name).write_array(name, values, {rows, columns}),
                 unit,
                 description);
    };
    for (const TargetResult& target : result.before.targets) {
        write_map(
            target, "flux_before", target.flux, "W/m2", "Flux with the aim points of center.");
    }
    for (const TargetResult& target : result.after.targets) {
        for (const LimitMap& limits : result.limits) {
            if (limits.target != target.target.name) continue;
            if (!limits.limit.empty())
                write_map(target, "flux_limit", limits.limit, "W/m2", "Limits; inf: none.");
            if (!limits.price.empty())
                write_map(target,
                          "price",
                          limits.price,
                          "W/(W/m2)",
                          "Power that one more W/m2 in this pixel would bring.");
        }
    }
}

void write_attributes(hdf5::Group& group, const AimingResult& result) {
    group.write_attribute("power_w", result.power);
    group.write_attribute("power_std_error_w", result.power_std_error);
    group.write_attribute("peak_flux_w_m2", result.peak_flux);
    group.write_attribute("heliostats_off", result.heliostats_off);
    group.write_attribute("iterations", result.iterations);
    group.write_attribute("traces", result.traces);
    group.write_attribute("limits_kept", result.limits_kept);
    const auto write_known = [&](const char* name, const std::optional<double>& value) {
        if (value) group.write_attribute(name, *value);
    };
    write_known("power_bound_w", result.power_bound);
    write_known("gap", result.gap());
    write_known("worst_limit_share", result.worst_limit_share);
    write_known("worst_limit_share_std_error", result.worst_limit_share_std_error);
}

}  // namespace

void write_aiming_result(const AimingResult& result,
                         const Scenario& scenario,
                         const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) {
        fill_result(root, result.after);
        hdf5::Group aiming = root.create_group("aiming");
        write_attributes(aiming, result);
        hdf5::Group points = aiming.create_group("heliostats");
        write_points(points, result, scenario);
        hdf5::Group targets = aiming.create_group("targets");
        write_maps(targets, result);
    });
}

}  // namespace helioray::aiming
