# SPDX-License-Identifier: MIT
"""Code for newer processors defines nothing that the linker could hand to others.

An inline function kept out of line is a weak symbol; of several copies the linker keeps any, also one full of AVX-512.
"""

import re
import subprocess
import sys


def main(library):
    listing = subprocess.run(["nm", "-C", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    member, seen, problems = "", [], []
    for line in listing.splitlines():
        if line.endswith(":"):
            member = line[:-1]
            if re.search("trace_block|facet_pack|column_sums", member):
                seen.append(member)
        match = re.match(r"[0-9a-f]+ ([A-Za-z]) (.*)", line)
        if match and re.search("trace_block|facet_pack|column_sums", member):
            kind, name = match.groups()
            own = re.search("kernels::(portable|avx2|avx512)::(trace_block|add_tiles|facet_pack|column_functions)", name)
            # A reference to the handler of exceptions is data, the same in every object.
            if name.startswith("DW.ref."):
                continue
            if kind in "WVu" or (kind in "TDB" and not own):
                problems.append(f"{member}: {kind} {name}")
    # Four sources for each of three instruction sets.
    if len(seen) != 12:
        problems.append(f"{sorted(seen)} found in {library}")
    print("\n".join(problems) or f"{len(seen)} objects define only their own functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
