# SPDX-License-Identifier: MIT
"""The notebooks of tutorial 14. `python tests/python/notebooks.py`, with PYTHONPATH on the package, runs them and stores their outputs."""

import os
import pathlib

import nbclient
import nbformat

SOURCE = pathlib.Path(os.environ.get("HELIORAY_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
NOTEBOOKS = sorted((SOURCE / "tutorials/14_python").glob("*.ipynb"))
CELL_LIMIT_S = 240


def executed(path, folder=None):
    """The notebook with new outputs; raises CellExecutionError where a cell fails. Cells work in the notebook's folder, as Jupyter starts them, or in
    another one."""
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=CELL_LIMIT_S, kernel_name="python3", resources={"metadata": {"path": str(folder or path.parent)}},
                            record_timing=False).execute()
    # What differs between machines says nothing.
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return notebook


def printed(notebook):
    """What every cell prints, without what it shows."""
    return ["".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")
            for cell in notebook.cells if cell.cell_type == "code"]


def messages(notebook):
    """What cells write to stderr: the pink lines of notebooks."""
    return [output.text for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
            if output.output_type == "stream" and output.name == "stderr"]


def without_progress(notebook):
    """The notebook without the lines of progress, whose times differ."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not output.get("data", {}).get("text/plain", "").startswith("helioray: ")]
    return notebook


if __name__ == "__main__":
    for one in NOTEBOOKS:
        nbformat.write(without_progress(executed(one)), one)
        print(one.name, one.stat().st_size, "bytes")
