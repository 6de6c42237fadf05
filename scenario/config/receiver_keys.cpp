// SPDX-License-Identifier: MIT
// The keys of receivers: one row for each key, with the member that it fills.
#include "scenario/config/bound_key.h"
#include "scenario/config/config_text.h"
#include "scenario/files/visit_members.h"
#include "scenario/types/choices.h"

#include <algorithm>

namespace helioray {

namespace {

/// Returns the key of a table of absorptance, a list of pairs.
BoundKey<ReceiverConfig> absorptance_table_key(const KeyInfo& info) {
    auto key = BoundKey<ReceiverConfig>::own(info);
    key.read = [name = key.name](const Section& section, ReceiverConfig& config) {
        assign(config.absorptance_table, section.pairs(name));
    };
    key.text = [](const ReceiverConfig& config) { return outline_text(config.absorptance_table); };
    key.is_usual = [](const ReceiverConfig& config) { return config.absorptance_table.empty(); };
    return key;
}

}  // namespace

const std::vector<std::string>& absorption_keys() {
    static const std::vector<std::string> keys{"absorptance",
                                               "absorptance_law",
                                               "martin_ruiz_coefficient",
                                               "absorptance_table",
                                               "specular_fraction",
                                               "bounces"};
    return keys;
}

// See run_keys.cpp for the form of rows.
// clang-format off

const std::vector<BoundKey<ReceiverConfig>>& bound_keys(const ReceiverConfig&) {
    static_assert(count_members<ReceiverConfig, 40>() == 36,
                  "declare the key of the new member below");
    using Key = BoundKey<ReceiverConfig>;
    const Range panels{1.0, 1000.0};
    const Range arcs{0.0, 360.0, true, false, "it is a part of a turn"};
    const Range lips{0.0, kLengths.high, false, false, "it is a length in metres"};
    static const std::vector<Key> keys{
        Key::own(KeyInfo::choice("receivers.<name>.type", "shape of the receiver; `surfaces` is a list of its own", list_words(kReceiverShapes), "required", "polygon")),
        Key::bind(KeyInfo::other("receivers.<name>.center_m", "its centre, that of a billboard's plane, of a cavity's aperture or of a concentrator's entry; the upper focus of `beam_down`: east, north, up; `surfaces`: their centres are relative to it", "m", "finite", "required", "[0.0, 0.0, 60.0]"), &ReceiverConfig::center),
        Key::bind(KeyInfo::other("receivers.<name>.aim_point_m", "point that heliostats aim at: east, north, up", "m", "finite", "the centre of a billboard, a cavity's aperture or a concentrator's entry, the upper focus of `beam_down`; otherwise that of the absorbing surface that faces the heliostat", "[0.0, 1.0, 60.0]"), &ReceiverConfig::aim_point),
        Key::bind(KeyInfo::number("receivers.<name>.azimuth_deg", "where it faces, clockwise from north: a billboard, an aperture or a concentrator, a tip of a star, the first flat side of `beam_down`, the middle of the unrolled panels of other shapes", "deg", kBearings, "", "180"), &ReceiverConfig::azimuth),
        Key::bind(KeyInfo::number("receivers.<name>.tilt_deg", "`billboard`: how far it faces down, also a concentrator: 0 is vertical, 90 faces the ground", "deg", {-90.0, 90.0}, "", "15"), &ReceiverConfig::tilt),
        Key::bind(KeyInfo::number("receivers.<name>.width_m", "`billboard`: its width over all panels", "m", kLengths, "required for `billboard`", "10"), &ReceiverConfig::width),
        Key::bind(KeyInfo::number("receivers.<name>.height_m", "height of its panels; of a billboard over all panels, of a cavity from floor to ceiling", "m", kLengths, "required for `billboard`, `cylinder`, `star`, `cavity` and `polygon`", "8"), &ReceiverConfig::height),
        Key::bind(KeyInfo::number("receivers.<name>.radius_m", "radius of a polygon, a cavity's wall or a cylinder; that of the tips of a star; rim of the mirror of `beam_down`", "m", kLengths, "required for `beam_down`, `star`, `cavity`, `cylinder` and `polygon`", "4"), &ReceiverConfig::radius),
        Key::bind(KeyInfo::number("receivers.<name>.inner_radius_m", "`star`: radius of its inner edges; also that of a hole in the mirror of `beam_down`, which has none otherwise", "m", kLengths, "required for `star`", "2"), &ReceiverConfig::inner_radius),
        Key::bind(KeyInfo::whole("receivers.<name>.panels", "number of panels of a polygon or of a cavity's wall; sectors of a cylinder, 1 if not given", panels, "required for `cavity` and `polygon`", "24"), &ReceiverConfig::panels),
        Key::bind(KeyInfo::number("receivers.<name>.arc_deg", "angle over which the panels go round the axis: `polygon`, `cylinder`, `cavity`", "deg", arcs, "360; 180 for `cavity`", "240"), &ReceiverConfig::arc),
        Key::choice("receivers.<name>.radius_of", "`polygon`: what lies on its radius, the vertical edges of its panels or their midpoints", kRadiusOf, &ReceiverConfig::radius_of, "midpoints"),
        Key::bind(KeyInfo::number("receivers.<name>.shield_height_m", "height of heat shields above and below a polygon or cylinder", "m", kLengths, "none: no shields", "1.5"), &ReceiverConfig::shield_height),
        Key::bind(KeyInfo::whole("receivers.<name>.columns", "`billboard`: number of panels side by side", panels, "", "4"), &ReceiverConfig::columns),
        Key::bind(KeyInfo::whole("receivers.<name>.rows", "`billboard`: number of panels above each other", panels, "", "2"), &ReceiverConfig::rows),
        Key::bind(KeyInfo::number("receivers.<name>.shield_width_m", "`billboard`: width of heat shields on all four sides", "m", kLengths, "none: no shields", "1"), &ReceiverConfig::shield_width),
        Key::bind(KeyInfo::whole("receivers.<name>.arms", "`star`: number of its tips; it has twice as many panels", {2.0, 500.0}, "required for `star`", "6"), &ReceiverConfig::arms),
        Key::bind(KeyInfo::number("receivers.<name>.aperture_width_m", "`cavity`: width of its aperture", "m", kLengths, "none: from one end of the wall to the other", "5"), &ReceiverConfig::aperture_width),
        Key::bind(KeyInfo::number("receivers.<name>.lip_top_m", "`cavity`: height of the wall above its aperture, a shield", "m", lips, "", "0.5"), &ReceiverConfig::lip_top),
        Key::bind(KeyInfo::number("receivers.<name>.lip_bottom_m", "`cavity`: height of the wall below its aperture, a shield", "m", lips, "", "1.5"), &ReceiverConfig::lip_bottom),
        Key::bind(KeyInfo::number("receivers.<name>.absorptance", "fraction of the light on the absorbing surfaces that they absorb, at normal incidence; they reflect the rest", "-", kFractions, "none: all light on them counts", "0.94"), &ReceiverConfig::absorptance),
        Key::choice("receivers.<name>.absorptance_law", "factor of `absorptance` by the angle of incidence; `duffie_beckman`: flat black absorbers", kAbsorptanceLaws, &ReceiverConfig::absorptance_law, "duffie_beckman"),
        Key::bind(KeyInfo::number("receivers.<name>.martin_ruiz_coefficient", "coefficient a of the law `martin_ruiz`, (1 - exp(-cos t / a)) / (1 - exp(-1 / a))", "-", kMartinRuizCoefficients, "0.16", "0.17"), &ReceiverConfig::martin_ruiz_coefficient),
        absorptance_table_key(KeyInfo::other("receivers.<name>.absorptance_table", "instead of `absorptance`: rows of an angle of incidence in degrees and the absorptance there, linear between them", "-", "angles from 0 to 90, ascending; 0 to 1", "none", "[[0, 0.95], [60, 0.9], [90, 0.2]]")),
        Key::bind(KeyInfo::number("receivers.<name>.specular_fraction", "part of the reflected light that is specular; the rest is diffuse (Lambertian)", "-", kFractions, "", "0.2"), &ReceiverConfig::specular_fraction),
        Key::bind(KeyInfo::whole("receivers.<name>.bounces", "reflections that are followed: light that was reflected fewer times is reflected again", kBounces, "", "5"), &ReceiverConfig::bounces),
        Key::choice("receivers.<name>.secondary", "`beam_down`: shape of its mirror, below the upper focus (`hyperboloid`) or above it (`ellipsoid`)", kSecondaries, &ReceiverConfig::secondary, "ellipsoid"),
        Key::bind(KeyInfo::number("receivers.<name>.foci_distance_m", "`beam_down`: height of the upper focus, at which heliostats aim, above the lower one", "m", kLengths, "required for `beam_down`", "90"), &ReceiverConfig::foci_distance),
        Key::bind(KeyInfo::number("receivers.<name>.vertex_distance_m", "`beam_down`: distance of the mirror's vertex from the upper focus, below it or above it", "m", kLengths, "required for `beam_down`", "18"), &ReceiverConfig::vertex_distance),
        Key::bind(KeyInfo::number("receivers.<name>.exit_radius_m", "`beam_down`: radius of the exit, which the absorber closes, also of `concentrator`; with flat sides their distance from the axis", "m", kLengths, "required for `concentrator` and `beam_down`", "1.5"), &ReceiverConfig::exit_radius),
        Key::bind(KeyInfo::number("receivers.<name>.half_angle_deg", "`beam_down`: half angle of acceptance of a compound parabolic concentrator with its entry at the lower focus, where otherwise the absorber lies; also of `concentrator`", "deg", {1.0, 85.0, false, false, "it is the half angle of acceptance"}, "required for `concentrator`", "25"), &ReceiverConfig::half_angle),
        Key::bind(KeyInfo::number("receivers.<name>.length_m", "`beam_down`: length of a truncated concentrator, also of `concentrator`", "m", kLengths, "that of the full one", "3"), &ReceiverConfig::length),
        Key::bind(KeyInfo::whole("receivers.<name>.sides", "`beam_down`: flat sides of the concentrator, also of `concentrator`; 0: round", {0.0, 100.0}, "", "6"), &ReceiverConfig::sides),
        Key::bind(KeyInfo::number("receivers.<name>.reflectivity", "`beam_down`: reflectivity of its mirrors, also of a concentrator", "-", kFractions, "required for `concentrator` and `beam_down`", "0.94"), &ReceiverConfig::reflectivity),
        Key::bind(KeyInfo::number("receivers.<name>.slope_error_mrad", "`beam_down`: standard deviation of the normals of its mirrors about each tangent, also of a concentrator", "mrad", kMirrorSlopes.times(1e3), "", "1"), &ReceiverConfig::slope_error),
    };
    return keys;
}

std::vector<KeyInfo> receiver_keys() {
    std::vector<KeyInfo> keys;
    const ReceiverConfig defaults;
    for (const BoundKey<ReceiverConfig>& key : bound_keys(defaults)) keys.push_back(key.info);
    const Range radii{0.0, kLengths.high, false, false, "it is a length in metres"};
    const Range latitudes{-90.0, 90.0, false, false, "it is a latitude"};
    const std::vector<KeyInfo> of_surfaces{
        KeyInfo::other("receivers.<name>.surfaces[].name", "name of the surface, after that of the receiver", "-", "each once", "01, 02, ...", "roof"),
        KeyInfo::choice("receivers.<name>.surfaces[].type", "shape of the surface", list_words(kSurfaceKinds), "required", "plane"),
        KeyInfo::other("receivers.<name>.surfaces[].center_m", "its centre, from that of the receiver: east, north, up; `mesh`: place of the file's origin", "m", "finite", "required; of a mesh [0, 0, 0]", "[0.0, 3.0, 0.0]"),
        KeyInfo::other("receivers.<name>.surfaces[].normal", "direction that a plane, disc or annulus faces; of other shapes that from the axis to the middle of the sector or to the flat side; any length", "-", "not 0", "required except for `mesh`, `conic`, `paraboloid`, `hyperboloid` and `ellipsoid`", "[0.0, 1.0, 0.0]"),
        KeyInfo::number("receivers.<name>.surfaces[].width_m", "`plane`: its width, along the horizontal", "m", kLengths, "required for `plane`", "3.0"),
        KeyInfo::number("receivers.<name>.surfaces[].height_m", "height of a plane, or of a cylinder or cone along its axis", "m", kLengths, "required for `cone`, `cylinder` and `plane`", "2.5"),
        KeyInfo::number("receivers.<name>.surfaces[].outline_m", "`plane`: convex outline; corners [right, up] from its centre, seen from the front; also of a mirror (`use: mirror`) that is a conic, paraboloid, hyperboloid or ellipsoid, within its radius, from its vertex across its axis", "m", kOutlineCorners, "none: the whole surface", "[[-1, -1], [1, -1], [0, 1]]", "{} corners"),
        KeyInfo::number("receivers.<name>.surfaces[].radius_m", "`disc`: its radius; also that of a cylinder or sphere and the outer one of an annulus, conic, paraboloid, hyperboloid or ellipsoid", "m", kLengths, "required for `annulus`, `conic`, `cylinder`, `disc`, `ellipsoid`, `hyperboloid`, `paraboloid` and `sphere`", "2.0"),
        KeyInfo::number("receivers.<name>.surfaces[].inner_radius_m", "`annulus`: radius of its hole, also that of a conic, paraboloid, hyperboloid or ellipsoid, which may omit it; 0: none", "m", radii, "required for `annulus`", "1.0"),
        KeyInfo::number("receivers.<name>.surfaces[].bottom_radius_m", "`cone`: radius at the lower end of its axis; 0: an apex", "m", radii, "required for `cone`", "2.0"),
        KeyInfo::number("receivers.<name>.surfaces[].top_radius_m", "`cone`: radius at the upper end of its axis; 0: an apex", "m", radii, "required for `cone`", "1.0"),
        KeyInfo::number("receivers.<name>.surfaces[].bottom_deg", "`sphere`: latitude of its lower rim above the equator about the axis", "deg", latitudes, "-90", "-30"),
        KeyInfo::number("receivers.<name>.surfaces[].top_deg", "`sphere`: latitude of its upper rim", "deg", latitudes, "90", "60"),
        KeyInfo::other("receivers.<name>.surfaces[].axis", "`cylinder`: direction of its axis, also that of a cone or sphere; `conic`, `paraboloid`: from the vertex into the hollow side; `cpc`: from the exit to the entry; any length", "-", "not 0", "[0, 0, 1]", "[0.0, 0.0, 1.0]"),
        KeyInfo::number("receivers.<name>.surfaces[].arc_deg", "`cylinder`: angle of its sector, also that of a cone, sphere or annulus", "deg", {0.0, 360.0, true, false, "it is a part of a turn"}, "360", "180"),
        KeyInfo::other("receivers.<name>.surfaces[].middle", "`annulus`: direction from its centre to the middle of its sector; any length", "-", "not 0", "up in its plane", "[0.0, 0.0, 1.0]"),
        KeyInfo::choice("receivers.<name>.surfaces[].side", "`cylinder`: the lit side, also that of a cone, sphere, conic, paraboloid, hyperboloid or ellipsoid", list_words(kCylinderSides), to_string(CylindricalTarget{}.side), "inner"),
        KeyInfo::other("receivers.<name>.surfaces[].file", "`mesh`: file of its triangles, STL, OBJ or PLY, relative to this file", "-", "-", "required for `mesh`", "mesh.obj"),
        KeyInfo::number("receivers.<name>.surfaces[].unit_m", "`mesh`: length of the file's unit; 0.001: the file is in millimetres", "m", {0.0, 1e6, true, false, "it is a length in metres"}, "1", "0.5"),
        KeyInfo::other("receivers.<name>.surfaces[].turn_deg", "`mesh`: turns about the file's origin: about the axis to the east, then about that to the north, then about the vertical", "deg", "finite", "[0, 0, 0]", "[0.0, 0.0, 45.0]"),
        KeyInfo::choice("receivers.<name>.surfaces[].front", "`mesh`: side on which light counts: that from which the corners of a triangle are seen counter-clockwise, the other one, or both", list_words(kMeshFronts), to_string(MeshTarget{}.front), "reversed"),
        KeyInfo::choice("receivers.<name>.surfaces[].use", "whether its light counts, is lost on a heat shield, or reflected by a mirror", list_words(kSurfaceUses), to_string(SurfaceUse{}), "shield"),
        KeyInfo::number("receivers.<name>.surfaces[].curvature_radius_m", "`conic`: radius of curvature at its vertex", "m", kLengths, "required for `conic`", "48"),
        KeyInfo::number("receivers.<name>.surfaces[].conic_constant", "`conic`: its constant k in r^2 = 2 R h - (1 + k) h^2; -1: paraboloid, below: hyperboloid, above: ellipsoid", "-", {-1e4, 1e4}, "required for `conic`", "-2.5"),
        KeyInfo::number("receivers.<name>.surfaces[].focal_length_m", "`paraboloid`: its focal length", "m", kLengths, "required for `paraboloid`", "10"),
        KeyInfo::other("receivers.<name>.surfaces[].near_focus_m", "`hyperboloid`: the focus in its hollow side next to its vertex, also of an ellipsoid; from the centre of the receiver: east, north, up", "m", "finite", "required for `ellipsoid` and `hyperboloid`", "[0.0, 0.0, 18.0]"),
        KeyInfo::other("receivers.<name>.surfaces[].far_focus_m", "`hyperboloid`: the other focus, also of an ellipsoid", "m", "finite", "required for `ellipsoid` and `hyperboloid`", "[0.0, 0.0, -72.0]"),
        KeyInfo::number("receivers.<name>.surfaces[].half_angle_deg", "`cpc`: half angle of acceptance", "deg", {1.0, 85.0, false, false, "it is the half angle of acceptance"}, "required for `cpc`", "20"),
        KeyInfo::number("receivers.<name>.surfaces[].exit_radius_m", "`cpc`: radius of its exit; of a flat side its distance from the axis there", "m", kLengths, "required for `cpc`", "1"),
        KeyInfo::number("receivers.<name>.surfaces[].length_m", "`cpc`: its length, if it is truncated", "m", kLengths, "that of the full one", "3"),
        KeyInfo::whole("receivers.<name>.surfaces[].sides", "`cpc`: this is one side of so many flat ones, that at `normal`; 0: round", {0.0, 100.0}, "0", "4"),
        KeyInfo::number("receivers.<name>.surfaces[].reflectivity", "reflectivity of a mirror (`use: mirror`)", "-", kFractions, "none; mirrors need it", "0.94"),
        KeyInfo::number("receivers.<name>.surfaces[].slope_error_mrad", "standard deviation of a mirror's normal about each tangent", "mrad", kMirrorSlopes.times(1e3), "0", "1"),
    };
    // A surface has the same keys of its absorption.
    std::vector<KeyInfo> of_absorption;
    for (KeyInfo info : keys) {
        const std::string name = info.path.substr(info.path.rfind('.') + 1);
        const auto& names = absorption_keys();
        if (std::find(names.begin(), names.end(), name) == names.end()) continue;
        info.path = "receivers.<name>.surfaces[]." + name;
        info.default_value = "that of the receiver, unless the surface has another of these keys";
        of_absorption.push_back(std::move(info));
    }
    keys.insert(keys.end(), of_surfaces.begin(), of_surfaces.end());
    keys.insert(keys.end(), of_absorption.begin(), of_absorption.end());
    return keys;
}

// clang-format on

}  // namespace helioray
