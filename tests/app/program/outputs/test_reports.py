# SPDX-License-Identifier: MIT
"""Reports in a browser: on narrow and wide screens, light and dark, with the pointer over the field, and the slider of a series."""

import json
import pathlib
import shutil
import unittest

from browser import ask_page, find_browser
from harness import CONFIG, SCENARIO, ProgramTest

# 12 heliostats, of which two are off; a tower.
PLANT = """\
tower: {optical_height_m: 40, height_m: 36, radius_m: 2}
receiver: {type: plane, width_m: 4, height_m: 4}
heliostat: {width_m: 4, height_m: 3, pivot_height_m: 2.5}
layout: {type: radial_stagger, heliostats: 12, min_radius_m: 40}
"""
WIDTH_CHECK = """
    found.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    found.bars = [...document.querySelectorAll(".waterfall .track")].map(t => t.clientWidth);
    const label = [...document.querySelectorAll("#map text")].find(t => t.textContent === "East (m)");
    found.label = label.getBoundingClientRect().height;
    found.names = [...document.querySelectorAll("#map .halo")].map(t => { const r = t.getBoundingClientRect(); return [r.left, r.right]; });
    found.frame = (r => [r.left, r.right])(document.querySelector("#map rect.axis").getBoundingClientRect());
    // The paper of the pictures that are seen: the first rectangle, which cairo writes into a group up to version 1.16.
    found.papers = [...document.querySelectorAll("figure > svg")].filter(s => s.clientWidth > 0).map(s => getComputedStyle(s.querySelector(":scope > rect, :scope > g > rect")).fill);
    found.ground = getComputedStyle(document.querySelector("figure")).backgroundColor;
"""


class Reports(ProgramTest):
    def setUp(self):
        super().setUp()
        find_browser()
        self.generate(PLANT)
        (self.folder / "run.yaml").write_text(
            "scenario: plant.h5\nsun: {positions: [{azimuth_deg: 120, elevation_deg: 30}, {azimuth_deg: 180, elevation_deg: 60}], dni_w_m2: 900}\n"
            "aim: {target: receiver, heliostats: {H03: {active: false}, H10: {active: false}}}\n"
            "obstacles: [{name: tower, type: cylinder, base: [0, 0, 0], radius_m: 2, height_m: 36}]\n"
            "tracing: {rays_per_heliostat: 1e3}\nbitmap: {width: 32, height: 32}\noutput: {file: series.h5}\n")
        self.good("raytrace", "run.yaml", "-q")

    def report(self, file, *options):
        self.good("report", file, "-o", "report.html", *options)
        return (self.folder / "report.html").read_text(encoding="utf-8")

    def test_every_width_and_theme(self):
        page = self.report("series.h5", "--time", "1")
        pictures = page.count("<svg class=")
        self.assertGreater(pictures, 1)
        for width in (400, 1280):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    found = ask_page(self.folder, page, WIDTH_CHECK, width, dark)
                    self.assertLessEqual(found["overflow"], 0)
                    # The bars have most of the page, and texts of the field map a readable size.
                    self.assertGreater(min(found["bars"]), 0.55 * width)
                    self.assertGreater(found["label"], 9)
                    self.assertEqual(found["papers"], [found["ground"]] * pictures)
                    for name in found["names"]:
                        self.assertTrue(found["frame"][0] <= name[0] and name[1] <= found["frame"][1], found)
                    self.assertEqual(found["ground"] == "rgb(255, 255, 255)", not dark)

    def test_the_button_changes_pictures_and_field(self):
        found = ask_page(self.folder, self.report("series.h5", "--time", "1"), """
            const color = () => document.querySelector(".mirror").style.fill;
            const paper = () => getComputedStyle(document.querySelector("figure > svg > rect, figure > svg > g > rect")).fill;
            found.before = [color(), paper()];
            document.getElementById("theme").click();
            found.after = [color(), paper()];""")
        self.assertEqual((found["before"][1], found["after"][1]), ("rgb(255, 255, 255)", "rgb(33, 33, 39)"))
        self.assertNotEqual(found["before"][0], found["after"][0])

    def test_names_and_values_under_the_pointer(self):
        found = ask_page(self.folder, self.report("series.h5", "--time", "1"), """
            const map = document.getElementById("map"), tip = document.getElementById("tip");
            const move = (x, y) => map.firstChild.dispatchEvent(new MouseEvent("mousemove", {clientX: x, clientY: y, bubbles: true}));
            const middle = e => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
            const [x, y] = middle(document.querySelector('.mirror[data-i="0"]'));
            move(x + 6, y); found.near = [tip.style.display, tip.textContent];
            const [ix, iy] = middle(document.querySelector(".idle"));
            move(ix, iy); found.idle = tip.textContent;
            const frame = map.firstChild.getBoundingClientRect();
            move(frame.x + 1, frame.y + 1); found.away = tip.style.display;
            found.crosses = document.querySelectorAll(".idle").length;
            found.bodies = [...document.querySelectorAll(".body title")].map(t => t.textContent);
            found.rows = [...document.querySelectorAll("#rows tr")].map(r => [r.cells[0].textContent, r.cells[1].textContent]);""")
        self.assertEqual(found["near"][0], "block")
        self.assertRegex(found["near"][1], r"^H01\non receiver\nEfficiency [0-9.]+ %")
        self.assertEqual(found["idle"], "H03\noff")
        self.assertEqual((found["away"], found["crosses"], found["bodies"]), ("none", 2, ["tower"]))
        self.assertEqual([row for row in found["rows"] if row[1] == "off"], [["H03", "off"], ["H10", "off"]])

    def test_the_slider_shows_one_step(self):
        found = ask_page(self.folder, self.report("series.h5"), """
            const slider = document.getElementById("step");
            const visible = () => [...document.querySelectorAll("#steps .step")].map(s => s.offsetHeight > 0);
            found.first = visible();
            slider.value = 0; slider.dispatchEvent(new Event("input"));
            found.second = visible();
            found.labels = [...document.querySelectorAll("#steps h3")].map(h => h.textContent);
            found.mirrors = document.querySelectorAll(".mirror").length;""", 400)
        self.assertEqual(found["first"], [False, True])
        self.assertEqual(found["second"], [True, False])
        self.assertIn("step 0 (0 to 1)", found["labels"][0])
        self.assertEqual(found["mirrors"], 10)

    def test_lost_scenarios_are_named(self):
        (self.folder / "plant.h5").unlink()
        self.check_message("reports", "the scenario is gone", self.report("series.h5", "--time", "1"), "plant.h5 is not there")
        self.assertIn("not there any more", self.good("info", "series.h5"))


if __name__ == "__main__":
    unittest.main()
