# SPDX-License-Identifier: MIT
"""The whole plant: bodies and rays as VTK files, and the view in three dimensions of reports, in a browser that draws WebGL on the processor."""

import collections
import json
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree

import h5py
import numpy

from browser import WITH_WEBGL, ask_page, find_browser
from harness import ProgramTest
from plants import PLANE
from vtk_arrays import areas, numbers, strings

# 12 heliostats of which one is off; a tower, and a wall that shades and blocks.
RUN = """\
scenario: plant.h5
sun: {positions: [{azimuth_deg: 120, elevation_deg: 30}, {azimuth_deg: 180, elevation_deg: 60}], dni_w_m2: 900}
aim: {target: receiver, heliostats: {H03: {active: false}}}
optics: {slope_error_mrad: 8}
obstacles:
  - {name: tower, type: cylinder, base: [0, 0, 0], radius_m: 2, height_m: 36}
  - {name: wall, type: box, center: [-14, 36, 4], size_m: [8, 0.5, 8], azimuth_deg: 20}
tracing: {rays_per_heliostat: 4e3}
bitmap: {width: 32, height: 32}
output: {file: series.h5}
"""
REASONS = {"shaded": "shading_loss", "blocked": "blocking_loss", "spilled": "spillage_loss", "delivered": "target_power"}
# The numbers of coloured, grey and empty pixels of the view, and its colours by their count.
READ_VIEW = """
    const canvas = document.getElementById("view-canvas");
    const look = () => {
        const copy = Object.assign(document.createElement("canvas"), {width: canvas.width, height: canvas.height}), paint = copy.getContext("2d");
        paint.drawImage(canvas, 0, 0);
        const pixels = paint.getImageData(0, 0, copy.width, copy.height).data, counts = {};
        let drawn = 0;
        for (let i = 0; i < pixels.length; i += 4) {
            if (pixels[i + 3] < 255) continue;
            ++drawn;
            const key = [pixels[i], pixels[i + 1], pixels[i + 2]].join();
            counts[key] = (counts[key] || 0) + 1;
        }
        return {drawn, colors: counts, picture: copy.toDataURL()};
    };
    // Frames are drawn on demand; an event of the page draws one at once.
    const redraw = () => dispatchEvent(new Event("afterprint"));
    redraw();
"""


def read_piece(path):
    return xml.etree.ElementTree.parse(path).getroot().find(".//Piece")


def read_cells(piece, kind):
    """Points of every cell."""
    points = numbers(piece.find("Points/DataArray")).reshape(-1, 3)
    connectivity = numbers(piece.find(f"{kind}/DataArray[@Name='connectivity']"))
    offsets = numbers(piece.find(f"{kind}/DataArray[@Name='offsets']"))
    return [points[cell] for cell in numpy.split(connectivity, offsets[:-1])]


class Plant(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(PLANE)
        (self.folder / "run.yaml").write_text(RUN)
        self.good("raytrace", "run.yaml", "-q")


class Files(Plant):
    def export(self, step, *options):
        self.good("export", "vtk", "series.h5", "-o", "vtk", "--time", step, *options)
        blocks = xml.etree.ElementTree.parse(self.folder / "vtk" / "result.vtm").getroot().iter("DataSet")
        return {block.get("name"): self.folder / "vtk" / block.get("file") for block in blocks}

    def test_bodies_are_closed_surfaces(self):
        files = self.export("0")
        self.assertEqual(sorted(files), ["bodies", "heliostats", "receiver"])
        piece = read_piece(files["bodies"])
        names = strings(piece.find("CellData/DataArray[@Name='name']"))
        faces = collections.defaultdict(list)
        for name, face in zip(names, read_cells(piece, "Polys")):
            faces[name].append(face)
        sizes = {"tower": 48 / 2 * numpy.sin(2 * numpy.pi / 48) * 2.0**2 * 36, "wall": 8 * 0.5 * 8}
        self.assertEqual(sorted(faces), sorted(sizes))
        for name, size in sizes.items():
            edges, volume = collections.Counter(), 0.0
            for face in faces[name]:
                corners = [tuple(corner.round(9)) for corner in face]
                for a, b in zip(corners, corners[1:] + corners[:1]):
                    edges[a, b] += 1
                # The divergence theorem over a fan of triangles: positive only if the faces look outwards.
                for k in range(2, len(face)):
                    volume += numpy.dot(face[0], numpy.cross(face[k - 1], face[k])) / 6
            self.assertTrue(all(n == 1 and edges[b, a] == 1 for (a, b), n in edges.items()), name)
            self.assertAlmostEqual(volume / size, 1.0, places=6)

    def test_rays_are_those_of_the_step_and_end_where_they_must(self):
        for step in ("0", "1"):
            files = self.export(step, "--rays", "5000", "--sun-length", "15")
            piece = read_piece(files["rays"])
            cells = {array.get("Name"): array for array in piece.find("CellData")}
            names, powers, lines = strings(cells["reason_name"]), numbers(cells["power_w"]), read_cells(piece, "Lines")
            self.assertEqual(len(lines), 5000)
            self.assertEqual({(number, name) for number, name in zip(numbers(cells["reason"]), names)} - set(enumerate(REASONS)), set())
            mirrors = read_piece(files["heliostats"])
            heliostats = {array.get("Name"): array for array in mirrors.find("CellData")}
            self.assertEqual([strings(heliostats["name"])[i] for i in numbers(cells["heliostat"])], strings(cells["heliostat_name"]))
            for reason, term in REASONS.items():
                with self.subTest(step=step, reason=reason):
                    chosen = numpy.array([name == reason for name in names])
                    energy = numbers(heliostats[term + "_w"]).sum()
                    self.assertGreater(energy, 0)
                    self.assertLess(abs(powers[chosen].sum() - energy), 4 * numpy.sqrt((powers[chosen] ** 2).sum()))
            corners = read_cells(mirrors, "Polys")
            with h5py.File(self.folder / "series.h5") as result:
                geometry = json.loads(result["targets/receiver"].attrs["geometry"])
            centre, normal = numpy.array(geometry["center"]), numpy.array(geometry["normal"])
            for name, line, heliostat in zip(names, lines, numbers(cells["heliostat"])):
                self.assertAlmostEqual(numpy.linalg.norm(line[1] - line[0]), 15, places=6)
                if name != "shaded":
                    self.assertLess(numpy.linalg.norm(line[1] - corners[heliostat].mean(0)), 2.6)
                from_centre = line[-1] - centre
                on_target = abs(from_centre @ normal) < 1e-3 and (abs(from_centre) < 2.001).all()
                self.assertEqual(on_target, name == "delivered")

    def test_what_cannot_be_traced_again_is_refused(self):
        self.assertIn("--rays", self.refused("export", "vtk", "series.h5", "-o", "vtk", "--rays", "0"))
        self.assertIn("--rays", self.refused("export", "vtk", "series.h5", "-o", "vtk", "--sun-length", "3"))
        with h5py.File(self.folder / "plant.h5", "r+") as plant:
            plant.attrs["note"] = "changed"
        self.assertIn("has changed since the run", self.refused("export", "vtk", "series.h5", "-o", "vtk", "--rays", "10"))
        (self.folder / "plant.h5").unlink()
        self.assertIn("plant.h5: is not there any more", self.refused("export", "vtk", "series.h5", "-o", "vtk", "--rays", "10"))
        self.assertFalse((self.folder / "vtk").exists())
        self.export("0")

    def test_all_steps_have_bodies_and_rays(self):
        self.good("export", "vtk", "series.h5", "-o", "day", "--rays", "50")
        for step in range(2):
            blocks = xml.etree.ElementTree.parse(self.folder / "day" / f"result_{step:04}.vtm").getroot().iter("DataSet")
            files = {block.get("name"): block.get("file") for block in blocks}
            self.assertEqual(files["bodies"], f"bodies_{step:04}.vtp")
            self.assertEqual(len(read_cells(read_piece(self.folder / "day" / files["rays"]), "Lines")), 50)


class View(Plant):
    @classmethod
    def setUpClass(cls):
        find_browser()
        with tempfile.TemporaryDirectory(prefix="helioray_test_") as folder:
            found = ask_page(pathlib.Path(folder), "<html><body></body></html>",
                             'found.webgl = document.createElement("canvas").getContext("webgl2") !== null;', options=WITH_WEBGL)
        if not found["webgl"]:
            raise unittest.SkipTest("the browser has no WebGL 2, not even on the processor")

    def report(self, file="series.h5", *options):
        self.good("report", file, "-o", "report.html", *(options or ("--time", "1")))
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def ask(self, script, width=1280, dark=False, options=WITH_WEBGL, page=None):
        return ask_page(self.folder, page or self.report(), script, width, dark, options)

    def test_mirrors_flux_bodies_and_sun_are_drawn(self):
        for width in (400, 1280):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    found = self.ask(READ_VIEW + """
                        const seen = look(), list = document.getElementById("view-legend");
                        found.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
                        found.drawn = seen.drawn / (canvas.width * canvas.height);
                        found.width = canvas.clientWidth / document.documentElement.clientWidth;
                        found.sun = seen.colors["245,173,26"] || seen.colors["245,173,25"] || 0;
                        found.colors = Object.keys(seen.colors).length;
                        const best = JSON.parse(document.getElementById("data").textContent)[isDark() ? "colors_on_dark" : "colors"].at(-1);
                        const rgb = [1, 3, 5].map(k => parseInt(best.slice(k, k + 2), 16));
                        found.best = Object.entries(seen.colors).filter(([key]) => {
                            const parts = key.split(",").map(Number);
                            return [1, 0.62].some(f => parts.every((v, k) => Math.abs(v - f * rgb[k]) < 2.5));
                        }).reduce((sum, [, n]) => sum + n, 0);
                        found.labels = [...document.querySelectorAll("#view-labels span")].filter(s => !s.hidden).map(s => s.textContent);
                        found.legend = list.textContent;""", width, dark)
                    self.assertLessEqual(found["overflow"], 0)
                    self.assertGreater(found["width"], 0.85)
                    self.assertGreater(found["drawn"], 0.01)
                    self.assertGreater(found["sun"], 50)
                    self.assertGreater(found["colors"], 30)
                    self.assertGreater(found["best"], 3)
                    self.assertEqual(found["labels"], ["N", "Sun", "receiver"])
                    self.assertRegex(found["legend"], r"Efficiency [\d.]+ +[\d.]+ %Flux 0 +[\d.]+ kW/m")

    def test_drag_wheel_keys_buttons_and_quantities_change_the_picture(self):
        found = self.ask(READ_VIEW + """
            let last = look().picture;
            const start = last;
            found.steps = {};
            const changed = name => { redraw(); const now = look().picture; found.steps[name] = now !== last; last = now; };
            const point = (kind, x, y, more = {}) => canvas.dispatchEvent(new PointerEvent(kind, {clientX: x, clientY: y, pointerId: 1, bubbles: true, ...more}));
            changed("nothing");
            point("pointerdown", 300, 300); point("pointermove", 340, 310); changed("drag");
            point("pointermove", 360, 300, {shiftKey: true}); changed("shift"); point("pointerup", 360, 300);
            found.focus = document.activeElement === canvas;
            point("pointerdown", 300, 300); point("pointerdown", 400, 300, {pointerId: 2}); point("pointermove", 460, 300, {pointerId: 2}); changed("pinch");
            point("pointerup", 300, 300); point("pointerup", 460, 300, {pointerId: 2});
            canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: 200, cancelable: true})); changed("wheel");
            for (const key of ["ArrowLeft", "ArrowUp", "+", "-", "-"]) { canvas.dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true})); changed("key " + key); }
            document.getElementById("view-above").click(); changed("above");
            const list = document.getElementById("view-quantity");
            list.value = "cosine_loss"; list.dispatchEvent(new Event("change")); changed("quantity");
            found.legend = document.getElementById("view-legend").textContent;
            list.value = "efficiency"; list.dispatchEvent(new Event("change"));
            canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "Home"})); redraw();
            found.home = look().picture === start;
            document.getElementById("theme").click(); changed("theme");""")
        self.assertFalse(found["steps"].pop("nothing"))
        self.assertEqual([name for name, changed in found["steps"].items() if not changed], [])
        self.assertTrue(found["focus"])
        self.assertTrue(found["home"])
        self.assertIn("Cosine", found["legend"])

    def test_names_under_the_pointer(self):
        found = self.ask(READ_VIEW + """
            document.getElementById("view-above").click(); redraw();
            const box = canvas.getBoundingClientRect(), tip = document.getElementById("view-tip");
            found.tips = [];
            for (let y = 2; y < box.height; y += 4) for (let x = 2; x < box.width; x += 4) {
                canvas.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + x, clientY: box.top + y, pointerId: 1}));
                if (tip.style.display !== "none") found.tips.push(tip.textContent);
            }""")
        seen = {tip.split("\n")[0] for tip in found["tips"]}
        self.assertEqual(seen, {f"H{i:02}" for i in range(1, 13)} - {"H03"})
        self.assertTrue(all(re.fullmatch(r"H\d\d\non receiver\nEfficiency [\d.]+ %", tip) for tip in found["tips"]))

    def test_mirrors_are_where_the_result_says(self):
        found = self.ask("""
            const data = JSON.parse(document.getElementById("view-data").textContent);
            const bytes = Uint8Array.from(atob(data.mirrors), c => c.charCodeAt(0));
            found.mirrors = [...new Float32Array(bytes.buffer)];
            found.ground = data.ground;""")
        self.good("export", "vtk", "series.h5", "-o", "vtk", "--time", "1")
        corners = numpy.array(read_cells(read_piece(self.folder / "vtk" / "heliostats.vtp"), "Polys"))
        centre, right, up = numpy.array(found["mirrors"]).reshape(-1, 3, 3).transpose(1, 0, 2)
        drawn = numpy.stack([centre - right - up, centre + right - up, centre + right + up, centre - right + up], axis=1)
        numpy.testing.assert_allclose(drawn, corners, atol=1e-4)
        numpy.testing.assert_allclose(areas(drawn.reshape(-1, 3), numpy.arange(44).reshape(-1, 4)), 12, rtol=0.02)
        self.assertAlmostEqual(found["ground"], 0, places=6)

    def test_without_webgl_the_page_says_so(self):
        found = self.ask("""
            found.text = document.getElementById("view").textContent;
            found.canvas = document.getElementById("view-canvas") !== null;
            found.map = document.querySelectorAll(".mirror").length;""", page=self.report().replace('getContext("webgl2"', 'getContext("none"'))
        self.assertIn("no WebGL 2", found["text"])
        self.assertFalse(found["canvas"])
        self.assertEqual(found["map"], 11)

    def test_large_fields_add_less_than_a_megabyte(self):
        self.generate(PLANE.replace("heliostats: 12", "heliostats: 10000"), "large.h5")
        (self.folder / "large.yaml").write_text(
            "scenario: large.h5\nsun: {azimuth_deg: 180, elevation_deg: 60}\naim: {target: receiver}\n"
            "tracing: {rays_per_heliostat: 64, shading: false, blocking: false}\nbitmap: {width: 32, height: 32}\noutput: {file: large_result.h5}\n")
        self.good("raytrace", "large.yaml", "-q")
        page = self.report("large_result.h5", "--title", "large")
        data = re.search(r'<script id="view-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1]
        self.assertEqual(len(json.loads(data)["mirrors"]), 48 * 10000)
        self.assertLess(len(data), 1e6)


if __name__ == "__main__":
    unittest.main()
