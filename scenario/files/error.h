// SPDX-License-Identifier: MIT
// The error type for all external input (files, configuration, arguments), and suggestions of the
// nearest valid name for a misspelt one.
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
    std::string what;    ///< The problem with the offending value: "'south' is not a number"
    std::string why;     ///< Reason why it matters; may be empty
    std::string advice;  ///< Suggested correction; may be empty: "did you mean 'azimuth_deg'?"
};

/// Returns "where: what (why); advice" in one line, with control characters as escape sequences.
std::string to_string(const Problem& problem);

/// Thrown if external input is wrong. Contains all problems that were found, at least one. The
/// program prints them and returns exit code 2.
class InputError : public std::runtime_error {
  public:
    explicit InputError(Problem problem);  ///< creates an error with one problem
    /// Creates an error with several problems; what() has one line for each, see to_string(), but
    /// at most five of one kind and fifty in all. The others are counted.
    explicit InputError(std::vector<Problem> problems);

    /// Returns the problems in the order in which they were found.
    const std::vector<Problem>& problems() const noexcept { return problems_; }

  private:
    std::vector<Problem> problems_;
};

/// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn a
/// into b. Compares bytes and is case-sensitive.
size_t edit_distance(const std::string& a, const std::string& b);

/// Returns the valid name that `wrong` most likely means, or nothing if none is near. Upper and
/// lower case, '-' and '_' count as equal. A name that begins with `wrong` is near ("azimuth",
/// "azimuth_deg"), and so is a name with about one edit in three characters.
std::optional<std::string> closest(const std::string& wrong, const std::vector<std::string>& valid);

/// Returns advice for a message: "did you mean 'x'?", or "valid: 'a', 'b'" with at most eight names
/// if none is near. Returns an empty text if there are no valid names.
std::string suggest(const std::string& wrong, const std::vector<std::string>& valid);

}  // namespace helioray
