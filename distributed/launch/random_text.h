// SPDX-License-Identifier: MIT
// Random secrets.
#pragma once

#include <string>

namespace helioray::detail {

/// Returns 32 random bytes as 64 hexadecimal digits. Throws std::runtime_error if the system has no
/// random numbers.
std::string make_random_text();

}  // namespace helioray::detail
