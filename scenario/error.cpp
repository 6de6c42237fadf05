// SPDX-License-Identifier: MIT
// Formatting of input problems.
#include "scenario/error.h"

#include <utility>

namespace helioray {

std::string to_string(const Problem& problem) {
    std::string text = problem.where.empty() ? problem.what : problem.where + ": " + problem.what;
    if (!problem.why.empty()) text += " (" + problem.why + ")";
    if (!problem.advice.empty()) text += "; " + problem.advice;
    return text;
}

namespace {

std::string join(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        if (!text.empty()) text += '\n';
        text += to_string(problem);
    }
    return text;
}

}  // namespace

InputError::InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(join(problems)), problems_(std::move(problems)) {}

}  // namespace helioray
