// SPDX-License-Identifier: MIT
// Creates the data of the script of reports.
#include "app/output/plot/drawing/colors.h"
#include "app/output/plot/maps/footprint.h"
#include "app/output/report/report_parts.h"
#include "app/output/summary/run_context.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/columns_json.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

using nlohmann::json;

// Rounds to tenths of a millimetre, which are sufficient for places, and short.
double rounded(double metres) {
    constexpr double kTenth = 1e4;
    return std::round(metres * kTenth) / kTenth;
}

// Returns a short title, because columns have little space.
std::string short_title(const HeliostatQuantity& quantity) {
    if (quantity.name.ends_with("_std_error")) return "±";
    if (quantity.name.starts_with("solar_")) return "Solar";
    if (quantity.name.starts_with("target_")) return "On target";
    const size_t loss = quantity.title.find(" loss");
    return quantity.title.substr(0, loss);
}

json quantities_json(const std::vector<HeliostatQuantity>& quantities) {
    json out = json::array();
    for (const HeliostatQuantity& q : quantities) {
        const bool share = q.kind == HeliostatQuantity::Kind::share;
        out.push_back({{"name", q.name},
                       {"title", q.title},
                       {"short", short_title(q)},
                       {"description", q.description},
                       {"kind", share ? "share" : "power"}});
    }
    return out;
}

// Returns the outline of the target at half its height, seen from above.
json plan_json(const Target& target) {
    const double width = surface_extent(target)[0];
    const int steps = is_flat(target) ? 1 : 32;
    json plan = json::array();
    for (int i = 0; i <= steps; ++i) {
        const Vec3 p = surface_point(target, (static_cast<double>(i) / steps - 0.5) * width, 0.0);
        plan.push_back({rounded(p[0]), rounded(p[1])});
    }
    return plan;
}

json targets_json(const RunResult& result) {
    json out = json::array();
    for (const TargetResult& t : result.targets) {
        json target = json_of(t, target_columns());
        target.erase("centroid_m");  // pages do not show it
        target["name"] = valid_utf8(t.target.name);
        target["plan"] = plan_json(t.target);
        target["unit"] = t.unit;
        out.push_back(std::move(target));
    }
    return out;
}

json heliostats_json(const RunResult& result, const std::vector<HeliostatQuantity>& quantities) {
    json out{{"name", json::array()},
             {"target", json::array()},
             {"east", json::array()},
             {"north", json::array()},
             {"distance", json::array()}};
    for (const HeliostatQuantity& q : quantities) out[q.name] = json::array();
    for (const HeliostatResult& h : result.heliostats) {
        const auto target = std::find_if(result.targets.begin(),
                                         result.targets.end(),
                                         [&](const auto& t) { return t.target.name == h.target; });
        const Vec3 origin = mirror_origin(h);
        out["name"].push_back(valid_utf8(h.name));
        out["target"].push_back(target - result.targets.begin());
        out["east"].push_back(rounded(origin[0]));
        out["north"].push_back(rounded(origin[1]));
        out["distance"].push_back(rounded(norm(subtract(h.aim_point, origin))));
        for (const HeliostatQuantity& q : quantities) {
            out[q.name].push_back(q.value(h));
        }
    }
    return out;
}

json outlines_json(const RunResult& result) {
    json out = json::array();
    for (const HeliostatResult& h : result.heliostats) {
        if (!h.mirror_outline) return nullptr;
        json corners = json::array();
        for (const Vec3& corner : outline_in_field(h)) {
            corners.push_back(rounded(corner[0]));
            corners.push_back(rounded(corner[1]));
        }
        out.push_back(std::move(corners));
    }
    return out;
}

json bodies_json(const Surroundings& surroundings) {
    json out = json::array();
    for (const ObstacleConfig& obstacle : surroundings.obstacles) {
        json plan = json::array();
        for (const auto& [east, north] : footprint(obstacle))
            plan.push_back({rounded(east), rounded(north)});
        out.push_back({{"name", valid_utf8(obstacle.name)}, {"plan", std::move(plan)}});
    }
    return out;
}

json idle_json(const Surroundings& surroundings) {
    json out = json::array();
    for (const IdleHeliostat& heliostat : surroundings.idle)
        out.push_back({{"name", valid_utf8(heliostat.name)},
                       {"east", rounded(heliostat.position[0])},
                       {"north", rounded(heliostat.position[1])}});
    return out;
}

json colors_json(Theme theme) {
    json out = json::array();
    constexpr int kColors = 64;
    for (int i = 0; i < kColors; ++i) {
        const auto [r, g, b] = field_color((i + 0.5) / kColors, theme);
        out.push_back(fmt::format("#{:02x}{:02x}{:02x}", r, g, b));
    }
    return out;
}

}  // namespace

std::string report_data(const RunResult& result,
                        const std::vector<HeliostatQuantity>& quantities,
                        const Surroundings& surroundings) {
    const UnitScale unit = report_unit(result);
    const bool year = energy_unit(result) == "J";
    json data{{"quantities", quantities_json(quantities)},
              {"energy_unit", energy_unit(result)},
              {"terms",
               {{"factor", 1.0 / unit.factor},
                {"unit", unit.unit.empty() ? "ray weights" : unit.unit},
                {"solar", year ? "solar_energy" : "solar_power"}}},
              {"targets", targets_json(result)},
              {"heliostats", heliostats_json(result, quantities)},
              {"outlines", outlines_json(result)},
              {"sun", result.provenance.sun_direction},
              {"bodies", bodies_json(surroundings)},
              {"idle", idle_json(surroundings)},
              {"colors", colors_json(Theme::light)},
              {"colors_on_dark", colors_json(Theme::dark)}};
    // Heliostats may aim at a target that the result does not list (files written by hand).
    data["targets"].push_back({{"name", "?"}, {"plan", json::array()}});
    std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
    // "</script>" and "<!--" in a name must not end or change the element.
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
        text.replace(at, 1, "\\u003c");
    }
    return text;
}

}  // namespace helioray
