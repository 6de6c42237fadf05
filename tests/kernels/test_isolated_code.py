# SPDX-License-Identifier: MIT
"""Code for newer processors defines nothing that the linker could hand to others.

An inline function kept out of line is a weak symbol; of several copies the linker keeps any, also one full of AVX-512.
"""

import re
import subprocess
import sys


def main(library):
    listing = subprocess.run(["nm", "-C", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    member, seen, problems = "", set(), []
    for line in listing.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        match = re.match(r"[0-9a-f]+ ([A-Za-z]) (.*)", line)
        if match and re.search("trace_block_|facet_pack_", member):
            seen.add(member)
            kind, name = match.groups()
            own = re.search("trace_block|add_tiles_|facet_pack_", name)
            # A reference to the handler of exceptions is data, the same in every object.
            if name.startswith("DW.ref."):
                continue
            if kind in "WVu" or (kind in "TDB" and not own):
                problems.append(f"{member}: {kind} {name}")
    if len(seen) < 3:
        problems.append(f"only {sorted(seen)} found in {library}")
    print("\n".join(problems) or f"{len(seen)} objects define only their own functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
