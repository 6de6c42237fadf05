// SPDX-License-Identifier: MIT
// Reads a drawn panel back with cairo.
#include "tests/app/output/panel_image.h"

#include "tests/raytracer/sample_result.h"

#include <cairo.h>

#include <cstdint>
#include <cstring>

namespace helioray::test {

ColorImage panel_image(const Panel& panel, double pixels_per_point) {
    Canvas canvas(PictureFormat::png, panel.width(), panel.height(), pixels_per_point);
    panel.draw(canvas, 0.0, 0.0);
    const ScratchFolder folder;
    write_bytes(folder / "a.png", canvas.finish());
    cairo_surface_t* surface = cairo_image_surface_create_from_png((folder / "a.png").c_str());
    const unsigned char* bytes = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    ColorImage image{
        cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface), {}};
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            std::uint32_t pixel = 0;
            std::memcpy(&pixel, bytes + y * stride + 4 * x, sizeof pixel);
            image.pixels.push_back(pixel & 0xFFFFFFU);
        }
    }
    cairo_surface_destroy(surface);
    return image;
}

}  // namespace helioray::test
