// SPDX-License-Identifier: MIT
// Content of tensors as a short key, to see at the speed of memory whether it is what it was.
#pragma once

#include <cstddef>
#include <cstdint>

namespace helioray::operators {

/// 128 bits that stand for the bits of an array: -0 and 0 differ. Arrays that are not made to
/// deceive have equal keys with a probability of 2^-100 or less unless they are equal.
struct ContentKey {
    uint64_t low = 0;
    uint64_t high = 0;
    bool operator==(const ContentKey&) const = default;
};

/// Key of values[0, count).
ContentKey content_key(const double* values, size_t count);

}  // namespace helioray::operators
