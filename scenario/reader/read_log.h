// SPDX-License-Identifier: MIT
// Collects problems and remarks while a scenario is read: all problems, and summarised warnings.
#pragma once

#include "scenario/files/error.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// Collects the problems of a file, so that all of them can be reported at once.
class ReadLog {
  public:
    /// Adds a problem (see Problem for its parts).
    void problem(std::string where,
                 std::string what,
                 std::string why = {},
                 std::string advice = {});

    /// Adds a warning. Warnings with equal text are combined in one line with the first place and
    /// the count.
    void warn(const std::string& where, const std::string& text);

    /// Runs `action` and collects the problems that it throws. Returns true if there were none.
    template <typename Action>
    bool attempt(Action&& action) {
        try {
            std::forward<Action>(action)();
            return true;
        } catch (const InputError& error) {
            problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
            return false;
        }
    }

    /// Returns true if throw_if_any() would throw.
    bool has_problems() const { return !problems_.empty(); }

    /// Throws all problems as one InputError if there are any.
    void throw_if_any() const;

    std::vector<std::string> warnings() const;  ///< in the order of their first appearance

  private:
    struct Warning {
        std::string where;
        std::string text;
        std::size_t count = 0;
    };
    std::vector<Problem> problems_;
    std::vector<Warning> warnings_;
    std::map<std::string, std::size_t> warning_index_;
};

}  // namespace helioray
