// SPDX-License-Identifier: MIT
// Reads section receivers.
#include "scenario/config/bound_key.h"
#include "scenario/mesh/mesh_file.h"
#include "scenario/receivers/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string_view>

namespace helioray {

namespace {

/// Returns "a cylinder" for a cylinder, "an ellipsoid" for an ellipsoid.
std::string add_article(const std::string& noun) {
    const bool has_vowel = std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
    return (has_vowel ? "an " : "a ") + noun;
}

/// Keys of one type of receiver.
struct TypeKeys {
    std::vector<std::string> required;
    std::vector<std::string> optional;
};

/// Returns the keys of sizes.
TypeKeys sizes_of(ReceiverConfig::Type type) {
    using Type = ReceiverConfig::Type;
    switch (type) {
        case Type::polygon:
            return {{"panels", "radius_m", "height_m"},
                    {"azimuth_deg", "arc_deg", "radius_of", "shield_height_m"}};
        case Type::billboard:
            return {{"width_m", "height_m"},
                    {"azimuth_deg", "tilt_deg", "columns", "rows", "shield_width_m"}};
        case Type::star:
            return {{"arms", "radius_m", "inner_radius_m", "height_m"}, {"azimuth_deg"}};
        case Type::cavity:
            return {{"panels", "radius_m", "height_m"},
                    {"azimuth_deg", "arc_deg", "aperture_width_m", "lip_top_m", "lip_bottom_m"}};
        case Type::cylinder:
            return {{"radius_m", "height_m"},
                    {"azimuth_deg", "arc_deg", "panels", "shield_height_m"}};
        case Type::surfaces:
            return {};
        case Type::beam_down:
            return {{"foci_distance_m",
                     "vertex_distance_m",
                     "radius_m",
                     "exit_radius_m",
                     "reflectivity"},
                    {"secondary",
                     "inner_radius_m",
                     "half_angle_deg",
                     "length_m",
                     "sides",
                     "slope_error_mrad",
                     "azimuth_deg"}};
        case Type::concentrator:
            return {{"half_angle_deg", "exit_radius_m", "reflectivity"},
                    {"length_m", "sides", "slope_error_mrad", "azimuth_deg", "tilt_deg"}};
    }
    return {};
}

/// Reads the keys that all surfaces of revolution share.
template <typename Shape>
void read_sector(const Section& section, const std::string& owner, Shape& shape) {
    shape.normal = read_direction(section, "normal", owner);
    if (section.has("axis")) shape.axis = read_direction(section, "axis", owner);
    shape.opening_angle = section.si_number("arc_deg").value_or(2.0 * std::numbers::pi);
    assign(shape.side, section.choice("side", kCylinderSides));
}

/// Adds a problem if members contradict each other.
template <typename Shape>
Shape checked(const Section& section, const Shape& shape) {
    static const std::map<std::string, std::string> keys{{"inner_radius", "inner_radius_m"},
                                                         {"top_radius", "top_radius_m"},
                                                         {"top_latitude", "top_deg"},
                                                         {"normal", "normal"},
                                                         {"radius", "radius_m"},
                                                         {"conic_constant", "conic_constant"},
                                                         {"half_angle", "half_angle_deg"},
                                                         {"length", "length_m"},
                                                         {"opening_angle", "sides"},
                                                         {"middle", "middle"}};
    if (const auto fault = find_shape_fault(shape))
        section.fail(keys.at(fault->member), fault->what, fault->why, fault->advice);
    return shape;
}

/// Returns the keys of a type, with those of the absorption, which all have.
TypeKeys keys_of(ReceiverConfig::Type type) {
    TypeKeys keys = sizes_of(type);
    keys.optional.insert(keys.optional.end(), absorption_keys().begin(), absorption_keys().end());
    return keys;
}

/// Reads the keys of a section into the members of the absorption.
std::optional<SurfaceAbsorption> read_absorption(const Section& section) {
    const auto& names = absorption_keys();
    if (std::none_of(
            names.begin(), names.end(), [&](const auto& name) { return section.has(name); }))
        return std::nullopt;
    ReceiverConfig config;
    const size_t before = section.problems().size();
    for (const BoundKey<ReceiverConfig>& key : bound_keys(config))
        if (std::find(names.begin(), names.end(), key.name) != names.end())
            key.read(section, config);
    if (section.problems().size() != before) return std::nullopt;
    if (const auto fault = find_absorption_fault(config)) {
        section.fail(fault->key, fault->what, fault->why, fault->advice);
        return std::nullopt;
    }
    return make_absorption(config);
}

CylindricalTarget read_cylinder(const Section& section, const std::string& owner) {
    CylindricalTarget cylinder;
    read_sector(section, owner, cylinder);
    cylinder.radius = read_length(section, "radius_m", owner);
    cylinder.height = read_length(section, "height_m", owner);
    return checked(section, cylinder);
}

AnnularTarget read_annulus(const Section& section, const std::string& owner) {
    AnnularTarget annulus;
    annulus.normal = read_direction(section, "normal", owner);
    annulus.middle = section.has("middle") ? read_direction(section, "middle", owner)
                                           : flat_axes(annulus.normal)[1];
    annulus.radius = read_length(section, "radius_m", owner);
    annulus.inner_radius = read_length(section, "inner_radius_m", owner);
    annulus.opening_angle = section.si_number("arc_deg").value_or(annulus.opening_angle);
    return checked(section, annulus);
}

ConicalTarget read_cone(const Section& section, const std::string& owner) {
    ConicalTarget cone;
    read_sector(section, owner, cone);
    cone.bottom_radius = read_length(section, "bottom_radius_m", owner);
    cone.top_radius = read_length(section, "top_radius_m", owner);
    cone.height = read_length(section, "height_m", owner);
    return checked(section, cone);
}

SphericalTarget read_sphere(const Section& section, const std::string& owner) {
    SphericalTarget sphere;
    read_sector(section, owner, sphere);
    sphere.radius = read_length(section, "radius_m", owner);
    sphere.bottom_latitude = section.si_number("bottom_deg").value_or(sphere.bottom_latitude);
    sphere.top_latitude = section.si_number("top_deg").value_or(sphere.top_latitude);
    return checked(section, sphere);
}

/// Reads a hyperboloid or ellipsoid by its foci.
QuadricTarget read_foci(const Section& section,
                        SurfaceKind kind,
                        const Vec3& vertex,
                        const std::string& owner) {
    const size_t before = section.problems().size();
    const Vec3 near_focus = read_point(section, "near_focus_m", owner);
    const Vec3 far_focus = read_point(section, "far_focus_m", owner);
    if (section.problems().size() != before) return {};
    const Vec3 to_near = subtract(near_focus, vertex), to_far = subtract(far_focus, vertex);
    const double close = norm(to_near), distant = norm(to_far);
    if (!(close > 0.0) || !(close < distant)) {
        section.fail("near_focus_m",
                     "is not closer to the vertex than far_focus_m",
                     "the vertex, center_m, lies next to it",
                     "exchange both foci, or move the vertex");
        return {};
    }
    const bool is_between = dot(to_near, to_far) < 0.0;
    constexpr double kOnLine = 1e-6;
    if (norm(cross(to_near, to_far)) > kOnLine * close * distant ||
        is_between != (kind == SurfaceKind::hyperboloid)) {
        section.fail("center_m",
                     kind == SurfaceKind::hyperboloid ? "does not lie between the foci"
                                                      : "does not lie beyond near_focus_m",
                     "it is the vertex, on the line through both foci",
                     "move it there");
        return {};
    }
    return quadric_with_foci(vertex, near_focus, far_focus);
}

/// Returns the keys of a quadric's shape.
std::vector<std::string> quadric_keys(SurfaceKind kind) {
    std::vector<std::string> keys{
        "name", "center_m", "use", "radius_m", "inner_radius_m", "outline_m", "side"};
    if (kind == SurfaceKind::conic) {
        keys.insert(keys.end(), {"axis", "curvature_radius_m", "conic_constant"});
    } else if (kind == SurfaceKind::paraboloid) {
        keys.insert(keys.end(), {"axis", "focal_length_m"});
    } else {
        keys.insert(keys.end(), {"near_focus_m", "far_focus_m"});
    }
    return keys;
}

QuadricTarget read_quadric(const Section& section,
                           SurfaceKind kind,
                           const Vec3& vertex,
                           const std::string& owner) {
    const size_t before = section.problems().size();
    QuadricTarget quadric;
    if (kind == SurfaceKind::conic || kind == SurfaceKind::paraboloid) {
        if (section.has("axis")) quadric.axis = read_direction(section, "axis", owner);
    }
    if (kind == SurfaceKind::conic) {
        quadric.curvature_radius = read_length(section, "curvature_radius_m", owner);
        section.require("conic_constant", owner + " needs it");
        assign(quadric.conic_constant, section.number("conic_constant"));
    } else if (kind == SurfaceKind::paraboloid) {
        quadric.curvature_radius = 2.0 * read_length(section, "focal_length_m", owner);
    } else {
        quadric = read_foci(section, kind, vertex, owner);
    }
    quadric.radius = read_length(section, "radius_m", owner);
    assign(quadric.inner_radius, section.number("inner_radius_m"));
    assign(quadric.side, section.choice("side", kCylinderSides));
    return section.problems().size() == before ? checked(section, quadric) : quadric;
}

ConcentratorTarget read_concentrator(const Section& section, const std::string& owner) {
    const size_t before = section.problems().size();
    ConcentratorTarget concentrator;
    concentrator.normal = read_direction(section, "normal", owner);
    if (section.has("axis")) concentrator.axis = read_direction(section, "axis", owner);
    section.require("half_angle_deg", owner + " needs it");
    assign(concentrator.half_angle, section.si_number("half_angle_deg"));
    concentrator.exit_radius = read_length(section, "exit_radius_m", owner);
    if (section.problems().size() != before) return concentrator;
    concentrator.length =
        section.number("length_m")
            .value_or(full_length(concentrator.exit_radius, concentrator.half_angle));
    const int64_t sides = section.integer("sides").value_or(0);
    if (sides > 0) concentrator.opening_angle /= static_cast<double>(sides);
    if (sides == 1) concentrator.opening_angle = std::numbers::pi;
    return section.problems().size() == before ? checked(section, concentrator) : concentrator;
}

/// Reads the front of a mirror.
std::optional<SurfaceAbsorption> read_mirror(const Section& section) {
    for (const std::string& key : absorption_keys())
        if (section.has(key))
            section.fail(key,
                         "is given for a mirror",
                         "a mirror loses what it does not reflect",
                         "give its reflectivity instead");
    if (!section.require("reflectivity", "a mirror needs it")) return std::nullopt;
    const auto reflectivity = section.number("reflectivity");
    const double slope = section.si_number("slope_error_mrad").value_or(0.0);
    if (!reflectivity) return std::nullopt;
    return mirror_front(*reflectivity, slope);
}

/// Turns a point about the axes to the east, to the north and up.
Vec3 turned(Vec3 point, const Vec3& turns) {
    for (size_t axis = 0; axis < 3; ++axis) {
        const size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
        const double cosine = std::cos(turns[axis]), sine = std::sin(turns[axis]);
        const double x = cosine * point[a] - sine * point[b];
        point[b] = sine * point[a] + cosine * point[b];
        point[a] = x;
    }
    return point;
}

/// Side of a square in metres: a mesh with less area than this is probably in another unit.
constexpr double kSmallSide = 0.02;

/// Reads the triangles of a mesh from its file. Adds a problem for a file that cannot be used.
MeshTarget read_mesh_surface(const Section& section) {
    MeshSource source;
    assign(source.metres_per_unit, section.number("unit_m"));
    if (section.has("center_m")) source.place = read_point(section, "center_m", "a mesh");
    if (const auto turns = section.numbers("turn_deg", 3))
        for (size_t i = 0; i < 3; ++i) source.turns[i] = (*turns)[i] * std::numbers::pi / 180.0;
    MeshTarget mesh;
    assign(mesh.front, section.choice("front", kMeshFronts));
    if (!section.require("file", "a mesh is read from it")) return mesh;
    const auto file = existing_file(section, "file");
    if (!file) return mesh;
    source.file = section.text("file").value_or("");
    try {
        std::vector<MeshTriangle> triangles = read_mesh(*file, source.metres_per_unit);
        for (MeshTriangle& triangle : triangles)
            for (Vec3& corner : triangle) corner = add(source.place, turned(corner, source.turns));
        mesh = make_mesh(triangles, mesh.front);
    } catch (const InputError& error) {
        for (const Problem& problem : error.problems()) section.problems().push_back(problem);
        return mesh;
    }
    mesh.source = source;
    double reach = 0.0;
    for (const MeshTriangle& triangle : *mesh.triangles)
        for (const Vec3& corner : triangle)
            for (const double x : corner) reach = std::max(reach, std::abs(x));
    if (!(mesh.side > 0.0))
        section.fail("file",
                     "has triangles without area only",
                     "light needs a surface",
                     "export the mesh again");
    else if (reach > kLengths.high || mesh.side < kLengths.low)
        section.fail("file",
                     fmt::format("describes a mesh of {:.6g} m", 2.0 * reach),
                     fmt::format("lengths are {}", kLengths.text()),
                     "correct unit_m, the length of the file's unit: 0.001 for millimetres");
    else if (mesh.side < kSmallSide)
        section.warn(
            fmt::format("{}: has an area of {:.3g} m2 in all; unit_m is the length of the "
                        "file's unit, 1 for metres",
                        source.file,
                        mesh.side * mesh.side));
    return mesh;
}

Target read_surface(const Section& section, SurfaceKind kind) {
    Target surface;
    const std::string owner = add_article(find_word(kSurfaceKinds, kind));
    const bool is_mesh = kind == SurfaceKind::mesh;
    const Vec3 center = is_mesh ? Vec3{} : read_point(section, "center_m", owner);
    std::vector<std::string> taken{"name", "center_m", "normal", "use", "radius_m"};
    switch (kind) {
        case SurfaceKind::plane: {
            taken = {"name", "center_m", "normal", "use", "width_m", "height_m", "outline_m"};
            PlanarTarget plane;
            plane.normal = read_direction(section, "normal", owner);
            plane.width = read_length(section, "width_m", owner);
            plane.height = read_length(section, "height_m", owner);
            surface.outline = read_outline(section);
            surface.geometry = plane;
            break;
        }
        case SurfaceKind::disc: {
            DiscTarget disc;
            disc.normal = read_direction(section, "normal", owner);
            disc.radius = read_length(section, "radius_m", owner);
            surface.geometry = disc;
            break;
        }
        case SurfaceKind::cylinder:
            taken.insert(taken.end(), {"axis", "height_m", "arc_deg", "side"});
            surface.geometry = read_cylinder(section, owner);
            break;
        case SurfaceKind::annulus:
            taken.insert(taken.end(), {"middle", "inner_radius_m", "arc_deg"});
            surface.geometry = read_annulus(section, owner);
            break;
        case SurfaceKind::cone:
            taken = {"name", "center_m", "normal", "use", "axis", "height_m", "arc_deg", "side"};
            taken.insert(taken.end(), {"bottom_radius_m", "top_radius_m"});
            surface.geometry = read_cone(section, owner);
            break;
        case SurfaceKind::sphere:
            taken.insert(taken.end(), {"axis", "bottom_deg", "top_deg", "arc_deg", "side"});
            surface.geometry = read_sphere(section, owner);
            break;
        case SurfaceKind::conic:
        case SurfaceKind::paraboloid:
        case SurfaceKind::hyperboloid:
        case SurfaceKind::ellipsoid:
            taken = quadric_keys(kind);
            surface.geometry = read_quadric(section, kind, center, owner);
            surface.outline = read_outline(section);
            break;
        case SurfaceKind::cpc:
            taken = {"name", "center_m", "use", "normal", "axis", "half_angle_deg"};
            taken.insert(taken.end(), {"exit_radius_m", "length_m", "sides"});
            surface.geometry = read_concentrator(section, owner);
            break;
        case SurfaceKind::mesh:
            taken = {"name", "center_m", "use", "file", "unit_m", "turn_deg", "front"};
            surface.geometry = read_mesh_surface(section);
            break;
    }
    taken.insert(taken.end(), {"reflectivity", "slope_error_mrad"});
    taken.insert(taken.end(), absorption_keys().begin(), absorption_keys().end());
    section.refuse_other_keys("type", taken);
    if (!is_mesh) std::visit([&](auto& shape) { shape.center = center; }, surface.geometry);
    assign(surface.use, section.choice("use", kSurfaceUses));
    if (surface.use == SurfaceUse::mirror) {
        surface.absorption = read_mirror(section);
        return surface;
    }
    for (const char* key : {"reflectivity", "slope_error_mrad"})
        if (section.has(key))
            section.fail(key,
                         "is given for a surface that is not a mirror",
                         "absorbing surfaces have an absorptance",
                         "add use: mirror, or remove it");
    surface.absorption = read_absorption(section);
    return surface;
}

std::vector<Target> read_surfaces(const Section& receiver) {
    std::vector<Target> surfaces;
    std::set<std::string> names;
    for (const Section& section : receiver.sections("surfaces")) {
        const auto kind = section.required_choice("type", kSurfaceKinds);
        if (!kind) continue;
        Target surface = read_surface(section, *kind);
        surface.name = section.text("name").value_or(fmt::format("{:02}", surfaces.size() + 1));
        if (!names.insert(surface.name).second)
            section.fail("name",
                         fmt::format("'{}' names two surfaces", surface.name),
                         "heliostats and results name surfaces",
                         "choose another name");
        surfaces.push_back(std::move(surface));
    }
    return surfaces;
}

/// Adds a problem if names of this receiver's surfaces cannot be links of HDF5 files.
void check_name(const Section& receivers, const std::string& name) {
    if (!name.empty() && name != "." && name.find('/') == std::string::npos) return;
    receivers.fail(name,
                   fmt::format("'{}' cannot be a name in a result file", name),
                   "names are HDF5 links",
                   "use a name without '/'");
}

}  // namespace

void read_receiver_sizes(const Section& section,
                         const std::vector<std::string>& others,
                         ReceiverConfig& receiver) {
    const TypeKeys keys = keys_of(receiver.type);
    const std::string type = find_word(kReceiverShapes, receiver.type);
    std::vector<std::string> taken = others;
    taken.insert(taken.end(), keys.required.begin(), keys.required.end());
    taken.insert(taken.end(), keys.optional.begin(), keys.optional.end());
    section.refuse_other_keys("type", taken);
    const size_t before = section.problems().size();
    for (const std::string& key : keys.required)
        section.require(key, add_article(type) + " needs it");
    for (const BoundKey<ReceiverConfig>& key : bound_keys(receiver))
        if (key.read && std::find(taken.begin(), taken.end(), key.name) != taken.end() &&
            std::find(others.begin(), others.end(), key.name) == others.end())
            key.read(section, receiver);
    if (section.problems().size() != before) return;
    if (const auto fault = find_size_fault(receiver)) {
        section.fail(fault->key, fault->what, fault->why, fault->advice);
        // The surfaces that are made from it do not repeat the problem.
        receiver.absorptance_table.clear();
    }
}

void read_receivers(const Section& root, std::map<std::string, ReceiverConfig>& receivers) {
    const Section all = root.section("receivers");
    for (const std::string& name : all.keys()) {
        check_name(all, name);
        const Section section = all.section(name);
        const auto type = section.required_choice("type", kReceiverShapes);
        if (!type) continue;
        ReceiverConfig& receiver = receivers[name];
        receiver.type = *type;
        receiver.center = read_point(section, "center_m", "a receiver");
        if (const auto point = section.numbers("aim_point_m", 3))
            receiver.aim_point = Vec3{(*point)[0], (*point)[1], (*point)[2]};
        std::vector<std::string> others{"center_m", "aim_point_m"};
        if (*type == ReceiverConfig::Type::surfaces) {
            others.push_back("surfaces");
            receiver.surfaces = read_surfaces(section);
            if (!section.has("surfaces"))
                section.problems().push_back({section.place("type"),
                                              "the receiver has no list 'surfaces'",
                                              "it consists of them",
                                              "add for example surfaces: [{type: plane, ...}]"});
        }
        read_receiver_sizes(section, others, receiver);
    }
}

}  // namespace helioray
