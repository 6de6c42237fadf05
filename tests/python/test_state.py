# SPDX-License-Identifier: MIT
"""States of single heliostats from frames, dicts of columns and keys."""

import unittest

import numpy

from package import SMALL, hr, needs, small_field

try:
    import pandas
except ModuleNotFoundError:
    pandas = None


class States(unittest.TestCase):
    def setUp(self):
        self.plant = small_field()
        self.keys = {**SMALL, "target": "receiver", "sun": (180, 45)}

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_powers_follow_a_frame_and_a_dict_of_columns(self):
        clean = hr.trace(self.plant, **self.keys).heliostats
        names = list(clean.index[:2])
        frame = pandas.DataFrame({"name": names, "soiling": [0.25, numpy.nan], "available": [None, False]})
        columns = {"name": names, "soiling": [0.25, None], "available": [None, False]}
        fingerprints = set()
        for state in (frame, columns, {"file": frame, "soiling": {"rate_per_day": 0.003}}):
            run = hr.trace(self.plant, state=state, **self.keys)
            fingerprints.add(run.fingerprint)
            self.assertNotIn(names[1], run.heliostats.index)
            ratio = run.heliostats.target_power[names[0]] / clean.target_power[names[0]]
            self.assertAlmostEqual(ratio, 0.75, delta=1e-5)
        self.assertEqual(len(fingerprints), 1)

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_times_are_the_index(self):
        times = pandas.to_datetime(["2026-06-21T10:00:00Z", "2026-06-21T12:00:00Z"])
        frame = pandas.DataFrame({"soiling": [0.5, 0.25]}, index=times)
        powers = [hr.trace(self.plant, state=frame, **{**self.keys, "sun": f"2026-06-21T{hour}:00:00Z"}).heliostats for hour in ("11", "12")]
        for power, factor in zip(powers, (0.5, 0.75)):
            numpy.testing.assert_allclose(power.reflectivity, factor * 0.935)

    def test_mistakes_are_named(self):
        for state, part in (({"name": ["nobody"], "soiling": [0.1]}, "the scenario has no heliostat 'nobody'"),
                            ({"name": ["x", "y"], "soiling": [0.1]}, "its columns have 1, 2 entries"),
                            ({"soiling": [2]}, "soiling: '2' is not a number from 0 to 1")):
            with self.assertRaises(hr.InputError) as raised:
                hr.trace(self.plant, state=state, **self.keys)
            self.assertIn(part, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
