// SPDX-License-Identifier: MIT
// "Did you mean ...?": the nearest valid name to a misspelt one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Number of insertions, deletions, replacements and swaps of neighbours that turn a into b (bytes,
/// case-sensitive).
size_t edit_distance(const std::string& a, const std::string& b);

/// The valid name that `wrong` most likely stands for; nothing when none is near. Upper and lower
/// case, '-' and '_' count as equal; a name that continues the wrong one ("azimuth", "azimuth_deg")
/// is near; else about one edit in three characters.
std::optional<std::string> closest(const std::string& wrong, const std::vector<std::string>& valid);

/// Advice for a message: "did you mean 'x'?", or when nothing is near "valid: 'a', 'b'" (at most
/// eight names); empty when there is no valid name at all.
std::string suggest(const std::string& wrong, const std::vector<std::string>& valid);

}  // namespace helioray
