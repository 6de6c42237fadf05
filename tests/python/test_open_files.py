# SPDX-License-Identifier: MIT
"""Files of runs and series opened by others: plain netCDF-4 group by group, and the engine of xarray as it is registered."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

from package import SMALL, SOURCE, hr, juelich, needs, small_field

try:
    import xarray
except ModuleNotFoundError:
    xarray = None
lacking = needs("xarray", "h5netcdf", "pandas")
SUNS = {"azimuth": [140.0, 180.0], "apparent_elevation": [30.0, 45.0], "dni": [800.0, 900.0]}


@unittest.skipIf(lacking, lacking)
class NetCdf(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "result.h5"

    def group(self, name):
        data = xarray.open_dataset(self.file, group=name, engine="h5netcdf")
        self.addCleanup(data.close)
        return data

    def test_run(self):
        run = hr.trace(juelich(), sun=(180, 45), target="multi_focus_tower", output={"per_heliostat": True}, **SMALL)
        run.write(self.file)
        table, heliostats = run.heliostats, self.group("heliostats")
        self.assertEqual(list(heliostats.name.values), list(table.index))
        self.assertEqual(heliostats.target_power.dims, ("name",))
        self.assertEqual(float(heliostats.target_power.sel(name="AA31")), table.target_power["AA31"])
        self.assertEqual(float(heliostats.aim_point.sel(name="AA31", axis="north")), table.aim_north_m["AA31"])
        numpy.testing.assert_array_equal(heliostats.orientation.transpose("name", "row", "column"), run.orientations)
        numpy.testing.assert_array_equal(heliostats.motor_positions, table[["motor_1", "motor_2"]])
        for name, column in heliostats.data_vars.items():
            with self.subTest(column=name):
                if column.dims == ("name",):
                    numpy.testing.assert_array_equal(column, table[name])
                    if column.dtype == float:
                        self.assertEqual(run.dataset[name].units, column.unit)
                elif name not in ("flux", "orientation", "mirror_outline", "aim_point", "motor_positions"):
                    numpy.testing.assert_array_equal(column[:, 0], table[f"{name}_1"])
        for name, target in run.targets.iterrows():
            for key, value in self.group(f"targets/{name}").attrs.items():
                if isinstance(value, float):
                    self.assertEqual(target[key], value)
        self.assertEqual(heliostats.mirror_outline.dims, ("name", "corner", "axis"))
        self.assertEqual(heliostats.flux.dims, ("name", "pixel_row", "pixel_column"))
        self.assertEqual(list(heliostats.axis.values), ["east", "north", "up"])
        target = self.group("targets/multi_focus_tower")
        numpy.testing.assert_array_equal(target.flux, run.array())
        tree = xarray.open_datatree(self.file, engine="h5netcdf")
        self.assertEqual(tree.attrs["fingerprint"], run.fingerprint)
        tree.close()

    @unittest.skipIf(needs("netCDF4"), needs("netCDF4"))
    def test_library_of_unidata(self):
        run = hr.trace(juelich(), sun=(180, 45), target="multi_focus_tower", **SMALL)
        run.write(self.file)
        with xarray.open_dataset(self.file, group="targets/multi_focus_tower", engine="netcdf4") as data:
            numpy.testing.assert_array_equal(data.flux, run.array())
        with xarray.open_dataset(self.file, group="heliostats", engine="netcdf4") as data:
            self.assertEqual(float(data.target_power.sel(name="AA31")), run.heliostats.target_power["AA31"])

    def test_series(self):
        series = hr.trace_series(small_field(), SUNS, output=self.file, **SMALL)
        flux = self.group("targets/receiver")
        self.assertEqual(flux.flux.dims, ("step", "height_m", "width_m"))
        numpy.testing.assert_array_equal(flux.flux.isel(step=1), series[1].array())
        numpy.testing.assert_allclose(flux.height_m, series[1].flux["receiver"].height_m, atol=1e-12)
        self.assertEqual(flux.centroid_m.dims, ("step", "axis"))
        self.assertEqual(flux.power_w.dims, ("step",))
        heliostats = self.group("heliostats")
        self.assertEqual(heliostats.target_power.dims, ("step", "name"))
        numpy.testing.assert_allclose(heliostats.target_power.sum("name"), series.steps.target_power)
        steps = self.group("series")
        numpy.testing.assert_allclose(steps.azimuth_deg, SUNS["azimuth"])
        self.assertEqual(list(steps.fingerprint.values), [step.fingerprint for step in series])
        self.assertEqual(steps.sun_direction.dims, ("step", "axis"))

    def test_year(self):
        year = hr.annual(small_field(3), declinations=3, hours=3, **{**SMALL, "rays": 100})
        year.write(self.file)
        heliostats, months, sky, target = (self.group(name) for name in ("heliostats", "months", "sky", "targets/receiver"))
        self.assertEqual(heliostats.monthly_target_energy.dims, ("name", "month"))
        self.assertEqual(list(heliostats.month.values), list(range(1, 13)))
        numpy.testing.assert_allclose(heliostats.target_energy, year.heliostats.target_energy)
        numpy.testing.assert_allclose(heliostats.monthly_target_energy.sum("month"), heliostats.target_energy)
        self.assertEqual(heliostats.orientation.dims, ("name", "row", "column"))
        numpy.testing.assert_allclose(heliostats.monthly_target_energy.sum("name"), months.target_energy)
        self.assertEqual(target.monthly_energy.dims, ("month",))
        self.assertEqual(sky.efficiency.dims, ("declination", "hour", "heliostat"))
        self.assertEqual(sky.weight.dims, ("declination", "hour"))
        self.check_scales()
        self.assertEqual(hr.open(self.file).fingerprint, year.fingerprint)
        from helioray.xarray_engine import Engine
        with self.assertRaisesRegex(hr.InputError, f"{self.file}: holds the yield of a year .it has tables, no dataset.; use helioray.open"):
            xarray.open_dataset(self.file, engine=Engine)

    def test_every_axis_has_a_scale(self):
        hr.trace_series(small_field(3), SUNS, output=self.file, **SMALL)
        self.check_scales()

    def check_scales(self):
        if needs("h5py"):
            self.skipTest(needs("h5py"))
        import h5py
        names = []

        def look(name, item):
            if isinstance(item, h5py.Dataset):
                names.append(name)
                for axis, dimension in enumerate(item.dims):
                    if not item.is_scale:
                        self.assertEqual(len(dimension), 1, name)
                        self.assertEqual(dimension[0].shape, (item.shape[axis],), name)
        with h5py.File(self.file) as file:
            file.visititems(look)
        self.assertGreater(len(names), 25)

    def test_registered_engine(self):
        """As an installed package registers it: by the entry point of pyproject.toml."""
        hr.trace_series(small_field(3), SUNS, output=self.file, **SMALL)
        meta = self.file.parent / "helioray-0.dist-info"
        meta.mkdir()
        meta.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: helioray\nVersion: 0\n")
        text = (SOURCE / "pyproject.toml").read_text()
        lines = text.split('[project.entry-points."xarray.backends"]\n')[1].split("\n\n")[0]
        meta.joinpath("entry_points.txt").write_text("[xarray.backends]\n" + lines.replace('"', "") + "\n")
        code = ("import sys, xarray; data = xarray.open_dataset(sys.argv[1], engine='helioray'); "
                "print(dict(data.sizes)['heliostat'], data.flux_receiver.dims[0], xarray.open_dataset(sys.argv[1], engine='helioray', "
                "drop_variables=['flux_receiver']).sizes['step'])")
        path = os.pathsep.join([str(self.file.parent), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run([sys.executable, "-c", code, str(self.file)], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), ["3", "step", "2"], done.stderr)

    def test_engine_of_a_build_tree(self):
        """Nothing is registered there, and the class itself is the engine."""
        from helioray.xarray_engine import Engine
        series = hr.trace_series(small_field(3), SUNS, output=self.file, **SMALL)
        with xarray.open_dataset(self.file, engine=Engine) as data:
            xarray.testing.assert_identical(data.load(), series.dataset)


if __name__ == "__main__":
    unittest.main()
