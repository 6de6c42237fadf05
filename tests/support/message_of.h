// SPDX-License-Identifier: MIT
// Messages of refused input.
#pragma once

#include "scenario/files/error.h"

#include <string>

namespace helioray::test {

/// Returns the message of the InputError that `action` throws, an empty text if it throws nothing.
template <typename Action>
std::string message_of(Action&& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace helioray::test
