# SPDX-License-Identifier: MIT
"""run_document.py DOCUMENT: runs its commands in a folder of their own and compares what they print with what the document shows.

The folder has copies of configs and tutorials, and links to the program, so that commands of the documents work as they stand. A block of
language "text" shows lines that the commands of its section print, in any order; numbers may differ by 1 in their last digit, durations and
rates by anything. Rows of some tables are compared with what further commands print, see ROWS.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from markdown import SOURCE, Document, commands, is_commands

PROGRAM = pathlib.Path(os.environ["HELIORAY_PROGRAM"]).resolve()
SKIPPED = [  # pattern of the command line, reason
    (r"\.?/?scripts/(setup|test|build)\b|\S*pip install |python3 -m venv ", "installs or builds"),
    (r"(\S*/)?(cmake|ctest|man|source|export|sudo) |~/", "is for the reader's machine"),
    (r"torchrun |mpirun |mpiexec |srun |sbatch ", "other launchers: tests/app/program/ranks/test_ranks.py and tutorial 03 start what is installed"),
    (r"RANK=", "is one process of several: tests/app/program/ranks/test_ranks.py"),
]
# What the documents presume; and files of the reader's.
BEFORE = {
    "raytracer/results/README.md": ["build/release/bin/helioray raytrace configs/quickstart.yaml",
                                   "build/release/bin/helioray raytrace configs/quickstart.yaml --seed 1 -o other.h5"],
    "scenario/import/README.md": ["cp tutorials/05_own_field/positions.csv positions.csv"],
}
LIMIT_S = 1500  # machines may be busy
PROGRAM_IN_DOCUMENTS = "build/release/bin/helioray"
DURATIONS = {"s", "min", "h", "Mrays/s", "MB"}  # units that depend on the machine


def limit_row(limit):
    """A row of tutorial 11: what a limit in kW/m2 costs."""
    def row(printed):
        chosen = re.search(r"^ +chosen +(\S+ MW) .*?([0-9.]+ %)$", printed, re.M)
        bound = re.search(r"^ +bound +(\S+ MW)", printed, re.M)
        price = re.search(r"^ +limits .*\((\S+ %) of the power", printed, re.M)
        off = re.search(r"^ +turned off +(\d+) of", printed, re.M)
        return f"| {limit} kW/m2 | {chosen[1]} | {bound[1]} | {price[1]} | {chosen[2]} | {off[1]} |"
    return f"aim tutorials/11_aiming/run.yaml -o out/11/row.csv --flux-limit-kw-m2 {limit}", row


def year_row(name, options):
    """A row of tutorial 08: the energy of a year with its errors."""
    def row(printed):
        energy = re.search(r"^ +receiver +(\S+ MWh) +(\S+ %) +(\S+ %)$", printed, re.M)
        return f"| {name} | {energy[1]} | {energy[2]} | {energy[3]} |"
    return f"annual tutorials/08_annual_yield/run.yaml -o out/08/row.h5 {options}", row


# Rows of tables: the arguments of a command, and the row that its output makes, which the document must have as it is.
ROWS = {
    "tutorials/08_annual_yield/README.md": [year_row("`--declinations 5 --hours 7`", "--declinations 5 --hours 7"), year_row("default, 9 and 13", ""),
                                           year_row("1e5 instead of 1e4 rays per heliostat", "--set tracing.rays_per_heliostat=1e5"),
                                           year_row("`--declinations 17 --hours 25`", "--declinations 17 --hours 25")],
    "tutorials/11_aiming/README.md": [limit_row(limit) for limit in (400, 300, 250, 220, 80)],
}


def workspace(folder):
    for name in ("configs", "tutorials"):
        shutil.copytree(SOURCE / name, folder / name, ignore=shutil.ignore_patterns("field.h5"))
    (folder / "scripts").symlink_to(SOURCE / "scripts")
    (folder / "tests").mkdir()
    (folder / "tests/data").symlink_to(SOURCE / "tests/data")
    (folder / "build/release/lib").mkdir(parents=True)
    (folder / "build/release/bin").symlink_to(PROGRAM.parent)
    operators = pathlib.Path(os.environ["HELIORAY_OPERATORS"])
    (folder / "build/release/lib" / operators.name).symlink_to(operators.resolve())
    package = PROGRAM.parent.parent / "lib/python"
    if package.exists():
        (folder / "build/release/lib/python").symlink_to(package)
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)


def write_projects(folder):
    """Projects of SolTrace and SolarPILOT: those of the tests of their readers."""
    sys.path[:0] = [str(SOURCE / folder) for folder in ("tests/app/program", "tests/app", "tests/support")]
    from test_fields import spt, stinput
    (folder / "tower.stinput").write_text(stinput())
    (folder / "plant.spt").write_text(spt())


def number(word):
    """(value, 1 in the last digit) of a number with brackets, commas and percent signs about it; None for other words."""
    plain = word.strip("()%,:;").replace(",", "")
    if not re.fullmatch(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?", plain):
        return None
    return float(plain), 10.0 ** -len(plain.partition(".")[2].partition("e")[0])


def same_line(shown, printed):
    shown, printed = shown.split(), printed.split()
    if len(shown) != len(printed):
        return False
    for a, b, unit in zip(shown, printed, [*shown[1:], ""]):
        x, y = number(a), number(b)
        is_equal = a == b or (x and y and abs(x[0] - y[0]) <= 1.01 * x[1])
        if not is_equal and not (x and y and unit.strip("(),.;") in DURATIONS):
            return False
    return True


def run(line, folder):
    # scripts/raytrace installs and builds, then becomes the program.
    line = re.sub(r"^\./scripts/raytrace ", f"{PROGRAM_IN_DOCUMENTS} raytrace ", line)
    # The wheel has the same program.
    line = re.sub(r"^v/bin/helioray ", f"{PROGRAM_IN_DOCUMENTS} ", line)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("RANK", "WORLD_SIZE", "SLURM_", "OMPI_", "PMI"))}
    done = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        sys.exit(f"{line}\nends with exit code {done.returncode}:\n{done.stdout}")
    return done.stdout


def missing_lines(block, printed):
    lines = printed.splitlines()
    return [line for line in block.text.splitlines() if line.strip() and not any(same_line(line, p) for p in lines)]


def main(path):
    document = Document(path)
    ran, shown, missing = 0, 0, []
    with tempfile.TemporaryDirectory(prefix="helioray_docs_") as name:
        folder = pathlib.Path(name)
        workspace(folder)
        for line in BEFORE.get(path, []):
            run(line, folder)
        if path == "scenario/import/README.md":
            write_projects(folder)
        heading, printed = None, ""
        for block in document.blocks:
            if block.heading != heading:
                heading, printed = block.heading, ""
            if block.language == "text" and printed:
                shown += 1
                missing += [f"{path}:{block.line}: not printed: {line}" for line in missing_lines(block, printed)]
            if not is_commands(block):
                continue
            for command in commands(block):
                reason = next((r for pattern, r in SKIPPED if re.match(pattern, command.text)), None)
                print(f"skipped, {reason}: {command.text}" if reason else command.text, flush=True)
                if not reason:
                    printed += run(command.text, folder)
                    ran += 1
        for arguments, row in ROWS.get(path, []):
            found = row(run(f"{PROGRAM_IN_DOCUMENTS} {arguments}", folder))
            shown += 1
            if found not in (SOURCE / path).read_text():
                missing.append(f"{path}: {arguments} makes the row {found}")
    print("\n".join(missing) or f"{path}: {ran} commands, {shown} blocks of their output")
    return 1 if missing or ran == 0 else 0


if __name__ == "__main__":
    try:
        import h5py  # noqa: F401  tutorials need it
    except ImportError as absent:
        sys.exit(f"{sys.executable} has no h5py ({absent}); scripts/setup --tests installs it")
    if "07_gradients" in sys.argv[1] and importlib.util.find_spec("torch") is None:
        print(f"SKIP: {sys.executable} has no torch")
        sys.exit(77)
    if "14_python" in sys.argv[1] and not list(PROGRAM.parent.parent.glob("lib/python/helioray/_core*.so")):
        print("SKIP: the Python package is not built; scripts/setup --tests installs what it needs")
        sys.exit(77)
    sys.exit(main(sys.argv[1]))
