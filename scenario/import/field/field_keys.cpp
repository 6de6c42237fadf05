// SPDX-License-Identifier: MIT
// Declares the keys of a field template.
#include "scenario/config/bound_key.h"
#include "scenario/files/units.h"
#include "scenario/import/field/field_template.h"
#include "scenario/import/field/template_reader.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace helioray {

namespace {

/// Returns the keys of receivers of several surfaces that `keys` does not have; the centre follows
/// from the tower.
std::vector<KeyInfo> keys_of_several_surfaces(const std::vector<KeyInfo>& keys) {
    std::vector<KeyInfo> more;
    const ReceiverConfig defaults;
    for (const BoundKey<ReceiverConfig>& key : bound_keys(defaults)) {
        KeyInfo info = key.info;
        info.path = "receiver." + key.name;
        const bool is_given = std::ranges::find(keys, info.path, &KeyInfo::path) != keys.end() ||
                              key.name == "center_m" || key.name == "aim_point_m";
        if (!is_given) more.push_back(std::move(info));
    }
    return more;
}

/// Returns the keys of a section for each entry of a section with several.
std::vector<KeyInfo> keys_of_several(const std::vector<KeyInfo>& keys,
                                     std::string_view section,
                                     std::string_view several) {
    std::vector<KeyInfo> added;
    for (const KeyInfo& key : keys) {
        if (!key.path.starts_with(section)) continue;
        added.push_back(key);
        added.back().path.replace(0, section.size(), several);
    }
    return added;
}

/// Adds the keys of section heliostat for each entry of heliostat_types, before its other keys, and
/// those of section tower for each entry of towers.
void add_several_keys(std::vector<KeyInfo>& keys) {
    constexpr std::string_view kTypes = "heliostat_types.<name>.";
    const std::vector<KeyInfo> types = keys_of_several(keys, "heliostat.", kTypes);
    keys.insert(std::ranges::find_if(
                    keys, [&](const KeyInfo& key) { return key.path.starts_with(kTypes); }),
                types.begin(),
                types.end());
    const std::vector<KeyInfo> towers = keys_of_several(keys, "tower.", "towers.<name>.");
    keys.insert(std::ranges::find_if(
                    keys, [&](const KeyInfo& key) { return key.path.starts_with("receiver."); }),
                towers.begin(),
                towers.end());
}

std::vector<KeyInfo> declared_keys() {
    using Key = KeyInfo;
    // Default values come from the type that the reader fills.
    const FieldTemplate usual;
    const Range sizes{0.0, 1000.0, true, false, "it is a length in metres"};
    const Range focal_lengths{0.0, 1e5, true, false, "it is a length in metres"};

    // path, meaning, unit, limits or words, default, example
    // clang-format off
    std::vector<KeyInfo> keys{
        Key::number("site.latitude_deg", "latitude of the plant (WGS84), for sun positions from a time", "deg", {-90.0, 90.0}, "0", "37.44"),
        Key::number("site.longitude_deg", "longitude of the plant, east positive", "deg", {-180.0, 180.0}, "0", "-6.25"),
        Key::number("site.altitude_m", "altitude of the plant", "m", {-500.0, 9000.0}, "0", "20"),
        Key::input_file("site.terrain.file", "heights of the ground on which heliostats and towers stand, relative to this file; as [section terrain](../../configs/README.md#terrain) describes it", "none: flat ground at height 0", "ground.csv"),
        Key::other("site.terrain.origin_m", "coordinates of the file at the origin of the field: east, north, up", "m", "finite", "[0, 0, 0]", "[345000.0, 5642000.0, 87.0]"),

        Key::other("tower.position", "axis of the tower: east, north", "m", "finite", "[0, 0]", "[0, 0]"),
        Key::number("tower.optical_height_m", "height of the receiver's centre above ground", "m", {0.0, 2000.0, true, false, "it is a height"}, "required", "60"),
        Key::number("tower.height_m", "height of the tower's body above ground, which shades and blocks; with `radius_m` or `section_m`", "m", {0.0, 2000.0, true, false, "it is a height"}, "none: no body", "55"),
        Key::number("tower.radius_m", "radius of the tower's body; with `height_m`", "m", {0.0, 200.0, true, false, "it is a radius"}, "none: no body", "3"),
        Key::number("tower.top_radius_m", "radius of the upper end of a body that tapers; with `radius_m`, which is then that of its foot", "m", {0.0, 200.0, false, false, "it is a radius"}, "`radius_m`", "2"),
        Key::number("tower.section_m", "width and depth of a body with a rectangular section, instead of `radius_m`", "m", {0.0, 400.0, true, false, "it is a length in metres"}, "none: no body", "[8, 6]", "two lengths, {}"),
        Key::number("tower.section_azimuth_deg", "turn of a rectangular body: its depth lies along this direction, clockwise from north", "deg", kBearings, "0", "30"),

        Key::other("receiver.name", "name of the target or receiver", "-", "text without /", usual.receiver.name, "receiver"),
        Key::choice("receiver.type", "one surface: a rectangle (`plane`), a `disc` or an external `cylinder`; or several, as [section receivers](../../configs/README.md#receivers) describes them", list_words(kReceiverTypes), "required", "cylinder"),
        Key::number("receiver.width_m", "width of a plane or billboard", "m", sizes, "required for `billboard` and `plane`", "10"),
        Key::number("receiver.height_m", "its height, along its own surface; not of a disc, `beam_down` or `concentrator`", "m", sizes, "required except for `disc`, `beam_down` and `concentrator`", "8"),
        Key::number("receiver.radius_m", "radius of a cylinder, disc, polygon, star or cavity, of the mirror of `beam_down`", "m", sizes, "required except for `plane`, `billboard` and `concentrator`", "3"),
        Key::number("receiver.azimuth_deg", "where a plane, disc, billboard, aperture or concentrator faces, clockwise from north; middle of the unrolled cylinder or polygon; a tip of a star", "deg", kBearings, limit_text(usual.receiver.azimuth), "180"),
        Key::number("receiver.azimuths_deg", "`billboard`, `cavity`, `concentrator`: directions of several such receivers around the tower, at most 36, instead of `azimuth_deg`; they are named `receiver_1`, `receiver_2`, ..., and each heliostat aims at the one whose direction is nearest to its own", "deg", kBearings, "none: one receiver", "[0, 120, 240]"),
        Key::number("receiver.tilt_deg", "`plane`, `disc`, `billboard`, `concentrator`: how far it faces down: 0 is vertical, 90 faces the ground", "deg", {-90.0, 90.0}, limit_text(usual.receiver.tilt), "15"),
        Key::number("receiver.offset_m", "`plane`, `disc`, `billboard`, `cavity`, `concentrator`: from the tower's axis to its centre, along its azimuth", "m", {-1000.0, 1000.0}, limit_text(usual.receiver.offset), "4"),

        Key::number("heliostat.width_m", "width of the mirror over all facets", "m", {0.0, 100.0, true, false, "it is a length in metres"}, "required", "12.84"),
        Key::number("heliostat.height_m", "height of the mirror over all facets", "m", {0.0, 100.0, true, false, "it is a length in metres"}, "required", "9.45"),
        Key::whole("heliostat.facets", "number of facets: columns, rows", {1.0, 100.0}, fmt::format("{}", usual.heliostat.facets), "[4, 7]", "{} each"),
        Key::other("heliostat.facet_gap_m", "gap between columns, between rows", "m", "0 or more", fmt::format("{}", usual.heliostat.facet_gap), "[0.02, 0.02]"),
        Key::number("heliostat.facet_offsets_m", "offset of each facet along the mirror's normal, row by row from the lower left, seen from the front; steps between facets shade and block", "m", {-5.0, 5.0}, "none: facet centres lie in one plane", "[0.1]", "one for each facet, {}"),
        Key::choice("heliostat.facet_shape", "shape of each facet", list_words(kTemplateFacetShapes), find_word(kTemplateFacetShapes, usual.heliostat.facet_shape), "sphere"),
        Key::choice("heliostat.facet_outline", "outline of each facet within its width and height: all of it, a circle (an ellipse if they differ), or a convex polygon", list_words(kFacetOutlines), find_word(kFacetOutlines, usual.heliostat.outline.kind), "round"),
        Key::number("heliostat.facet_hole_m", "`round`: diameter of a hole in the middle, along the width", "m", {0.0, 100.0, false, false, "it is a length in metres"}, "0", "0.6", "0 or more, below the facet's width"),
        Key::other("heliostat.facet_corners_m", "`polygon`: corners in order, to the right of and above the facet's centre", "m", "3 to 64 corners of a convex polygon within the facet", "required for `polygon`", "[[1, 0], [0.5, 0.866], [-0.5, 0.866], [-1, 0], [-0.5, -0.866], [0.5, -0.866]]"),
        Key::number("heliostat.focal_length_m", "focal length of curved facets: a length, or each heliostat's `slant_range`; for a `paraboloid` also two of them, along width and height", "m", focal_lengths, "slant_range", "250", "{}, slant_range, or two of them"),
        Key::choice("heliostat.canting", "rule by which facets are tilted", list_words(kCantings), "on_axis", "on_axis"),
        Key::number("heliostat.canting_distance_m", "`on_axis`: facets face a point at this distance on the mirror's axis: a length, `slant_range` or `none`", "m", focal_lengths, "slant_range; none for one facet", "slant_range", "{}, slant_range, none"),
        Key::number("heliostat.canting_sun.azimuth_deg", "`off_axis`: azimuth of the sun for which facets are canted, clockwise from north", "deg", kBearings, "required for `off_axis` without `canting_time`", "180"),
        Key::number("heliostat.canting_sun.elevation_deg", "`off_axis`: elevation of this sun", "deg", {0.0, 90.0, true, false, "the sun is above the horizon"}, "required for `off_axis` without `canting_time`", "45"),
        Key::other("heliostat.canting_time", "`off_axis`: date and time of this sun, instead of `canting_sun`; needs `site`", "-", "ISO 8601 with offset", "none", "2026-03-20T12:00:00Z"),
        Key::other("heliostat.canting_point_m", "`point`: the facets' normals meet there; to the right and up for an observer in front of the mirror, and along its normal", "m", "the last beyond the mirror's half diagonal", "required for `point`", "[0, 0, 500]"),
        Key::number("heliostat.by_elevation[].elevation_deg", "gravity bends the mirror: elevation of its normal for the other values of this entry; linear between at least two entries, constant beyond them", "deg", {-90.0, 90.0, false, false, "it is an elevation"}, "required in every entry", "15"),
        Key::number("heliostat.by_elevation[].focal_length_m", "focal length of curved facets at this elevation; for a `paraboloid` also two, along width and height", "m", {0.0, 1e5, true, false, "it is a length in metres"}, "that of the mirror", "[240, 255]", "{}, or two of them"),
        Key::number("heliostat.by_elevation[].canting_distance_m", "`on_axis`: canting distance at this elevation", "m", {0.0, 1e5, true, false, "it is a length in metres"}, "that of the mirror", "250"),
        Key::number("heliostat.by_elevation[].tilt_mrad", "turn of all facets towards the mirror's upper edge", "mrad", {-100.0, 100.0}, "0", "-0.5"),
        Key::number("heliostat.by_temperature[].temperature_c", "the temperature of the air bends the mirror: temperature for the other values of this entry; linear between at least two entries, constant beyond them; not beside `by_elevation`", "°C", kTemperatures, "required in every entry", "20"),
        Key::number("heliostat.by_temperature[].focal_length_m", "focal length of curved facets at this temperature; for a `paraboloid` also two, along width and height", "m", {0.0, 1e5, true, false, "it is a length in metres"}, "that of the mirror", "[240, 255]", "{}, or two of them"),
        Key::number("heliostat.by_temperature[].canting_distance_m", "`on_axis`: canting distance at this temperature", "m", {0.0, 1e5, true, false, "it is a length in metres"}, "that of the mirror", "250"),
        Key::number("heliostat.by_temperature[].tilt_mrad", "turn of all facets towards the mirror's upper edge", "mrad", {-100.0, 100.0}, "0", "-0.5"),
        Key::number("heliostat.pivot_height_m", "height of the pivot above ground", "m", {0.0, 200.0, false, false, "it is a height"}, "required", "5.2"),
        Key::number("heliostat.mirror_offset_m", "from the pivot to the mirror, along its normal", "m", {-5.0, 5.0}, limit_text(usual.heliostat.mirror_offset), "0.2"),
        Key::number("heliostat.slant_step_m", "slant ranges are rounded to multiples of it, so that heliostats share surfaces", "m", {0.0, 100.0, true}, limit_text(usual.heliostat.slant_step), "1.0"),

        Key::number("heliostat_types.<name>.max_radius_m", "largest distance from the tower's axis for this type; without a column `type` in a table of positions", "m", {0.0, 1e5, true}, "none: the rest of the field", "200"),

        Key::choice("layout.type", "how positions are found", list_words(kLayoutTypes), "required", "radial_stagger"),
        Key::other("layout.file", "`positions`: table of positions (CSV), relative to this file", "-", "existing file", "required for `positions`", "positions.csv"),
        Key::choice("layout.radial_spacing", "`radial_stagger`: rule of the rings' distances", list_words(kRadialSpacings), find_word(kRadialSpacings, usual.layout.radial_spacing), "delsol"),
        Key::number("layout.azimuthal_spacing", "`no_blocking`: distance of neighbours at the beginning of a zone, in heliostat widths", "-", {1.0, 10.0, false, false, "it is a number of widths"}, limit_text(usual.layout.azimuthal_spacing), "2.1"),
        Key::number("layout.spacing_reset", "`radial_stagger`: a new zone begins where that distance has grown by this factor", "-", {1.0, 10.0, true, false, "it is a growth factor"}, limit_text(usual.layout.spacing_reset), "1.5"),
        Key::whole("layout.heliostats", "number of heliostats", {1.0, 1e6}, "none: what fits within `max_radius_m`", "1000"),
        Key::number("layout.min_radius_m", "smallest distance of a heliostat from the tower's axis", "m", {0.0, 1e5}, "0.75 optical heights", "50"),
        Key::number("layout.max_radius_m", "largest distance of a heliostat from the tower's axis", "m", {0.0, 1e5, true}, "none: `heliostats` decides", "600"),
        Key::number("layout.azimuth_from_deg", "the field's sector begins here, clockwise from north; with `azimuth_to_deg`", "deg", kBearings, limit_text(usual.layout.azimuth_from / kRadiansPerDegree), "-70"),
        Key::number("layout.azimuth_to_deg", "the field's sector ends here", "deg", kBearings, limit_text(usual.layout.azimuth_to / kRadiansPerDegree), "70", "above azimuth_from_deg, by 360 at most"),
        Key::number("layout.min_distance_m", "smallest distance between pivots", "m", {0.0, 1000.0}, "diagonal of the mirror about its pivot", "16.5"),
        Key::number("layout.spacing_x_m", "`cornfield`, `rows`: distance of neighbours in a row, east to west", "m", sizes, "`min_distance_m`", "17"),
        Key::number("layout.spacing_y_m", "`cornfield`, `rows`: distance of rows", "m", sizes, "the smallest without collisions", "20"),
    };
    // clang-format on
    const auto last = std::ranges::find(keys, "receiver.offset_m", &KeyInfo::path);
    const std::vector<KeyInfo> more = keys_of_several_surfaces(keys);
    keys.insert(last + 1, more.begin(), more.end());
    add_several_keys(keys);
    return keys;
}

}  // namespace

const std::vector<KeyInfo>& field_keys() {
    static const std::vector<KeyInfo> keys = declared_keys();
    return keys;
}

}  // namespace helioray
