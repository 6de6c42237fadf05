# SPDX-License-Identifier: MIT
"""A year of SAM's molten salt tower under a cloudless sky, on the tables that helioray export sam has written: sam_year.py sam.json"""

import datetime
import json
import math
import sys

import PySAM.TcsmoltenSalt as tower

LATITUDE, LONGITUDE, ZONE = 37.1, -2.36, 1


def cloudless_year():
    """Sunlight of every hour; PySAM also takes the name of a weather file (solar_resource_file)."""
    hours = [datetime.datetime(2023, 1, 1) + datetime.timedelta(hours=i) for i in range(8760)]
    dni = []
    for hour in hours:
        declination = math.radians(23.45) * math.sin(2 * math.pi * (284 + hour.timetuple().tm_yday) / 365)
        angle = math.radians(15 * (hour.hour + 0.5 - 12 - ZONE) + LONGITUDE)
        sine = (math.sin(math.radians(LATITUDE)) * math.sin(declination)
                + math.cos(math.radians(LATITUDE)) * math.cos(declination) * math.cos(angle))
        dni.append(950 * (1 - math.exp(-7 * sine)) if sine > 0 else 0.0)
    constant = {"df": 60, "gh": 500, "tdry": 20, "twet": 12, "tdew": 8, "rhum": 40, "pres": 950, "wspd": 2, "wdir": 0, "minute": 30}
    return {"lat": LATITUDE, "lon": LONGITUDE, "tz": ZONE, "elev": 500, "dn": dni,
            **{key: [getattr(hour, key) for hour in hours] for key in ("year", "month", "day", "hour")},
            **{key: [value] * len(hours) for key, value in constant.items()}}


# A plant with a cycle for 60 heliostats.
plant = tower.default("MSPTSingleOwner")
plant.SolarResource.solar_resource_data = cloudless_year()
plant.value("P_ref", 0.2)
plant.value("solarm", 1.5)

with open(sys.argv[1]) as file:
    for name, value in json.load(file).items():
        plant.value(name, value)
plant.execute()

lit = [i for i, dni in enumerate(plant.Outputs.beam) if dni > 300]
print(f"efficiency of the field while DNI is above 300 W/m2: {sum(plant.Outputs.eta_field[i] for i in lit) / len(lit):.3f}")
print(f"electricity: {plant.Outputs.annual_energy / 1e3:.0f} MWh")
