# SPDX-License-Identifier: MIT
"""Fields that are prepared once, for loops of many traces."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from . import _core
from ._input.calls import Progress, make_call, make_source
from ._input.configuration import describe, input_error, list_names, number, several, word
from ._input.keywords import RUN_KEYS, with_keys
from ._input.warnings import warn
from ._plant import Plant
from ._results.run import Run

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._input.typed_keys import RunKeys


class Field:
    """A field that is ready to trace and can be changed. A trace equals that of a new field in the same state, bit for bit.

    A position that a drive cannot reach is an InputError, and trace() raises it again until the sun, the aim point or the list of inactive
    heliostats changes. Changes that are refused for any other reason leave the field unchanged.

    Only one thread at a time may use a field; different threads may use different fields.
    """

    def __init__(self, core: _core.Field, threads: int) -> None:
        self._core = core
        self._threads = threads
        self._call = _core.Call(progress=None, log=None, threads=threads, ranks=False)

    def __repr__(self) -> str:
        return "<helioray.Field: prepared; set_sun(), set_aim() and set_inactive() change it, trace() traces it>"

    def set_sun(self, azimuth_deg: float | tuple[float, float], elevation_deg: float | None = None, dni: float | None = None,
                temperature_c: float | None = None) -> Field:
        """Moves the sun: degrees, azimuth clockwise from north, as two numbers or as the pair that helioray.trace() takes; dni in W/m2 and the
        temperature of the air in °C, for mirrors whose shape changes with it; None leaves them unchanged."""
        where = "field.set_sun"
        if elevation_deg is None and isinstance(azimuth_deg, Iterable) and not isinstance(azimuth_deg, str):
            azimuth_deg, elevation_deg = several(azimuth_deg, 2, where, "give azimuth and elevation in degrees")
        azimuth, elevation = number(azimuth_deg, f"{where}: azimuth_deg", "give degrees"), number(elevation_deg, f"{where}: elevation_deg", "give degrees")
        irradiance = None if dni is None else number(dni, f"{where}: dni", "give W/m2")
        for warning in _core.unlikely_sun(azimuth, elevation, irradiance):
            warn(f"{where}: {warning}")
        temperature = None if temperature_c is None else number(temperature_c, f"{where}: temperature_c", "give degrees Celsius")
        self._core.set_sun(azimuth, elevation, irradiance, temperature)
        return self

    def set_aim(self, points: Any, target: str | None = None) -> Field:
        """Aims heliostats at points (east, north, up in metres); they become active. points: a dict by the heliostats' names, a frame such as
        aims.points, or an array [N, 3] with a row for each heliostat in the order of plant.heliostats. target: None keeps their present target."""
        rows = [(word(str(name), "field.set_aim"), several(point, 3, f"field.set_aim: {name}", "give east, north and up in metres"))
                for name, point in self._aimed(points)]
        self._core.set_aim(rows, None if target is None else word(target, "field.set_aim: target"))
        return self

    def _aimed(self, points: Any) -> Iterable[tuple[Any, Any]]:
        """Returns pairs of name and point."""
        where = "field.set_aim"
        if isinstance(points, Mapping):
            return points.items()
        if hasattr(points, "columns"):
            lacking = [name for name in ("east", "north", "up") if name not in points.columns]
            if lacking:
                raise input_error(where, f"the frame has no column {', '.join(lacking)}", "", "give the columns east, north and up, and the names as index")
            return zip(points.index, zip(*(points[name].tolist() for name in ("east", "north", "up"))))
        names = self._core.heliostats
        rows = points.tolist() if hasattr(points, "tolist") else points
        if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
            raise input_error(where, f"{describe(points)} has no points", "", 'write {"H1": (0, 0, 60)}, or give an array [N, 3]')
        rows = list(rows)
        if len(rows) != len(names):
            raise input_error(where, f"has {len(rows)} points for {len(names)} heliostats", "an array has a row for each heliostat of the plant",
                              'write {"H1": (0, 0, 60)} to aim only some of them')
        return zip(names, rows)

    def set_inactive(self, names: Iterable[str]) -> Field:
        """Sets the list of inactive heliostats: exactly these are off, all others are on, including those that an earlier call or the configuration
        turned off; set_inactive([]) turns all on. Mirrors that are off lie flat, and may still shade and block. Heliostats that are turned on
        return to their last aim point, and set_aim() takes heliostats off the list."""
        self._core.set_inactive(list_names(names, "field.set_inactive"))
        return self

    @property
    def warnings(self) -> list[str]:
        """Warnings about the present state of the heliostats: limits of motors, ..."""
        return self._core.warnings

    def __reduce__(self) -> NoReturn:
        raise TypeError("a prepared field cannot be pickled, because it is bound to this process; pickle what helioray.prepare() took and prepare "
                        "a field in the other process, or pickle the runs of field.trace()")

    def trace(self, progress: Progress = False, *, ranks: bool = False) -> Run:
        """Traces the field in its present state. ranks: as for helioray.trace(); every process has prepared the same field."""
        call = self._call if progress is False and ranks is False else make_call(progress, self._threads, ranks)
        return Run(self._core.trace(call))


@with_keys(RUN_KEYS)
def prepare(source: Plant | str | os.PathLike[str], *, threads: int = 0, **keys: Unpack[RunKeys]) -> Field:
    """Prepares a field; source, keys and threads as for trace()."""
    return Field(_core.Field(make_source(source, keys, "hr.prepare", writes=False), make_call(False, threads)), int(threads))
