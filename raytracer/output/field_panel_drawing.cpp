// SPDX-License-Identifier: MIT
// Drawing of the plan.
#include "raytracer/mirror_outline.h"
#include "raytracer/output/field_panel.h"
#include "raytracer/output/panel_style.h"
#include "raytracer/target_frame.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

using namespace panel_style;

void FieldPanel::draw(Canvas& canvas, double x, double y) const {
    const PageBox box{x + left_, y + kTitleHeight, plot_width_, plot_height_};
    canvas.text(box.x, y + kTitle.size, quantity_.title, kTitle);
    canvas.text(box.x, y + kTitle.size + 16.0, subtitle_, kSubtitle, TextAnchor::start, kGrey);
    canvas.within(box.x, box.y, box.width, box.height, [&] {
        draw_heliostats(canvas, box);
        draw_targets(canvas, box);
    });
    canvas.frame(box.x, box.y, box.width, box.height, kLine);
    draw_axis_below(canvas, box, x_axis_);
    draw_axis_left(canvas, box, y_axis_, left_);
    bar_->draw(canvas, box.x + box.width + kBarGap, box.y);
    draw_arrows(canvas, box);
}

void FieldPanel::draw_heliostats(Canvas& canvas, const PageBox& box) const {
    for (size_t i = 0; i < result_.heliostats.size(); ++i) {
        const HeliostatResult& h = result_.heliostats[i];
        const Color color = canvas_color(bar_->scale().color(values_[i]));
        std::vector<PagePoint> outline;
        double size = 0.0;
        if (h.mirror_outline) {
            for (const Vec3& corner : outline_in_field(h)) {
                outline.push_back(place(box, corner[0], corner[1]));
            }
            const auto& m = *h.mirror_outline;
            size = std::hypot(m[2][0] - m[0][0], m[2][1] - m[0][1]) * points_per_metre_;
        }
        constexpr double kSmallest = 2.0;
        if (size < kSmallest) {
            const PagePoint at = place(box, mirror_origin(h)[0], mirror_origin(h)[1]);
            canvas.disc(at.x, at.y, outline.empty() ? 2.5 : 1.2, color);
            continue;
        }
        canvas.fill(outline, color);
        // A mirror on edge is a line.
        outline.push_back(outline.front());
        constexpr double kLarge = 9.0;
        canvas.polyline(outline, size > kLarge ? 0.5 : 0.3, size > kLarge ? kGrey : color);
    }
}

void FieldPanel::draw_targets(Canvas& canvas, const PageBox& box) const {
    std::vector<PageBox> labels;
    for (const TargetResult& t : result_.targets) {
        // The surface seen from above; planes and cylinders are drawn along their middle.
        const auto [width, height] = surface_extent(t.target);
        std::vector<PagePoint> line;
        PagePoint middle{};
        constexpr int kSteps = 64;
        for (int i = 0; i <= kSteps; ++i) {
            const double share = static_cast<double>(i) / kSteps - 0.5;
            const Vec3 p = surface_point(t.target, share * width, 0.0);
            line.push_back(place(box, p[0], p[1]));
            middle.x += line.back().x / (kSteps + 1);
            middle.y += line.back().y / (kSteps + 1);
        }
        for (const auto& [stroke, color] : {std::pair{5.0, kWhite}, {2.6, kBlack}}) {
            canvas.polyline(line, stroke, color);
        }
        constexpr double kSymbol = 3.2;
        canvas.disc(middle.x, middle.y, kSymbol + 1.0, kWhite);
        canvas.disc(middle.x, middle.y, kSymbol, kBlack);

        // Names of targets at one tower stand below each other.
        const double text_width = canvas.text_width(t.target.name, kTargetName);
        const auto [first, last] = std::minmax_element(
            line.begin(), line.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        PageBox label{last->x + 8.0, middle.y - 6.0, text_width, 12.0};
        if (label.x + label.width > box.x + box.width - 3.0) label.x = first->x - 8.0 - text_width;
        const auto overlaps = [&label](const PageBox& o) {
            return label.x < o.x + o.width && o.x < label.x + label.width &&
                   label.y < o.y + o.height && o.y < label.y + label.height;
        };
        while (std::any_of(labels.begin(), labels.end(), overlaps)) label.y += 2.0;
        labels.push_back(label);
        canvas.text_with_halo(
            label.x + text_width / 2.0, label.y + 6.0, t.target.name, kTargetName, kBlack, kWhite);
    }
}

void FieldPanel::draw_arrows(Canvas& canvas, const PageBox& box) const {
    // Right above the plan: north is up, and where the sun stands.
    constexpr double kReach = 11.0;
    const auto arrow = [&](double x, double east, double north, const char* name) {
        const double y = box.y - 25.0;
        const PagePoint tip{x + kReach * east, y - kReach * north};
        const PagePoint tail{x - kReach * east, y + kReach * north};
        canvas.polyline({tail, tip}, 1.3, kBlack);
        const auto wing = [&](double side) {
            return PagePoint{tip.x - 5.0 * east - side * 3.0 * north,
                             tip.y + 5.0 * north - side * 3.0 * east};
        };
        canvas.fill({tip, wing(1.0), wing(-1.0)}, kBlack);
        canvas.text(x, box.y - 4.0, name, kCompass, TextAnchor::middle, kGrey);
    };
    arrow(box.x + box.width - 12.0, 0.0, 1.0, "North");
    const Vec3& sun = result_.provenance.sun_direction;
    const double level = std::hypot(sun[0], sun[1]);
    constexpr double kOverhead = 1e-3;
    if (level > kOverhead) {
        arrow(box.x + box.width - 52.0, sun[0] / level, sun[1] / level, "to sun");
    }
}

}  // namespace helioray
