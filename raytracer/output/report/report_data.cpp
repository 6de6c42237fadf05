// SPDX-License-Identifier: MIT
// The numbers behind the field map and the table.
#include "raytracer/mirror_outline.h"
#include "raytracer/output/color_map.h"
#include "raytracer/output/heliostat_quantity.h"
#include "raytracer/output/report/report_parts.h"
#include "raytracer/output/text_encoding.h"
#include "raytracer/target_frame.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

using nlohmann::json;

// Tenths of a millimetre are enough for places, and short.
double rounded(double metres) {
    constexpr double kTenth = 1e4;
    return std::round(metres * kTenth) / kTenth;
}

// Column titles have little room.
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

// Line of the target's middle height seen from above.
json plan_json(const Target& target) {
    const double width = surface_extent(target)[0];
    const int steps = std::holds_alternative<PlanarTarget>(target.geometry) ? 1 : 32;
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
        out.push_back({{"name", valid_utf8(t.target.name)},
                       {"plan", plan_json(t.target)},
                       {"unit", t.unit},
                       {"power_w", t.power_w},
                       {"power_std_error_w", t.power_std_error_w},
                       {"peak_flux_w_m2", t.peak_flux_w_m2}});
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

}  // namespace

std::string report_data(const RunResult& result, const std::vector<HeliostatQuantity>& quantities) {
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
              {"colors", json::array()}};
    constexpr int kColors = 64;
    for (int i = 0; i < kColors; ++i) {
        const auto [r, g, b] = field_color((i + 0.5) / kColors);
        data["colors"].push_back(fmt::format("#{:02x}{:02x}{:02x}", r, g, b));
    }
    // Heliostats may aim at a target that the result does not list (files made by hand).
    data["targets"].push_back({{"name", "?"}, {"plan", json::array()}});
    std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
    // "</script>" and "<!--" in a name must not end or change the element.
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
        text.replace(at, 1, "\\u003c");
    }
    return text;
}

}  // namespace helioray
