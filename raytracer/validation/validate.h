// SPDX-License-Identifier: MIT
// Runs the closed-form and published cases.
#pragma once

#include "raytracer/validation/study.h"

#include <functional>
#include <string>
#include <vector>

namespace helioray::validation {

/// All cases, in the order they are printed.
std::vector<Case> all_cases();

/// Called before each case; may throw to stop.
using CaseObserver = std::function<void(const Case&)>;

/// Runs the cases whose id or title contains `only` (all of them when it is empty), whole fields
/// with effort.full only, and appends the identities that must hold in every traced scene. A case
/// that this version cannot compute becomes a row with a note, which does not pass. Throws
/// InputError when no case matches.
std::vector<Row> validate(const Effort& effort,
                          const std::string& only = "",
                          const CaseObserver& observer = {});

}  // namespace helioray::validation
