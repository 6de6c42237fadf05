# SPDX-License-Identifier: MIT
"""Plants: heliostats and targets, from files of many kinds."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from . import _core
from ._input.configuration import describe, input_error, list_names, number, output_text, path_text, rename_in_errors, several, switch, word
from ._input.extras import load
from ._input.keywords import FIELD_KEYS, RUN_KEYS, with_keys
from ._input.warnings import warn

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._input.typed_field_keys import FieldKeys
    from ._input.typed_keys import RunKeys
    from ._tensors import Tensors

PathLike = str | os.PathLike[str]
CONTROL_POINTS = range(4, 1001)  # number for a facet along one direction, with the limits of the program's option --control-points


class Plant:
    """A plant in memory, made by read(), generate() and the functions from_...; it never changes.

    Plants can be pickled, and compared with ==.
    """

    def __init__(self, core: _core.Plant) -> None:
        self._core = core

    @property
    def file(self) -> str:
        """The scenario file of the plant; empty if there is none."""
        return self._core.file

    @property
    def configuration(self) -> str:
        """YAML text of the settings that belong to the plant and not to its scenario: aims, obstacles, ..."""
        return self._core.config

    @property
    def report(self) -> list[str]:
        """Report of the function that created the plant: values that it read, assumed and ignored."""
        return self._core.report

    @property
    def position(self) -> tuple[float, float, float]:
        """Latitude and longitude in degrees, altitude in metres."""
        return self._core.position

    @property
    def heliostats(self) -> pandas.DataFrame:
        """A row for each heliostat, by name: east_m, north_m, up_m (pivot), mirror_area_m2, facets, kinematics, drives."""
        return load("pandas", "plant.heliostats").DataFrame(self._core.heliostats()).set_index("name")

    @property
    def targets(self) -> dict[str, dict[str, Any]]:
        """Targets by name: their kind, and their geometry in metres and radians."""
        return {name: {"kind": kind, **json.loads(geometry)} for name, kind, geometry in self._core.targets()}

    def replace(self, *, heliostats: Any = None, targets: Mapping[str, Mapping[str, Any]] | None = None,
                position: Iterable[float] | None = None) -> Plant:
        """Returns the plant with other parts.

        heliostats: a frame like .heliostats with the names as index (or in a column name) and columns east_m, north_m, up_m; heliostats that it
            leaves out are removed. Other columns than these must be unchanged: nothing else is replaced. A list of names keeps these
            where they are.
        targets: members of .targets by name that become different, {"receiver": {"width": 8.0}}.
        position: latitude, longitude (degrees), altitude (metres).
        """
        places = None if heliostats is None else self._places(heliostats)
        rows = None if targets is None else self._target_rows(targets)
        where = None
        if position is not None:
            where = several(position, 3, "plant.replace: position", "give latitude and longitude in degrees, altitude in metres")
        return Plant(self._core.replace(heliostats=places, targets=rows, position=where))

    def _places(self, heliostats: Any) -> list[tuple[str, tuple[float, ...]]]:
        where = "plant.replace: heliostats"
        columns = self._core.heliostats()
        if hasattr(heliostats, "columns"):
            return _read_places(heliostats, columns, where)
        if isinstance(heliostats, (str, bytes, Mapping)) or not isinstance(heliostats, Iterable):
            raise input_error(where, f"{describe(heliostats)} is neither a frame nor a list of names", "", "begin with plant.heliostats")
        known = dict(zip(columns["name"], zip(columns["east_m"], columns["north_m"], columns["up_m"])))
        return [(name, known.get(name, (0.0, 0.0, 0.0))) for name in list_names(heliostats, where)]

    def _target_rows(self, targets: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str, str]]:
        rows = []
        known = self.targets
        if not isinstance(targets, Mapping):
            raise input_error("plant.replace: targets", f"{describe(targets)} is no dict of members by the name of the target", "", "see plant.targets")
        for name, members in targets.items():
            where = f"plant.replace: targets.{name}"
            if not isinstance(members, Mapping):
                raise input_error(where, f"{describe(members)} is no dict of members", "", "see plant.targets")
            old = known.get(name, {"kind": ""})
            new = dict(old)
            for member, value in members.items():
                if member in old:
                    new[member] = _member(value, old[member], member, f"{where}.{member}")
                elif name in known:
                    raise input_error(where, f"there is no member '{member}'", "", _core.suggest(str(member), list(old)))
            rows.append((word(str(name), where), new.pop("kind"), json.dumps(new)))
        return rows

    def write(self, file: PathLike, format: str = "auto") -> None:
        """Writes the scenario (HDF5), complete or not at all, with the state of a calibration where it has one. The settings of
        .configuration are not part of it.

        format: layout of the heliostats in the file. "artist": a group for each heliostat, which ARTIST reads; "columns": one dataset per kind of number, which
        reads 10,000 heliostats in 0.02 s instead of 1.3; "auto": columns for large fields (1,000 heliostats or 10,000 different facets on)."""
        self._write(file, "plant.write", format)

    def _write(self, file: PathLike, where: str, format: str = "auto") -> None:
        """Writes the scenario; where: the caller, for messages."""
        self._core.write(output_text(file, where, "hdf5"), format)

    @with_keys(RUN_KEYS)
    def tensors(self, **keys: Unpack[RunKeys]) -> Tensors:
        """Returns the plant as tensors for PyTorch operators: kinematics, drives, surfaces, aim points, targets, sun.

        keys: as for trace(). Needs PyTorch; helioray.torch.Field traces with them, and their .plant() gives the plant back.
        """
        from ._tensors import tensors
        return tensors(self, keys, Plant)

    def __len__(self) -> int:
        return self._core.num_heliostats()

    def __repr__(self) -> str:
        count = len(self)
        return f"<helioray.Plant: {count} heliostat{'' if count == 1 else 's'}, targets {', '.join(self.targets)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plant) and self._core.equals(other._core)

    __hash__ = None  # type: ignore[assignment]


PLACE = ("east_m", "north_m", "up_m")


def _read_places(frame: Any, known: Mapping[str, list[Any]], where: str) -> list[tuple[str, tuple[float, ...]]]:
    """Returns the names and positions in a frame. Raises InputError for columns that plant.replace() cannot apply. known: the columns of the plant."""
    lacking = [name for name in PLACE if name not in frame.columns]
    if lacking:
        raise input_error(where, f"has no column {', '.join(lacking)}", "", "begin with plant.heliostats")
    if not frame.columns.is_unique:
        raise input_error(where, "has several columns of the same name", "", "drop all but one of them")
    names = [word(str(name), where) for name in (frame["name"] if "name" in frame.columns else frame.index)]
    rows = dict(zip(known["name"], range(len(known["name"]))))
    for column in frame.columns:
        if column in PLACE or column == "name":
            continue
        if column not in known:
            raise input_error(f"{where}: {column}", "a plant has no such column to replace", "it would have no effect",
                              "drop it; properties of mirrors are keywords of hr.generate and columns of hr.from_layout, those of a call are keywords of hr.trace")
        old = known[column]
        for name, value in zip(names, frame[column].tolist()):
            if name in rows and not _same(value, old[rows[name]]):
                raise input_error(f"{where}: {column}: {name}", f"{describe(value)} is not the plant's {describe(old[rows[name]])}", "only positions are replaced",
                                  "make a plant with other heliostats by hr.from_layout or hr.generate, or restore the column")
    places = []
    for name, place in zip(names, zip(*(frame[column].tolist() for column in PLACE))):
        if not all(type(coordinate) is float for coordinate in place):
            place = several(place, 3, f"{where}: {name}", "give metres")
        places.append((name, place))
    return places


def _same(value: Any, old: Any) -> bool:
    """Returns True if a cell of a frame has the plant's value, regardless of rounding by storage formats."""
    if isinstance(old, str):
        return bool(value == old)
    try:
        return math.isclose(float(value), old, rel_tol=1e-9)
    except (TypeError, ValueError):
        return False


def _member(value: Any, old: Any, member: str, where: str) -> Any:
    """Converts a member of a target to the form of the old one."""
    if member == "kind" and value != old:
        raise input_error(where, f"{describe(value)} is another kind", "a target keeps its kind, because kinds have other members",
                          "generate a plant with another receiver")
    if isinstance(old, str):
        return word(value, where)
    numbers = several(value, len(old), where, "see plant.targets") if isinstance(old, list) else (number(value, where),)
    if not all(math.isfinite(value) for value in numbers):
        raise input_error(where, f"{describe(value)} is not finite", "", "see plant.targets")
    return list(numbers) if isinstance(old, list) else numbers[0]


def read(file: PathLike) -> Plant:
    """Reads a scenario file (HDF5, ARTIST's format with HelioRay's extensions)."""
    return Plant(_core.read_plant(path_text(file, "hr.read")))


@with_keys(FIELD_KEYS, described=True)
def generate(template: PathLike | Mapping[str, Any] | None = None, **values: Unpack[FieldKeys]) -> Plant:
    """Generates a field around a tower.

    template: a YAML file, or a dict with its sections (tower, receiver, heliostat, layout, site); scenario/import/README.md explains the keys.
    values: sections or single keys that replace the template's: heliostats=500.
    """
    file, settings = _template(template, values, "hr.generate")
    return Plant(_core.generate(file=file, settings=settings))


def load_plant(source: Any, where: str) -> Plant:
    """Returns a plant unchanged, or reads that of a scenario file."""
    return source if isinstance(source, Plant) else Plant(_core.read_plant(path_text(source, where)))


def _template(template: Any, values: Mapping[str, Any], caller: str) -> tuple[str | None, list[str]]:
    if template is None or isinstance(template, Mapping):
        return None, FIELD_KEYS.settings(template or {}, caller) + FIELD_KEYS.settings(values, caller)
    return path_text(template, caller), FIELD_KEYS.settings(values, caller)


@with_keys(FIELD_KEYS)
def from_layout(table: Any, template: PathLike | Mapping[str, Any] | None = None, *, ground: bool = False, **values: Unpack[FieldKeys]) -> Plant:
    """Creates a field from a table of positions: a CSV file (also SolarPILOT's), a frame or dict with columns x, y, z and others of
    scenario/import/README.md, or an array [N, 2] or [N, 3] of x, y and z. template and values: tower, receiver and heliostat, as for generate(). ground: z is the ground below a heliostat,
    not its pivot."""
    file, settings = _template(template, values, "hr.from_layout")
    below = switch(ground, "hr.from_layout: ground")
    if isinstance(table, (str, bytes, os.PathLike)):
        return _warn_of_unused(Plant(_core.from_layout(table=path_text(table, "hr.from_layout"), file=file, settings=settings, ground=below)))
    if not hasattr(table, "to_csv"):
        table = _Columns(table, "hr.from_layout: table")
    with TemporaryDirectory(prefix="helioray_") as folder:
        name = str(Path(folder) / "layout.csv")
        # Cells are quoted, since a name that begins with # would be a comment, and stripped, since blanks within quotes would count.
        if hasattr(table, "columns"):
            table = _with_names(table.map(_stripped) if any(_has_text(table[label]) for label in table.columns) else table, "hr.from_layout: table")
        if isinstance(table, _Columns):
            table.write_csv(name)
        else:
            table.to_csv(name, index=table.index.name is not None, quoting=csv.QUOTE_NONNUMERIC)
        with rename_in_errors(name, "hr.from_layout: table"):
            made = _core.from_layout(table=name, file=file, settings=settings, ground=below)
        return _warn_of_unused(Plant(made.with_report([line.replace(name, "table") for line in made.report])))


class _Columns:
    """The columns of a layout without pandas: of a dict of columns, or of an array of positions."""

    def __init__(self, table: Any, where: str) -> None:
        if isinstance(table, Mapping):
            self.header = [str(name) for name in table]
            columns = [column.tolist() if hasattr(column, "tolist") else list(column) for column in table.values()]
            if len({len(column) for column in columns}) != 1:
                raise input_error(where, "has columns of different lengths", "", "give a value of each column for each heliostat")
            self.rows: list[Any] = list(zip(*columns))
            return
        rows = table.tolist() if hasattr(table, "tolist") else table
        widths = {len(row) for row in rows if isinstance(row, Sequence)} if isinstance(rows, Sequence) else set()
        if widths not in ({2}, {3}) or isinstance(rows[0], str):
            raise input_error(where, f"{describe(table)} is no table of positions", "",
                              "give the path of a CSV file, a frame or dict with columns x, y and z, or an array [N, 3] of x, y and z in metres")
        self.header = ["x", "y", "z"][:widths.pop()]
        self.rows = [several(row, len(self.header), f"{where}[{index}]", "give metres") for index, row in enumerate(rows)]

    def write_csv(self, file: str) -> None:
        """Writes the table with quotes about text, in which # would begin a comment."""
        with Path(file).open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
            writer.writerow(self.header)
            writer.writerows([_stripped(cell) for cell in row] for row in self.rows)


def _warn_of_unused(plant: Plant) -> Plant:
    """Warns of table columns that have no effect; the other lines of the report are information."""
    ignored = [line for line in plant.report if re.search(r"\bcolumns? .*\b(ignored|not used)\b", line)]
    if ignored:
        warn("hr.from_layout: " + "; ".join(ignored))
    return plant


def _with_names(table: Any, where: str) -> Any:
    """Returns the frame with a named index if it is a column. An index of text without a name has the heliostats' names; an index of numbers without a name
    counts rows."""
    if getattr(table.index, "nlevels", 1) > 1 or getattr(table.columns, "nlevels", 1) > 1:
        raise input_error(where, "has an index or columns of several levels", "", "make the levels columns: table.reset_index()")
    if table.index.name is None and _has_text(table.index):
        if any(str(label).strip().lower() in ("name", "heliostat", "heliostat_name") for label in table.columns):
            raise input_error(where, "has names in its index and in a column", "a heliostat has one name", "use table.reset_index(drop=True)")
        table = table.rename_axis(index="name")
    return table.set_axis(table.index.map(_stripped)) if _has_text(table.index) else table


def _has_text(column: Any) -> bool:
    """Returns True if a column or an index may contain text."""
    return getattr(getattr(column, "dtype", None), "kind", "O") not in "biufcmM"


def _stripped(cell: Any) -> Any:
    return cell.strip() if isinstance(cell, str) else cell


def from_solarpilot(file: PathLike) -> Plant:
    """Creates a plant from a project of SolarPILOT (.spt) with its layout: heliostats, receivers, sun, optics and attenuation."""
    return Plant(_core.from_solarpilot(file=path_text(file, "hr.from_solarpilot")))


def from_soltrace(file: PathLike, *, up: str = "z", target: str | None = None, skip_unsupported: bool = False) -> Plant:
    """Creates a plant from SolTrace's input file (.stinput), with its sun, optics and the directions of its mirrors. up: the axis that points up,
    z or y. target: the receiver that heliostats aim at (default: the first). skip_unsupported: leave out what cannot be represented."""
    if up not in ("z", "y"):
        raise input_error("hr.from_soltrace: up", f"{describe(up)} is not an axis that may point up", "", "write 'z' or 'y'")
    with rename_in_errors("--skip-unsupported", "skip_unsupported=True"), rename_in_errors("--up y", "up='y'"):
        return Plant(_core.from_soltrace(file=path_text(file, "hr.from_soltrace"), y_up=up == "y", skip_unsupported=switch(skip_unsupported, "hr.from_soltrace: skip_unsupported"),
                                         target=None if target is None else word(target, "hr.from_soltrace: target")))


def from_paint(folder: PathLike, *, tower: PathLike | None = None, heliostats: str | Iterable[str] | None = None,
               deflectometry: PathLike | None = None, control_points: int | tuple[int, int] = 10) -> Plant:
    """Creates a plant from files of the PAINT database.

    folder: contains <name>-heliostat-properties.json or <name>/Properties/*.json.
    tower: tower-measurements.json (default: in the folder).
    heliostats: names to take (default: all).
    deflectometry: folder with <name>/Deflectometry/*.h5; heliostats with a measurement get surfaces fitted to it.
    control_points: of a facet, along east and north.
    """
    base = path_text(folder, "hr.from_paint")
    where = path_text(tower, "hr.from_paint: tower") if tower is not None else str(Path(base) / "tower-measurements.json")
    counts = several(control_points if isinstance(control_points, Sequence) else (control_points, control_points), 2,
                     "hr.from_paint: control_points", "give one number, or two of them")
    if not all(count in CONTROL_POINTS for count in counts):
        raise input_error("hr.from_paint: control_points", f"{describe(control_points)} are not numbers of control points", "",
                          f"give whole numbers from {CONTROL_POINTS[0]} to {CONTROL_POINTS[-1]}")
    return Plant(_core.from_paint(
        folder=base, tower=where, heliostats=None if heliostats is None else list_names(heliostats, "hr.from_paint: heliostats"),
        deflectometry=None if deflectometry is None else path_text(deflectometry, "hr.from_paint: deflectometry"),
        control_points=[int(count) for count in counts]))
