// SPDX-License-Identifier: MIT
// Writes aim points as CSV, and results with their limits and prices as HDF5.
#include "raytracer/solvers/aiming/aim_file.h"

#include "raytracer/results/result_file.h"
#include "raytracer/results/result_layout.h"
#include "raytracer/solvers/aiming/aim_shares.h"
#include "raytracer/solvers/aiming/traced/start.h"
#include "raytracer/solvers/aiming/traced/trace_field.h"
#include "scenario/files/text_encoding.h"
#include "scenario/files/visit_members.h"
#include "scenario/types/receivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
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
    const auto receiver = name ? scenario.find_receiver(*name) : std::nullopt;
    const Vec3& position = scenario.heliostats[index].position;
    aim.point = receiver
                    ? receiver_aim_point(scenario.targets, scenario.receivers[*receiver], position)
                    : default_aim_point(scenario.targets[aim.target], position);
    return aim;
}

/// Returns the name of what a heliostat aims at: a receiver, or a target.
const std::string& name_of_target(size_t heliostat,
                                  const RunConfig& config,
                                  const Scenario& scenario,
                                  const Aim& aim) {
    const auto receiver = find_aimed_receiver(config, scenario, heliostat);
    return receiver ? scenario.receivers[*receiver].name : scenario.targets[aim.target].name;
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
                       csv_cell(name_of_target(i, config, scenario, aim)),
                       aim.point[0],
                       aim.point[1],
                       aim.point[2],
                       is_aimed && found->second->active,
                       end);
    }
}

constexpr const char* kColumns = "name,target,east,north,up,active";

}  // namespace

namespace {

static_assert(count_members<AimingResult>() == 29,
              "declare the column of a new number below, then count its member here");

/// Returns the column of a member that only some strategies and limits set.
template <typename Member>
Column<AimingResult> optional_column(const char* name,
                                     const char* unit,
                                     const char* description,
                                     Member AimingResult::*member) {
    return column({.name = name, .unit = unit, .description = description, .is_optional = true},
                  member);
}

}  // namespace

const Columns<AimingResult>& aiming_step_columns() {
    using A = AimingResult;
    static const Columns<A> all{
        column({"power_w", "W", "Power on all targets."}, &A::power),
        column({"power_std_error_w", "W", "Standard error of power_w."}, &A::power_std_error),
        column({"peak_flux_w_m2", "W/m2", "Largest flux without noise."}, &A::peak_flux),
        optional_column("peak_flux_std_error_w_m2",
                        "W/m2",
                        "Standard error of peak_flux_w_m2.",
                        &A::peak_flux_std_error),
        column({"heliostats_off", "1", "Heliostats turned off."}, &A::heliostats_off),
        column({"iterations", "1", "Iterations of the optimiser."}, &A::iterations),
        column({"traces", "1", "Traces of the whole field."}, &A::traces),
        optional_column("power_bound_w", "W", "Upper bound on the power.", &A::power_bound),
        derived_column<A>({"gap", "1", "1 - power_w / power_bound_w."},
                          [](const A& result) { return result.gap(); }),
        optional_column(
            "worst_limit_share", "1", "Largest flux over its limit.", &A::worst_limit_share),
        optional_column("worst_limit_share_std_error",
                        "1",
                        "Standard error of worst_limit_share.",
                        &A::worst_limit_share_std_error)};
    return all;
}

const Columns<AimingResult>& aiming_columns() {
    using A = AimingResult;
    static const Columns<A> all = [] {
        Columns<A> columns = aiming_step_columns();
        const Columns<A> of_single_runs{
            column({"limits_kept", "1", "True if no pixel exceeds its limit."}, &A::limits_kept),
            optional_column(
                "bound_margin_w", "W", "Part of power_bound_w for errors.", &A::bound_margin),
            optional_column(
                "robust_factor", "1", "Standard deviations of room.", &A::robust_factor),
            optional_column(
                "robust_price_w", "W", "Bound lost to room for errors.", &A::robust_price),
            optional_column(
                "map_distance", "1", "Distance from the target flux map.", &A::map_distance),
            optional_column("map_distance_before",
                            "1",
                            "Distance from the target flux map with the aim points before.",
                            &A::map_distance_before),
            column({.name = "worst_limit_share_before",
                    .unit = "1",
                    .description = "Largest flux over its limit with the aim points before.",
                    .json = "",  // only reports show it
                    .is_optional = true},
                   &A::worst_limit_share_before),
            column({"worst_limit_place", "", "Map with this flux."}, &A::worst_limit_place),
            optional_column(
                "shares_met", "1", "True if targets have their shares.", &A::shares_met)};
        columns.insert(columns.end(), of_single_runs.begin(), of_single_runs.end());
        return columns;
    }();
    return all;
}

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
    write_text_file(path, text);
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
    write_text_file(path, text);
}

namespace {

/// Returns the columns of aimed heliostats; `where` is the place for messages of readers.
Columns<AimedPoint> point_columns(const Scenario& scenario, const std::string& where = "") {
    using P = AimedPoint;
    return {converted_column<P>(
                {"name", "1", "Names of the heliostats."},
                [&](const P& point) { return scenario.heliostats[point.aim.heliostat].name; },
                [&, where](P& point, const std::string& name) {
                    if (scenario.heliostats[point.aim.heliostat].name != name)
                        refuse_result(where, "has the aim points of other heliostats");
                }),
            converted_column<P>(
                {"target", "1", "Targets that they aim at."},
                [&](const P& point) { return scenario.targets[point.aim.target].name; },
                [&, where](P& point, const std::string& name) {
                    const auto target = scenario.find_target(name);
                    if (!target) refuse_result(where, "has the aim points of other targets");
                    point.aim.target = *target;
                }),
            column({"aim_point", "m", "Aim points: east, north, up."}, &P::aim, &Aim::point),
            column({"active", "1", "0: the heliostat is turned off."}, &P::active),
            column({"x", "m", "Aim points on the unrolled surface, to the right of its centre."},
                   &P::x),
            column({"y", "m", "Aim points on the unrolled surface, above its centre."}, &P::y)};
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
    write_attributes(aiming, result, aiming_columns());
    hdf5::Group points = aiming.create_group("heliostats");
    write_columns(points, result.points, point_columns(scenario));
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
    result.points = configured_points(config, scenario);
    const hdf5::Group points = aiming.group("heliostats");
    read_columns(points, result.points, point_columns(scenario, points.where()));
    read_limits(aiming.group("targets"), scenario, result);
    if (aiming.contains("shields")) read_shields(aiming.group("shields"), config, scenario, result);
    read_attributes(aiming, result, aiming_columns());
    // Files of version 0.2 store the largest pixel under the name of the peak.
    if (!aiming.has_attribute("peak_flux_std_error_w_m2"))
        result.peak_flux = result.peak_flux_std_error = std::nan("");
    result.violation = aiming.read_attribute_string("violation");
    if (aiming.contains("shares")) read_shares(aiming.group("shares"), scenario, result);
    result.follows = aiming.read_attribute_integer("follows") != 0;
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
