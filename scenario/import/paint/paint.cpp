// SPDX-License-Identifier: MIT
// Joins tower and heliostats of PAINT files to a scenario.
#include "scenario/import/paint/paint.h"

#include "scenario/import/paint/conversion.h"
#include "scenario/types/type_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace helioray {

std::string name_of(const PaintHeliostat& heliostat) {
    if (!heliostat.name.empty()) return heliostat.name;
    const std::string stem = heliostat.file.stem().string();
    return stem.substr(0, stem.find("-heliostat-properties"));
}

namespace {

constexpr double kSunVariance = 4.3681e-06;  // square radians; sigma = 2.09 mrad
constexpr int64_t kSunRays = 10;

paint::ToLocal local_frame(const GeodeticPosition& plant, bool exact) {
    return [plant, exact](const GeodeticPosition& point) {
        return exact ? wgs84_to_enu_exact(point, plant) : wgs84_to_enu_linear(point, plant);
    };
}

void require_control_points(const std::array<int64_t, 2>& count, ReadLog& log) {
    // The splines are cubic.
    for (const int64_t number : count) {
        if (number >= 4 && number <= 1000) continue;
        log.problem("control points",
                    fmt::format("{} per axis is not possible", number),
                    "a spline of degree 3 needs at least 4",
                    "choose 4 to 1000");
    }
}

// Returns heliostats in the order of the list; problems of invalid ones go to the log.
std::vector<Heliostat> convert_heliostats(const PaintInputs& inputs,
                                          const paint::ToLocal& to_local,
                                          ReadLog& log) {
    std::vector<Heliostat> heliostats;
    std::set<std::string> names;
    for (size_t i = 0; i < inputs.heliostats.size(); ++i) {
        log.attempt([&] {
            nlohmann::json storage;
            const JsonField file = JsonField::parse_file(inputs.heliostats[i].file, storage);
            Heliostat heliostat = paint::convert_heliostat(
                file, to_local, inputs.control_points, inputs.drives_called_ideal, log);
            heliostat.name = name_of(inputs.heliostats[i]);
            heliostat.id = static_cast<int64_t>(i);
            if (!names.insert(heliostat.name).second) {
                file.fail(fmt::format("there are two heliostats '{}'", heliostat.name),
                          "heliostats are known by name");
            }
            log.warn(file.where(),
                     fmt::format("heliostat '{}' with {} facets and {} actuators",
                                 heliostat.name,
                                 heliostat.surface->facets.size(),
                                 to_string((*heliostat.actuators)[0].type)));
            heliostats.push_back(std::move(heliostat));
        });
    }
    if (inputs.heliostats.empty()) {
        log.problem(inputs.tower.string(), "no heliostat is named", "a scenario needs one");
    }
    return heliostats;
}

}  // namespace

PaintTower read_paint_tower(const std::filesystem::path& path, bool exact_geodesy, ReadLog& log) {
    nlohmann::json storage;
    const JsonField file = JsonField::parse_file(path, storage);
    PaintTower tower;
    tower.position = file.at("power_plant_properties").at("coordinates").position();
    tower.targets = paint::convert_targets(file, local_frame(tower.position, exact_geodesy), log);
    if (tower.targets.empty() && !log.has_problems()) {
        log.problem(file.where(), "there is no target area of a known type");
    }
    return tower;
}

bool is_older_paint_version(const std::filesystem::path& properties) {
    nlohmann::json storage;
    return JsonField::parse_file(properties, storage).contains("kinematic_properties");
}

LightSource usual_sun() {
    return {"sun", kSunRays, 0.0, GaussianShape{std::sqrt(kSunVariance)}};
}

std::string facet_name(size_t index, size_t count) {
    return fmt::format("facet_{:0{}}", index + 1, std::to_string(count).size());
}

Scenario scenario_from_paint(const PaintInputs& inputs, std::vector<std::string>* report) {
    ReadLog log;
    // Facets cannot be built with invalid numbers of control points.
    require_control_points(inputs.control_points, log);
    log.throw_if_any();
    Scenario scenario;
    PaintTower tower = read_paint_tower(inputs.tower, inputs.exact_geodesy, log);
    scenario.position = tower.position;
    scenario.targets = std::move(tower.targets);
    const paint::ToLocal to_local = local_frame(scenario.position, inputs.exact_geodesy);
    scenario.heliostats = convert_heliostats(inputs, to_local, log);
    log.throw_if_any();

    const Heliostat& last = scenario.heliostats.back();
    scenario.prototypes = {last.surface, last.kinematics, last.actuators};
    std::sort(scenario.heliostats.begin(),
              scenario.heliostats.end(),
              [](const Heliostat& a, const Heliostat& b) { return a.name < b.name; });
    scenario.light_sources = {usual_sun()};
    log.warn("sun", "assumed to be Gaussian with 2.09 mrad per axis, 10 rays per surface point");
    const size_t num_flat = scenario.heliostats.size() - inputs.measured.size();
    log.warn("surfaces",
             fmt::format("{} of {} heliostats assumed to be flat, {} x {} control points per facet",
                         num_flat,
                         scenario.heliostats.size(),
                         inputs.control_points[0],
                         inputs.control_points[1]));
    if (report) *report = log.warnings();
    return scenario;
}

}  // namespace helioray
