// SPDX-License-Identifier: MIT
// Errors of the library as errors of Torch.
#pragma once

#include <c10/util/Exception.h>

#include <exception>

namespace helioray::operators {

/// Runs a function of the library below, whose errors become c10::Error.
template <typename Function>
auto with_torch_errors(Function function) {
    try {
        return function();
    } catch (const c10::Error&) {
        throw;
    } catch (const std::exception& error) {
        TORCH_CHECK(false, error.what());
    }
}

}  // namespace helioray::operators
