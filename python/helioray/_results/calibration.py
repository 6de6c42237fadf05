# SPDX-License-Identifier: MIT
"""Kinematics from measured spots."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._input.calls import Progress, make_call
from .._input.configuration import input_error, path_text, path_texts, word
from .._input.extras import load
from .._plant import Plant
from .picture import Picture, draw_picture, format_html
from .printed import Printed, make_page

if TYPE_CHECKING:
    import pandas

PathLike = str | os.PathLike[str]


class Calibration(Printed):
    """Calibrated heliostats, or calibrated heliostats updated with further records; facts has them by name with their records, parameters,
    residuals and predictions. It can be pickled."""

    def __init__(self, core: _core.Calibration) -> None:
        super().__init__(core)
        self._core = core

    @property
    def plant(self) -> Plant:
        """The plant with the fitted kinematics."""
        return Plant(self._core.plant())

    @property
    def heliostats(self) -> pandas.DataFrame:
        """A row for each heliostat: records, used, epochs, aim_error_mrad (expected standard deviation of the normal about each axis), and
        medians in mrad over its records: nominal_mrad (before), residual_mrad (fitted), left_out_mrad (each predicted from the others).
        After an update: a row for each record, rejected (None if it is used) and the error of its prediction."""
        frame = load("pandas", "calibration.heliostats").DataFrame
        rows = []
        for name, heliostat in self.facts["heliostats"].items():
            if "updates" in heliostat:
                rows += [{"name": name, **update} for update in heliostat["updates"]]
                continue
            rows.append({"name": name, **{key: heliostat[key] for key in ("records", "used", "epochs", "aim_error_mrad")},
                         **{key: heliostat[key]["median"] for key in ("nominal_mrad", "residual_mrad", "left_out_mrad")}})
        return frame(rows).set_index("name")

    @property
    def parameters(self) -> pandas.DataFrame:
        """A row for each heliostat and parameter: value and sigma, its standard deviation (rad, m or steps, as the parameter's name says)."""
        pandas = load("pandas", "calibration.parameters")
        rows = [(name, parameter, value, sigma) for name, heliostat in self.facts["heliostats"].items()
                for parameter, (value, sigma) in heliostat.get("parameters", {}).items()]
        return pandas.DataFrame(rows, columns=["name", "parameter", "value", "sigma"]).set_index(["name", "parameter"])

    def plot(self, path: PathLike | None = None) -> Picture:
        """The program's picture: residuals on the targets before and after, errors against the distance of suns. With a path (.png, .svg,
        .pdf) also a file; notebooks display the returned picture."""
        return draw_picture(self._core.plot, path, "calibration.plot")

    def report(self, path: PathLike | None = None, title: str | None = None) -> str:
        """The program's web page about the calibration; with a path also a file. An update has none."""
        return make_page(self._core.report, title, path, "calibration.report")

    def write(self, path: PathLike) -> None:
        """Writes the scenario (HDF5) with the state of the calibration, which `update` needs; complete or not at all."""
        self.plant._write(path, "calibration.write")

    def _repr_html_(self) -> str:
        return format_html(self.plot, self.summary)

    def __repr__(self) -> str:
        return f"<helioray.Calibration: {len(self.facts['heliostats'])} heliostats>"


def calibrate(inputs: PathLike | Sequence[PathLike], *, tower: PathLike | None = None, records: PathLike | Sequence[PathLike] = (),
              test: PathLike | Sequence[PathLike] = (), spot: str = "utis", drives: str | None = None, parameters: str = "auto",
              mirrors: PathLike | None = None, update: PathLike | None = None, threads: int = 0, ranks: bool = False,
              progress: Progress = False) -> Calibration:
    """Fits the kinematics of heliostats to measured spots, as `helioray calibrate` does.

    inputs: folders in the layout of the PAINT database or of its benchmark (train, test, validation), files of heliostat properties, or tables
        as in records (.csv); with update the new records.
    tower: tower-measurements.json, which contains plant and targets; not needed with update.
    records: tables of records (CSV: heliostat, target, axis_1_motor_position, axis_2_motor_position, spot_east_m, spot_north_m, spot_up_m, and
        time or sun_azimuth_deg and sun_elevation_deg).
    test: records, tables or splits of PAINT's benchmark that are only predicted.
    spot: method that found the spots, utis or helios; image: the centroid of <id>-flux.png.
    drives: linear or ideal, the type of drives that files call ideal. None: linear if the file has their lever parameters.
    parameters: fitted set: auto (average over all sets by their evidence), tilts, zero, mount, drives or all.
    mirrors: scenario with the heliostats' mirrors, as from deflectometry or `helioray.reconstruct`. None: flat facets.
    update: calibrated scenario that is updated with the records one by one; every rank does the same.
    ranks: as for trace(); each process fits a part of the heliostats.
    """
    where = "hr.calibrate"
    files, tables = path_texts(inputs, where), path_texts(records, f"{where}: records")
    predicted = path_texts(test, f"{where}: test")
    call = make_call(progress, threads, ranks)
    spot, parameters = word(spot, f"{where}: spot"), word(parameters, f"{where}: parameters")
    drives = None if drives is None else word(drives, f"{where}: drives")
    if update is not None:
        for name, unused in (("tower", tower is not None), ("drives", drives is not None),
                             ("parameters", parameters != "auto"), ("mirrors", mirrors is not None)):
            if unused:
                raise input_error(f"{where}: {name}", "has no meaning with update", "the calibrated scenario knows it", "leave one of them out")
        return Calibration(_core.update_calibration(file=path_text(update, f"{where}: update"), inputs=files, tables=tables, test=predicted, spot=spot,
                                                    call=call))
    if tower is None:
        raise input_error(f"{where}: tower", "is not given", "it holds the plant and its targets", "name tower-measurements.json, or update=SCENARIO")
    return Calibration(_core.calibrate(tower=path_text(tower, f"{where}: tower"), inputs=files, tables=tables, test=predicted,
                                       spot=spot, drives=drives, parameters=parameters,
                                       mirrors=None if mirrors is None else path_text(mirrors, f"{where}: mirrors"), call=call))
