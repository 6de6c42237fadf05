# SPDX-License-Identifier: MIT
"""Efficiency and flux maps over the sky, and their export to plant models."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from .._input.calls import Progress, make_call, source_with_file
from .._input.configuration import describe, input_error, number, output_text, path_text, switch, whole, word
from .._input.extras import load
from .._input.keywords import RUN_KEYS, with_keys
from .._input.working import working_folder
from .._plant import Plant
from .picture import Picture, draw_picture_as, format_html
from .printed import PrintedPositions, format_warnings, make_page
from .run import pixel_centres

if TYPE_CHECKING:
    import xarray
    from typing_extensions import Unpack

    from .._input.typed_keys import SeriesKeys


class Efficiency(PrintedPositions):
    """Efficiency and normalised flux maps over azimuth and elevation of the sun, each with its error.

    Efficiencies refer to irradiance times the area of all mirrors, and count light that is incident on the targets.
    """

    def __init__(self, core: _core.Efficiency) -> None:
        super().__init__(core)
        self._core = core

    @classmethod
    def of_file(cls, file: str) -> Efficiency:
        """Reads the program's file."""
        return cls(_core.read_efficiency(file))

    @property
    def table(self) -> dict[str, Any]:
        """NumPy arrays: azimuth_deg [A] and elevation_deg [E]; over both [A, E] efficiency, efficiency_std_error (from rays),
        interpolation_error (of linear interpolation), the losses (fractions of irradiance times mirror area; parked_loss is that of mirrors
        that cannot follow the sun), and reached (1 for positions that the sun reaches; other positions have the numbers of the nearest one that it reaches)."""
        return self._core.table()

    @property
    def dataset(self) -> xarray.Dataset:
        """The table as xarray.Dataset over azimuth_deg and elevation_deg; for each target NAME also efficiency_NAME, its std_error and
        interpolation_error_NAME, flux_share_NAME and flux_share_std_error_NAME [azimuth_deg, elevation_deg, height_m_NAME, width_m_NAME], maps whose sum is 1."""
        xarray = load("xarray", "efficiency.dataset")
        arrays = self.table
        sky = ("azimuth_deg", "elevation_deg")
        coordinates: dict[str, Any] = {name: (name, arrays.pop(name), {"units": "degree"}) for name in sky}
        data: dict[str, Any] = {name: (sky, values, {"units": "1"}) for name, values in arrays.items()}
        for target in self._core.targets():
            name = target["name"]
            height, width = target["flux_share"].shape[2:]
            wide, high = target["extent_m"]
            axes = (f"height_m_{name}", f"width_m_{name}")
            coordinates[axes[0]] = (axes[0], -pixel_centres(height, high), {"units": "m"})
            coordinates[axes[1]] = (axes[1], pixel_centres(width, wide), {"units": "m"})
            for quantity, values in target.items():
                if hasattr(values, "ndim"):
                    data[f"{quantity}_{name}"] = ((*sky, *axes)[:values.ndim], values, {"units": "1"})
        return xarray.Dataset(data, coords=coordinates, attrs={"fingerprint": self.fingerprint})

    def sam(self, *, absorptance: float = 0.94, panels: int = 20, target: str = "", land_area_m2: float | None = None) -> dict[str, Any]:
        """Returns values for PySAM's molten salt tower by their names: field_model_type 4, eta_map, flux_maps, A_sf_in, N_hel, ...

        absorptance: absorptance of the receiver, a factor of the efficiency; panels: SAM's N_panels. target: needed if there are several.
        land_area_m2: None uses the convex hull of the heliostats.
        """
        files = self._core.sam(_plant_model("efficiency.sam", absorptance, panels, target, land_area_m2))
        return dict(json.loads(files["sam.json"]))

    def export(self, format: str, path: str | os.PathLike[str], *, absorptance: float = 0.94, panels: int = 20, target: str = "",
               land_area_m2: float | None = None) -> list[Path]:
        """Writes the files of `helioray export`: sam and solarpilot into the folder `path`, solartherm and netcdf as the file `path`.

        The other arguments are those of sam(), if the format supports them. Returns the files.
        """
        options = _plant_model("efficiency.export", absorptance, panels, target, land_area_m2)
        place = path_text(path, "efficiency.export")
        return [Path(file) for file in self._core.export(format=word(format, "efficiency.export: format"), options=options, path=place)]

    def plot(self, path: str | os.PathLike[str] | None = None) -> Picture:
        """The program's picture of the efficiency over the sky. With a path (.png, .svg, .pdf) also a file."""
        return draw_picture_as(lambda format: self._core.picture(format=format), path, "efficiency.plot")

    def report(self, path: str | os.PathLike[str] | None = None, title: str | None = None) -> str:
        """The program's web page about the table; with a path also a file."""
        return make_page(self._core.report, title, path, "efficiency.report")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the file (HDF5) of the program, complete or not at all."""
        self._core.write(output_text(path, "efficiency.write", "hdf5"))

    def _repr_html_(self) -> str:
        return format_html(self.plot, self.summary)

    def __repr__(self) -> str:
        return f"<helioray.Efficiency: fingerprint {self.fingerprint}{format_warnings(self.facts['warnings'])}>"


def _plant_model(caller: str, absorptance: float, panels: int, target: str, land_area_m2: float | None) -> _core.PlantModelOptions:
    return _core.plant_model(target=word(target, f"{caller}: target"), absorptance=number(absorptance, f"{caller}: absorptance"),
                             panels=whole(panels, f"{caller}: panels"),
                             land_area_m2=None if land_area_m2 is None else number(land_area_m2, f"{caller}: land_area_m2", "give m2"))


def _angles(values: Any, where: str) -> list[float]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise input_error(where, f"{describe(values)} is no list of degrees", "", "give for example range(0, 360, 15)")
    return [number(value, f"{where}[{i}]", "give degrees") for i, value in enumerate(values)]


def _check_degrees(azimuths: list[float] | None, elevations: list[float] | None, where: str) -> None:
    """Refuses a grid that is in radians."""
    if azimuths and len(azimuths) > 1 and max(map(abs, azimuths)) <= 2 * math.pi and (not elevations or max(map(abs, elevations)) <= math.pi / 2):
        raise input_error(f"{where}: azimuths", "seem to be in radians", "they are in degrees", "convert them with numpy.degrees()")
    if elevations and len(elevations) > 1 and max(map(abs, elevations)) <= math.pi / 2:
        raise input_error(f"{where}: elevations", "seem to be in radians", "they are in degrees", "convert them with numpy.degrees()")


@with_keys(RUN_KEYS)
def efficiency(source: Plant | str | os.PathLike[str], *, azimuths: Iterable[float] | None = None, elevations: Iterable[float] | None = None,
               grid: str = "", output: str | os.PathLike[str] | None = None, min_elevation_deg: float | None = None,
               declinations: int | None = None, hours: int | None = None, checks: bool = True, restart: bool = False, threads: int = 0, ranks: bool = False, progress: Progress = None, **keys: Unpack[SeriesKeys]) -> Efficiency:
    """Traces a rectangle of sun positions to a table of efficiency and flux, as `helioray efficiency` does.

    source, keys, threads, ranks, progress: as for trace(); no position of the sun is needed.
    azimuths, elevations: degrees, ascending, azimuths clockwise from north. None: every 15 degrees, and 5 to 90 degrees.
    grid: "solarpilot" for the positions of SolarPILOT; "year" traces those of annual() and interpolates the table between them.
    min_elevation_deg, declinations, hours: only for grid "year"; None: 10, 9 and 13, as for annual().
    checks: True also traces the middles of the cells between entries to measure interpolation_error. Otherwise it is estimated
        from the entries alone, in about half the time. Not for grid "year", whose checks need no positions.
    output: file (HDF5) beside which finished positions are stored, so that the same call continues unless
        restart=True. None: nothing is stored, except if the call fails after it has finished steps; the error then names the file to continue with.
    """
    where = "hr.efficiency"
    around = None if azimuths is None else _angles(azimuths, f"{where}: azimuths")
    above = None if elevations is None else _angles(elevations, f"{where}: elevations")
    _check_degrees(around, above, where)
    what = _core.efficiency_options(azimuths_deg=around, elevations_deg=above,
                                    grid=word(grid, f"{where}: grid"),
                                    min_elevation_deg=None if min_elevation_deg is None
                                    else number(min_elevation_deg, f"{where}: min_elevation_deg", "give degrees"),
                                    declinations=None if declinations is None else whole(declinations, f"{where}: declinations"),
                                    hours=None if hours is None else whole(hours, f"{where}: hours"),
                                    checks=switch(checks, f"{where}: checks"))
    name = output_text(output, "hr.efficiency: output", "hdf5") if output is not None else ""
    with working_folder(os.path.abspath(name) if name else "efficiency.h5") as (_, file):
        with source_with_file(source, keys, "hr.efficiency") as traced:
            return Efficiency(_core.efficiency(source=traced, file=name or file, what=what, restart=switch(restart, f"{where}: restart"),
                                               call=make_call(progress, threads, ranks)))
