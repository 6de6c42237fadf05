// SPDX-License-Identifier: MIT
// Reads random numbers of the system.
#include "distributed/launch/random_text.h"

#include <sys/random.h>

#include <array>
#include <stdexcept>

namespace helioray::detail {

std::string make_random_text() {
    std::array<unsigned char, 32> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error("this machine has no source of random numbers");
    std::string text;
    for (const unsigned char byte : bytes)
        for (const int nibble : {byte >> 4, byte & 15}) text += "0123456789abcdef"[nibble];
    return text;
}

}  // namespace helioray::detail
