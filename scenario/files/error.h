// SPDX-License-Identifier: MIT
// The one error type for everything that comes from outside (files, configuration, arguments), and
// its advice: the nearest valid name to a misspelt one.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace helioray {

/// One problem of an input, in the four parts every message has.
struct Problem {
    std::string where;   ///< File, line and key path or HDF5 path: "field.yaml:12: sun.azimuth_deg"
    std::string what;    ///< What is wrong, with the offending value: "'south' is not a number"
    std::string why;     ///< Why it matters; may be empty
    std::string advice;  ///< What to do; may be empty: "did you mean 'azimuth_deg'?"
};

/// "where: what (why); advice", one line: control characters are written as escape sequences.
std::string to_string(const Problem& problem);

/// Thrown where input enters and is wrong. Carries every problem found, at least one.
/// The program answers it with exit code 2 and never with a stack trace.
class InputError : public std::runtime_error {
  public:
    explicit InputError(Problem problem);  ///< the one problem there is
    /// what() has a line for each, see to_string(), but at most five of one kind and fifty in all;
    /// the others are counted.
    explicit InputError(std::vector<Problem> problems);

    /// In the order in which they were found.
    const std::vector<Problem>& problems() const noexcept { return problems_; }

  private:
    std::vector<Problem> problems_;
};

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
