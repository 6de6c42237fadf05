# SPDX-License-Identifier: MIT
"""Uses the package beside others that bring copies of the same libraries (HDF5, cairo's freetype and zlib, LibTorch) in one process, imported before and after it.

Usage: import_orders.py [MODULE...], by default those that are installed of h5py, netCDF4, matplotlib and torch. It looks at the visible
symbols of the extension, too. tests/package/test_symbols.py and scripts/release run it.
"""

import importlib.util
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

OTHERS = ("h5py", "netCDF4", "matplotlib", "torch")
# Starts of names of the libraries in the extension.
LIBRARIES = re.compile(r"^_?(H5|cairo|_cairo|pixman|FT_|png_|deflate|inflate|crc32|adler32|EVP_|OPENSSL|CRYPTO_|_ZN4YAML|__cxa|_Unwind)")
USE = {
    "helioray": """
plant = helioray.generate("configs/field.yaml", heliostats=4)
run = helioray.trace(plant, sun=(180, 45), rays=1000, bitmap={"width": 8, "height": 8}, device="cpu")
run.write(folder / "run.h5")
assert helioray.open(folder / "run.h5").fingerprint == run.fingerprint
for ending in ("png", "svg", "pdf"): run.plot(folder / f"flux.{ending}")
try: helioray.trace(plant, sun=(180, 45), rays=-1)
except helioray.InputError: pass
else: raise SystemExit("bad input was taken")
""",
    "h5py": """
with h5py.File(folder / "h5py.h5", "w") as file: file.create_dataset("a", data=list(range(1000)), compression="gzip")
with h5py.File(folder / "h5py.h5") as file: assert file["a"][999] == 999
""",
    "netCDF4": """
with netCDF4.Dataset(folder / "a.nc", "w") as file:
    file.createDimension("x", 3)
    file.createVariable("v", "f8", ("x",), zlib=True)[:] = [1, 2, 3]
with netCDF4.Dataset(folder / "a.nc") as file: assert file["v"][2] == 3
""",
    "matplotlib": """
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.plot([1, 2]); plt.title("title"); plt.savefig(folder / "m.png"); plt.savefig(folder / "m.pdf")
""",
    "torch": """
assert (torch.ones(3) @ torch.ones(3)).item() == 3
""",
}


def visible_symbols(file):
    """The names that a shared object defines for others."""
    data = pathlib.Path(file).read_bytes()
    offset, size, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + size * index) for index in range(count)]
    names = set()
    for section in sections:
        if section[1] != 11:  # SHT_DYNSYM
            continue
        texts = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, info, other, index = struct.unpack_from("<IBBH", data, at)
            if index != 0 and info >> 4 in (1, 2, 10) and other & 3 in (0, 3):
                names.add(data[texts + name:data.index(b"\0", texts + name)].decode())
    return names


def orders(others):
    """Each other module before and after the package, and all of them."""
    for other in others:
        yield from ([other, "helioray"], ["helioray", other])
    if len(others) > 1:
        yield from ([*others, "helioray"], ["helioray", *reversed(others)])


def try_order(order):
    """What goes wrong where modules are imported in this order and then used, first in this order and then in the other; "" if nothing."""
    code = ["import pathlib, sys", "folder = pathlib.Path(sys.argv[1])", *(f"import {name}" for name in order),
            *(USE[name] for name in [*order, *reversed(order)])]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-c", "\n".join(code), folder], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"exit code {done.returncode}\n{done.stderr[-2000:]}"


def problems(others):
    """Every order of imports that fails, and every symbol that others could take for theirs."""
    extension = importlib.util.find_spec("helioray._core").origin
    found = [f"{pathlib.Path(extension).name} shows {name}" for name in sorted(visible_symbols(extension)) if LIBRARIES.match(name)]
    return found + [f"{', '.join(order)}: {wrong}" for order in orders(others) if (wrong := try_order(order))]


def main():
    others = sys.argv[1:] or [name for name in OTHERS if importlib.util.find_spec(name)]
    found = problems(others)
    print("\n".join(found) or f"the package works beside {', '.join(others)} in any order, and shows no symbols of its libraries")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
