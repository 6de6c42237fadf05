# SPDX-License-Identifier: MIT
"""Types of the keywords of generated fields, for type checkers and editors. Written by scripts/python_keys from the declarations in C++; do not edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from .typed_keys import Number, Path, Time


class SiteKeys(TypedDict, total=False):
    """Section site."""

    latitude_deg: Number | None
    """latitude of the plant (WGS84), for sun positions from a time. Value in deg: -90 to 90; default 0."""
    longitude_deg: Number | None
    """longitude of the plant, east positive. Value in deg: -180 to 180; default 0."""
    altitude_m: Number | None
    """altitude of the plant. Value in m: -500 to 9000; default 0."""
    terrain: Mapping[str, Any] | None
    """Keys such as file: heights of the ground on which heliostats and towers stand, relative to this file; as [section terrain](../../configs/README.md#terrain) describes it."""


class TowerKeys(TypedDict, total=False):
    """Section tower."""

    position: Iterable[Any] | None
    """axis of the tower: east, north. Value in m: finite; default [0, 0]."""
    optical_height_m: Number | None
    """height of the receiver's centre above ground. Value in m: above 0 to 2000; required."""
    height_m: Number | None
    """height of the tower's body above ground, which shades and blocks; with `radius_m` or `section_m`. Value in m: above 0 to 2000; none: no body."""
    radius_m: Number | None
    """radius of the tower's body; with `height_m`. Value in m: above 0 to 200; none: no body."""
    top_radius_m: Number | None
    """radius of the upper end of a body that tapers; with `radius_m`, which is then that of its foot. Value in m: 0 to 200; default `radius_m`."""
    section_m: Iterable[Any] | None
    """width and depth of a body with a rectangular section, instead of `radius_m`. Value in m: two lengths, above 0 to 400; none: no body."""
    section_azimuth_deg: Number | None
    """turn of a rectangular body: its depth lies along this direction, clockwise from north. Value in deg: -360 to 360; default 0."""


class ReceiverKeys(TypedDict, total=False):
    """Section receiver."""

    name: str | None
    """name of the target or receiver. Value: text without /; default receiver."""
    type: str | None
    """one surface: a rectangle (`plane`), a `disc` or an external `cylinder`; or several, as [section receivers](../../configs/README.md#receivers) describes them. Value: plane, cylinder, disc, polygon, billboard, star, cavity, beam_down, concentrator; required."""
    width_m: Number | None
    """width of a plane or billboard. Value in m: above 0 to 1000; required for `billboard` and `plane`."""
    height_m: Number | None
    """its height, along its own surface; not of a disc, `beam_down` or `concentrator`. Value in m: above 0 to 1000; required except for `disc`, `beam_down` and `concentrator`."""
    radius_m: Number | None
    """radius of a cylinder, disc, polygon, star or cavity, of the mirror of `beam_down`. Value in m: above 0 to 1000; required except for `plane`, `billboard` and `concentrator`."""
    azimuth_deg: Number | None
    """where a plane, disc, billboard, aperture or concentrator faces, clockwise from north; middle of the unrolled cylinder or polygon; a tip of a star. Value in deg: -360 to 360; default 0."""
    azimuths_deg: Iterable[Any] | None
    """`billboard`, `cavity`, `concentrator`: directions of several such receivers around the tower, at most 36, instead of `azimuth_deg`; they are named `receiver_1`, `receiver_2`, ..., and each heliostat aims at the one whose direction is nearest to its own. Value in deg: -360 to 360; none: one receiver."""
    tilt_deg: Number | None
    """`plane`, `disc`, `billboard`, `concentrator`: how far it faces down: 0 is vertical, 90 faces the ground. Value in deg: -90 to 90; default 0."""
    offset_m: Number | None
    """`plane`, `disc`, `billboard`, `cavity`, `concentrator`: from the tower's axis to its centre, along its azimuth. Value in m: -1000 to 1000; default 0."""
    inner_radius_m: Number | None
    """`star`: radius of its inner edges; also that of a hole in the mirror of `beam_down`, which has none otherwise. Value in m: above 0 to 1e6; required for `star`."""
    panels: Number | None
    """number of panels of a polygon or of a cavity's wall; sectors of a cylinder, 1 if not given. Value: whole, 1 to 1000; required for `cavity` and `polygon`."""
    arc_deg: Number | None
    """angle over which the panels go round the axis: `polygon`, `cylinder`, `cavity`. Value in deg: above 0 to 360; default 360; 180 for `cavity`."""
    radius_of: str | None
    """`polygon`: what lies on its radius, the vertical edges of its panels or their midpoints. Value: vertices, midpoints; default vertices."""
    shield_height_m: Number | None
    """height of heat shields above and below a polygon or cylinder. Value in m: above 0 to 1e6; none: no shields."""
    columns: Number | None
    """`billboard`: number of panels side by side. Value: whole, 1 to 1000; default 1."""
    rows: Number | None
    """`billboard`: number of panels above each other. Value: whole, 1 to 1000; default 1."""
    shield_width_m: Number | None
    """`billboard`: width of heat shields on all four sides. Value in m: above 0 to 1e6; none: no shields."""
    arms: Number | None
    """`star`: number of its tips; it has twice as many panels. Value: whole, 2 to 500; required for `star`."""
    aperture_width_m: Number | None
    """`cavity`: width of its aperture. Value in m: above 0 to 1e6; none: from one end of the wall to the other."""
    lip_top_m: Number | None
    """`cavity`: height of the wall above its aperture, a shield. Value in m: 0 to 1e6; default 0."""
    lip_bottom_m: Number | None
    """`cavity`: height of the wall below its aperture, a shield. Value in m: 0 to 1e6; default 0."""
    absorptance: Number | None
    """fraction of the light on the absorbing surfaces that they absorb, at normal incidence; they reflect the rest. Value: 0 to 1; none: all light on them counts."""
    absorptance_law: str | None
    """factor of `absorptance` by the angle of incidence; `duffie_beckman`: flat black absorbers. Value: constant, duffie_beckman, martin_ruiz; default constant."""
    martin_ruiz_coefficient: Number | None
    """coefficient a of the law `martin_ruiz`, (1 - exp(-cos t / a)) / (1 - exp(-1 / a)). Value: above 0 to 10; default 0.16."""
    absorptance_table: Iterable[Any] | None
    """instead of `absorptance`: rows of an angle of incidence in degrees and the absorptance there, linear between them. Value: angles from 0 to 90, ascending; 0 to 1; none."""
    specular_fraction: Number | None
    """part of the reflected light that is specular; the rest is diffuse (Lambertian). Value: 0 to 1; default 0."""
    bounces: Number | None
    """reflections that are followed: light that was reflected fewer times is reflected again. Value: whole, 0 to 1000; default 0."""
    secondary: str | None
    """`beam_down`: shape of its mirror, below the upper focus (`hyperboloid`) or above it (`ellipsoid`). Value: hyperboloid, ellipsoid; default hyperboloid."""
    foci_distance_m: Number | None
    """`beam_down`: height of the upper focus, at which heliostats aim, above the lower one. Value in m: above 0 to 1e6; required for `beam_down`."""
    vertex_distance_m: Number | None
    """`beam_down`: distance of the mirror's vertex from the upper focus, below it or above it. Value in m: above 0 to 1e6; required for `beam_down`."""
    exit_radius_m: Number | None
    """`beam_down`: radius of the exit, which the absorber closes, also of `concentrator`; with flat sides their distance from the axis. Value in m: above 0 to 1e6; required for `concentrator` and `beam_down`."""
    half_angle_deg: Number | None
    """`beam_down`: half angle of acceptance of a compound parabolic concentrator with its entry at the lower focus, where otherwise the absorber lies; also of `concentrator`. Value in deg: 1 to 85; required for `concentrator`."""
    length_m: Number | None
    """`beam_down`: length of a truncated concentrator, also of `concentrator`. Value in m: above 0 to 1e6; default that of the full one."""
    sides: Number | None
    """`beam_down`: flat sides of the concentrator, also of `concentrator`; 0: round. Value: whole, 0 to 100; default 0."""
    reflectivity: Number | None
    """`beam_down`: reflectivity of its mirrors, also of a concentrator. Value: 0 to 1; required for `concentrator` and `beam_down`."""
    slope_error_mrad: Number | None
    """`beam_down`: standard deviation of the normals of its mirrors about each tangent, also of a concentrator. Value in mrad: 0 to 100; default 0."""


class HeliostatKeys(TypedDict, total=False):
    """Section heliostat."""

    width_m: Number | None
    """width of the mirror over all facets. Value in m: above 0 to 100; required."""
    height_m: Number | None
    """height of the mirror over all facets. Value in m: above 0 to 100; required."""
    facets: Iterable[Any] | None
    """number of facets: columns, rows. Value: 1 to 100 each; default [1, 1]."""
    facet_gap_m: Iterable[Any] | None
    """gap between columns, between rows. Value in m: 0 or more; default [0, 0]."""
    facet_offsets_m: Iterable[Any] | None
    """offset of each facet along the mirror's normal, row by row from the lower left, seen from the front; steps between facets shade and block. Value in m: one for each facet, -5 to 5; none: facet centres lie in one plane."""
    facet_shape: str | None
    """shape of each facet. Value: flat, paraboloid, sphere; default paraboloid."""
    facet_outline: str | None
    """outline of each facet within its width and height: all of it, a circle (an ellipse if they differ), or a convex polygon. Value: rectangle, round, polygon; default rectangle."""
    facet_hole_m: Number | None
    """`round`: diameter of a hole in the middle, along the width. Value in m: 0 or more, below the facet's width; default 0."""
    facet_corners_m: Iterable[Any] | None
    """`polygon`: corners in order, to the right of and above the facet's centre. Value in m: 3 to 64 corners of a convex polygon within the facet; required for `polygon`."""
    focal_length_m: Number | str | Iterable[Any] | None
    """focal length of curved facets: a length, or each heliostat's `slant_range`; for a `paraboloid` also two of them, along width and height. Value in m: above 0 to 1e5, slant_range, or two of them; default slant_range."""
    canting: str | None
    """rule by which facets are tilted. Value: on_axis, off_axis, point; default on_axis."""
    canting_distance_m: str | None
    """`on_axis`: facets face a point at this distance on the mirror's axis: a length, `slant_range` or `none`. Value in m: above 0 to 1e5, slant_range, none; default slant_range; none for one facet."""
    canting_sun: Mapping[str, Any] | None
    """Keys such as azimuth_deg: `off_axis`: azimuth of the sun for which facets are canted, clockwise from north."""
    canting_time: Time | None
    """`off_axis`: date and time of this sun, instead of `canting_sun`; needs `site`. Value: ISO 8601 with offset; none."""
    canting_point_m: Iterable[Any] | None
    """`point`: the facets' normals meet there; to the right and up for an observer in front of the mirror, and along its normal. Value in m: the last beyond the mirror's half diagonal; required for `point`."""
    by_elevation: Iterable[Any] | None
    """Keys such as elevation_deg: gravity bends the mirror: elevation of its normal for the other values of this entry; linear between at least two entries, constant beyond them."""
    by_temperature: Iterable[Any] | None
    """Keys such as temperature_c: the temperature of the air bends the mirror: temperature for the other values of this entry; linear between at least two entries, constant beyond them; not beside `by_elevation`."""
    pivot_height_m: Number | None
    """height of the pivot above ground. Value in m: 0 to 200; required."""
    mirror_offset_m: Number | None
    """from the pivot to the mirror, along its normal. Value in m: -5 to 5; default 0."""
    slant_step_m: Number | None
    """slant ranges are rounded to multiples of it, so that heliostats share surfaces. Value in m: above 0 to 100; default 0.1."""


class LayoutKeys(TypedDict, total=False):
    """Section layout."""

    type: str | None
    """how positions are found. Value: radial_stagger, cornfield, rows, positions; required."""
    file: Path | None
    """`positions`: table of positions (CSV), relative to this file. Value: existing file; required for `positions`."""
    radial_spacing: str | None
    """`radial_stagger`: rule of the rings' distances. Value: no_blocking, delsol; default no_blocking."""
    azimuthal_spacing: Number | None
    """`no_blocking`: distance of neighbours at the beginning of a zone, in heliostat widths. Value: 1 to 10; default 2."""
    spacing_reset: Number | None
    """`radial_stagger`: a new zone begins where that distance has grown by this factor. Value: above 1 to 10; default 1.33."""
    heliostats: Number | None
    """number of heliostats. Value: whole, 1 to 1e6; none: what fits within `max_radius_m`."""
    min_radius_m: Number | None
    """smallest distance of a heliostat from the tower's axis. Value in m: 0 to 1e5; default 0.75 optical heights."""
    max_radius_m: Number | None
    """largest distance of a heliostat from the tower's axis. Value in m: above 0 to 1e5; none: `heliostats` decides."""
    azimuth_from_deg: Number | None
    """the field's sector begins here, clockwise from north; with `azimuth_to_deg`. Value in deg: -360 to 360; default -180."""
    azimuth_to_deg: Number | None
    """the field's sector ends here. Value in deg: above azimuth_from_deg, by 360 at most; default 180."""
    min_distance_m: Number | None
    """smallest distance between pivots. Value in m: 0 to 1000; default diagonal of the mirror about its pivot."""
    spacing_x_m: Number | None
    """`cornfield`, `rows`: distance of neighbours in a row, east to west. Value in m: above 0 to 1000; default `min_distance_m`."""
    spacing_y_m: Number | None
    """`cornfield`, `rows`: distance of rows. Value in m: above 0 to 1000; default the smallest without collisions."""


class FieldKeys(TypedDict, total=False):
    """Keywords of helioray.generate() and helioray.from_layout()."""

    by_elevation: Iterable[Any] | None
    """Keys such as elevation_deg: gravity bends the mirror: elevation of its normal for the other values of this entry; linear between at least two entries, constant beyond them."""
    by_temperature: Iterable[Any] | None
    """Keys such as temperature_c: the temperature of the air bends the mirror: temperature for the other values of this entry; linear between at least two entries, constant beyond them; not beside `by_elevation`."""
    canting: str | None
    """rule by which facets are tilted. Value: on_axis, off_axis, point; default on_axis."""
    canting_distance_m: str | None
    """`on_axis`: facets face a point at this distance on the mirror's axis: a length, `slant_range` or `none`. Value in m: above 0 to 1e5, slant_range, none; default slant_range; none for one facet."""
    canting_point_m: Iterable[Any] | None
    """`point`: the facets' normals meet there; to the right and up for an observer in front of the mirror, and along its normal. Value in m: the last beyond the mirror's half diagonal; required for `point`."""
    canting_sun: Mapping[str, Any] | None
    """Keys such as azimuth_deg: `off_axis`: azimuth of the sun for which facets are canted, clockwise from north."""
    canting_time: Time | None
    """`off_axis`: date and time of this sun, instead of `canting_sun`; needs `site`. Value: ISO 8601 with offset; none."""
    facet_corners_m: Iterable[Any] | None
    """`polygon`: corners in order, to the right of and above the facet's centre. Value in m: 3 to 64 corners of a convex polygon within the facet; required for `polygon`."""
    facet_gap_m: Iterable[Any] | None
    """gap between columns, between rows. Value in m: 0 or more; default [0, 0]."""
    facet_hole_m: Number | None
    """`round`: diameter of a hole in the middle, along the width. Value in m: 0 or more, below the facet's width; default 0."""
    facet_offsets_m: Iterable[Any] | None
    """offset of each facet along the mirror's normal, row by row from the lower left, seen from the front; steps between facets shade and block. Value in m: one for each facet, -5 to 5; none: facet centres lie in one plane."""
    facet_outline: str | None
    """outline of each facet within its width and height: all of it, a circle (an ellipse if they differ), or a convex polygon. Value: rectangle, round, polygon; default rectangle."""
    facet_shape: str | None
    """shape of each facet. Value: flat, paraboloid, sphere; default paraboloid."""
    facets: Iterable[Any] | None
    """number of facets: columns, rows. Value: 1 to 100 each; default [1, 1]."""
    focal_length_m: Number | str | Iterable[Any] | None
    """focal length of curved facets: a length, or each heliostat's `slant_range`; for a `paraboloid` also two of them, along width and height. Value in m: above 0 to 1e5, slant_range, or two of them; default slant_range."""
    mirror_offset_m: Number | None
    """from the pivot to the mirror, along its normal. Value in m: -5 to 5; default 0."""
    pivot_height_m: Number | None
    """height of the pivot above ground. Value in m: 0 to 200; required."""
    slant_step_m: Number | None
    """slant ranges are rounded to multiples of it, so that heliostats share surfaces. Value in m: above 0 to 100; default 0.1."""
    azimuth_from_deg: Number | None
    """the field's sector begins here, clockwise from north; with `azimuth_to_deg`. Value in deg: -360 to 360; default -180."""
    azimuth_to_deg: Number | None
    """the field's sector ends here. Value in deg: above azimuth_from_deg, by 360 at most; default 180."""
    azimuthal_spacing: Number | None
    """`no_blocking`: distance of neighbours at the beginning of a zone, in heliostat widths. Value: 1 to 10; default 2."""
    file: Path | None
    """`positions`: table of positions (CSV), relative to this file. Value: existing file; required for `positions`."""
    heliostats: Number | None
    """number of heliostats. Value: whole, 1 to 1e6; none: what fits within `max_radius_m`."""
    max_radius_m: Number | None
    """largest distance of a heliostat from the tower's axis. Value in m: above 0 to 1e5; none: `heliostats` decides."""
    min_distance_m: Number | None
    """smallest distance between pivots. Value in m: 0 to 1000; default diagonal of the mirror about its pivot."""
    min_radius_m: Number | None
    """smallest distance of a heliostat from the tower's axis. Value in m: 0 to 1e5; default 0.75 optical heights."""
    radial_spacing: str | None
    """`radial_stagger`: rule of the rings' distances. Value: no_blocking, delsol; default no_blocking."""
    spacing_reset: Number | None
    """`radial_stagger`: a new zone begins where that distance has grown by this factor. Value: above 1 to 10; default 1.33."""
    spacing_x_m: Number | None
    """`cornfield`, `rows`: distance of neighbours in a row, east to west. Value in m: above 0 to 1000; default `min_distance_m`."""
    spacing_y_m: Number | None
    """`cornfield`, `rows`: distance of rows. Value in m: above 0 to 1000; default the smallest without collisions."""
    absorptance: Number | None
    """fraction of the light on the absorbing surfaces that they absorb, at normal incidence; they reflect the rest. Value: 0 to 1; none: all light on them counts."""
    absorptance_law: str | None
    """factor of `absorptance` by the angle of incidence; `duffie_beckman`: flat black absorbers. Value: constant, duffie_beckman, martin_ruiz; default constant."""
    absorptance_table: Iterable[Any] | None
    """instead of `absorptance`: rows of an angle of incidence in degrees and the absorptance there, linear between them. Value: angles from 0 to 90, ascending; 0 to 1; none."""
    aperture_width_m: Number | None
    """`cavity`: width of its aperture. Value in m: above 0 to 1e6; none: from one end of the wall to the other."""
    arc_deg: Number | None
    """angle over which the panels go round the axis: `polygon`, `cylinder`, `cavity`. Value in deg: above 0 to 360; default 360; 180 for `cavity`."""
    arms: Number | None
    """`star`: number of its tips; it has twice as many panels. Value: whole, 2 to 500; required for `star`."""
    azimuth_deg: Number | None
    """where a plane, disc, billboard, aperture or concentrator faces, clockwise from north; middle of the unrolled cylinder or polygon; a tip of a star. Value in deg: -360 to 360; default 0."""
    azimuths_deg: Iterable[Any] | None
    """`billboard`, `cavity`, `concentrator`: directions of several such receivers around the tower, at most 36, instead of `azimuth_deg`; they are named `receiver_1`, `receiver_2`, ..., and each heliostat aims at the one whose direction is nearest to its own. Value in deg: -360 to 360; none: one receiver."""
    bounces: Number | None
    """reflections that are followed: light that was reflected fewer times is reflected again. Value: whole, 0 to 1000; default 0."""
    columns: Number | None
    """`billboard`: number of panels side by side. Value: whole, 1 to 1000; default 1."""
    exit_radius_m: Number | None
    """`beam_down`: radius of the exit, which the absorber closes, also of `concentrator`; with flat sides their distance from the axis. Value in m: above 0 to 1e6; required for `concentrator` and `beam_down`."""
    foci_distance_m: Number | None
    """`beam_down`: height of the upper focus, at which heliostats aim, above the lower one. Value in m: above 0 to 1e6; required for `beam_down`."""
    half_angle_deg: Number | None
    """`beam_down`: half angle of acceptance of a compound parabolic concentrator with its entry at the lower focus, where otherwise the absorber lies; also of `concentrator`. Value in deg: 1 to 85; required for `concentrator`."""
    inner_radius_m: Number | None
    """`star`: radius of its inner edges; also that of a hole in the mirror of `beam_down`, which has none otherwise. Value in m: above 0 to 1e6; required for `star`."""
    length_m: Number | None
    """`beam_down`: length of a truncated concentrator, also of `concentrator`. Value in m: above 0 to 1e6; default that of the full one."""
    lip_bottom_m: Number | None
    """`cavity`: height of the wall below its aperture, a shield. Value in m: 0 to 1e6; default 0."""
    lip_top_m: Number | None
    """`cavity`: height of the wall above its aperture, a shield. Value in m: 0 to 1e6; default 0."""
    martin_ruiz_coefficient: Number | None
    """coefficient a of the law `martin_ruiz`, (1 - exp(-cos t / a)) / (1 - exp(-1 / a)). Value: above 0 to 10; default 0.16."""
    name: str | None
    """name of the target or receiver. Value: text without /; default receiver."""
    offset_m: Number | None
    """`plane`, `disc`, `billboard`, `cavity`, `concentrator`: from the tower's axis to its centre, along its azimuth. Value in m: -1000 to 1000; default 0."""
    panels: Number | None
    """number of panels of a polygon or of a cavity's wall; sectors of a cylinder, 1 if not given. Value: whole, 1 to 1000; required for `cavity` and `polygon`."""
    radius_of: str | None
    """`polygon`: what lies on its radius, the vertical edges of its panels or their midpoints. Value: vertices, midpoints; default vertices."""
    reflectivity: Number | None
    """`beam_down`: reflectivity of its mirrors, also of a concentrator. Value: 0 to 1; required for `concentrator` and `beam_down`."""
    rows: Number | None
    """`billboard`: number of panels above each other. Value: whole, 1 to 1000; default 1."""
    secondary: str | None
    """`beam_down`: shape of its mirror, below the upper focus (`hyperboloid`) or above it (`ellipsoid`). Value: hyperboloid, ellipsoid; default hyperboloid."""
    shield_height_m: Number | None
    """height of heat shields above and below a polygon or cylinder. Value in m: above 0 to 1e6; none: no shields."""
    shield_width_m: Number | None
    """`billboard`: width of heat shields on all four sides. Value in m: above 0 to 1e6; none: no shields."""
    sides: Number | None
    """`beam_down`: flat sides of the concentrator, also of `concentrator`; 0: round. Value: whole, 0 to 100; default 0."""
    slope_error_mrad: Number | None
    """`beam_down`: standard deviation of the normals of its mirrors about each tangent, also of a concentrator. Value in mrad: 0 to 100; default 0."""
    specular_fraction: Number | None
    """part of the reflected light that is specular; the rest is diffuse (Lambertian). Value: 0 to 1; default 0."""
    tilt_deg: Number | None
    """`plane`, `disc`, `billboard`, `concentrator`: how far it faces down: 0 is vertical, 90 faces the ground. Value in deg: -90 to 90; default 0."""
    vertex_distance_m: Number | None
    """`beam_down`: distance of the mirror's vertex from the upper focus, below it or above it. Value in m: above 0 to 1e6; required for `beam_down`."""
    altitude_m: Number | None
    """altitude of the plant. Value in m: -500 to 9000; default 0."""
    latitude_deg: Number | None
    """latitude of the plant (WGS84), for sun positions from a time. Value in deg: -90 to 90; default 0."""
    longitude_deg: Number | None
    """longitude of the plant, east positive. Value in deg: -180 to 180; default 0."""
    terrain: Mapping[str, Any] | None
    """Keys such as file: heights of the ground on which heliostats and towers stand, relative to this file; as [section terrain](../../configs/README.md#terrain) describes it."""
    optical_height_m: Number | None
    """height of the receiver's centre above ground. Value in m: above 0 to 2000; required."""
    position: Iterable[Any] | None
    """axis of the tower: east, north. Value in m: finite; default [0, 0]."""
    section_azimuth_deg: Number | None
    """turn of a rectangular body: its depth lies along this direction, clockwise from north. Value in deg: -360 to 360; default 0."""
    section_m: Iterable[Any] | None
    """width and depth of a body with a rectangular section, instead of `radius_m`. Value in m: two lengths, above 0 to 400; none: no body."""
    top_radius_m: Number | None
    """radius of the upper end of a body that tapers; with `radius_m`, which is then that of its foot. Value in m: 0 to 200; default `radius_m`."""
    site: SiteKeys | Mapping[str, Any] | None
    """Section site."""
    tower: TowerKeys | Mapping[str, Any] | None
    """Section tower."""
    towers: Mapping[str, Any] | None
    """Keys such as <name>.position: axis of the tower: east, north."""
    receiver: ReceiverKeys | Mapping[str, Any] | None
    """Section receiver."""
    heliostat: HeliostatKeys | Mapping[str, Any] | None
    """Section heliostat."""
    heliostat_types: Mapping[str, Any] | None
    """Keys such as <name>.width_m: width of the mirror over all facets."""
    layout: LayoutKeys | Mapping[str, Any] | None
    """Section layout."""
