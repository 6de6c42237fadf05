"""A generated field over a day, and a loop over sun positions with a field that is prepared once."""

import pandas

import helioray as hr

plant = hr.generate(hr.example("field"), heliostats=100)

# pvlib's get_solarposition gives such a frame, with azimuth and apparent_elevation as well; without them HelioRay computes the positions.
times = pandas.date_range("2026-06-21 06:00", "2026-06-21 18:00", freq="3h", tz="Europe/Madrid")
day = hr.trace_series(plant, pandas.DataFrame({"dni": 850.0}, index=times), rays=2e4)
for time, step in day.steps.iterrows():
    print(f"{time:%H:%M}: sun at {step.elevation_deg:4.1f} degrees, {step.target_power / 1e3:6.1f} kW")
flux = day.dataset["flux_receiver"]
print(f"largest mean flux of a pixel: {float(flux.mean('time').max()) / 1e3:.0f} kW/m2")

field = hr.prepare(plant, sun=(180, 60), rays=2e3)
powers = [field.set_sun(azimuth, 40).trace().energy["target_power"] for azimuth in range(90, 271, 15)]
print(f"at 40 degrees of elevation: {min(powers) / 1e3:.0f} to {max(powers) / 1e3:.0f} kW")
