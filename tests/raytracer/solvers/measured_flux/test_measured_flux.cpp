// SPDX-License-Identifier: MIT
// Measured flux images: read, and compared with computed maps.
#include "raytracer/solvers/measured_flux/map_comparison.h"
#include "scenario/files/error.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <cairo.h>
#include <png.h>

#include <cmath>
#include <fstream>
#include <numeric>

using namespace helioray;

namespace {

double total(const std::vector<double>& map) {
    return std::accumulate(map.begin(), map.end(), 0.0);
}

/// A wall that faces north, 4 m wide and 2 m high, with an elliptic Gaussian on it.
TargetResult gaussian_map(
    int64_t width, int64_t height, double x0, double y0, double sigma_x, double sigma_y) {
    TargetResult result;
    PlanarTarget wall;
    wall.center = {10.0, 20.0, 30.0};
    wall.width = 4.0;
    wall.height = 2.0;
    result.target = {"wall", wall};
    result.width = width;
    result.height = height;
    for (int64_t i = 0; i < height; ++i) {
        for (int64_t j = 0; j < width; ++j) {
            const double x =
                4.0 * ((static_cast<double>(j) + 0.5) / static_cast<double>(width) - 0.5);
            const double y =
                2.0 * (0.5 - (static_cast<double>(i) + 0.5) / static_cast<double>(height));
            result.flux.push_back(500.0 * std::exp(-0.5 * (std::pow((x - x0) / sigma_x, 2) +
                                                           std::pow((y - y0) / sigma_y, 2))));
        }
    }
    return result;
}

GreyImage image_of(const TargetResult& map) {
    GreyImage image{map.width, map.height, map.flux};
    for (double& value : image.values) value /= 700.0;
    return image;
}

std::string refusal(const std::filesystem::path& path) {
    try {
        read_grey_png(path);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

void write_png(const std::filesystem::path& path,
               cairo_format_t format,
               double r,
               double g,
               double b,
               double a) {
    cairo_surface_t* surface = cairo_image_surface_create(format, 4, 3);
    cairo_t* context = cairo_create(surface);
    cairo_set_source_rgba(context, r, g, b, a);
    cairo_paint(context);
    cairo_surface_write_to_png(surface, path.c_str());
    cairo_destroy(context);
    cairo_surface_destroy(surface);
}

}  // namespace

TEST_CASE("measured flux: pictures of the database as another decoder reads them") {
    struct Picture {
        const char* file;
        double sum, row, column, middle;
    };
    for (const Picture& p : {Picture{"AA39/Calibration/270398-flux.png",
                                     9502.007843137255,
                                     145.25575564627826,
                                     123.1059173458489,
                                     0.9921568627450981},
                             Picture{"AA31/Calibration/125284-flux.png",
                                     5017.580392156861,
                                     125.81508703124624,
                                     125.47196953769611,
                                     0.9490196078431372}}) {
        const GreyImage image = read_grey_png(test::source_dir() + "/configs/paint/" + p.file);
        REQUIRE(image.width == 256);
        REQUIRE(image.height == 256);
        const double sum = total(image.values);
        double row = 0.0, column = 0.0;
        for (size_t i = 0; i < image.values.size(); ++i) {
            row += image.values[i] * static_cast<double>(i / 256) / sum;
            column += image.values[i] * static_cast<double>(i % 256) / sum;
        }
        CHECK(sum == Approx(p.sum).epsilon(1e-12));
        CHECK(row == Approx(p.row).epsilon(1e-12));
        CHECK(column == Approx(p.column).epsilon(1e-12));
        CHECK(image.values[128 * 256 + 128] == Approx(p.middle).epsilon(1e-12));
    }
}

TEST_CASE("measured flux: the centroid of a picture is the focal spot of its record") {
    // UTIS found (-17.4991, -2.7449, 51.5499) for 270398 on the multi-focus target.
    PlanarTarget plane;
    plane.center = {-17.604515, -2.744644, 51.979752};
    plane.width = 5.4118633;
    plane.height = 6.3874989;
    const GreyImage image =
        read_grey_png(test::source_dir() + "/configs/paint/AA39/Calibration/270398-flux.png");
    const FluxMoments moments =
        flux_moments({"multi_focus_tower", plane}, image.values, image.width, image.height);
    // Within a pixel of 2 cm: right side up and the right way round.
    CHECK(moments.centroid[0] == Approx(-17.4991).epsilon(0).margin(0.025));
    CHECK(moments.centroid[1] == Approx(-2.7446).epsilon(0).margin(0.001));
    CHECK(moments.centroid[2] == Approx(51.5499).epsilon(0).margin(0.025));
}

TEST_CASE("measured flux: all bits of a picture count") {
    const test::TemporaryFolder folder;
    // 12 bits in 16: the values of neighbours differ below the upper 8 bits.
    std::vector<uint16_t> grey{0, 1, 4094, 4095, 0x1234, 0xFFFF};
    const auto write = [&](int bits, int type, int channels) {
        const auto path = folder / "wide.png";
        std::FILE* file = std::fopen(path.c_str(), "wb");
        png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
        png_infop info = png_create_info_struct(png);
        png_init_io(png, file);
        png_set_IHDR(png, info, 3, 2, bits, type, PNG_INTERLACE_NONE, 0, 0);
        png_write_info(png, info);
        for (size_t row = 0; row < 2; ++row) {
            std::vector<png_byte> bytes;
            for (size_t column = 0; column < 3; ++column) {
                const uint16_t value = grey[3 * row + column];
                for (int channel = 0; channel < channels; ++channel) {
                    const bool is_alpha = channels % 2 == 0 && channel == channels - 1;
                    const uint16_t sample = is_alpha ? 0xFFFF : value;
                    bytes.push_back(static_cast<png_byte>(sample >> 8));
                    if (bits == 16) bytes.push_back(static_cast<png_byte>(sample & 0xFF));
                }
            }
            png_write_row(png, bytes.data());
        }
        png_write_end(png, nullptr);
        png_destroy_write_struct(&png, &info);
        std::fclose(file);
        return read_grey_png(path);
    };
    for (const auto& [type, channels] : {std::pair{PNG_COLOR_TYPE_GRAY, 1},
                                         {PNG_COLOR_TYPE_GRAY_ALPHA, 2},
                                         {PNG_COLOR_TYPE_RGB, 3},
                                         {PNG_COLOR_TYPE_RGB_ALPHA, 4}}) {
        CAPTURE(channels);
        const GreyImage wide = write(16, type, channels);
        const GreyImage narrow = write(8, type, channels);
        REQUIRE(wide.width == 3);
        REQUIRE(wide.values.size() == grey.size());
        for (size_t i = 0; i < grey.size(); ++i) {
            CHECK(wide.values[i] == Approx(grey[i] / 65535.0).epsilon(1e-12));
            CHECK(narrow.values[i] == Approx((grey[i] >> 8) / 255.0).epsilon(1e-12));
        }
    }
    // A camera of 12 bits reaches 4095.
    grey = {0, 1, 4094, 3000, 1024, 5};
    const GreyImage twelve = write(16, PNG_COLOR_TYPE_GRAY, 1);
    for (size_t i = 0; i < grey.size(); ++i)
        CHECK(twelve.values[i] == Approx(grey[i] / 4095.0).epsilon(1e-12));
}

TEST_CASE("measured flux: damaged pictures are refused") {
    const test::TemporaryFolder folder;
    const auto good = test::source_dir() + "/configs/paint/AA39/Calibration/270398-flux.png";
    std::ifstream stream(good, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    for (const size_t length : {size_t{4}, size_t{20}, size_t{40}, bytes.size() / 2}) {
        std::ofstream(folder / "cut.png", std::ios::binary) << bytes.substr(0, length);
        CHECK_THAT(refusal(folder / "cut.png"), ContainsSubstring("not a readable PNG"));
    }
    std::string wrong = bytes;
    wrong[bytes.size() / 2] = static_cast<char>(~wrong[bytes.size() / 2]);
    std::ofstream(folder / "wrong.png", std::ios::binary) << wrong;
    CHECK_THAT(refusal(folder / "wrong.png"), ContainsSubstring("not a readable PNG"));
}

TEST_CASE("measured flux: pictures that are no flux maps are refused") {
    const test::TemporaryFolder folder;
    CHECK_THAT(refusal(folder / "nowhere.png"), ContainsSubstring("not a readable PNG"));
    std::ofstream(folder / "text.png") << "no picture";
    CHECK_THAT(refusal(folder / "text.png"), ContainsSubstring("not a readable PNG"));
    write_png(folder / "black.png", CAIRO_FORMAT_RGB24, 0, 0, 0, 1);
    CHECK_THAT(refusal(folder / "black.png"), ContainsSubstring("black throughout"));
    write_png(folder / "red.png", CAIRO_FORMAT_RGB24, 1, 0, 0, 1);
    CHECK_THAT(refusal(folder / "red.png"), ContainsSubstring("coloured"));
    write_png(folder / "glass.png", CAIRO_FORMAT_ARGB32, 1, 1, 1, 0.5);
    CHECK_THAT(refusal(folder / "glass.png"), ContainsSubstring("transparent"));
    write_png(folder / "white.png", CAIRO_FORMAT_RGB24, 1, 1, 1, 1);
    CHECK(refusal(folder / "white.png") == "accepted");
    std::filesystem::resize_file(folder / "white.png", 60);
    CHECK(refusal(folder / "white.png") != "accepted");
}

TEST_CASE("measured flux: resampling keeps totals and places") {
    GreyImage image{6, 4, {}};
    for (int i = 0; i < 24; ++i) image.values.push_back(i % 7);
    for (const auto& [width, height] :
         std::vector<std::pair<int64_t, int64_t>>{{6, 4}, {3, 2}, {12, 8}, {5, 7}, {1, 1}}) {
        INFO(width << " x " << height);
        CHECK(total(resample(image, width, height)) == Approx(total(image.values)));
    }
    CHECK(resample(image, 6, 4) == image.values);
    // Pixel (0, 0) of 3 x 2 covers values 0, 1 of the first and 6, 0 of the second row.
    CHECK(resample(image, 3, 2)[0] == Approx(7.0));
    // Of four pixels over six: the first holds one and a half columns.
    CHECK(resample(image, 4, 4)[0] == Approx(0.5));
}

TEST_CASE("measured flux: a map beside itself") {
    const TargetResult map = gaussian_map(64, 48, 0.3, -0.1, 0.4, 0.2);
    const MapComparison same = compare_with_image(map, image_of(map));
    CHECK(same.correlation == Approx(1.0).epsilon(1e-12));
    CHECK(same.aligned_correlation == Approx(1.0).epsilon(1e-9));
    CHECK(same.overlap == Approx(1.0).epsilon(1e-12));
    CHECK(same.rmse < 1e-12);
    CHECK(std::abs(same.offset_x()) < 1e-12);
    // Moments of the Gaussian itself; the wall cuts it beyond four standard deviations only.
    CHECK(same.computed.x == Approx(0.3).epsilon(0).margin(1e-3));
    CHECK(same.computed.y == Approx(-0.1).epsilon(0).margin(1e-3));
    CHECK(same.computed.width_x == Approx(0.4).epsilon(2e-3));
    CHECK(same.computed.width_y == Approx(0.2).epsilon(2e-3));
    // The nearest edge, above and below, is 4.5 standard deviations away and more.
    CHECK(same.computed_at_edge < 1e-3);
    CHECK(same.measured_at_edge == Approx(same.computed_at_edge));
    // The wall faces north: right is west.
    CHECK(same.computed.centroid[0] == Approx(10.0 - 0.3).epsilon(0).margin(1e-3));
    CHECK(same.computed.centroid[2] == Approx(30.0 - 0.1).epsilon(0).margin(1e-3));
}

TEST_CASE("measured flux: shifted and widened maps") {
    const TargetResult computed = gaussian_map(128, 96, 0.35, 0.1, 0.3, 0.2);
    // Of other numbers of pixels, as images have.
    const TargetResult other = gaussian_map(200, 150, 0.1, 0.02, 0.3, 0.2);
    const MapComparison c = compare_with_image(computed, image_of(other));
    CHECK(c.offset_x() == Approx(0.25).epsilon(0).margin(1e-3));
    CHECK(c.offset_y() == Approx(0.08).epsilon(0).margin(1e-3));
    // Equal Gaussians a distance d apart: the overlap is erfc(d / (2 sqrt 2)), d in standard
    // deviations; on an area large against them their correlation tends to exp(-d^2 / 4).
    const double d = std::hypot(0.25 / 0.3, 0.08 / 0.2);
    CHECK(c.overlap == Approx(std::erfc(d / std::sqrt(8.0))).epsilon(0.01));
    const double mean = 4.0 * std::acos(-1.0) * 0.3 * 0.2 / 8.0;  // of a product, over the area
    CHECK(c.correlation ==
          Approx((std::exp(-d * d / 4.0) - mean) / (1.0 - mean)).epsilon(0).margin(0.01));
    CHECK(c.aligned_correlation > 0.999);
    CHECK(c.aligned_correlation > c.correlation);

    // A centre on the right edge puts almost the peak there; on the upper one as well.
    CHECK(compare_with_image(gaussian_map(64, 48, 2.0, 0.0, 0.4, 0.2), image_of(other))
              .computed_at_edge == Approx(1.0).epsilon(0.02));
    CHECK(compare_with_image(gaussian_map(64, 48, 0.0, 1.0, 0.4, 0.2), image_of(other))
              .computed_at_edge == Approx(1.0).epsilon(0.02));

    const MapComparison wide =
        compare_with_image(computed, image_of(gaussian_map(128, 96, 0.35, 0.1, 0.36, 0.2)));
    CHECK(wide.computed.width_x - wide.measured.width_x == Approx(-0.06).epsilon(0.02));
    // Peaks of equal totals are 6 to 5: the largest difference is a fifth of the measured peak.
    CHECK(wide.rmse > 0.0);
    CHECK(wide.rmse < 0.2);
}

TEST_CASE("measured flux: a target without flux cannot be compared") {
    TargetResult map = gaussian_map(8, 8, 0, 0, 1, 1);
    const GreyImage image = image_of(map);
    map.flux.assign(64, 0.0);
    CHECK_THROWS_AS(compare_with_image(map, image), InputError);
}
