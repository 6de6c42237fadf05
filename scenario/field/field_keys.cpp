// SPDX-License-Identifier: MIT
// The table of a field template's keys.
#include "scenario/field/field_template.h"

namespace helioray {

const std::vector<KeyInfo>& field_keys() {
    // path, meaning, unit, range, default, example
    // clang-format off
    static const std::vector<KeyInfo> keys{
        {"site.latitude_deg", "latitude of the plant (WGS84), for sun positions from a time", "deg", "-90 to 90", "0", "37.44"},
        {"site.longitude_deg", "longitude of the plant, east positive", "deg", "-180 to 180", "0", "-6.25"},
        {"site.altitude_m", "altitude of the plant", "m", "-500 to 9000", "0", "20"},

        {"tower.position", "axis of the tower: east, north", "m", "finite", "[0, 0]", "[0, 0]"},
        {"tower.optical_height_m", "height of the receiver's centre above ground", "m", "above 0 to 2000", "required", "60"},
        {"tower.height_m", "height of the tower's body, which shades and blocks; with `radius_m`", "m", "above 0 to 2000", "none: no body", "55"},
        {"tower.radius_m", "radius of the tower's body; with `height_m`", "m", "above 0 to 200", "none: no body", "3"},

        {"receiver.name", "name of the target", "-", "text without /", "receiver", "receiver"},
        {"receiver.type", "flat receiver, billboard or aperture of a cavity (`plane`), or external cylinder", "-", "plane, cylinder", "required", "cylinder"},
        {"receiver.width_m", "`plane`: its width", "m", "above 0 to 1000", "required for `plane`", "10"},
        {"receiver.height_m", "its height, along its own surface", "m", "above 0 to 1000", "required", "8"},
        {"receiver.radius_m", "`cylinder`: its radius", "m", "above 0 to 1000", "required for `cylinder`", "3"},
        {"receiver.azimuth_deg", "where the plane faces, clockwise from north; middle of the unrolled cylinder", "deg", "-360 to 360", "0", "180"},
        {"receiver.tilt_deg", "`plane`: how far it faces down: 0 is vertical, 90 faces the ground", "deg", "-90 to 90", "0", "15"},
        {"receiver.offset_m", "`plane`: from the tower's axis to its centre, along its azimuth", "m", "-1000 to 1000", "0", "4"},

        {"heliostat.width_m", "width of the mirror over all facets", "m", "above 0 to 100", "required", "12.84"},
        {"heliostat.height_m", "height of the mirror over all facets", "m", "above 0 to 100", "required", "9.45"},
        {"heliostat.facets", "number of facets: columns, rows", "-", "1 to 100 each", "[1, 1]", "[4, 7]"},
        {"heliostat.facet_gap_m", "gap between columns, between rows", "m", "0 or more", "[0, 0]", "[0.02, 0.02]"},
        {"heliostat.facet_shape", "shape of each facet", "-", "flat, paraboloid, sphere", "paraboloid", "sphere"},
        {"heliostat.focal_length_m", "focal length of curved facets: a length, or each heliostat's `slant_range`", "m", "above 0 to 1e5, slant_range", "slant_range", "250"},
        {"heliostat.canting_distance_m", "facets face a point at this distance on the mirror's axis: a length, `slant_range` or `none`", "m", "above 0 to 1e5, slant_range, none", "slant_range; none for one facet", "slant_range"},
        {"heliostat.pivot_height_m", "height of the pivot above ground", "m", "0 to 200", "required", "5.2"},
        {"heliostat.mirror_offset_m", "from the pivot to the mirror, along its normal", "m", "-5 to 5", "0", "0.2"},
        {"heliostat.slant_step_m", "slant ranges are rounded to multiples of it, so that heliostats share surfaces", "m", "above 0 to 100", "0.1", "1.0"},

        {"layout.type", "how positions are found", "-", "radial_stagger, cornfield, rows, positions", "required", "radial_stagger"},
        {"layout.file", "`positions`: table of positions (CSV), relative to this file", "-", "existing file", "required for `positions`", "positions.csv"},
        {"layout.radial_spacing", "`radial_stagger`: rule of the rings' distances", "-", "no_blocking, delsol", "no_blocking", "delsol"},
        {"layout.azimuthal_spacing", "`no_blocking`: distance of neighbours at the beginning of a zone, in heliostat widths", "-", "1 to 10", "2.0", "2.1"},
        {"layout.spacing_reset", "`radial_stagger`: a new zone begins where that distance has grown by this factor", "-", "above 1 to 10", "1.33", "1.5"},
        {"layout.heliostats", "number of heliostats", "-", "whole, 1 to 1e6", "none: what fits within `max_radius_m`", "1000"},
        {"layout.min_radius_m", "smallest distance of a heliostat from the tower's axis", "m", "0 to 1e5", "0.75 optical heights", "50"},
        {"layout.max_radius_m", "largest distance of a heliostat from the tower's axis", "m", "above 0 to 1e5", "none: `heliostats` decides", "600"},
        {"layout.azimuth_from_deg", "the field's sector begins here, clockwise from north; with `azimuth_to_deg`", "deg", "-360 to 360", "-180", "-70"},
        {"layout.azimuth_to_deg", "the field's sector ends here", "deg", "above azimuth_from_deg, by 360 at most", "180", "70"},
        {"layout.min_distance_m", "smallest distance between pivots", "m", "0 to 1000", "diagonal of the mirror about its pivot", "16.5"},
        {"layout.spacing_x_m", "`cornfield`, `rows`: distance of neighbours in a row, east to west", "m", "above 0 to 1000", "`min_distance_m`", "17"},
        {"layout.spacing_y_m", "`cornfield`, `rows`: distance of rows", "m", "above 0 to 1000", "the smallest without collisions", "20"},
    };
    // clang-format on
    return keys;
}

}  // namespace helioray
