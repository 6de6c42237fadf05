# SPDX-License-Identifier: MIT
"""HelioRay: the flux on the receivers of solar tower plants by ray tracing.

    import helioray as hr

    plant = hr.read(hr.example("juelich"))
    run = hr.trace(plant, sun=(180, 45), dni=900, target="multi_focus_tower", rays=1e6)
    run.flux["multi_focus_tower"]      # xarray: W/m2 over metres
    run.heliostats                     # pandas: every energy term in W
    run.plot("flux.png")

Conventions: metres, watts, degrees for the sun (azimuth clockwise from north); points are east, north and up from the plant's origin.
Keywords have the names of the run configuration; help(hr.trace) lists every key with its unit, range and default. Invalid input raises InputError with the text that the
program prints. All calls release the interpreter's lock, stop within a second at Ctrl-C, and give the same fingerprint as the program.
"""

from typing import Any as _Any

from ._core import InputError
from ._core import version as __version__
from ._field import Field, prepare
from ._input.configuration import Buie, Collimated, Gaussian, GaussSum, LimbDarkened, Pillbox, SunShape, Table
from ._input.example import example
from ._input.ranks import connected_ranks
from ._input.warnings import HelioRayWarning
from ._plant import Plant, from_layout, from_paint, from_solarpilot, from_soltrace, generate, read
from ._results.aiming import Aims, AimSeries, aim
from ._results.calibration import Calibration, calibrate
from ._results.files import open
from ._results.reconstruction import Reconstruction, reconstruct
from ._results.run import Run, trace
from ._results.series import Series, trace_series
from ._results.sky import Efficiency, efficiency
from ._results.year import Year, annual

__all__ = [
    "AimSeries", "Aims", "Buie", "Calibration", "Collimated", "Efficiency", "Field", "GaussSum", "Gaussian", "HelioRayWarning", "InputError", "LimbDarkened", "Pillbox",
    "Plant", "Reconstruction", "Run", "Series", "SunShape", "Table", "Year", "aim", "annual", "calibrate", "connected_ranks", "efficiency", "example", "from_layout", "from_paint", "from_solarpilot", "from_soltrace",
    "generate", "open", "prepare", "read", "reconstruct", "trace", "trace_series", "__version__",
]

# Calls that users look for under the names of the program's commands or of results.
_CALLS = {
    "run": "hr.trace", "raytrace": "hr.trace", "simulate": "hr.trace", "series": "hr.trace_series", "day": "hr.trace_series", "year": "hr.annual",
    "layout": "hr.from_layout", "paint": "hr.from_paint", "soltrace": "hr.from_soltrace", "solarpilot": "hr.from_solarpilot", "plant": "hr.read or hr.generate", "load": "hr.read or hr.open",
    "field": "hr.prepare", "aiming": "hr.aim", "calibration": "hr.calibrate", "reconstruction": "hr.reconstruct", "sky": "hr.efficiency",
    "examples": "hr.example", "sweep": "hr.trace in a loop over the values", "compare": "run.flux, or the program's helioray compare",
    "validate": "the program's helioray validate", "plot": "the result's plot()", "report": "the result's report()", "write": "the result's write()",
}


def __getattr__(name: str) -> _Any:
    advice = f"; use {_CALLS[name]}" if name in _CALLS else "; import helioray.torch first" if name == "torch" else ""
    raise AttributeError(f"module 'helioray' has no attribute {name!r}{advice}")


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__file__", "__name__", "__path__"]
