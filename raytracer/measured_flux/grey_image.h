// SPDX-License-Identifier: MIT
// Grey pictures, such as measured flux images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace helioray {

/// Brightness of pixels in rows from the top, 0 to 1.
struct GreyImage {
    int64_t width = 0;           ///< pixels
    int64_t height = 0;          ///< pixels
    std::vector<double> values;  ///< [height * width]
};

/// Reads a PNG whose red, green and blue are equal. Throws InputError for what is no PNG, colours,
/// transparency, and pictures that are black throughout.
GreyImage read_grey_png(const std::filesystem::path& path);

}  // namespace helioray
