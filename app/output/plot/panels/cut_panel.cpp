// SPDX-License-Identifier: MIT
// Extracts and draws cuts.
#include "app/output/plot/panels/cut_panel.h"

#include "app/output/plot/drawing/panel_style.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray {

using namespace panel_style;

FluxCut flux_cut(const TargetResult& target, CutDirection direction) {
    const PixelIndex peak = peak_pixel(target);
    const SurfacePoint at = pixel_position(target, peak);
    const bool horizontal = direction == CutDirection::horizontal;
    FluxCut cut;
    cut.across_m = horizontal ? at.y : at.x;
    const int64_t count = horizontal ? target.width : target.height;
    for (int64_t k = 0; k < count; ++k) {
        // Columns increase to the right, rows downwards.
        const PixelIndex pixel =
            horizontal ? PixelIndex{peak.row, k} : PixelIndex{target.height - 1 - k, peak.column};
        const SurfacePoint place = pixel_position(target, pixel);
        const auto index = static_cast<size_t>(pixel.row * target.width + pixel.column);
        cut.position_m.push_back(horizontal ? place.x : place.y);
        cut.flux.push_back(target.flux[index]);
        cut.std_error.push_back(target.flux_std_error.empty()
                                    ? std::numeric_limits<double>::quiet_NaN()
                                    : target.flux_std_error[index]);
    }
    return cut;
}

namespace {

constexpr double kCutHeadroom = 1.06;

DisplayScale cut_scale(const TargetResult& target, double reach, FluxPanelStyle::Scale scale) {
    return display_scale(target, reach * kCutHeadroom, scale);
}

}  // namespace

CutPanel::CutPanel(const TargetResult& target,
                   CutDirection direction,
                   double reach,
                   FluxPanelStyle::Scale scale,
                   double shrink,
                   Canvas& measure)
    : cut_(flux_cut(target, direction)),
      display_scale_(cut_scale(target, reach, scale)),
      plot_width_(400.0 * shrink),
      plot_height_(300.0 * shrink) {
    const bool horizontal = direction == CutDirection::horizontal;
    const auto extents = surface_extent(target.target);
    const double extent = extents[horizontal ? 0 : 1];
    x_axis_.ticks = nice_ticks(-extent / 2.0, extent / 2.0, ticks_that_fit(plot_width_, 42.0, 13));
    x_axis_.place = [extent](double x) { return x / extent + 0.5; };
    x_axis_.label = horizontal ? "Horizontal from centre (m)" : "Vertical from centre (m)";
    y_axis_.ticks = display_scale_.scale.ticks(ticks_that_fit(plot_height_, 28.0, 11));
    y_axis_.place = [s = display_scale_.scale](double value) { return s.place(value); };
    y_axis_.label = display_scale_.label;

    title_ = horizontal ? "Horizontal cut" : "Vertical cut";
    const char* side = horizontal ? (cut_.across_m < 0.0 ? "below" : "above")
                                  : (cut_.across_m < 0.0 ? "left of" : "right of");
    const bool errors =
        std::any_of(cut_.std_error.begin(), cut_.std_error.end(), [](double e) { return e > 0.0; });
    subtitle_ = fmt::format("{} m {} the centre{}",
                            significant(std::abs(cut_.across_m), 3),
                            side,
                            errors ? "  ·  band: ± 1 standard error of a pixel" : "");
    left_ = axis_width(measure, y_axis_);
    text_width_ =
        std::max(measure.text_width(title_, kTitle), measure.text_width(subtitle_, kSubtitle));
}

double CutPanel::width() const {
    constexpr double kRight = 12.0;
    return left_ + std::max(plot_width_ + kRight, text_width_);
}

double CutPanel::height() const {
    return kTitleHeight + plot_height_ + axis_height();
}

void CutPanel::draw(Canvas& canvas, double x, double y) const {
    const PageBox box{x + left_, y + kTitleHeight, plot_width_, plot_height_};
    draw_graph(canvas, {y, box, title_, subtitle_, x_axis_, y_axis_, left_, true, true}, [&] {
        draw_curve(canvas, box);
    });
}

void CutPanel::draw_curve(Canvas& canvas, const PageBox& box) const {
    const auto place = [&](size_t i, double flux) {
        return PagePoint{box.x + x_axis_.place(cut_.position_m[i]) * box.width,
                         box.y + (1.0 - y_axis_.place(flux * display_scale_.factor)) * box.height};
    };
    // Values that are not finite end a segment of the curve and of its band.
    for (size_t first = 0; first < cut_.flux.size(); ++first) {
        if (!std::isfinite(cut_.flux[first])) continue;
        size_t end = first;
        while (end < cut_.flux.size() && std::isfinite(cut_.flux[end])) ++end;
        std::vector<PagePoint> curve;
        std::vector<PagePoint> band;
        for (size_t i = first; i < end; ++i) {
            const double error = std::isfinite(cut_.std_error[i]) ? cut_.std_error[i] : 0.0;
            curve.push_back(place(i, cut_.flux[i]));
            band.push_back(place(i, cut_.flux[i] + error));
        }
        for (size_t i = end; i-- > first;) {
            const double error = std::isfinite(cut_.std_error[i]) ? cut_.std_error[i] : 0.0;
            band.push_back(place(i, cut_.flux[i] - error));
        }
        canvas.fill(band, kBand);
        // A known pixel between unknown ones is drawn as a dot.
        if (curve.size() == 1) canvas.disc(curve[0].x, curve[0].y, 2.0, kCurve);
        canvas.polyline(curve, 1.1, kCurve);
        first = end;
    }
}

}  // namespace helioray
