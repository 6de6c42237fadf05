// SPDX-License-Identifier: MIT
// A template for tests, and short ways to fail.
#pragma once

#include "scenario/files/error.h"
#include "scenario/import/field/field_template.h"
#include "tests/support/catch2.h"
#include "tests/support/message_of.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace helioray::test {

/// Settings of a field of 6 m x 5 m heliostats about a tower of 60 m with a billboard that faces
/// north; `more` is added or wins.
inline std::vector<std::string> settings(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"tower.optical_height_m=60",
                                 "receiver.type=plane",
                                 "receiver.width_m=8",
                                 "receiver.height_m=7",
                                 "heliostat.width_m=6",
                                 "heliostat.height_m=5",
                                 "heliostat.pivot_height_m=3",
                                 "layout.type=radial_stagger",
                                 "layout.heliostats=200",
                                 "layout.min_radius_m=40"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

inline FieldTemplate field(const std::vector<std::string>& more = {},
                           FieldUse use = FieldUse::generate) {
    std::vector<std::string> report;
    return read_field_template(std::nullopt, settings(more), use, report);
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace helioray::test
