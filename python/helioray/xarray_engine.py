# SPDX-License-Identifier: MIT
"""Lets xarray.open_dataset(file, engine="helioray") open results and series."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import xarray
from xarray.backends import BackendEntrypoint

from ._input.configuration import input_error
from ._results.files import open
from ._results.year import Year


class Engine(BackendEntrypoint):
    """The dataset of a run or a series; see Run.dataset and Series.dataset."""

    description = "Results of HelioRay"
    open_dataset_parameters = ("filename_or_obj", "drop_variables")

    def open_dataset(self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None) -> xarray.Dataset:
        """Reads the file; a year has tables instead of a dataset."""
        result = open(filename_or_obj)
        if isinstance(result, Year):
            raise input_error(f"xarray.open_dataset: {os.fspath(filename_or_obj)}", "holds the yield of a year", "it has tables, no dataset",
                              "use helioray.open")
        return result.dataset.drop_vars(drop_variables or [])
