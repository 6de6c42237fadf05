// SPDX-License-Identifier: MIT
// Writes section receivers.
#include "scenario/config/config_text.h"
#include "scenario/types/choices.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

namespace helioray {

namespace {

std::vector<std::string> make_entries(const PlanarTarget& plane) {
    const std::string above = "receivers.<name>.surfaces[].";
    return {entry(above + "normal", vector_text(plane.normal)),
            entry(above + "width_m", plane.width),
            entry(above + "height_m", plane.height)};
}
std::vector<std::string> make_entries(const DiscTarget& disc) {
    const std::string above = "receivers.<name>.surfaces[].";
    return {entry(above + "normal", vector_text(disc.normal)),
            entry(above + "radius_m", disc.radius)};
}
std::vector<std::string> make_entries(const CylindricalTarget& cylinder) {
    const std::string above = "receivers.<name>.surfaces[].";
    return {entry(above + "normal", vector_text(cylinder.normal)),
            entry(above + "axis", vector_text(cylinder.axis)),
            entry(above + "radius_m", cylinder.radius),
            entry(above + "height_m", cylinder.height),
            entry(above + "arc_deg", cylinder.opening_angle),
            entry(above + "side", to_string(cylinder.side))};
}

std::vector<std::string> make_entries(const AnnularTarget& annulus) {
    const std::string above = "receivers.<name>.surfaces[].";
    return {entry(above + "normal", vector_text(annulus.normal)),
            entry(above + "middle", vector_text(annulus.middle)),
            entry(above + "radius_m", annulus.radius),
            entry(above + "inner_radius_m", annulus.inner_radius),
            entry(above + "arc_deg", annulus.opening_angle)};
}
std::vector<std::string> make_entries(const ConicalTarget& cone) {
    const std::string above = "receivers.<name>.surfaces[].";
    return {entry(above + "normal", vector_text(cone.normal)),
            entry(above + "axis", vector_text(cone.axis)),
            entry(above + "bottom_radius_m", cone.bottom_radius),
            entry(above + "top_radius_m", cone.top_radius),
            entry(above + "height_m", cone.height),
            entry(above + "arc_deg", cone.opening_angle),
            entry(above + "side", to_string(cone.side))};
}
std::vector<std::string> make_entries(const SphericalTarget& sphere) {
    const std::string above = "receivers.<name>.surfaces[].";
    return {entry(above + "normal", vector_text(sphere.normal)),
            entry(above + "axis", vector_text(sphere.axis)),
            entry(above + "radius_m", sphere.radius),
            entry(above + "bottom_deg", sphere.bottom_latitude),
            entry(above + "top_deg", sphere.top_latitude),
            entry(above + "arc_deg", sphere.opening_angle),
            entry(above + "side", to_string(sphere.side))};
}

std::vector<std::string> make_entries(const QuadricTarget& quadric) {
    const std::string above = "receivers.<name>.surfaces[].";
    return {entry(above + "axis", vector_text(quadric.axis)),
            entry(above + "curvature_radius_m", quadric.curvature_radius),
            entry(above + "conic_constant", quadric.conic_constant),
            entry(above + "radius_m", quadric.radius),
            entry(above + "inner_radius_m", quadric.inner_radius),
            entry(above + "side", to_string(quadric.side))};
}
std::vector<std::string> make_entries(const ConcentratorTarget& concentrator) {
    const std::string above = "receivers.<name>.surfaces[].";
    const double sides = 2.0 * std::numbers::pi / concentrator.opening_angle;
    return {entry(above + "normal", vector_text(concentrator.normal)),
            entry(above + "axis", vector_text(concentrator.axis)),
            entry(above + "half_angle_deg", concentrator.half_angle),
            entry(above + "exit_radius_m", concentrator.exit_radius),
            entry(above + "length_m", concentrator.length),
            entry(above + "sides", std::to_string(sides < 2.0 ? 0 : std::llround(sides)))};
}
std::vector<std::string> make_entries(const MeshTarget& mesh) {
    const std::string above = "receivers.<name>.surfaces[].";
    return {
        entry(above + "file", quoted(mesh.source.file)),
        entry(above + "unit_m", mesh.source.metres_per_unit),
        entry(above + "turn_deg", vector_text(scaled(180.0 / std::numbers::pi, mesh.source.turns))),
        entry(above + "front", to_string(mesh.front))};
}

/// Returns the entries of a surface's absorption, which the bound keys of receivers write.
std::vector<std::string> absorption_entries(const SurfaceAbsorption& surface) {
    ReceiverConfig config;
    if (surface.table.empty()) config.absorptance = surface.absorptance;
    config.absorptance_law = surface.law;
    if (surface.law == AbsorptanceLaw::martin_ruiz)
        config.martin_ruiz_coefficient = surface.martin_ruiz_coefficient;
    config.absorptance_table = surface.table;
    config.specular_fraction = surface.specular_fraction;
    config.bounces = surface.bounces;
    std::vector<std::string> entries;
    for (const BoundKey<ReceiverConfig>& key : bound_keys(config)) {
        const auto& names = absorption_keys();
        if (std::find(names.begin(), names.end(), key.name) != names.end() && !key.is_usual(config))
            entries.push_back(key.name + ": " + key.text(config));
    }
    return entries;
}

std::string surface_text(const Target& surface) {
    const std::string above = "receivers.<name>.surfaces[].";
    const SurfaceKind kind = std::visit(
        []<typename Shape>(const Shape&) {
            if constexpr (std::is_same_v<Shape, PlanarTarget>) return SurfaceKind::plane;
            if constexpr (std::is_same_v<Shape, DiscTarget>) return SurfaceKind::disc;
            if constexpr (std::is_same_v<Shape, CylindricalTarget>) return SurfaceKind::cylinder;
            if constexpr (std::is_same_v<Shape, AnnularTarget>) return SurfaceKind::annulus;
            if constexpr (std::is_same_v<Shape, ConicalTarget>) return SurfaceKind::cone;
            if constexpr (std::is_same_v<Shape, SphericalTarget>) return SurfaceKind::sphere;
            if constexpr (std::is_same_v<Shape, QuadricTarget>) return SurfaceKind::conic;
            if constexpr (std::is_same_v<Shape, ConcentratorTarget>) return SurfaceKind::cpc;
            if constexpr (std::is_same_v<Shape, MeshTarget>) return SurfaceKind::mesh;
        },
        surface.geometry);
    const auto* mesh = std::get_if<MeshTarget>(&surface.geometry);
    const Vec3 center =
        mesh ? mesh->source.place
             : std::visit([](const auto& shape) { return shape.center; }, surface.geometry);
    std::vector<std::string> entries{entry(above + "name", quoted(surface.name)),
                                     entry(above + "type", find_word(kSurfaceKinds, kind)),
                                     entry(above + "center_m", vector_text(center))};
    for (std::string& line :
         std::visit([](const auto& shape) { return make_entries(shape); }, surface.geometry))
        entries.push_back(std::move(line));
    if (!surface.outline.empty())
        entries.push_back(entry(above + "outline_m", outline_text(surface.outline)));
    entries.push_back(entry(above + "use", to_string(surface.use)));
    if (surface.use == SurfaceUse::mirror && surface.absorption) {
        entries.push_back(entry(above + "reflectivity", 1.0 - surface.absorption->absorptance));
        entries.push_back(entry(above + "slope_error_mrad", surface.absorption->slope_error));
    } else if (surface.absorption) {
        for (std::string& line : absorption_entries(*surface.absorption))
            entries.push_back(std::move(line));
    }
    return map_text(entries);
}

}  // namespace

std::string receivers_text(const std::map<std::string, ReceiverConfig>& receivers) {
    std::vector<std::string> lines;
    for (const auto& [name, receiver] : receivers) {
        const std::string above = "receivers.<name>";
        std::vector<std::string> entries{
            entry(above + ".type", find_word(kReceiverShapes, receiver.type)),
            entry(above + ".center_m", vector_text(receiver.center))};
        for (const std::string& member : member_entries(above, receiver))
            if (!member.starts_with("center_m:")) entries.push_back(member);
        if (!receiver.surfaces.empty()) {
            std::vector<std::string> surfaces;
            for (const Target& surface : receiver.surfaces)
                surfaces.push_back(surface_text(surface));
            entries.push_back("surfaces: " + key_values::list_text(surfaces));
        }
        lines.push_back(quoted(name) + ": " + map_text(entries));
    }
    return section_text("receivers", lines);
}

}  // namespace helioray
