# SPDX-License-Identifier: MIT
"""The extension of the Python package in one process with other copies of its libraries."""

import importlib.util
import unittest

import import_orders


class Symbols(unittest.TestCase):
    def test_other_copies_of_the_libraries(self):
        others = [name for name in import_orders.OTHERS if importlib.util.find_spec(name)]
        if not importlib.util.find_spec("helioray") or not others:
            self.skipTest("the Python package or all packages beside it are missing")
        self.assertEqual(import_orders.problems(others), [])


if __name__ == "__main__":
    unittest.main()
