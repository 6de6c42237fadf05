# SPDX-License-Identifier: MIT
"""HelioRay: the flux on the receivers of solar tower plants by ray tracing.

    import helioray as hr

    plant = hr.read("configs/juelich.h5")
    run = hr.trace(plant, sun=(180, 45), dni=900, target="receiver", rays=1e6)
    run.flux["receiver"]      # xarray: W/m2 over metres
    run.heliostats            # pandas: every energy term in W
    run.plot("flux.png")

Conventions: metres, watts, degrees for the sun (azimuth clockwise from north); points are east, north and up from the plant's origin.
Keywords have the names of the run configuration; configs/README.md explains every key. Invalid input raises InputError with the text that the
program prints. All calls release the interpreter's lock, stop within a second at Ctrl-C, and give the same fingerprint as the program.
"""

from ._core import InputError
from ._core import version as __version__
from ._ranks import connected_ranks
from ._warnings import HelioRayWarning
from .aiming import Aims, AimSeries, aim
from .calibration import Calibration, calibrate
from .configuration import Buie, Collimated, Gaussian, GaussSum, LimbDarkened, Pillbox, SunShape, Table
from .field import Field, prepare
from .files import open
from .plant import Plant, from_layout, from_paint, from_soltrace, generate, read
from .reconstruction import Reconstruction, reconstruct
from .run import Run, trace
from .series import Series, trace_series
from .sky import Efficiency, efficiency
from .year import Year, annual

__all__ = [
    "AimSeries", "Aims", "Buie", "Calibration", "Collimated", "Efficiency", "Field", "GaussSum", "Gaussian", "HelioRayWarning", "InputError", "LimbDarkened", "Pillbox",
    "Plant", "Reconstruction", "Run", "Series", "SunShape", "Table", "Year", "aim", "annual", "calibrate", "connected_ranks", "efficiency", "from_layout", "from_paint", "from_soltrace",
    "generate", "open", "prepare", "read", "reconstruct", "trace", "trace_series", "__version__",
]
