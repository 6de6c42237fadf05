// SPDX-License-Identifier: MIT
// Reads PNG files with all bits of their pixels.
#include "raytracer/solvers/measured_flux/map_comparison.h"
#include "scenario/files/error.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace helioray {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse(const std::filesystem::path& path,
                         const std::string& what,
                         const std::string& why) {
    throw InputError(Problem{path.string(), what, why, "name a grey PNG of the flux"});
}

/// A PNG file opened with libpng, whose errors end a step with `false`. No object with a destructor
/// lives in the steps, because libpng leaves them by longjmp.
class PngFile {
  public:
    explicit PngFile(std::FILE* file) : file_(file) {
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, [](png_structp, auto) {});
        if (png_ != nullptr) info_ = png_create_info_struct(png_);
    }
    ~PngFile() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngFile(const PngFile&) = delete;
    PngFile& operator=(const PngFile&) = delete;

    /// Reads up to the pixels, which will have 8 or 16 bits and 1 to 4 channels.
    bool read_header() {
        if (png_ == nullptr || info_ == nullptr || setjmp(jump_) != 0) return false;
        png_init_io(png_, file_);
        png_read_info(png_, info_);
        // Convert palettes to colours, 1 to 4 bits to 8, and a transparent colour to a channel.
        png_set_expand(png_);
        png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        return true;
    }

    /// Reads the pixels into `rows`, one pointer per row.
    bool read_pixels(png_bytepp rows) {
        if (setjmp(jump_) != 0) return false;
        png_read_image(png_, rows);
        png_read_end(png_, nullptr);
        return true;
    }

    std::int64_t width() const { return png_get_image_width(png_, info_); }
    std::int64_t height() const { return png_get_image_height(png_, info_); }
    std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }
    int channels() const { return png_get_channels(png_, info_); }
    int bits() const { return png_get_bit_depth(png_, info_); }
    const char* error() const { return error_; }

  private:
    [[noreturn]] static void fail(png_structp png, png_const_charp message) {
        auto* file = static_cast<PngFile*>(png_get_error_ptr(png));
        std::snprintf(file->error_, sizeof file->error_, "%s", message);
        std::longjmp(file->jump_, 1);
    }

    std::FILE* file_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    std::jmp_buf jump_{};
    char error_[200] = "it cannot be decoded";
};

/// Samples of a row of pixels as values from 0 to 1.
class Samples {
  public:
    Samples(const std::uint8_t* bytes, int bits) : bytes_(bytes), is_wide_(bits == 16) {}
    double operator()(std::int64_t index) const {
        if (!is_wide_) return bytes_[index] / 255.0;
        return (256.0 * bytes_[2 * index] + bytes_[2 * index + 1]) / 65535.0;
    }

  private:
    const std::uint8_t* bytes_;
    bool is_wide_;
};

/// Returns the largest value of a camera whose brightest pixel in a PNG of 16 bits is `peak` (0 to
/// 1): cameras with 10, 12 or 14 bits leave the upper bits empty.
double full_scale(double peak) {
    for (const int bits : {10, 12, 14}) {
        const double largest = static_cast<double>((1 << bits) - 1) / 65535.0;
        if (peak <= largest) return largest;
    }
    return 1.0;
}

}  // namespace

GreyImage read_grey_png(const std::filesystem::path& path, BlackPicture black) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
        refuse(path, "is a folder, device or pipe", "a picture is read");
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
    if (!file)
        refuse(path,
               "is not a readable PNG file",
               std::filesystem::exists(path, ignored) ? "it cannot be opened"
                                                      : "there is no such file");
    PngFile png(file.get());
    if (!png.read_header()) refuse(path, "is not a readable PNG file", png.error());
    GreyImage image;
    image.width = png.width();
    image.height = png.height();
    const std::size_t row_bytes = png.row_bytes();
    // Deflate compresses at most 1032 to 1; a damaged header must not request all memory.
    const double most = 1032.0 * static_cast<double>(std::filesystem::file_size(path)) + 1e6;
    if (static_cast<double>(row_bytes) * static_cast<double>(image.height) > most)
        refuse(path,
               "is not a readable PNG file",
               fmt::format(
                   "{} x {} pixels are more than its file can hold", image.width, image.height));
    std::vector<std::uint8_t> bytes(row_bytes * static_cast<std::size_t>(image.height));
    std::vector<png_bytep> rows;
    for (std::int64_t row = 0; row < image.height; ++row)
        rows.push_back(bytes.data() + static_cast<std::size_t>(row) * row_bytes);
    if (!png.read_pixels(rows.data())) refuse(path, "is not a readable PNG file", png.error());

    const int channels = png.channels();
    const bool has_colours = channels >= 3, has_alpha = channels == 2 || channels == 4;
    image.values.reserve(static_cast<std::size_t>(image.width * image.height));
    for (png_bytep row : rows) {
        const Samples sample(row, png.bits());
        for (std::int64_t column = 0; column < image.width; ++column) {
            const std::int64_t first = column * channels;
            const double grey = sample(first);
            if (has_alpha && sample(first + channels - 1) < 1.0)
                refuse(path, "the picture is transparent", "its brightness is open");
            if (has_colours && (sample(first + 1) != grey || sample(first + 2) != grey))
                refuse(path, "the picture is coloured", "flux cannot be told from colours");
            image.values.push_back(grey);
        }
    }
    if (png.bits() == 16 && !image.values.empty()) {
        const double largest = full_scale(*std::ranges::max_element(image.values));
        for (double& value : image.values) value /= largest;
    }
    const auto is_black = [](double v) { return v == 0.0; };
    if (black == BlackPicture::refuse &&
        std::all_of(image.values.begin(), image.values.end(), is_black)) {
        refuse(path, "the picture is black throughout", "there is no flux to compare with");
    }
    return image;
}

}  // namespace helioray
