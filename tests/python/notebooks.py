# SPDX-License-Identifier: MIT
"""The notebooks of tutorial 14. `python tests/python/notebooks.py`, with PYTHONPATH on the package, runs them and stores their outputs."""

import os
import pathlib

import nbclient
import nbformat

SOURCE = pathlib.Path(os.environ.get("HELIORAY_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
NOTEBOOKS = sorted((SOURCE / "tutorials/14_python").glob("*.ipynb"))
CELL_LIMIT_S = 240


def executed(path):
    """The notebook with new outputs; raises CellExecutionError where a cell fails. Cells work in the root of the repository."""
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=CELL_LIMIT_S, kernel_name="python3", resources={"metadata": {"path": str(SOURCE)}},
                            record_timing=False).execute()
    # What differs between machines says nothing.
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return notebook


def printed(notebook):
    """What every cell prints, without what it shows."""
    return ["".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")
            for cell in notebook.cells if cell.cell_type == "code"]


if __name__ == "__main__":
    for one in NOTEBOOKS:
        nbformat.write(executed(one), one)
        print(one.name, one.stat().st_size, "bytes")
