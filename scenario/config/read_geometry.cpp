// SPDX-License-Identifier: MIT
// Points, directions and lengths of the configuration's bodies.
#include "scenario/config/read_sections.h"

#include <fmt/format.h>

#include <cmath>

namespace helioray {

namespace {

/// Reports an absent key with an example.
bool is_given(const Section& section,
              const std::string& key,
              const std::string& owner,
              const std::string& example) {
    if (section.has(key)) return true;
    section.fail(key,
                 "is missing",
                 fmt::format("{} needs it", owner),
                 fmt::format("add for example {}: {}", key, example));
    return false;
}

}  // namespace

Vec3 read_point(const Section& section, const std::string& key, const std::string& owner) {
    if (!is_given(section, key, owner, "[0, 0, 10]")) return {};
    const auto values = section.numbers(key, 3);
    if (!values) return {};
    return {(*values)[0], (*values)[1], (*values)[2]};
}

Vec3 read_direction(const Section& section, const std::string& key, const std::string& owner) {
    const Vec3 up{0.0, 0.0, 1.0};
    if (!is_given(section, key, owner, "[0, 1, 0]")) return up;
    const auto values = section.numbers(key, 3);
    if (!values) return up;
    const double length = std::hypot((*values)[0], (*values)[1], (*values)[2]);
    if (!(length > 0.0) || !std::isfinite(length)) {
        section.fail(key,
                     length > 0.0 ? "is too long" : "has length 0",
                     "it has no direction",
                     "give for example [0, 1, 0]");
        return up;
    }
    return {(*values)[0] / length, (*values)[1] / length, (*values)[2] / length};
}

double read_length(const Section& section, const std::string& key, const std::string& owner) {
    if (!is_given(section, key, owner, "2.5")) return 1.0;
    return section.number(key, {0.0, kLongestLength, true, false, "it is a length in metres"})
        .value_or(1.0);
}

}  // namespace helioray
