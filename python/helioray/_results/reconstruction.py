# SPDX-License-Identifier: MIT
"""Mirror surfaces from flux images."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._input.calls import Progress, make_call
from .._input.configuration import list_names, path_texts, word
from .._input.extras import load
from .._plant import Plant, load_plant
from .picture import Picture, draw_picture, format_html
from .printed import make_page, parse_json

if TYPE_CHECKING:
    import pandas

PathLike = str | os.PathLike[str]


class Reconstruction:
    """Mirrors that were fitted to flux images. They can be pickled."""

    def __init__(self, core: _core.Reconstruction) -> None:
        self._core = core

    @property
    def facts(self) -> dict[str, Any]:
        """The JSON object that the program prints with --json: heliostats by name with their images, flux accuracies and slopes."""
        facts = parse_json(self._core.facts())
        del facts["output"]
        return facts

    @property
    def plant(self) -> Plant:
        """The plant with the fitted surfaces; plant.write() stores it."""
        return Plant(self._core.plant())

    @property
    def heliostats(self) -> pandas.DataFrame:
        """A row for each heliostat: images (fitted), flux_accuracy_before and flux_accuracy (means over the fitted images), improved,
        slope_sigma_mrad."""
        rows = []
        for name, heliostat in self.facts["heliostats"].items():
            row = {"name": name, "images": heliostat["images"], "improved": heliostat.get("improved", False),
                   "slope_sigma_mrad": heliostat.get("slope_sigma_mrad", float("nan"))}
            for key in ("flux_accuracy_before", "flux_accuracy"):
                values = [image[key] for image in heliostat.get("fitted", ())]
                row[key] = sum(values) / len(values) if values else float("nan")
            rows.append(row)
        return load("pandas", "reconstruction.heliostats").DataFrame(rows).set_index("name")

    @property
    def images(self) -> pandas.DataFrame:
        """A row for each image by heliostat and record: kind (fitted or test), flux_accuracy_before and flux_accuracy, 1 if traced and
        measured light are equal and 0 if they do not overlap."""
        rows = [{"name": name, "kind": kind, **image} for name, heliostat in self.facts["heliostats"].items()
                for kind in ("fitted", "test") for image in heliostat.get(kind, ())]
        columns = ["name", "record", "kind", "flux_accuracy_before", "flux_accuracy"]
        return load("pandas", "reconstruction.images").DataFrame(rows, columns=columns).set_index(["name", "record"])

    @property
    def summary(self) -> str:
        """The table that the program prints."""
        # The last paragraph names the file of the program's command.
        return self._core.summary().decode("utf-8", "replace").rsplit("\n\n", 1)[0] + "\n"

    def plot(self, path: PathLike | None = None) -> Picture:
        """The program's picture: images, models and slopes. With a path (.png, .svg, .pdf) also a file; notebooks display the returned picture."""
        return draw_picture(self._core.plot, path, "reconstruction.plot")

    def report(self, path: PathLike | None = None, title: str | None = None) -> str:
        """The program's web page about the mirrors: images beside their models, slopes, tables; with a path also a file."""
        return make_page(self._core.report, title, path, "reconstruction.report")

    def write(self, path: PathLike) -> None:
        """Writes the scenario (HDF5) with the fitted surfaces, complete or not at all. The state of a calibration stays in it."""
        self.plant._write(path, "reconstruction.write")

    def _repr_html_(self) -> str:
        return format_html(self.plot, self.summary)

    def __repr__(self) -> str:
        return f"<helioray.Reconstruction: {len(self.facts['heliostats'])} heliostats>"


def reconstruct(scenario: Plant | PathLike, measured: PathLike | Sequence[PathLike], *, test: PathLike | Sequence[PathLike] = (),
                truth: Plant | PathLike | None = None, heliostats: str | Iterable[str] = (), image_kind: str = "flux-centered", threads: int = 0,
                ranks: bool = False, progress: Progress = False) -> Reconstruction:
    """Fits the shape of mirrors to flux images, as `helioray reconstruct` does.

    scenario: plant or scenario file to start from.
    measured: records of the PAINT database with their images (<id>-calibration-properties.json, <id>-flux-centered.png), or folders with such
        files anywhere below them; the folder above a record names its heliostat, in folders of PAINT's benchmark the table of its split.
    test: records that are only predicted, even if measured contains them, or splits of PAINT's benchmark (CSV).
    truth: plant or scenario with measured surfaces, which slopes are compared with.
    heliostats: names of the heliostats to reconstruct; empty: all.
    image_kind: flux-centered (6 x 6 m about the spot) or flux (the whole target).
    ranks: as for trace(); each process fits a part of the heliostats.
    """
    where = "hr.reconstruct"
    kind, names = word(image_kind, f"{where}: image_kind"), list_names(heliostats, f"{where}: heliostats")
    start = load_plant(scenario, where)
    real = None if truth is None else load_plant(truth, f"{where}: truth")._core
    return Reconstruction(_core.reconstruct(
        plant=start._core, truth=real, measured=path_texts(measured, f"{where}: measured"), test=path_texts(test, f"{where}: test"),
        heliostats=names, image_kind=kind, call=make_call(progress, threads, ranks)))
