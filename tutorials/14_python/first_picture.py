"""The flux of three heliostats in Juelich: the quickstart's picture."""

import helioray as hr

plant = hr.read(hr.example("juelich"))
run = hr.trace(plant, sun=(180, 45), sun_shape=hr.Pillbox(4.65), target="multi_focus_tower", rays=1e7, slope_error_mrad=1.0)
for name, power in run.energy.items():
    print(f"{name:16s} {power / 1e3:7.3f} kW")
print("fingerprint", run.fingerprint)
run.plot("out/flux.png")
