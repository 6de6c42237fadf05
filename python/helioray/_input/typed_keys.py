# SPDX-License-Identifier: MIT
"""Types of the keywords of runs, for type checkers and editors. Written by scripts/python_keys from the declarations in C++; do not edit."""

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
    temperature_c: Number | None
    """temperature of the air, for mirrors whose shape changes with it. Value in °C: -100 to 100; none."""
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
    """target of all heliostats. Value: a target or receiver of the scenario; none: every active heliostat names its own."""
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
    reflectivity_by_angle: Iterable[Any] | None
    """factor of every reflectivity by the angle of incidence in degrees; linear between the pairs and constant beyond them. Value: pairs: 0 to 90, ascending; 0 to 1; default 1 at all angles."""
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


class TerrainKeys(TypedDict, total=False):
    """Section terrain."""

    file: Path | None
    """heights of the ground on a grid, relative to this file: CSV with the columns `x`, `y`, `z` of its points, an ASCII grid of ESRI, or HDF5 with `east_m`, `north_m`, `height_m`. Value: existing file; none: no hills."""
    origin_m: Iterable[Any] | None
    """coordinates of the file at the origin of the scenario: east, north, up. Value in m: finite; default [0, 0, 0]."""


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
    facet_occlusion: str | None
    """facets of one mirror shade and block each other; `auto`: where their centres lie at different depths; `artist` ignores it. Value: auto, true, false; default auto."""


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
    """`static`: work is divided beforehand; `dynamic`: ranks draw work units as they become free; `master_worker`: rank 0 hands out units, so that other ranks may be lost or join late ([when](../distributed/RECIPES.md#ranks-that-come-and-go)). Value: static, dynamic, master_worker; default static."""


class TensorKeys(TypedDict, total=False):
    """Keywords of helioray.torch.Field."""

    dni: Number | None
    """direct normal irradiance. Value in W/m2: above 0 to 10000; default 1000."""
    rays: Number | None
    """rays that start on each active heliostat; `artist` ignores it. Value: whole, 1 to 1e15; default 1e6."""
    sun_shape: SunShape | Mapping[str, Any] | None
    """Keys such as type: angular distribution of the sun's radiance."""
    target: str | None
    """target of all heliostats. Value: a target or receiver of the scenario; none: every active heliostat names its own."""
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
    """`static`: work is divided beforehand; `dynamic`: ranks draw work units as they become free; `master_worker`: rank 0 hands out units, so that other ranks may be lost or join late ([when](../distributed/RECIPES.md#ranks-that-come-and-go)). Value: static, dynamic, master_worker; default static."""
    timeout_s: Number | None
    """longest wait for another rank. Value in s: above 0 to 1e6; default 300."""
    attenuation: Mapping[str, Any] | str | None
    """atmospheric attenuation over the slant range, short form of `attenuation.model`. Value: none, mirval, vittitoe_biggs_clear, vittitoe_biggs_hazy; none."""
    reflectivity: Number | None
    """share of the power that the mirrors reflect. Value: 0 to 1; default 0.935."""
    reflectivity_by_angle: Iterable[Any] | None
    """factor of every reflectivity by the angle of incidence in degrees; linear between the pairs and constant beyond them. Value: pairs: 0 to 90, ascending; 0 to 1; default 1 at all angles."""
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
    temperature_c: Number | None
    """temperature of the air, for mirrors whose shape changes with it. Value in °C: -100 to 100; none."""
    time: Time | None
    """date and time with offset from UTC; the sun's position follows from the plant's. Value: ISO 8601 with offset; one of six forms required."""
    times: Mapping[str, Any] | Iterable[Any] | None
    """several times, in this order; or a range of them, see below. Value: list of ISO 8601 with offset; one of six forms required."""
    origin_m: Iterable[Any] | None
    """coordinates of the file at the origin of the scenario: east, north, up. Value in m: finite; default [0, 0, 0]."""
    blocking: bool | None
    """mirrors stop reflected light of other mirrors; for `artist` its soft blocking. Value: true, false; default true."""
    facet_occlusion: str | None
    """facets of one mirror shade and block each other; `auto`: where their centres lie at different depths; `artist` ignores it. Value: auto, true, false; default auto."""
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
    terrain: TerrainKeys | Mapping[str, Any] | None
    """Section terrain."""
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
    """where to compute; `cuda`: every GPU, or with several ranks one for each; `cuda:0,2`: these; `auto`: cuda where there is a GPU. Value: auto, cpu, cuda, cuda:N, cuda:N,M; default auto."""


class RunKeys(SeriesKeys, total=False):
    """Keywords of helioray.trace() and helioray.prepare()."""

    output: OutputKeys | Mapping[str, Any] | None
    """Section output."""
