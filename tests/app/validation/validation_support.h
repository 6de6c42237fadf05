// SPDX-License-Identifier: MIT
// Runs cases and checks every row.
#pragma once

#include "app/validation/validate.h"
#include "tests/support/catch2.h"

#include <functional>
#include <string>

namespace helioray::test {

inline TraceControl two_threads() {
    TraceControl control;
    control.num_threads = 2;
    return control;
}

/// Runs the cases whose id begins with `prefix` at 1e6 rays and checks that all rows pass.
/// Returns the number of rows.
inline size_t check_cases(const std::string& prefix) {
    validation::Effort effort;
    effort.control = two_threads();
    validation::Identities identities;
    size_t rows = 0;
    for (const validation::Case& one : validation::all_cases()) {
        if (one.id.rfind(prefix, 0) != 0 || one.only_full) continue;
        validation::Study study(effort, one.id, one.title, identities);
        INFO(one.id << " " << one.title);
        REQUIRE_NOTHROW(one.run(study));
        for (const validation::Row& row : study.rows()) {
            INFO(row.quantity << ": " << row.ours << " against " << row.reference << ", tolerance "
                              << row.tolerance);
            CHECK(row.pass());
            ++rows;
        }
    }
    // Conditions that every traced scene must satisfy.
    CHECK(identities.energy_gap < 1e-12);
    CHECK(identities.map_gap < 1e-12);
    return rows;
}

}  // namespace helioray::test
