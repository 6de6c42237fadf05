# SPDX-License-Identifier: MIT
"""losses.py RESULT.h5...: where the light of each run went, in percent of its solar power."""

import pathlib
import sys

import h5py

TERMS = ("cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "spillage_loss", "target_power")

print(f"{'':14}" + "".join(f"{term.split('_')[0]:>12}" for term in TERMS))
for name in sys.argv[1:]:
    with h5py.File(name) as result:
        solar = result["heliostats/solar_power"][:].sum()
        shares = [100 * result["heliostats"][term][:].sum() / solar for term in TERMS]
    print(f"{pathlib.Path(name).stem:14}" + "".join(f"{share:12.2f}" for share in shares))
    assert abs(sum(shares) - 100) < 1e-9, "the terms add up"  # nothing is attenuated here
