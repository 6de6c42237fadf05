// SPDX-License-Identifier: MIT
// What the ranks of the tests do, one scenario per run, and how they judge it.
#pragma once

#include "distributed/environment.h"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

namespace helioray::test {

using Scenarios = std::map<std::string, std::function<void()>>;

inline void expect(bool condition, const std::string& what) {
    if (!condition) throw std::runtime_error("not as expected: " + what);
}

/// What `call` throws, which must be an Error.
template <typename Error, typename Call>
std::string catch_message(Call&& call, const std::string& what) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    throw std::runtime_error("not as expected: no error for " + what);
}

inline DistributedOptions make_test_options() {
    DistributedOptions options;
    options.launch = detect_launcher(EnvironmentView::from_process());
    options.timeout = std::chrono::milliseconds(20'000);
    if (const char* timeout = std::getenv("TEST_TIMEOUT_MS"))
        options.timeout = std::chrono::milliseconds(std::atoi(timeout));
    return options;
}

Scenarios collective_scenarios();
Scenarios group_scenarios();
Scenarios autograd_scenarios();
Scenarios fft_scenarios();
Scenarios gradient_scenarios();

}  // namespace helioray::test
