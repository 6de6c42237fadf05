// SPDX-License-Identifier: MIT
// Grey pictures from PNG files, by cairo.
#include "raytracer/measured_flux/grey_image.h"

#include "scenario/error.h"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace helioray {

namespace {

struct DestroySurface {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};

[[noreturn]] void refuse(const std::filesystem::path& path,
                         const std::string& what,
                         const std::string& why) {
    throw InputError(Problem{path.string(), what, why, "name a grey PNG of the flux"});
}

double brightness(uint32_t pixel, bool has_alpha, const std::filesystem::path& path) {
    const uint32_t red = (pixel >> 16) & 255, green = (pixel >> 8) & 255, blue = pixel & 255;
    if (has_alpha && (pixel >> 24) != 255) {
        refuse(path, "the picture is transparent", "its brightness is open");
    }
    if (red != green || green != blue) {
        refuse(path, "the picture is coloured", "flux cannot be told from colours");
    }
    return red / 255.0;
}

}  // namespace

GreyImage read_grey_png(const std::filesystem::path& path) {
    const std::unique_ptr<cairo_surface_t, DestroySurface> surface(
        cairo_image_surface_create_from_png(path.c_str()));
    const cairo_status_t status = cairo_surface_status(surface.get());
    if (status != CAIRO_STATUS_SUCCESS) {
        refuse(path, "is not a readable PNG file", cairo_status_to_string(status));
    }
    const cairo_format_t format = cairo_image_surface_get_format(surface.get());
    if (format != CAIRO_FORMAT_RGB24 && format != CAIRO_FORMAT_ARGB32) {
        refuse(path, "has more than 8 bits per channel", "such pictures are not supported");
    }
    GreyImage image;
    image.width = cairo_image_surface_get_width(surface.get());
    image.height = cairo_image_surface_get_height(surface.get());
    const unsigned char* data = cairo_image_surface_get_data(surface.get());
    const int64_t stride = cairo_image_surface_get_stride(surface.get());
    for (int64_t row = 0; row < image.height; ++row) {
        for (int64_t column = 0; column < image.width; ++column) {
            uint32_t pixel = 0;
            std::memcpy(&pixel, data + row * stride + 4 * column, sizeof pixel);
            image.values.push_back(brightness(pixel, format == CAIRO_FORMAT_ARGB32, path));
        }
    }
    if (std::all_of(image.values.begin(), image.values.end(), [](double v) { return v == 0.0; })) {
        refuse(path, "the picture is black throughout", "there is no flux to compare with");
    }
    return image;
}

}  // namespace helioray
