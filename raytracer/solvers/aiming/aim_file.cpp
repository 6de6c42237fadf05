// SPDX-License-Identifier: MIT
// Writes aim points as CSV, and results with their limits and prices as HDF5.
#include "raytracer/solvers/aiming/aim_file.h"

#include "raytracer/results/result_file.h"
#include "raytracer/results/result_layout.h"
#include "raytracer/solvers/aiming/aim_shares.h"
#include "raytracer/solvers/aiming/traced/start.h"
#include "raytracer/solvers/aiming/traced/trace_field.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace helioray::aiming {

namespace {

constexpr size_t kRoundNumbers = 5;  ///< Number of values stored for each Round

/// Returns a default aim point for a heliostat that the configuration excludes, because the file
/// needs a target for it.
Aim aim_of_idle(size_t index,
                const RunConfig& config,
                const Scenario& scenario,
                size_t usual_target) {
    Aim aim;
    aim.heliostat = index;
    const auto own = config.aim.heliostats.find(scenario.heliostats[index].name);
    const bool has_own = own != config.aim.heliostats.end() && own->second.target;
    const std::optional<std::string> name = has_own ? own->second.target : config.aim.target;
    aim.target = name ? scenario.find_target(*name).value_or(usual_target) : usual_target;
    aim.point =
        default_aim_point(scenario.targets[aim.target], scenario.heliostats[index].position);
    return aim;
}

/// Adds a row for each heliostat except those that motor positions move, which the configuration
/// contains; the row of one that is turned off only says so. end: last columns of every row.
void add_rows(const std::vector<AimedPoint>& aimed,
              const RunConfig& config,
              const Scenario& scenario,
              const std::string& end,
              std::string& text) {
    std::map<size_t, const AimedPoint*> points;
    for (const AimedPoint& point : aimed) points[point.aim.heliostat] = &point;
    for (size_t i = 0; i < scenario.heliostats.size(); ++i) {
        const auto found = points.find(i);
        const bool is_aimed = found != points.end();
        if (is_aimed && found->second->aim.motor_positions && found->second->active) continue;
        const Aim aim =
            is_aimed ? found->second->aim : aim_of_idle(i, config, scenario, aimed[0].aim.target);
        fmt::format_to(std::back_inserter(text),
                       "{},{},{},{},{},{}{}\n",
                       csv_cell(scenario.heliostats[i].name),
                       csv_cell(scenario.targets[aim.target].name),
                       aim.point[0],
                       aim.point[1],
                       aim.point[2],
                       is_aimed && found->second->active,
                       end);
    }
}

void write_text(const std::string& text, const std::filesystem::path& path) {
    AtomicFile file(path);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
}

constexpr const char* kColumns = "name,target,east,north,up,active";

}  // namespace

void check_aim_outputs(const std::vector<OutputFile>& outputs, const RunConfig& config) {
    std::vector<std::filesystem::path> inputs{config.file, config.scenario};
    for (const auto& input :
         {config.aim.file, config.aiming.flux_limit_file, config.aiming.target_map}) {
        if (input) inputs.push_back(*input);
    }
    check_outputs(outputs, inputs);
}

void write_aims(const AimingResult& result,
                const RunConfig& config,
                const Scenario& scenario,
                const std::filesystem::path& path) {
    std::string text = fmt::format("{}\n", kColumns);
    add_rows(result.points, config, scenario, "", text);
    write_text(text, path);
}

void write_aims(const AimSeries& series,
                const RunConfig& config,
                const Scenario& scenario,
                const std::filesystem::path& path) {
    const bool is_timed = series.is_timed();
    // A heliostat has the same target in all steps, including those in which it is not available.
    std::map<size_t, size_t> targets;
    if (!config.aiming.target_shares.empty())
        for (const AimedStep& step : series.steps) add_targets(step.aiming.points, targets);
    std::string text = fmt::format("{},{}\n", kColumns, is_timed ? "time" : "step");
    for (size_t i = 0; i < series.steps.size(); ++i) {
        const AimedStep& step = series.steps[i];
        const RunConfig own = config_of_step(config, step.sun);
        add_rows(step.aiming.points,
                 targets.empty() ? own : with_targets(own, scenario, targets),
                 scenario,
                 fmt::format(",{}", is_timed ? step.sun.time : std::to_string(i)),
                 text);
    }
    write_text(text, path);
}

namespace {

/// Writes one number for each aimed heliostat.
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
            if (limits.beyond || limits.target != target.target.name) continue;
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

/// Writes the maps of the enlarged targets, by name.
void write_shields(hdf5::Group& aiming, const AimingResult& result) {
    std::optional<hdf5::Group> shields;
    for (const LimitMap& limits : result.limits) {
        if (!limits.beyond) continue;
        if (!shields) shields = aiming.create_group("shields");
        hdf5::Group group = shields->create_group(limits.target);
        group.write_attribute("pixels_across", limits.beyond->across);
        group.write_attribute("pixels_down", limits.beyond->down);
        const auto columns =
            static_cast<size_t>(result.before.targets.at(0).width + 2 * limits.beyond->across);
        const hdf5::Shape shape{limits.limit.size() / columns, columns};
        const auto write_map = [&](const char* name,
                                   const std::vector<double>& values,
                                   const char* unit,
                                   const char* description) {
            annotate(group.write_array(name, values, shape), unit, description);
        };
        write_map("flux_limit", limits.limit, "W/m2", "Limits; inf: none, or the target itself.");
        if (!limits.price.empty())
            write_map("price",
                      limits.price,
                      "W/(W/m2)",
                      "Power that one more W/m2 in this pixel would bring.");
        for (const TargetResult& map : result.shields) {
            if (map.target.name != limits.target) continue;
            write_map("flux", map.flux, "W/m2", "Flux beside the target; 0 on the target itself.");
            write_map("flux_std_error", map.flux_std_error, "W/m2", "Standard error of flux.");
        }
    }
}

void write_attributes(hdf5::Group& group, const AimingResult& result) {
    group.write_attribute("power_w", result.power);
    group.write_attribute("power_std_error_w", result.power_std_error);
    group.write_attribute("peak_flux_w_m2", result.peak_flux);
    group.write_attribute("peak_flux_std_error_w_m2", result.peak_flux_std_error);
    group.write_attribute("heliostats_off", result.heliostats_off);
    group.write_attribute("iterations", result.iterations);
    group.write_attribute("traces", result.traces);
    group.write_attribute("limits_kept", result.limits_kept);
    const auto write_known = [&](const char* name, const std::optional<double>& value) {
        if (value) group.write_attribute(name, *value);
    };
    write_known("power_bound_w", result.power_bound);
    write_known("bound_margin_w", result.bound_margin);
    write_known("gap", result.gap());
    write_known("robust_factor", result.robust_factor);
    write_known("robust_price_w", result.robust_price);
    write_known("map_distance", result.map_distance);
    write_known("map_distance_before", result.map_distance_before);
    write_known("worst_limit_share", result.worst_limit_share);
    write_known("worst_limit_share_std_error", result.worst_limit_share_std_error);
    write_known("worst_limit_share_before", result.worst_limit_share_before);
    group.write_attribute("worst_limit_place", result.worst_limit_place);
    if (result.shares_met) group.write_attribute("shares_met", *result.shares_met);
}

/// Writes the fractions, each in the group of its target.
void write_shares(hdf5::Group& aiming, const AimingResult& result) {
    if (result.shares.empty()) return;
    hdf5::Group shares = aiming.create_group("shares");
    for (const TargetShare& share : result.shares) {
        hdf5::Group group = shares.create_group(share.target);
        group.write_attribute("wanted", share.wanted);
        group.write_attribute("reached", share.reached);
    }
}

void write_rounds(hdf5::Group& group, const std::vector<Round>& rounds) {
    std::vector<double> values;
    for (const Round& round : rounds)
        values.insert(values.end(),
                      {static_cast<double>(round.iterations),
                       round.power,
                       round.bound,
                       round.worst_limit_share,
                       round.seconds});
    annotate(group.write_array("rounds", values, {rounds.size(), kRoundNumbers}),
             "",
             "Rounds of solving and tracing: iterations, power (W), bound (W), largest flux over "
             "its limit, seconds.");
}

/// Writes the group aiming and returns it.
hdf5::Group write_aiming(hdf5::Group root, const AimingResult& result, const Scenario& scenario) {
    hdf5::Group aiming = root.create_group("aiming");
    write_attributes(aiming, result);
    hdf5::Group points = aiming.create_group("heliostats");
    write_points(points, result, scenario);
    hdf5::Group targets = aiming.create_group("targets");
    write_maps(targets, result);
    write_shields(aiming, result);
    write_shares(aiming, result);
    return aiming;
}

}  // namespace

void write_aiming_result(const AimingResult& result,
                         const Scenario& scenario,
                         const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) {
        fill_result(root, result.after);
        write_aiming(std::move(root), result, scenario);
    });
}

void write_aiming_part(const AimingResult& result,
                       const SeriesStep& facts,
                       const Scenario& scenario,
                       const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) {
        fill_series_part(root, result.after, facts);
        hdf5::Group aiming = write_aiming(std::move(root), result, scenario);
        aiming.write_attribute("violation", result.violation);
        aiming.write_attribute("follows", result.follows ? 1 : 0);
        write_rounds(aiming, result.rounds);
    });
}

namespace {

void read_points(const hdf5::Group& group, const Scenario& scenario, AimingResult& result) {
    const size_t count = result.points.size();
    const std::vector<std::string> names = read_texts(group, "name", count);
    const std::vector<std::string> targets = read_texts(group, "target", count);
    const std::vector<double> places = read_shaped(group, "aim_point", {count, 3});
    const std::vector<double> active = read_shaped(group, "active", {count});
    const std::vector<double> x = read_shaped(group, "x", {count});
    const std::vector<double> y = read_shaped(group, "y", {count});
    for (size_t i = 0; i < count; ++i) {
        AimedPoint& point = result.points[i];
        if (scenario.heliostats[point.aim.heliostat].name != names[i])
            refuse_result(group.where(), "has the aim points of other heliostats");
        const auto target = scenario.find_target(targets[i]);
        if (!target) refuse_result(group.where(), "has the aim points of other targets");
        point.aim.target = *target;
        point.aim.point = {places[3 * i], places[3 * i + 1], places[3 * i + 2]};
        point.x = x[i];
        point.y = y[i];
        point.active = active[i] != 0.0;
    }
}

void read_limits(const hdf5::Group& group, const Scenario& scenario, AimingResult& result) {
    for (const Target& target : scenario.targets) {
        if (!group.contains(target.name)) continue;
        const hdf5::Group maps = group.group(target.name);
        LimitMap limits{target.name, {}, {}};
        if (maps.contains("flux_limit")) limits.limit = maps.dataset("flux_limit").read<double>();
        if (maps.contains("price")) limits.price = maps.dataset("price").read<double>();
        result.limits.push_back(std::move(limits));
    }
}

void read_shields(const hdf5::Group& group,
                  const RunConfig& config,
                  const Scenario& scenario,
                  AimingResult& result) {
    for (const Target& target : scenario.targets) {
        if (!group.contains(target.name)) continue;
        const hdf5::Group maps = group.group(target.name);
        LimitMap limits;
        limits.target = target.name;
        limits.beyond = PixelsBeyond{maps.read_attribute_integer("pixels_across"),
                                     maps.read_attribute_integer("pixels_down")};
        limits.limit = maps.dataset("flux_limit").read<double>();
        if (maps.contains("price")) limits.price = maps.dataset("price").read<double>();
        if (maps.contains("flux")) {
            TargetResult flux;
            flux.target = with_shield(target, config.bitmap, *limits.beyond);
            flux.width = limits.columns(config.bitmap);
            flux.height = config.bitmap.height + 2 * limits.beyond->down;
            flux.flux = maps.dataset("flux").read<double>();
            flux.flux_std_error = maps.dataset("flux_std_error").read<double>();
            add_shield_statistics(flux);
            result.shields.push_back(std::move(flux));
        }
        result.limits.push_back(std::move(limits));
    }
}

void read_shares(const hdf5::Group& group, const Scenario& scenario, AimingResult& result) {
    for (const Target& target : scenario.targets) {
        if (!group.contains(target.name)) continue;
        const hdf5::Group share = group.group(target.name);
        result.shares.push_back({target.name,
                                 share.read_attribute_number("wanted"),
                                 share.read_attribute_number("reached")});
    }
}

}  // namespace

double read_aiming_part(const std::filesystem::path& path,
                        const RunConfig& config,
                        const Scenario& scenario,
                        AimingResult& result) {
    result.after = read_result(path);
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group aiming = file.root().group("aiming");
    const auto known = [&](const char* name) {
        return aiming.has_attribute(name) ? std::optional(aiming.read_attribute_number(name))
                                          : std::nullopt;
    };
    result.points = configured_points(config, scenario);
    read_points(aiming.group("heliostats"), scenario, result);
    read_limits(aiming.group("targets"), scenario, result);
    if (aiming.contains("shields")) read_shields(aiming.group("shields"), config, scenario, result);
    result.power = aiming.read_attribute_number("power_w");
    result.power_std_error = aiming.read_attribute_number("power_std_error_w");
    // Files of version 0.2 store the largest pixel under the name of the peak.
    const auto peak_error = known("peak_flux_std_error_w_m2");
    result.peak_flux = peak_error ? aiming.read_attribute_number("peak_flux_w_m2") : std::nan("");
    result.peak_flux_std_error = peak_error.value_or(std::nan(""));
    result.heliostats_off = aiming.read_attribute_integer("heliostats_off");
    result.iterations = aiming.read_attribute_integer("iterations");
    result.traces = aiming.read_attribute_integer("traces");
    result.violation = aiming.read_attribute_string("violation");
    result.limits_kept = aiming.read_attribute_number("limits_kept") != 0.0;
    if (aiming.has_attribute("shares_met"))
        result.shares_met = aiming.read_attribute_number("shares_met") != 0.0;
    if (aiming.contains("shares")) read_shares(aiming.group("shares"), scenario, result);
    result.follows = aiming.read_attribute_integer("follows") != 0;
    result.power_bound = known("power_bound_w");
    result.bound_margin = known("bound_margin_w");
    result.robust_factor = known("robust_factor");
    result.robust_price = known("robust_price_w");
    result.map_distance = known("map_distance");
    result.map_distance_before = known("map_distance_before");
    result.worst_limit_share = known("worst_limit_share");
    result.worst_limit_share_std_error = known("worst_limit_share_std_error");
    result.worst_limit_share_before = known("worst_limit_share_before");
    result.worst_limit_place = aiming.read_attribute_string("worst_limit_place");
    const hdf5::Dataset rounds = aiming.dataset("rounds");
    const std::vector<double> values = rounds.read<double>();
    for (size_t i = 0; i + kRoundNumbers <= values.size(); i += kRoundNumbers)
        result.rounds.push_back({static_cast<int>(values[i]),
                                 values[i + 1],
                                 values[i + 2],
                                 values[i + 3],
                                 values[i + 4]});
    return file.root().read_attribute_number("trace_seconds");
}

std::filesystem::path part_before(const RunParts& parts, size_t step) {
    std::filesystem::path path = parts.part(step);
    return path.replace_extension("before.h5");
}

}  // namespace helioray::aiming
