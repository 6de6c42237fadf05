// SPDX-License-Identifier: MIT
// Geometry to JSON and back.
#include "raytracer/output/geometry_json.h"

#include "scenario/error.h"
#include "scenario/type_names.h"

#include <nlohmann/json.hpp>

namespace helioray {

using nlohmann::json;

std::string target_kind(const Target& target) {
    return std::holds_alternative<PlanarTarget>(target.geometry) ? "planar" : "cylindrical";
}

std::string geometry_to_json(const Target& target) {
    nlohmann::ordered_json out;
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) {
        out["center"] = plane->center;
        out["normal"] = plane->normal;
        out["width"] = plane->width;
        out["height"] = plane->height;
        return out.dump();
    }
    const auto& cylinder = std::get<CylindricalTarget>(target.geometry);
    out["center"] = cylinder.center;
    out["axis"] = cylinder.axis;
    out["normal"] = cylinder.normal;
    out["radius"] = cylinder.radius;
    out["height"] = cylinder.height;
    out["opening_angle"] = cylinder.opening_angle;
    out["side"] = to_string(cylinder.side);
    return out.dump();
}

std::variant<PlanarTarget, CylindricalTarget> geometry_from_json(const std::string& kind,
                                                                 const std::string& text,
                                                                 const std::string& where) {
    try {
        const json in = json::parse(text);
        if (kind == "planar") {
            PlanarTarget plane;
            plane.center = in.at("center").get<Vec3>();
            plane.normal = in.at("normal").get<Vec3>();
            plane.width = in.at("width").get<double>();
            plane.height = in.at("height").get<double>();
            return plane;
        }
        if (kind == "cylindrical") {
            CylindricalTarget cylinder;
            cylinder.center = in.at("center").get<Vec3>();
            cylinder.axis = in.at("axis").get<Vec3>();
            cylinder.normal = in.at("normal").get<Vec3>();
            cylinder.radius = in.at("radius").get<double>();
            cylinder.height = in.at("height").get<double>();
            cylinder.opening_angle = in.at("opening_angle").get<double>();
            const auto side =
                from_string<CylindricalTarget::Side>(in.at("side").get<std::string>());
            if (!side) {
                throw InputError(
                    Problem{where,
                            "the geometry's side " + in.at("side").dump() + " is unknown",
                            "",
                            "use a file that HelioRay wrote"});
            }
            cylinder.side = *side;
            return cylinder;
        }
    } catch (const json::exception& error) {
        throw InputError(Problem{where,
                                 "the target's geometry cannot be understood",
                                 error.what(),
                                 "use a file that HelioRay wrote"});
    }
    throw InputError(Problem{where,
                             "the target's kind '" + kind + "' is unknown",
                             "",
                             "it must be 'planar' or 'cylindrical'"});
}

}  // namespace helioray
