# SPDX-License-Identifier: MIT
"""Single runs and their results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from .._input.calls import Progress, make_call, make_source
from .._input.configuration import describe, input_error, list_names, output_text, switch, word
from .._input.extras import load
from .._input.keywords import RUN_KEYS, with_keys
from .._plant import Plant
from .picture import Picture, draw_picture_as, format_html
from .printed import format_warnings, make_page

if TYPE_CHECKING:
    import numpy
    import pandas
    import xarray
    from typing_extensions import Unpack

    from .._input.typed_keys import RunKeys


# Limit up to which a run reads the maps of single heliostats at once.
MOST_BYTES_OF_MAPS = 1 << 30


class Maps(Mapping[str, Any]):
    """Flux maps by the name of their target, created on access."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __getitem__(self, name: str) -> xarray.DataArray:
        return self._run._map(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._run._targets)

    def __len__(self) -> int:
        return len(self._run._targets)

    def __repr__(self) -> str:
        return f"<flux maps: {', '.join(self) or 'none'}>"


def pixel_centres(count: int, extent: float) -> numpy.ndarray[Any, Any]:
    """Returns the pixel centres in metres from the middle of an extent, ascending."""
    import numpy as np
    return ((np.arange(count) + 0.5) / count - 0.5) * extent


class HeliostatMaps(Mapping[str, Any]):
    """Maps of single heliostats that stay in the file of a run, by the name of their heliostat; each is read on access."""

    def __init__(self, file: str, run: Run) -> None:
        self.file = file
        self._fingerprint = run.fingerprint
        columns = run._core.heliostats()
        self._rows = {str(name): row for row, name in enumerate(columns["name"])}
        shapes = {name: target["flux"].shape for name, target in run._targets.items()}
        self._shapes = [shapes[str(target)] for target in columns["target"]]

    def __getitem__(self, name: str) -> Any:
        row = self._rows[name]
        return _core.read_heliostat_flux(self.file, self._fingerprint, row).reshape(self._shapes[row])

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class Run:
    """A result: flux, energy and provenance. It can be pickled; arrays are read-only views."""

    def __init__(self, core: _core.Result) -> None:
        self._core = core
        self._targets: dict[str, dict[str, Any]] = {target["name"]: target for target in core.targets()}
        self._maps: HeliostatMaps | None = None

    @classmethod
    def of_file(cls, file: str) -> Run:
        """Reads the run of a result file."""
        if _core.heliostat_flux_bytes(file) <= MOST_BYTES_OF_MAPS:
            return cls(_core.read_result(file, None))
        run = cls(_core.read_result_alone(file))
        run._maps = HeliostatMaps(os.path.abspath(file), run)
        return run

    @property
    def flux(self) -> Maps:
        """Flux maps by target: xarray.DataArray [height_m, width_m] in W/m2, row 0 at the top and column 0 at the left edge as seen by an
        observer who faces the target. Coordinates are metres from the target's centre, to the right and up, those of the errors are
        std_error, one standard deviation of each pixel in W/m2."""
        return Maps(self)

    def _target(self, name: Any) -> dict[str, Any]:
        if not isinstance(name, str) or name not in self._targets:
            known = describe(name)
            raise KeyError(f"no target {known} in this run; {_core.suggest(known.strip(chr(39)), list(self._targets))}")
        return self._targets[name]

    def _map(self, name: str) -> xarray.DataArray:
        target = self._target(name)
        xarray = load("xarray", "run.flux")
        height, width = target["flux"].shape
        wide, high = target["extent_m"]
        dims = ("height_m", "width_m")
        metres = {"units": "m"}
        coordinates: dict[str, Any] = {
            "height_m": ("height_m", -pixel_centres(height, high), {**metres, "long_name": "up from the target's centre"}),
            "width_m": ("width_m", pixel_centres(width, wide), {**metres, "long_name": "right of the target's centre"}),
        }
        if target["flux_std_error"] is not None:
            coordinates["std_error"] = (dims, target["flux_std_error"], {"units": target["unit"], "long_name": "standard error of the flux"})
        attributes = {"units": target["unit"], "long_name": "flux", "kind": target["kind"], "geometry": target["geometry"],
                      **{key: target[key] for key in (*self._core.target_units(), "centroid_m")}}
        return xarray.DataArray(target["flux"], coords=coordinates, dims=dims, name="flux", attrs=attributes)

    @property
    def dataset(self) -> xarray.Dataset:
        """The whole result as xarray.Dataset: for each target NAME flux_NAME and flux_std_error_NAME [height_m_NAME, width_m_NAME] in W/m2 (see
        flux), power_w_NAME and power_std_error_w_NAME; the energy terms and target_power_std_error [heliostat] in W."""
        xarray = load("xarray", "run.dataset")
        data: dict[str, Any] = {}
        for name in self._targets:
            flux = self._map(name)
            dims = [f"{axis}_{name}" for axis in flux.dims]
            data[f"flux_{name}"] = (dims, flux.values, {"units": flux.attrs["units"]})
            if "std_error" in flux.coords:
                data[f"flux_std_error_{name}"] = (dims, flux["std_error"].values, {"units": flux.attrs["units"]})
            for axis, dim in zip(flux.dims, dims):
                data[dim] = (dim, flux[axis].values, flux[axis].attrs)
            for key, unit in self._core.target_units().items():
                if unit == "W":
                    data[f"{key}_{name}"] = ((), flux.attrs[key], {"units": unit})
        columns = self._core.heliostats()
        for key, unit in self._core.heliostat_units().items():
            data[key] = ("heliostat", columns[key], {"units": unit})
        return xarray.Dataset(data, coords={"heliostat": columns["name"]}, attrs={"fingerprint": self.fingerprint})

    def array(self, target: str | None = None) -> numpy.ndarray[Any, Any]:
        """The map [height, width] as a read-only NumPy array, without xarray. target: may be omitted if there is only one."""
        if target is None and len(self._targets) == 1:
            target = next(iter(self._targets))
        flux: numpy.ndarray[Any, Any] = self._target(target)["flux"]
        return flux

    def incident_flux(self, target: str) -> numpy.ndarray[Any, Any]:
        """The flux [height, width] on a surface before absorption, a read-only NumPy array: that of array() if the surface absorbs all light."""
        row = self._target(target)
        flux: numpy.ndarray[Any, Any] = row.get("incident_flux", row["flux"])
        return flux

    def mesh(self, target: str) -> dict[str, numpy.ndarray[Any, Any]]:
        """The triangles of a target that is a mesh, as NumPy arrays in the order of its file: corners [n, 3, 3] in metres east, north, up,
        area [n] in m2, and flux [n] and std_error [n] in W/m2."""
        row = self._target(target)
        if "triangles" not in row:
            raise ValueError(f"run.mesh: target: {target!r} is a {row['kind']} target, not a mesh")
        flux: numpy.ndarray[Any, Any] = row["triangle_flux"]
        errors = row["flux_std_error"]
        result = {"corners": row["triangles"], "area": row["triangle_area"], "flux": flux}
        if errors is not None:
            result["std_error"] = errors.reshape(-1)[:len(flux)]
        return result

    @property
    def targets(self) -> pandas.DataFrame:
        """A row for each target: power_w and its standard error; peak_flux_w_m2, the largest flux without noise, measured over peak_area_m2, with its standard error;
        peak_pixel_w_m2, the largest pixel, which noise raises; centroid in metres."""
        rows = [{"name": name, **{key: target[key] for key in self._core.target_units()},
                 **dict(zip(("centroid_east_m", "centroid_north_m", "centroid_up_m"), target["centroid_m"]))}
                for name, target in self._targets.items()]
        return load("pandas", "run.targets").DataFrame(rows).set_index("name")

    @property
    def receivers(self) -> pandas.DataFrame:
        """A row for each receiver of several surfaces: surfaces, names of its surfaces in order; power_w on its absorbing surfaces and an upper limit of
        the standard error; peak_flux_w_m2, the largest of its absorbing surfaces; incident_power_w and incident_peak_flux_w_m2 before absorption.
        Without rows if the plant has no such receiver."""
        columns = ["name", "surfaces", *self._core.receiver_units()]
        return load("pandas", "run.receivers").DataFrame(self._core.receivers(), columns=columns).set_index("name")

    @property
    def heliostats(self) -> pandas.DataFrame:
        """A row for each heliostat: target, the eight energy terms and target_power_std_error in W (attrs["units"]), efficiency (target over
        solar power), rays, aim point in metres, motor positions."""
        columns = self._core.heliostats()
        parts = {"aim_point": ("aim_east_m", "aim_north_m", "aim_up_m"), "motor_positions": ("motor_1", "motor_2")}
        for name in [name for name, values in columns.items() if getattr(values, "ndim", 1) > 1]:
            values = columns.pop(name)
            if values.ndim == 2:
                columns.update({part: values[:, i] for i, part in enumerate(parts.get(name) or [f"{name}_{i + 1}" for i in range(values.shape[1])])})
        frame = load("pandas", "run.heliostats").DataFrame(columns).set_index("name")
        frame.insert(1, "efficiency", (frame["target_power"] / frame["solar_power"]).where(frame["solar_power"] > 0))
        frame.attrs["units"] = {"energy": self._core.energy_unit}
        return frame

    @property
    def heliostat_flux(self) -> Mapping[str, numpy.ndarray[Any, Any]]:
        """Maps of single heliostats [height, width] in W/m2 by name; only with output={"per_heliostat": True}. Those of an opened file that take
        more than a gigabyte are read one by one on access."""
        return self._core.heliostat_maps() if self._maps is None else self._maps

    @property
    def orientations(self) -> numpy.ndarray[Any, Any]:
        """[N, 4, 4]: from the mirror frame of each heliostat to east, north, up in metres; column 2 is its normal, column 3 its origin."""
        orientations: numpy.ndarray[Any, Any] = self._core.heliostats()["orientation"]
        return orientations

    @property
    def energy(self) -> dict[str, float]:
        """The energy terms of the whole field in W: solar_power is the sum of the others."""
        return self._core.energy()

    @property
    def fingerprint(self) -> str:
        """A hash of the exact sums: equal for equal runs, here and in the program."""
        return str(self.provenance["fingerprint"])

    @property
    def provenance(self) -> dict[str, Any]:
        """Provenance of the result: version, configuration, scenario, seed, rays, device, ..."""
        return self._core.provenance

    @property
    def timing(self) -> dict[str, float]:
        """trace_seconds, total_seconds and rays_per_second; 0 for results from files."""
        return self._core.timing

    @property
    def accuracy(self) -> dict[str, Any] | None:
        """Requested and reached accuracy of a run with relative_error; None without."""
        return self._core.accuracy()

    @property
    def warnings(self) -> list[str]:
        """The program's warnings about this result: targets that no light reaches, an accuracy that was not reached."""
        return self._core.warnings

    def plot(self, path: str | os.PathLike[str] | None = None, *, targets: str | Iterable[str] = (), quantity: str = "", logarithmic: bool = False,
             contours: bool = False, cuts: bool = False) -> Picture:
        """The program's picture of the flux maps, or with quantity="efficiency" (or an energy term) of the field. With a path
        (.png, .svg, .pdf) also a file; notebooks display the returned picture."""
        where = "run.plot"
        names, what = list_names(targets, f"{where}: targets"), word(quantity, f"{where}: quantity")
        switches = {name: switch(value, f"{where}: {name}") for name, value in (("logarithmic", logarithmic), ("contours", contours), ("cuts", cuts))}
        for name, given in (("targets", bool(names)), *switches.items()):
            if what and given:
                raise input_error(f"{where}: {name}", "is given with quantity", "it is about flux maps, and quantity draws the field", "leave out one of the two")
        return draw_picture_as(lambda format: self._core.picture(format=format, quantity=what, targets=names, **switches), path, where)

    def report(self, path: str | os.PathLike[str] | None = None, title: str | None = None) -> str:
        """The program's web page about the result; with a path also a file."""
        return make_page(self._core.report, title, path, "run.report")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the result file (HDF5) of the program, complete or not at all."""
        output = output_text(path, "run.write", "hdf5")
        if self._maps is None:
            self._core.write(output)
            return
        _core.write_file(output, Path(self._same_file(self._maps)).read_bytes())

    @property
    def summary(self) -> str:
        """The tables that the program prints."""
        return self._core.summary().decode("utf-8", "replace")

    def __repr__(self) -> str:
        power = sum(target["power_w"] for target in self._targets.values())
        return (f"<helioray.Run: {power / 1e3:.4g} kW on {', '.join(self._targets) or 'no target'}, fingerprint {self.fingerprint}"
                f"{format_warnings(self.warnings)}>")

    def _repr_html_(self) -> str:
        return format_html(self.plot, self.summary)

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self._core if self._maps is None else _core.read_result(self._same_file(self._maps), None),)

    def _same_file(self, maps: HeliostatMaps) -> str:
        """Returns the file of the maps. Raises InputError if it holds another result than when it was opened."""
        if self.fingerprint != Run.of_file(maps.file).fingerprint:
            raise input_error(f"run.write: {maps.file}", "holds another result than when it was opened", "maps of single heliostats are in it")
        return maps.file


@with_keys(RUN_KEYS, described=True)
def trace(source: Plant | str | os.PathLike[str], *, threads: int = 0, ranks: bool = False, progress: Progress = None, **keys: Unpack[RunKeys]) -> Run:
    """Traces one position of the sun.

    source: a plant, or the path of a run configuration (YAML), whose values the keywords replace. Files that a configuration names under
        output are not written.
    keys: keys of the run configuration, by section (optics={"reflectivity": 0.9}) or alone where the name is clear (slope_error_mrad=1.5),
        and the short words sun=(azimuth, elevation) in degrees or a time with its offset, dni (W/m2), sun_shape (helioray.Buie(0.05), ...),
        rays (of each heliostat) and target. A key of None is removed.
    threads: on the CPU; 0 takes all cores. No result depends on it.
    ranks: a launcher (torchrun, mpirun, srun, or RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT) has started several processes of this script:
        each traces a part, and all of them get the whole result, equal to that of one process. All of them must make the same call.
    progress: True for a line on stderr, or a function of (rays, expected rays).
    """
    return Run(_core.trace(make_source(source, keys, "hr.trace"), make_call(progress, threads, ranks)))
