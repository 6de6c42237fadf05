// SPDX-License-Identifier: MIT
// Skipped tests that are seen: a line "SKIP: case: reason", which scripts/test counts.
#pragma once

#include <string>

namespace helioray::test {

/// Prints why the running test case, or a part of it, cannot run here. An entry whose cases all
/// skipped ends as skipped; the line alone shows a part.
void report_skip(const std::string& reason);

}  // namespace helioray::test

/// Leaves the test case, saying why it cannot run here.
#define HELIORAY_SKIP(reason)                  \
    do {                                       \
        ::helioray::test::report_skip(reason); \
        return;                                \
    } while (false)
