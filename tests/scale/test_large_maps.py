# SPDX-License-Identifier: MIT
"""Maps of 2048 x 2048 pixels; maps of single heliostats that would take more than 4 GiB."""

import unittest
import zlib

import h5py
import numpy

from harness import write_grey
from scale import ScaleTest

COUNT = 10_000
SIZE = 2048
GIBIBYTE = 1 << 30


class LargeMaps(ScaleTest):
    def test_a_map_through_all_readers(self):
        config = self.write_config(COUNT, rays=30)
        printed = self.json_of("raytrace", config, "--set", f"bitmap.width={SIZE}", "--set", f"bitmap.height={SIZE}")
        with h5py.File(self.folder / "result.h5") as file:
            target = file["targets/receiver"]
            flux = target["flux"][()]
            self.assertEqual(flux.shape, (SIZE, SIZE))
            area = (target["width_m"][1] - target["width_m"][0]) * abs(target["height_m"][1] - target["height_m"][0])
            self.assertAlmostEqual(flux.sum() * area / printed["targets"]["receiver"]["power_w"], 1, delta=1e-6)
            self.assertAlmostEqual(file["heliostats/target_power"][()].sum() / printed["targets"]["receiver"]["power_w"], 1, delta=1e-6)
        self.assertIn("2048 x 2048", self.run_program("info", "result.h5").stdout)
        self.require_pictures("result.h5", ("a.png",), ("a.svg", "--scale", "log"), ("a.pdf", "--contours", "--cuts"), ("f.png", "--field"),
                              ("d.png", "--difference", "result.h5"))
        self.require_report("result.h5", "receiver")
        self.run_program("export", "csv", "result.h5", "-o", "tables")
        rows = [line for line in (self.folder / "tables/flux_receiver.csv").read_text().splitlines() if not line.startswith("#")]
        self.assertIn(len(rows), (SIZE, SIZE + 1))
        self.assertGreaterEqual(rows[-1].count(","), SIZE - 1)
        self.run_program("export", "vtk", "result.h5", "-o", "paraview")
        self.require_file("paraview/target_receiver.vts", 8 * SIZE * SIZE)
        write_grey(self.folder / "camera.png", numpy.minimum(255, flux / flux.max() * 256).astype(numpy.uint8))
        self.assertIn("receiver", str(self.json_of("compare", "result.h5", "--measured", "camera.png")))
        seen = self.python("run = hr.open(file)\n"
                           "map = run.flux['receiver']\n"
                           "print(json.dumps([list(map.shape), float(map.max()), run.fingerprint]))", "result.h5")
        self.assertEqual(seen, [[SIZE, SIZE], flux.max(), printed["fingerprint"]])

    def write_maps(self, name, height, width, lit):
        """Gives a result maps of single heliostats. lit: those with a map, by index; None for all, most of them dark."""
        with h5py.File(self.folder / name, "r+") as file:
            maps = file["heliostats"].create_dataset("flux", (COUNT, height, width), "float32", chunks=(1, height, width), compression=1)
            maps.attrs["unit"] = "W/m2"
            maps.attrs["description"] = "flux map of each heliostat"
            dark = zlib.compress(bytes(4 * height * width), 1)
            if lit is None:
                for i in range(COUNT):
                    maps.id.write_direct_chunk((i, 0, 0), dark)
            for i in lit or (5, 9_999):
                maps[i] = numpy.full((height, width), i, "float32")
            self.assertGreater(maps.size * 4, 4 * GIBIBYTE)

    def test_maps_of_single_heliostats_above_4_gibibytes(self):
        """Chunks of all heliostats, compressed, and of few heliostats in a sparse dataset: nobody reads what is not asked for."""
        config = self.write_config(COUNT)
        height, width = 320, 360
        for kind, lit in (("sparse", (5, 9_999)), ("compressed", None)):
            with self.subTest(kind):
                printed = self.json_of("raytrace", config, "--set", f"bitmap.width={width}", "--set", f"bitmap.height={height}")
                self.write_maps("result.h5", height, width, lit)
                self.assertIn(printed["fingerprint"], self.run_program("info", "result.h5").stdout)
                self.require_pictures("result.h5", ("a.png",))
                if kind == "compressed":
                    self.require_report("result.h5", "receiver")
                    self.run_program("export", "csv", "result.h5", "-o", "tables")
                with h5py.File(self.folder / "result.h5") as file:
                    self.assertEqual(file["heliostats/flux"][9_999].max(), 9_999)
                seen = self.python("run = hr.open(file)\n"
                                   "maps = run.heliostat_flux\n"
                                   "print(json.dumps([run.fingerprint, len(maps), [float(maps[name].max()) for name in ('H000004', 'H000005', 'H009999')]]))",
                                   "result.h5")
                self.assertEqual(seen, [printed["fingerprint"], COUNT, [0, 5, 9_999]])

    def test_maps_of_single_heliostats_that_the_program_writes(self):
        config = self.write_config(COUNT)
        printed = self.json_of("raytrace", config, "--set", "output.per_heliostat=true", "--set", "bitmap.width=64", "--set", "bitmap.height=64")
        with h5py.File(self.folder / "result.h5") as file:
            maps = file["heliostats/flux"]
            self.assertEqual((maps.shape, maps.size * 4 > 100e6), ((COUNT, 64, 64), True))
            numpy.testing.assert_allclose(sum(maps[i : i + 500].sum(0, "float64") for i in range(0, COUNT, 500)), file["targets/receiver/flux"][()], rtol=1e-4)
            one = float(maps[123].max())
        seen = self.python("maps = hr.open(file).heliostat_flux\nprint(json.dumps([len(maps), float(maps['H000123'].max())]))", "result.h5")
        self.assertEqual(seen, [COUNT, one])
        self.assertIn(printed["fingerprint"], self.run_program("info", "result.h5").stdout)


if __name__ == "__main__":
    unittest.main()
