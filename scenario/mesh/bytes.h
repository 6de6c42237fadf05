// SPDX-License-Identifier: MIT
// Numbers of either byte order in the content of a file. Part of the mesh readers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace helioray::mesh {

/// Returns the number at a byte; the content must be long enough.
template <typename Number>
Number number_at(std::string_view content, std::size_t byte, std::endian order) {
    std::array<char, sizeof(Number)> bytes{};
    std::memcpy(bytes.data(), content.data() + byte, bytes.size());
    if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
    Number number{};
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
}

}  // namespace helioray::mesh
