# SPDX-License-Identifier: MIT
"""Mirror surfaces from flux images."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._calls import Progress, call_of
from ._extras import load
from ._kept import Kept, kept
from .configuration import names_of, path_texts, word
from .plant import Plant, plant_of
from ._printed import json_of, page_of
from .run import Picture, picture_of

if TYPE_CHECKING:
    import pandas

PathLike = str | os.PathLike[str]


class Reconstruction:
    """Mirrors that were fitted to flux images. They can be pickled."""

    def __init__(self, core: _core.Reconstruction | Kept) -> None:
        self._core = core

    @property
    def facts(self) -> dict[str, Any]:
        """What the program prints with --json: heliostats by name with their images, flux accuracies and slopes."""
        facts = json_of(self._core.facts())
        del facts["output"]
        return facts

    @property
    def plant(self) -> Plant:
        """The plant with the surfaces that were found; plant.write() stores it."""
        return Plant(self._core.plant())

    @property
    def heliostats(self) -> pandas.DataFrame:
        """A row for each heliostat: images (fitted), flux_accuracy_before and flux_accuracy (means over the fitted images), improved,
        slope_sigma_mrad."""
        rows = []
        for name, one in self.facts["heliostats"].items():
            row = {"name": name, "images": one["images"], "improved": one.get("improved", False),
                   "slope_sigma_mrad": one.get("slope_sigma_mrad", float("nan"))}
            for key in ("flux_accuracy_before", "flux_accuracy"):
                values = [image[key] for image in one.get("fitted", ())]
                row[key] = sum(values) / len(values) if values else float("nan")
            rows.append(row)
        return load("pandas", "reconstruction.heliostats").DataFrame(rows).set_index("name")

    @property
    def images(self) -> pandas.DataFrame:
        """A row for each image by heliostat and record: kind (fitted or test), flux_accuracy_before and flux_accuracy, 1 where traced and
        measured light are equal and 0 where they have none in common."""
        rows = [{"name": name, "kind": kind, **image} for name, one in self.facts["heliostats"].items()
                for kind in ("fitted", "test") for image in one.get(kind, ())]
        columns = ["name", "record", "kind", "flux_accuracy_before", "flux_accuracy"]
        return load("pandas", "reconstruction.images").DataFrame(rows, columns=columns).set_index(["name", "record"])

    @property
    def summary(self) -> str:
        """The table that the program prints."""
        # The last paragraph is about the program's file.
        return self._core.summary().decode("utf-8", "replace").rsplit("\n\n", 1)[0] + "\n"

    def plot(self, path: PathLike | None = None) -> Picture:
        """The program's picture: images, models and slopes. With a path (.png, .svg, .pdf) also a file; notebooks show what is returned."""
        return picture_of(self._core.plot, path, "reconstruction.plot")

    def report(self, path: PathLike | None = None, title: str | None = None) -> str:
        """The program's web page about the mirrors: images beside their models, slopes, tables; with a path also a file."""
        return page_of(self._core.report, title, path, "reconstruction.report")

    def write(self, path: PathLike) -> None:
        """Writes the scenario (HDF5) with the surfaces that were found, complete or not at all. The state of a calibration stays in it."""
        self.plant._write(path, "reconstruction.write")

    def __reduce__(self) -> tuple[Any, ...]:
        return Reconstruction, (kept(self._core),)

    def __repr__(self) -> str:
        return f"<helioray.Reconstruction: {len(self.facts['heliostats'])} heliostats>"


def reconstruct(scenario: Plant | PathLike, measured: PathLike | Sequence[PathLike], *, test: PathLike | Sequence[PathLike] = (),
                truth: Plant | PathLike | None = None, heliostats: str | Iterable[str] = (), image_kind: str = "flux-centered", threads: int = 0,
                ranks: bool = False, progress: Progress = False) -> Reconstruction:
    """Finds the shape of mirrors from flux images, as `helioray reconstruct` does.

    scenario: plant or scenario file to start from.
    measured: records of the PAINT database with their images (<id>-calibration-properties.json, <id>-flux-centered.png), or folders with such
        files anywhere below them; the folder above a record names its heliostat, in folders of PAINT's benchmark the table of its split.
    test: records that are not fitted and only predicted, also where measured holds them, or splits of PAINT's benchmark (CSV).
    truth: plant or scenario with measured surfaces, which slopes are compared with.
    heliostats: names of those to reconstruct; none: all.
    image_kind: flux-centered (6 x 6 m about the spot) or flux (the whole target).
    ranks: as for trace(); each process fits its share of the heliostats.
    """
    where = "hr.reconstruct"
    kind, names = word(image_kind, f"{where}: image_kind"), names_of(heliostats, f"{where}: heliostats")
    start = plant_of(scenario, where)
    real = None if truth is None else plant_of(truth, f"{where}: truth")._core
    return Reconstruction(_core.reconstruct(
        plant=start._core, truth=real, measured=path_texts(measured, f"{where}: measured"), test=path_texts(test, f"{where}: test"),
        heliostats=names, image_kind=kind, call=call_of(progress, threads, ranks)))
