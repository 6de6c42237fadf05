# SPDX-License-Identifier: MIT
"""Types of the keywords, for type checkers and editors. Written by scripts/python_keys from the declarations in C++; do not edit."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping
from typing import Any, SupportsFloat, TypedDict, Union

from .configuration import SunShape

Number = SupportsFloat
Path = Union[str, os.PathLike[str]]
Time = Union[str, datetime.datetime]


class SunKeys(TypedDict, total=False):
    """Section sun."""

    azimuth_deg: Number | None
    """azimuth of the sun, clockwise from north; with `elevation_deg`. Value in deg: -360 to 360; one of six forms required."""
    elevation_deg: Number | None
    """elevation of the sun above the horizon; with `azimuth_deg`. Value in deg: above 0 to 90; one of six forms required."""
    time: Time | None
    """date and time with offset from UTC; the sun's position follows from the plant's. Value: ISO 8601 with offset; one of six forms required."""
    incident_direction: Iterable[Any] | None
    """direction in which sunlight travels: east, north, up; any length. Value: up component below 0; one of six forms required."""
    dni_w_m2: Number | None
    """direct normal irradiance. Value in W/m2: above 0 to 10000; default 1000."""
    times: Mapping[str, Any] | Iterable[Any] | None
    """several times, in this order; or a range of them, see below. Value: list of ISO 8601 with offset; one of six forms required."""
    positions: Iterable[Any] | None
    """Keys such as azimuth_deg: azimuth of one of several positions, clockwise from north."""
    file: Path | None
    """CSV file of several positions, relative to this file. Value: existing file; one of six forms required."""
    shape: SunShape | Mapping[str, Any] | None
    """Keys such as type: angular distribution of the sun's radiance."""
    clouds: Mapping[str, Any] | None
    """Keys such as file: file of the share of the irradiance that arrives, relative to this file. CSV: `name`, `share`, with changes in time also `time`; CSV or HDF5: a map, `east_m`, `north_m`, `share`."""


class AimKeys(TypedDict, total=False):
    """Section aim."""

    target: str | None
    """target of all heliostats. Value: a target of the scenario; none: every active heliostat names its own."""
    point: Iterable[Any] | None
    """aim point of all heliostats: east, north, up. Value in m: finite; default the target's centre."""
    active: Iterable[Any] | str | None
    """heliostats that reflect: `all` or a list of names; the others only shade and block. Value: heliostats of the scenario; default all."""
    heliostats: Mapping[str, Any] | None
    """Keys such as <name>.target: target of this heliostat."""
    file: Path | None
    """file of aim points, relative to this file: CSV as `helioray aim` writes it, with a column `time` or `step` the aim points of each step of a series; or a result (HDF5) of `aim` or `raytrace`. Value: existing file; none."""


class OpticsKeys(TypedDict, total=False):
    """Section optics."""

    reflectivity: Number | None
    """share of the power that the mirrors reflect. Value: 0 to 1; default 0.935."""
    slope_error_mrad: Number | None
    """Gaussian slope error: standard deviation of the surface normal about each tangent. Value in mrad: 0 to 500; default 0."""
    slope_error: Mapping[str, Any] | None
    """Keys such as type: slope error as a distribution, instead of `slope_error_mrad`."""
    specularity_error_mrad: Number | None
    """Gaussian specularity error: standard deviation of the reflected ray about each axis. Value in mrad: 0 to 500; default 0."""
    specularity_error: Mapping[str, Any] | None
    """Keys such as type: specularity error as a distribution, instead of `specularity_error_mrad`."""
    tracking_error_mrad: Number | None
    """Gaussian tracking error per axis, drawn once per heliostat from the seed. Value in mrad: 0 to 500; default 0."""
    attenuation: Mapping[str, Any] | str | None
    """atmospheric attenuation over the slant range, short form of `attenuation.model`. Value: none, mirval, vittitoe_biggs_clear, vittitoe_biggs_hazy; none."""


class StateKeys(TypedDict, total=False):
    """Section state."""

    file: Path | None
    """table of the state of single heliostats by name and time, CSV or HDF5, relative to this file. Value: existing file; none: all are alike."""
    soiling: Mapping[str, Any] | None
    """Keys such as rate_per_day: years: share of the reflectivity that soiling takes more every day."""
    outages: Mapping[str, Any] | None
    """Keys such as share: years: mean share of the days on which a heliostat is out of order."""


class AimingKeys(TypedDict, total=False):
    """Section aiming."""

    strategy: str | None
    """how aim points are chosen. Value: center, equator, image_size, sigma, optimize; default optimize."""
    flux_limit_kw_m2: Number | None
    """flux that all targets bear. Value in kW/m2: above 0 to 1e6; none: no limit."""
    flux_limit: Mapping[str, Any] | None
    """Keys such as file: flux that targets bear by place, instead of `flux_limit_kw_m2`: CSV or HDF5, relative to this file."""
    objective: Mapping[str, Any] | str | None
    """`optimize`: what to reach, the most `power`, or a map. Value: power; default power."""
    robust_sigma: Number | None
    """limits of each pixel hold for the mean flux plus so many standard deviations that follow from `optics.tracking_error_mrad` and, in a scenario of `helioray calibrate`, from the expected aim error of each heliostat. Value: 0 to 10; default 0."""
    robust_confidence: Number | None
    """probability that the whole receiver keeps its limits in another draw of these errors, instead of `robust_sigma`, which counts for each pixel alone. Value: 0.5 to 0.99; none: `robust_sigma` decides."""
    sigma_factor: Number | None
    """`sigma`: distance of aim points from the edges, in standard deviations of the image. Value: 0 to 10; default 2."""
    target_shares: Mapping[str, Any] | None
    """Keys such as <name>: share of the power that this target shall get; two or more targets, with the sum 1."""
    max_move_m_per_minute: Number | None
    """longest way of an aim point between two steps of a series, per minute. Value in m/min: above 0 to 1e6; none: any way."""
    min_move_m: Number | None
    """way below which an aim point stays where it was in the step before, or in `aim.file` where one position is chosen; limits may still move it. Value in m: 0 to 1e6; default 0."""


class TracingKeys(TypedDict, total=False):
    """Section tracing."""

    model: str | None
    """`physical`, or ARTIST 2.0.0's formulas (`artist`). Value: physical, artist; default physical."""
    rays_per_heliostat: Number | None
    """rays that start on each active heliostat; `artist` ignores it. Value: whole, 1 to 1e15; default 1e6."""
    relative_error: Number | None
    """go on until the standard error of every target's power is below this share. Value: above 0 and below 1; none: `rays_per_heliostat` decides."""
    relative_error_of: str | None
    """the number of every target that `relative_error` is about: its power, or its peak flux. Value: power, peak; default power."""
    seed: Number | None
    """seed of the random numbers. Value: whole, 0 to 18446744073709551615; default 42."""
    sampling: str | None
    """how rays are drawn; `artist` ignores it. Value: sobol, random; default sobol."""
    shading: bool | None
    """mirrors keep sunlight from other mirrors; `artist` ignores it. Value: true, false; default true."""
    blocking: bool | None
    """mirrors stop reflected light of other mirrors; for `artist` its soft blocking. Value: true, false; default true."""


class ArtistKeys(TypedDict, total=False):
    """Section artist."""

    surface_points_per_facet: Iterable[Any] | None
    """`artist`: points along a facet's two edges. Value: two whole numbers, 2 to 10000; default [50, 50]."""
    rays_per_point: Number | None
    """`artist`: rays per surface point. Value: whole, 1 to 1e9; default the scenario's light source."""
    batch_size: Number | None
    """`artist`: heliostats that are traced at once. Value: whole, 1 to 1e9; default 100."""
    magnitude: str | None
    """`artist`: what a ray carries, 1 (`unit`) or watts (`dni`). Value: unit, dni; default unit."""
    extinction: Number | None
    """`artist`: share of every ray that is lost, whatever its length. Value: 0 to 1; default 0."""


class BitmapKeys(TypedDict, total=False):
    """Section bitmap."""

    width: Number | None
    """pixels across a target. Value: whole, 1 to 16384; default 256."""
    height: Number | None
    """pixels up a target. Value: whole, 1 to 16384; default 256."""
    filter: str | None
    """`box`: a ray falls into one pixel; `bilinear`: it is spread over four; `artist` ignores it. Value: box, bilinear; default box."""


class OutputKeys(TypedDict, total=False):
    """Section output."""

    file: Path | None
    """result file (HDF5), relative to the working directory. Value: .h5, .hdf5; none: no result file."""
    image: Path | None
    """picture of the flux maps, relative to the working directory. Value: .png, .svg, .pdf; none: no picture."""
    per_heliostat: bool | None
    """also store every heliostat's own flux map. Value: true, false; default false."""
    checkpoint_minutes: Number | None
    """how often what is traced so far is kept in `<output.file>.parts`, so that the same command continues after an interruption; 0: never. Value in min: 0 to 1e5; default 1."""


class DistributedKeys(TypedDict, total=False):
    """Section distributed."""

    backend: str | None
    """how several ranks communicate; `auto`: nccl where every rank has a GPU of its own, else gloo. Value: auto, nccl, gloo; default auto."""
    timeout_s: Number | None
    """longest wait for another rank. Value in s: above 0 to 1e6; default 300."""
    schedule: str | None
    """`static`: work is divided beforehand; `dynamic`: ranks draw work units as they become free. Value: static, dynamic; default static."""


class TensorKeys(TypedDict, total=False):
    """Keywords of helioray.torch.Field."""

    dni: Number | None
    """direct normal irradiance. Value in W/m2: above 0 to 10000; default 1000."""
    rays: Number | None
    """rays that start on each active heliostat; `artist` ignores it. Value: whole, 1 to 1e15; default 1e6."""
    sun_shape: SunShape | Mapping[str, Any] | None
    """Keys such as type: angular distribution of the sun's radiance."""
    target: str | None
    """target of all heliostats. Value: a target of the scenario; none: every active heliostat names its own."""
    active: Iterable[Any] | str | None
    """heliostats that reflect: `all` or a list of names; the others only shade and block. Value: heliostats of the scenario; default all."""
    heliostats: Mapping[str, Any] | None
    """Keys such as <name>.target: target of this heliostat."""
    point: Iterable[Any] | None
    """aim point of all heliostats: east, north, up. Value in m: finite; default the target's centre."""
    flux_limit: Mapping[str, Any] | None
    """Keys such as file: flux that targets bear by place, instead of `flux_limit_kw_m2`: CSV or HDF5, relative to this file."""
    flux_limit_kw_m2: Number | None
    """flux that all targets bear. Value in kW/m2: above 0 to 1e6; none: no limit."""
    max_move_m_per_minute: Number | None
    """longest way of an aim point between two steps of a series, per minute. Value in m/min: above 0 to 1e6; none: any way."""
    min_move_m: Number | None
    """way below which an aim point stays where it was in the step before, or in `aim.file` where one position is chosen; limits may still move it. Value in m: 0 to 1e6; default 0."""
    objective: Mapping[str, Any] | str | None
    """`optimize`: what to reach, the most `power`, or a map. Value: power; default power."""
    robust_confidence: Number | None
    """probability that the whole receiver keeps its limits in another draw of these errors, instead of `robust_sigma`, which counts for each pixel alone. Value: 0.5 to 0.99; none: `robust_sigma` decides."""
    robust_sigma: Number | None
    """limits of each pixel hold for the mean flux plus so many standard deviations that follow from `optics.tracking_error_mrad` and, in a scenario of `helioray calibrate`, from the expected aim error of each heliostat. Value: 0 to 10; default 0."""
    sigma_factor: Number | None
    """`sigma`: distance of aim points from the edges, in standard deviations of the image. Value: 0 to 10; default 2."""
    strategy: str | None
    """how aim points are chosen. Value: center, equator, image_size, sigma, optimize; default optimize."""
    target_shares: Mapping[str, Any] | None
    """Keys such as <name>: share of the power that this target shall get; two or more targets, with the sum 1."""
    batch_size: Number | None
    """`artist`: heliostats that are traced at once. Value: whole, 1 to 1e9; default 100."""
    extinction: Number | None
    """`artist`: share of every ray that is lost, whatever its length. Value: 0 to 1; default 0."""
    magnitude: str | None
    """`artist`: what a ray carries, 1 (`unit`) or watts (`dni`). Value: unit, dni; default unit."""
    rays_per_point: Number | None
    """`artist`: rays per surface point. Value: whole, 1 to 1e9; default the scenario's light source."""
    surface_points_per_facet: Iterable[Any] | None
    """`artist`: points along a facet's two edges. Value: two whole numbers, 2 to 10000; default [50, 50]."""
    filter: str | None
    """`box`: a ray falls into one pixel; `bilinear`: it is spread over four; `artist` ignores it. Value: box, bilinear; default box."""
    height: Number | None
    """pixels up a target. Value: whole, 1 to 16384; default 256."""
    width: Number | None
    """pixels across a target. Value: whole, 1 to 16384; default 256."""
    backend: str | None
    """how several ranks communicate; `auto`: nccl where every rank has a GPU of its own, else gloo. Value: auto, nccl, gloo; default auto."""
    schedule: str | None
    """`static`: work is divided beforehand; `dynamic`: ranks draw work units as they become free. Value: static, dynamic; default static."""
    timeout_s: Number | None
    """longest wait for another rank. Value in s: above 0 to 1e6; default 300."""
    attenuation: Mapping[str, Any] | str | None
    """atmospheric attenuation over the slant range, short form of `attenuation.model`. Value: none, mirval, vittitoe_biggs_clear, vittitoe_biggs_hazy; none."""
    reflectivity: Number | None
    """share of the power that the mirrors reflect. Value: 0 to 1; default 0.935."""
    slope_error: Mapping[str, Any] | None
    """Keys such as type: slope error as a distribution, instead of `slope_error_mrad`."""
    slope_error_mrad: Number | None
    """Gaussian slope error: standard deviation of the surface normal about each tangent. Value in mrad: 0 to 500; default 0."""
    specularity_error: Mapping[str, Any] | None
    """Keys such as type: specularity error as a distribution, instead of `specularity_error_mrad`."""
    specularity_error_mrad: Number | None
    """Gaussian specularity error: standard deviation of the reflected ray about each axis. Value in mrad: 0 to 500; default 0."""
    tracking_error_mrad: Number | None
    """Gaussian tracking error per axis, drawn once per heliostat from the seed. Value in mrad: 0 to 500; default 0."""
    checkpoint_minutes: Number | None
    """how often what is traced so far is kept in `<output.file>.parts`, so that the same command continues after an interruption; 0: never. Value in min: 0 to 1e5; default 1."""
    image: Path | None
    """picture of the flux maps, relative to the working directory. Value: .png, .svg, .pdf; none: no picture."""
    per_heliostat: bool | None
    """also store every heliostat's own flux map. Value: true, false; default false."""
    outages: Mapping[str, Any] | None
    """Keys such as share: years: mean share of the days on which a heliostat is out of order."""
    soiling: Mapping[str, Any] | None
    """Keys such as rate_per_day: years: share of the reflectivity that soiling takes more every day."""
    azimuth_deg: Number | None
    """azimuth of the sun, clockwise from north; with `elevation_deg`. Value in deg: -360 to 360; one of six forms required."""
    clouds: Mapping[str, Any] | None
    """Keys such as file: file of the share of the irradiance that arrives, relative to this file. CSV: `name`, `share`, with changes in time also `time`; CSV or HDF5: a map, `east_m`, `north_m`, `share`."""
    dni_w_m2: Number | None
    """direct normal irradiance. Value in W/m2: above 0 to 10000; default 1000."""
    elevation_deg: Number | None
    """elevation of the sun above the horizon; with `azimuth_deg`. Value in deg: above 0 to 90; one of six forms required."""
    incident_direction: Iterable[Any] | None
    """direction in which sunlight travels: east, north, up; any length. Value: up component below 0; one of six forms required."""
    positions: Iterable[Any] | None
    """Keys such as azimuth_deg: azimuth of one of several positions, clockwise from north."""
    shape: SunShape | Mapping[str, Any] | None
    """Keys such as type: angular distribution of the sun's radiance."""
    time: Time | None
    """date and time with offset from UTC; the sun's position follows from the plant's. Value: ISO 8601 with offset; one of six forms required."""
    times: Mapping[str, Any] | Iterable[Any] | None
    """several times, in this order; or a range of them, see below. Value: list of ISO 8601 with offset; one of six forms required."""
    blocking: bool | None
    """mirrors stop reflected light of other mirrors; for `artist` its soft blocking. Value: true, false; default true."""
    model: str | None
    """`physical`, or ARTIST 2.0.0's formulas (`artist`). Value: physical, artist; default physical."""
    rays_per_heliostat: Number | None
    """rays that start on each active heliostat; `artist` ignores it. Value: whole, 1 to 1e15; default 1e6."""
    relative_error: Number | None
    """go on until the standard error of every target's power is below this share. Value: above 0 and below 1; none: `rays_per_heliostat` decides."""
    relative_error_of: str | None
    """the number of every target that `relative_error` is about: its power, or its peak flux. Value: power, peak; default power."""
    sampling: str | None
    """how rays are drawn; `artist` ignores it. Value: sobol, random; default sobol."""
    seed: Number | None
    """seed of the random numbers. Value: whole, 0 to 18446744073709551615; default 42."""
    shading: bool | None
    """mirrors keep sunlight from other mirrors; `artist` ignores it. Value: true, false; default true."""
    scenario: Path | None
    """scenario file (HDF5), relative to this file. Value: existing file; required."""
    sun: SunKeys | Mapping[str, Any] | Iterable[Number] | Time | None
    """Position of the sun: azimuth and elevation in degrees, a time with its offset, or keys of section sun."""
    aim: AimKeys | Mapping[str, Any] | None
    """Section aim."""
    optics: OpticsKeys | Mapping[str, Any] | None
    """Section optics."""
    state: StateKeys | Mapping[str, Any] | Any | None
    """State of single heliostats: a frame or dict of columns, or keys of section state."""
    targets: Mapping[str, Any] | None
    """Keys such as <name>.aperture.center: centre of a window that reflected light must pass: east, north, up."""
    obstacles: Iterable[Any] | None
    """Keys such as name: name of the body, for messages."""
    receivers: Mapping[str, Any] | None
    """Keys such as <name>.type: shape of the receiver; `surfaces` is a list of its own."""
    aiming: AimingKeys | Mapping[str, Any] | None
    """Section aiming."""
    tracing: TracingKeys | Mapping[str, Any] | None
    """Section tracing."""
    artist: ArtistKeys | Mapping[str, Any] | None
    """Section artist."""
    bitmap: BitmapKeys | Mapping[str, Any] | None
    """Section bitmap."""
    distributed: DistributedKeys | Mapping[str, Any] | None
    """Section distributed."""


class SeriesKeys(TensorKeys, total=False):
    """Keywords of calls that have their own output."""

    device: str | None
    """where to compute; `auto`: a GPU where there is one. Value: auto, cpu, cuda, cuda:N; default auto."""


class RunKeys(SeriesKeys, total=False):
    """Keywords of helioray.trace() and helioray.prepare()."""

    output: OutputKeys | Mapping[str, Any] | None
    """Section output."""


class SiteKeys(TypedDict, total=False):
    """Section site."""

    latitude_deg: Number | None
    """latitude of the plant (WGS84), for sun positions from a time. Value in deg: -90 to 90; default 0."""
    longitude_deg: Number | None
    """longitude of the plant, east positive. Value in deg: -180 to 180; default 0."""
    altitude_m: Number | None
    """altitude of the plant. Value in m: -500 to 9000; default 0."""


class TowerKeys(TypedDict, total=False):
    """Section tower."""

    position: Iterable[Any] | None
    """axis of the tower: east, north. Value in m: finite; default [0, 0]."""
    optical_height_m: Number | None
    """height of the receiver's centre above ground. Value in m: above 0 to 2000; required."""
    height_m: Number | None
    """height of the tower's body, which shades and blocks; with `radius_m`. Value in m: above 0 to 2000; none: no body."""
    radius_m: Number | None
    """radius of the tower's body; with `height_m`. Value in m: above 0 to 200; none: no body."""


class ReceiverKeys(TypedDict, total=False):
    """Section receiver."""

    name: str | None
    """name of the target or receiver. Value: text without /; default receiver."""
    type: str | None
    """one surface: a rectangle (`plane`), a `disc` or an external `cylinder`; or several, as [section receivers](../../configs/README.md#receivers) describes them. Value: plane, cylinder, disc, polygon, billboard, star, cavity; required."""
    width_m: Number | None
    """width of a plane or billboard. Value in m: above 0 to 1000; required for `billboard` and `plane`."""
    height_m: Number | None
    """its height, along its own surface; not of a disc. Value in m: above 0 to 1000; required except for `disc`."""
    radius_m: Number | None
    """radius of a cylinder, disc, polygon, star or cavity. Value in m: above 0 to 1000; required except for `plane` and `billboard`."""
    azimuth_deg: Number | None
    """where a plane, disc, billboard or aperture faces, clockwise from north; middle of the unrolled cylinder or polygon; a tip of a star. Value in deg: -360 to 360; default 0."""
    tilt_deg: Number | None
    """`plane`, `disc`, `billboard`: how far it faces down: 0 is vertical, 90 faces the ground. Value in deg: -90 to 90; default 0."""
    offset_m: Number | None
    """`plane`, `disc`, `billboard`, `cavity`: from the tower's axis to its centre, along its azimuth. Value in m: -1000 to 1000; default 0."""
    inner_radius_m: Number | None
    """`star`: radius of its inner edges. Value in m: above 0 to 1e6; required for `star`."""
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
    facet_shape: str | None
    """shape of each facet. Value: flat, paraboloid, sphere; default paraboloid."""
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
    facet_gap_m: Iterable[Any] | None
    """gap between columns, between rows. Value in m: 0 or more; default [0, 0]."""
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
    aperture_width_m: Number | None
    """`cavity`: width of its aperture. Value in m: above 0 to 1e6; none: from one end of the wall to the other."""
    arc_deg: Number | None
    """angle over which the panels go round the axis: `polygon`, `cylinder`, `cavity`. Value in deg: above 0 to 360; default 360; 180 for `cavity`."""
    arms: Number | None
    """`star`: number of its tips; it has twice as many panels. Value: whole, 2 to 500; required for `star`."""
    azimuth_deg: Number | None
    """where a plane, disc, billboard or aperture faces, clockwise from north; middle of the unrolled cylinder or polygon; a tip of a star. Value in deg: -360 to 360; default 0."""
    columns: Number | None
    """`billboard`: number of panels side by side. Value: whole, 1 to 1000; default 1."""
    inner_radius_m: Number | None
    """`star`: radius of its inner edges. Value in m: above 0 to 1e6; required for `star`."""
    lip_bottom_m: Number | None
    """`cavity`: height of the wall below its aperture, a shield. Value in m: 0 to 1e6; default 0."""
    lip_top_m: Number | None
    """`cavity`: height of the wall above its aperture, a shield. Value in m: 0 to 1e6; default 0."""
    name: str | None
    """name of the target or receiver. Value: text without /; default receiver."""
    offset_m: Number | None
    """`plane`, `disc`, `billboard`, `cavity`: from the tower's axis to its centre, along its azimuth. Value in m: -1000 to 1000; default 0."""
    panels: Number | None
    """number of panels of a polygon or of a cavity's wall; sectors of a cylinder, 1 if not given. Value: whole, 1 to 1000; required for `cavity` and `polygon`."""
    radius_of: str | None
    """`polygon`: what lies on its radius, the vertical edges of its panels or their midpoints. Value: vertices, midpoints; default vertices."""
    rows: Number | None
    """`billboard`: number of panels above each other. Value: whole, 1 to 1000; default 1."""
    shield_height_m: Number | None
    """height of heat shields above and below a polygon or cylinder. Value in m: above 0 to 1e6; none: no shields."""
    shield_width_m: Number | None
    """`billboard`: width of heat shields on all four sides. Value in m: above 0 to 1e6; none: no shields."""
    tilt_deg: Number | None
    """`plane`, `disc`, `billboard`: how far it faces down: 0 is vertical, 90 faces the ground. Value in deg: -90 to 90; default 0."""
    altitude_m: Number | None
    """altitude of the plant. Value in m: -500 to 9000; default 0."""
    latitude_deg: Number | None
    """latitude of the plant (WGS84), for sun positions from a time. Value in deg: -90 to 90; default 0."""
    longitude_deg: Number | None
    """longitude of the plant, east positive. Value in deg: -180 to 180; default 0."""
    optical_height_m: Number | None
    """height of the receiver's centre above ground. Value in m: above 0 to 2000; required."""
    position: Iterable[Any] | None
    """axis of the tower: east, north. Value in m: finite; default [0, 0]."""
    site: SiteKeys | Mapping[str, Any] | None
    """Section site."""
    tower: TowerKeys | Mapping[str, Any] | None
    """Section tower."""
    receiver: ReceiverKeys | Mapping[str, Any] | None
    """Section receiver."""
    heliostat: HeliostatKeys | Mapping[str, Any] | None
    """Section heliostat."""
    heliostat_types: Mapping[str, Any] | None
    """Keys such as <name>.width_m: width of the mirror over all facets."""
    layout: LayoutKeys | Mapping[str, Any] | None
    """Section layout."""
