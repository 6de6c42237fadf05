# SPDX-License-Identifier: MIT
"""What leaves the program beside results: tables, VTK files, pictures, reports. Read back by readers of their own."""

import csv
import html.parser
import json
import os
import re
import shutil
import unittest
import xml.etree.ElementTree

import h5py
import numpy

from browser import ask_page, find_browser
from harness import ARTIST, SCENARIO, SOURCE, ProgramTest
from vtk_arrays import areas, numbers, strings

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Balanced(html.parser.HTMLParser):
    """Checks that every element is closed in turn; gathers text and attributes."""

    def __init__(self, page):
        super().__init__()
        self.open, self.errors, self.attributes, self.texts = [], [], [], {}
        self.feed(page)
        self.close()
        self.errors += [f"{tag} stays open" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        self.attributes += [(tag, key, value or "") for key, value in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.errors.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


class Outputs(ProgramTest):
    @classmethod
    def setUpClass(cls):
        # One run for all tests.
        maker = cls("write_result_once")
        maker.setUp()
        maker.write_result_once()
        cls.made = maker

    @classmethod
    def tearDownClass(cls):
        cls.made.doCleanups()

    def write_result_once(self):
        config = self.write_config(rays="3e4").read_text()
        # Markup and quotes in what the report shows; two targets.
        config += "obstacles: [{name: '<b>bold & more</b>', type: box, center: [900, 0, 5], size_m: [1, 1, 1]}]\n"
        config = config.replace(
            "{target: multi_focus_tower}", "{target: multi_focus_tower, heliostats: {AA39: {target: receiver}}}")
        self.write_config(text=config)
        self.raytrace_json("run.yaml")

    def setUp(self):
        super().setUp()
        if hasattr(type(self), "made"):
            shutil.copy(self.made.folder / "result.h5", self.folder)

    def test_csv_holds_the_maps_and_the_heliostats(self):
        listed = json.loads(self.good("export", "csv", "result.h5", "-o", "tables", "--json"))
        self.assertEqual(sorted(listed["files"]), sorted(p.name for p in (self.folder / "tables").iterdir()))
        with h5py.File(self.folder / "result.h5") as result:
            for name, target in result["targets"].items():
                for file, dataset in (("flux", "flux"), ("std_error", "flux_std_error")):
                    lines = (self.folder / "tables" / f"{file}_{name}.csv").read_text().splitlines()
                    table = list(csv.reader(line for line in lines if not line.startswith("#")))
                    numpy.testing.assert_array_equal(numpy.array([row[1:] for row in table[1:]], float), target[dataset])
                    numpy.testing.assert_allclose(numpy.array(table[0][1:], float), target["width_m"], rtol=1e-8)
                    numpy.testing.assert_allclose([float(row[0]) for row in table[1:]], target["height_m"], rtol=1e-8)
            with open(self.folder / "tables" / "heliostats.csv", newline="") as stream:
                rows = list(csv.DictReader(stream))
            group = result["heliostats"]
            self.assertEqual([row["name"].encode() for row in rows], list(group["name"]))
            for term in ("solar_power", "cosine_loss", "blocking_loss", "spillage_loss", "target_power", "target_power_std_error"):
                self.assertEqual([float(row[term + "_w"]) for row in rows], list(group[term]))
            self.assertEqual([float(row["up_m"]) for row in rows], list(group["orientation"][:, 2, 3]))

    def test_vtk_integrates_to_the_power_on_the_true_surface(self):
        self.good("export", "vtk", "result.h5", "-o", "vtk")
        blocks = xml.etree.ElementTree.parse(self.folder / "vtk" / "result.vtm").getroot().iter("DataSet")
        files = {block.get("name"): block.get("file") for block in blocks}
        self.assertEqual(sorted(files), ["bodies", "heliostats", "multi_focus_tower", "receiver"])
        with h5py.File(self.folder / "result.h5") as result:
            for name, target in result["targets"].items():
                piece = xml.etree.ElementTree.parse(self.folder / "vtk" / files[name]).getroot().find(".//Piece")
                height, width = target["flux"].shape
                self.assertEqual(piece.get("Extent"), f"0 {width} 0 {height} 0 0")
                points = numbers(piece.find("Points/DataArray")).reshape(height + 1, width + 1, 3)
                cells = {array.get("Name"): numbers(array) for array in piece.find("CellData")}
                # Rows from the bottom up, so that the grid's normals face the observer.
                numpy.testing.assert_array_equal(cells["flux_w_m2"].reshape(height, width)[::-1], target["flux"])
                numpy.testing.assert_array_equal(cells["flux_std_error_w_m2"].reshape(height, width)[::-1], target["flux_std_error"])
                geometry = json.loads(target.attrs["geometry"])
                corner = (numpy.arange(height)[:, None] * (width + 1) + numpy.arange(width)).ravel()
                quads = numpy.stack([corner, corner + 1, corner + width + 2, corner + width + 1], axis=1)
                area = areas(points.reshape(-1, 3), quads)
                power = target.attrs["power_w"]
                self.assertGreater(power, 0)
                # A flat cell spans an arc of a cylinder by its chord.
                chord = 1.0
                if target.attrs["kind"] == "cylindrical":
                    angle = geometry["opening_angle"] / width
                    chord = numpy.sin(angle / 2) / (angle / 2)
                self.assertAlmostEqual((cells["flux_w_m2"] * area).sum() / power, chord, places=9)
                self.assertAlmostEqual(cells["power_w"].sum() / power, 1.0, places=9)
                self.assertAlmostEqual((cells["flux_w_m2"] * cells["area_m2"]).sum() / power, 1.0, places=9)
                middle = 0.25 * (points[:-1, :-1] + points[1:, :-1] + points[:-1, 1:] + points[1:, 1:])
                centroid = (middle * cells["flux_w_m2"].reshape(height, width, 1)).sum((0, 1)) / cells["flux_w_m2"].sum()
                numpy.testing.assert_allclose(centroid, target.attrs["centroid_m"], atol=5e-3)

    def test_vtk_mirrors_stand_where_the_result_says(self):
        self.good("export", "vtk", "result.h5", "-o", "vtk")
        piece = xml.etree.ElementTree.parse(self.folder / "vtk" / "heliostats.vtp").getroot().find(".//Piece")
        cells = {array.get("Name"): array for array in piece.find("CellData")}
        points = numbers(piece.find("Points/DataArray")).reshape(-1, 3)
        quads = numbers(piece.find("Polys/DataArray[@Name='connectivity']")).reshape(-1, 4)
        with h5py.File(self.folder / "result.h5") as result:
            group = result["heliostats"]
            self.assertEqual([name.encode() for name in strings(cells["name"])], list(group["name"]))
            numpy.testing.assert_array_equal(numbers(cells["target_power_w"]), group["target_power"])
            orientation = group["orientation"][:]
            outline = group["mirror_outline"][:]
        placed = numpy.einsum("hij,hkj->hki", orientation[:, :3, :3], outline) + orientation[:, None, :3, 3]
        numpy.testing.assert_allclose(points[quads], placed, atol=1e-9)
        # Juelich's mirrors have 8.2 m2 of facets in an outline with narrow gaps.
        solar = numbers(cells["solar_power_w"]) / 1000.0
        self.assertTrue(((areas(points, quads) > solar) & (areas(points, quads) < 1.1 * solar)).all())

    def test_model_artist_has_everything_but_watts(self):
        self.write_config(text=(self.made.folder / "run.yaml").read_text().split("obstacles:")[0])
        self.raytrace_json("run.yaml", *ARTIST, "-o", "artist.h5")
        with h5py.File(self.folder / "artist.h5") as artist, h5py.File(self.folder / "result.h5") as physical:
            numpy.testing.assert_array_equal(artist["heliostats/mirror_outline"], physical["heliostats/mirror_outline"])
            flux = artist["targets/receiver/flux"][:]
        self.good("plot", "artist.h5", "-o", "p.png", "--field", "spillage", "--unit", "power")
        self.good("plot", "artist.h5", "-o", "p.png", "--cuts", "--contours")
        self.good("report", "artist.h5", "-o", "artist.html")
        self.good("export", "vtk", "artist.h5", "-o", "vtk")
        cells = xml.etree.ElementTree.parse(self.folder / "vtk" / "target_receiver.vts").getroot().find(".//CellData")
        self.assertEqual(cells.get("Scalars"), "weight")
        numpy.testing.assert_array_equal(numbers(cells.find("DataArray[@Name='weight']")).reshape(flux.shape)[::-1], flux)

    def test_every_kind_of_picture(self):
        for options in ((), ("--scale", "log"), ("--contours",), ("--cuts",), ("--target", "receiver"), ("--field",),
                        ("--field", "cosine"), ("--field", "spillage_loss", "--unit", "power"), ("--difference", "result.h5"),
                        ("--scale", "log", "--contours", "--cuts", "--title", "T"), ("--shared-scale", "--all-targets")):
            self.good("plot", "result.h5", "-o", "p.png", *options)
            self.assertTrue((self.folder / "p.png").read_bytes().startswith(b"\x89PNG"), options)
            (self.folder / "p.png").unlink()

    def test_difference_of_independent_runs_is_about_one_standard_error(self):
        self.write_config(text=(self.made.folder / "run.yaml").read_text())
        self.raytrace_json("run.yaml", "--seed", "7", "-o", "other.h5", "--set", "tracing.sampling=random")
        self.raytrace_json("run.yaml", "--seed", "8", "-o", "third.h5", "--set", "tracing.sampling=random")
        made = json.loads(self.good("plot", "other.h5", "--difference", "third.h5", "-o", "d.png", "--json"))
        with h5py.File(self.folder / "other.h5") as a, h5py.File(self.folder / "third.h5") as b:
            for name, target in made["difference"].items():
                delta = a["targets"][name]["flux"][:] - b["targets"][name]["flux"][:]
                self.assertAlmostEqual(target["rms"], numpy.sqrt((delta**2).mean()), places=6)
                self.assertAlmostEqual(abs(target["largest"]), abs(delta).max(), places=6)
                self.assertTrue(0.9 < target["rms_in_std_errors"] < 1.1, target)

    def test_bad_input_is_refused_before_anything_is_written(self):
        before = self.leftovers()
        self.assertIn("did you mean 'efficiency'", self.refused("plot", "result.h5", "-o", "p.png", "--field", "eficiency"))
        self.assertIn("'receiver'", self.refused("plot", "result.h5", "-o", "p.png", "--target", "reciever"))
        self.assertIn("no/such", self.refused("export", "csv", "result.h5", "-o", "no/such/folder"))
        self.assertIn("not a folder", self.refused("export", "csv", "result.h5", "-o", "result.h5"))
        self.assertIn(".html", self.refused("report", "result.h5", "-o", "result.h5"))
        self.assertIn("excludes", self.refused("plot", "result.h5", "-o", "p.png", "--field", "cosine", "--cuts"))
        for command, *options in (("export csv", "-o", "out"), ("report", "-o", "r.html"), ("plot", "-o", "p.png")):
            self.refused(*command.split(), SCENARIO, *options)
            self.refused(*command.split(), "missing.h5", *options)
            self.refused(*command.split(), "run.yaml", *options)
        self.assertEqual(self.leftovers(), before)

    def test_an_output_has_the_ending_of_its_format(self):
        """Otherwise a spreadsheet gets HDF5, or a reader of HDF5 a table; nothing is computed or written before."""
        tower, paint = SOURCE / "configs/paint/tower-measurements.json", SOURCE / "tutorials/12_calibration/paint"
        self.write_config()
        before = self.leftovers()
        hdf5, csv = ".h5 or .hdf5", ".csv"
        for ending, wrong, wanted, command in (("-o", "out.csv", hdf5, ("calibrate", "--tower", tower, paint)),
                                               ("-o", "out.csv", hdf5, ("reconstruct", SCENARIO, "--measured", paint)),
                                               ("-o", "out.csv", hdf5, ("raytrace", "run.yaml")),
                                               ("-o", "out.csv", hdf5, ("annual", "run.yaml")),
                                               ("--csv", "out.h5", csv, ("annual", "run.yaml")),
                                               ("-o", "out.csv", hdf5, ("efficiency", "run.yaml")),
                                               ("-o", "out.txt", ".csv or .h5 or .hdf5", ("sweep", "run.yaml", "--vary", "sun.dni_w_m2=1,2")),
                                               ("-o", "out.h5", csv, ("aim", "run.yaml")),
                                               ("--result", "out.csv", hdf5, ("aim", "run.yaml")),
                                               ("-o", "out.json", hdf5, ("scenario", "paint", "--tower", tower, paint)),
                                               ("-o", "out", hdf5, ("scenario", "generate", SOURCE / "configs/field.yaml")),
                                               ("-o", "out.binp", hdf5, ("scenario", "stral", "mirror.binp", "--position", "0,50,0"))):
            text = self.refused(*command, ending, wrong)
            # The configuration's reader names several endings by commas.
            self.assertRegex(text, rf"'{wrong}' does not end in ({wanted}|{wanted.replace(' or ', ', ')})", command)
            self.assertIn({"-o": "output"}.get(ending, ending), text)
        self.assertEqual(self.leftovers(), before)

    def report(self):
        self.good("report", "result.h5", "-o", "report.html", "--title", "A <title> & more")
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def test_report_is_balanced_escaped_and_alone(self):
        page = self.report()
        parsed = Balanced(page)
        self.assertEqual(parsed.errors, [])
        self.assertNotRegex(page, r"https?://")
        self.assertEqual([a for a in parsed.attributes if a[1] in ("src", "href") and not a[2].startswith("data:")], [])
        self.assertIn("A <title> & more", parsed.texts["h1"])
        self.assertIn('<b>bold & more</b>', "".join(parsed.texts["pre"]))
        self.assertNotIn("b", {tag for tag, _, _ in parsed.attributes})
        self.assertLess(len(page), 3_000_000)

    def test_report_has_the_results_numbers(self):
        page = self.report()
        data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
        with h5py.File(self.folder / "result.h5") as result:
            group = result["heliostats"]
            for term in ("solar_power", "cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "attenuation_loss",
                         "spillage_loss", "target_power", "target_power_std_error"):
                self.assertEqual(data["heliostats"][term], list(group[term]))
                if term != "target_power_std_error":
                    shown = re.search(f'data-term="{term}" data-value="([^"]+)"', page)[1]
                    self.assertAlmostEqual(float(shown), group[term][:].sum(), delta=1e-9 * group["solar_power"][:].sum())
            for target in data["targets"][:-1]:
                self.assertEqual(target["power_w"], result["targets"][target["name"]].attrs["power_w"])
            for key in ("fingerprint", "scenario_sha256"):
                self.assertIn(f"<dd>{result.attrs[key]}</dd>", page)

    def test_report_answers_in_a_browser(self):
        find_browser()
        # Sort by target power, smallest first; filter; change the quantity of the map.
        steps = ask_page(self.folder, self.report(), """
            const button = name => [...document.querySelectorAll("#head button")].find(b => b.textContent.startsWith(name));
            const names = () => [...document.querySelectorAll("#rows tr")].map(r => r.cells[0].textContent);
            found.first = names();
            button("On target").click(); found.falling = names();
            button("On target").click(); found.rising = names();
            const filter = document.getElementById("filter");
            filter.value = "aa31"; filter.dispatchEvent(new Event("input")); found.filtered = names();
            const color = () => [...document.querySelectorAll(".mirror")].map(m => m.style.fill).join(" ");
            const before = color(), quantity = document.getElementById("quantity");
            quantity.value = "spillage_loss"; quantity.dispatchEvent(new Event("change"));
            found.recolored = color() !== before;
            found.mirrors = document.querySelectorAll(".mirror").length;""")
        with h5py.File(self.folder / "result.h5") as result:
            names = [name.decode() for name in result["heliostats/name"]]
            rising = [names[i] for i in numpy.argsort(result["heliostats/target_power"][:])]
        # Sorted by percent of solar power; the mirrors have equal areas.
        self.assertEqual(steps["first"], names)
        self.assertEqual(steps["rising"], rising)
        self.assertEqual(steps["falling"], rising[::-1])
        self.assertEqual(steps["filtered"], ["AA31"])
        self.assertTrue(steps["recolored"])
        self.assertEqual(steps["mirrors"], len(names))


if __name__ == "__main__":
    unittest.main()
