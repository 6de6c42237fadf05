// SPDX-License-Identifier: MIT
// Scenarios that the ranks of the tests run, and helpers to check their results.
#pragma once

#include "distributed/ranks/environment.h"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace helioray::test {

using Scenarios = std::map<std::string, std::function<void()>>;

/// Throws std::runtime_error that names `what` unless the condition is true.
inline void expect(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error("not as expected: " + what);
}

/// Returns the message of the Error that `call` must throw.
template <typename Error, typename Call>
std::string catch_message(Call&& call, const std::string& what) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    throw std::runtime_error("not as expected: no error for " + what);
}

/// Returns options for the launcher of this process with a short time-out.
inline DistributedOptions make_test_options() {
    DistributedOptions options;
    options.launch = detect_launcher(EnvironmentView::from_process());
    options.timeout = std::chrono::milliseconds(20'000);
    if (const char* timeout = std::getenv("TEST_TIMEOUT_MS"))
        options.timeout = std::chrono::milliseconds(std::atoi(timeout));
    return options;
}

/// Functions that return the scenarios of one test file, by name.
Scenarios collective_scenarios();
Scenarios group_scenarios();
Scenarios autograd_scenarios();
Scenarios gradient_scenarios();

}  // namespace helioray::test
