// SPDX-License-Identifier: MIT
// Draws with cairo.
#include "app/output/plot/drawing/canvas.h"

#ifdef HELIORAY_FONTS
#include "app/output/plot/drawing/embedded_fonts.h"
#endif
#include "scenario/files/text_encoding.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

namespace helioray {

// Not in the anonymous namespace, because Canvas::State has them.
struct CairoDeleter {
    void operator()(cairo_t* context) const { cairo_destroy(context); }
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};

using CairoContext = std::unique_ptr<cairo_t, CairoDeleter>;
using CairoSurface = std::unique_ptr<cairo_surface_t, CairoDeleter>;
using CairoFontOptions = std::unique_ptr<cairo_font_options_t, CairoDeleter>;

namespace {

void check(cairo_status_t status, const char* what) {
    if (status == CAIRO_STATUS_SUCCESS) return;
    throw std::runtime_error(
        fmt::format("the picture cannot be {}: {}", what, cairo_status_to_string(status)));
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned length) {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
    return CAIRO_STATUS_SUCCESS;
}

CairoSurface make_surface(PictureFormat format,
                          std::string* bytes,
                          double width,
                          double height,
                          double pixels_per_point) {
    switch (format) {
        case PictureFormat::svg: {
            CairoSurface surface(cairo_svg_surface_create_for_stream(append, bytes, width, height));
            cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PT);
            return surface;
        }
        case PictureFormat::pdf: {
            CairoSurface surface(cairo_pdf_surface_create_for_stream(append, bytes, width, height));
            // Without a date, the same picture is the same file every time.
            cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
            return surface;
        }
        case PictureFormat::png:
            break;
    }
    return CairoSurface(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                   static_cast<int>(std::ceil(width * pixels_per_point)),
                                   static_cast<int>(std::ceil(height * pixels_per_point))));
}

void trace_path(cairo_t* context, const std::vector<PagePoint>& points) {
    cairo_new_path(context);
    for (const PagePoint& point : points) cairo_line_to(context, point.x, point.y);
}

}  // namespace

Color themed_color(const Color& color, Theme theme) {
    if (theme == Theme::light) return color;
    const bool is_grey = color.red == color.green && color.green == color.blue;
    if (!is_grey) {
        // Dark hues are mixed with white, so that they differ from the ground.
        constexpr double kDark = 0.4;
        const double brightness = 0.299 * color.red + 0.587 * color.green + 0.114 * color.blue;
        if (brightness >= kDark) return color;
        const auto mixed = [](double component) { return 0.5 * (1.0 + component); };
        return {mixed(color.red), mixed(color.green), mixed(color.blue)};
    }
    // The ground and the text of dark pages.
    constexpr Color kGround{0.129, 0.129, 0.153};
    constexpr Color kText{0.914, 0.914, 0.933};
    const auto between = [&](double ground, double text) {
        return text + color.red * (ground - text);
    };
    return {between(kGround.red, kText.red),
            between(kGround.green, kText.green),
            between(kGround.blue, kText.blue)};
}

struct Canvas::State {
    std::unique_ptr<std::string> bytes;  // the surface writes to it until it is destroyed
    CairoSurface surface;
    CairoContext context;
    PictureFormat format = PictureFormat::png;

    State(PictureFormat new_format, double width, double height, double pixels_per_point)
        : bytes(std::make_unique<std::string>()),
          surface(make_surface(new_format, bytes.get(), width, height, pixels_per_point)),
          context(cairo_create(surface.get())),
          format(new_format) {
        check(cairo_status(context.get()), "made");
        // Unhinted metrics are the same in all formats and at all resolutions.
        const CairoFontOptions options(cairo_font_options_create());
        cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
        cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
        cairo_set_font_options(context.get(), options.get());
    }

    void select(const Font& font) {
#ifdef HELIORAY_FONTS
        cairo_set_font_face(context.get(), embedded_font(font.bold));
#else
        cairo_select_font_face(context.get(),
                               "sans-serif",
                               CAIRO_FONT_SLANT_NORMAL,
                               font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
#endif
        cairo_set_font_size(context.get(), font.size);
    }

    // Returns the advance of a text, which must be valid UTF-8.
    double advance(const std::string& text) {
        cairo_text_extents_t extents;
        cairo_text_extents(context.get(), text.c_str(), &extents);
        return extents.x_advance;
    }
};

Canvas::Canvas() : state_(std::make_unique<State>(PictureFormat::png, 1.0, 1.0, 1.0)) {}

Canvas::Canvas(
    PictureFormat format, double width, double height, double pixels_per_point, Theme theme)
    : state_(std::make_unique<State>(format, width, height, pixels_per_point)), theme_(theme) {
    cairo_t* context = state_->context.get();
    if (format == PictureFormat::png) cairo_scale(context, pixels_per_point, pixels_per_point);
    set_color({1.0, 1.0, 1.0});
    cairo_paint(context);
}

void Canvas::set_color(const Color& color) {
    const Color shown = themed_color(color, theme_);
    cairo_set_source_rgb(state_->context.get(), shown.red, shown.green, shown.blue);
}

Canvas::~Canvas() = default;
Canvas::Canvas(Canvas&&) noexcept = default;

double Canvas::text_width(const std::string& text, const Font& font) {
    state_->select(font);
    return state_->advance(valid_utf8(text));
}

void Canvas::text(double x,
                  double y,
                  const std::string& text,
                  const Font& font,
                  TextAnchor anchor,
                  const Color& color) {
    state_->select(font);
    set_color(color);
    const std::string valid = valid_utf8(text);
    const double share = anchor == TextAnchor::start ? 0.0 : anchor == TextAnchor::end ? 1.0 : 0.5;
    cairo_move_to(state_->context.get(), x - share * state_->advance(valid), y);
    cairo_show_text(state_->context.get(), valid.c_str());
}

void Canvas::text_with_halo(double x,
                            double y,
                            const std::string& text,
                            const Font& font,
                            const Color& color,
                            const Color& halo) {
    cairo_t* context = state_->context.get();
    const std::string valid = valid_utf8(text);
    state_->select(font);
    set_color(halo);
    cairo_save(context);
    cairo_new_path(context);
    cairo_move_to(context, x - 0.5 * state_->advance(valid), y + 0.36 * font.size);
    cairo_text_path(context, valid.c_str());
    cairo_set_line_width(context, 3.0);
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke_preserve(context);
    set_color(color);
    cairo_fill(context);
    cairo_restore(context);
}

void Canvas::text_upwards(double x, double y, const std::string& text, const Font& font) {
    cairo_t* context = state_->context.get();
    cairo_save(context);
    cairo_translate(context, x, y);
    cairo_rotate(context, -std::numbers::pi / 2.0);
    this->text(0.0, 0.0, text, font, TextAnchor::middle);
    cairo_restore(context);
}

void Canvas::line(double x0, double y0, double x1, double y1, double width, const Color& color) {
    cairo_t* context = state_->context.get();
    set_color(color);
    cairo_set_line_width(context, width);
    cairo_move_to(context, x0, y0);
    cairo_line_to(context, x1, y1);
    cairo_stroke(context);
}

void Canvas::polyline(const std::vector<PagePoint>& points,
                      double width,
                      const Color& color,
                      double dash) {
    cairo_t* context = state_->context.get();
    cairo_save(context);
    set_color(color);
    cairo_set_line_width(context, width);
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    if (dash > 0.0) cairo_set_dash(context, &dash, 1, 0.0);
    trace_path(context, points);
    cairo_stroke(context);
    cairo_restore(context);
}

void Canvas::fill(const std::vector<PagePoint>& polygon, const Color& color) {
    cairo_t* context = state_->context.get();
    set_color(color);
    trace_path(context, polygon);
    cairo_fill(context);
}

void Canvas::disc(double x, double y, double radius, const Color& color) {
    cairo_t* context = state_->context.get();
    set_color(color);
    cairo_new_path(context);
    cairo_arc(context, x, y, radius, 0.0, 2.0 * std::numbers::pi);
    cairo_fill(context);
}

void Canvas::begin_clip(double x, double y, double width, double height) {
    cairo_t* context = state_->context.get();
    cairo_save(context);
    cairo_new_path(context);
    cairo_rectangle(context, x, y, width, height);
    cairo_clip(context);
}

void Canvas::end_clip() {
    cairo_restore(state_->context.get());
}

void Canvas::frame(double x, double y, double width, double height, double line_width) {
    cairo_t* context = state_->context.get();
    set_color({});
    cairo_set_line_width(context, line_width);
    cairo_rectangle(context, x, y, width, height);
    cairo_stroke(context);
}

void Canvas::image(const ColorImage& image, double x, double y, double width, double height) {
    const CairoSurface source(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height));
    check(cairo_surface_status(source.get()), "made");
    unsigned char* rows = cairo_image_surface_get_data(source.get());
    const int stride = cairo_image_surface_get_stride(source.get());
    for (int i = 0; i < image.height; ++i) {
        std::memcpy(rows + static_cast<std::ptrdiff_t>(i) * stride,
                    image.pixels.data() + static_cast<std::ptrdiff_t>(i) * image.width,
                    static_cast<std::size_t>(image.width) * sizeof(std::uint32_t));
    }
    cairo_surface_mark_dirty(source.get());

    cairo_t* context = state_->context.get();
    cairo_save(context);
    cairo_translate(context, x, y);
    cairo_scale(context, width / image.width, height / image.height);
    cairo_set_source_surface(context, source.get(), 0.0, 0.0);
    // Magnified pixels are sharp; if several share a pixel of the page, they are averaged.
    double device_x = 1.0;
    double device_y = 1.0;
    cairo_user_to_device_distance(context, &device_x, &device_y);
    const bool magnified = device_x >= 1.0 && device_y >= 1.0;
    const bool raster = state_->format == PictureFormat::png;
    cairo_pattern_t* pattern = cairo_get_source(context);
    cairo_pattern_set_filter(pattern,
                             magnified || !raster ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
    cairo_pattern_set_extend(pattern, raster ? CAIRO_EXTEND_PAD : CAIRO_EXTEND_NONE);
    cairo_rectangle(context, 0.0, 0.0, image.width, image.height);
    cairo_fill(context);
    cairo_restore(context);
}

std::string Canvas::finish() {
    check(cairo_status(state_->context.get()), "drawn");
    cairo_surface_t* surface = state_->surface.get();
    if (state_->format == PictureFormat::png) {
        cairo_surface_flush(surface);
        check(cairo_surface_write_to_png_stream(surface, append, state_->bytes.get()), "made");
    } else {
        cairo_show_page(state_->context.get());
        cairo_surface_finish(surface);
        check(cairo_surface_status(surface), "made");
    }
    return std::move(*state_->bytes);
}

}  // namespace helioray
