# SPDX-License-Identifier: MIT
"""run_unittest.py FILE [OPTION...]: runs a file of unittest cases and says which were skipped.

Prints "SKIP: case: reason" for each, which scripts/test counts; exit code 77 if nothing but skips ran (CTest shows the entry as
skipped). A file without any case fails. Options are those of unittest.
"""

import importlib
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]


def main():
    path = pathlib.Path(sys.argv[1]).resolve()
    # Tests import helpers from their own folder and from those above it,
    # and what all of them share from tests/support.
    sys.path[0:0] = [str(folder) for folder in path.parents[:path.parents.index(TESTS)]]
    sys.argv = [str(path), *sys.argv[2:]]
    module = importlib.import_module(path.stem)
    result = unittest.main(module=module, exit=False).result
    for case, reason in result.skipped:
        print(f"SKIP: {case.id().removeprefix(path.stem + '.')}: {' '.join(reason.split())}", flush=True)
    if not result.wasSuccessful():
        return 1
    if result.testsRun == 0 and not result.skipped:
        print(f"{path} has no test case")
        return 1
    # A case that skipped a subtest has run all the same.
    skipped = [case for case, _ in result.skipped if not hasattr(case, "test_case")]
    return 77 if len(skipped) >= result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
