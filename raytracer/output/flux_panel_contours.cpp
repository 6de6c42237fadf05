// SPDX-License-Identifier: MIT
// Lines of equal flux on a map, with their values.
#include "raytracer/output/contour_lines.h"
#include "raytracer/output/flux_panel.h"
#include "raytracer/output/panel_style.h"

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace helioray {

using namespace panel_style;

namespace {

struct PlacedLabels {
    std::vector<PageBox> boxes;

    /// Whether a box has room inside `map`; then it is taken.
    bool take(const PageBox& box, const PageBox& map) {
        if (box.x < map.x || box.y < map.y || box.x + box.width > map.x + map.width ||
            box.y + box.height > map.y + map.height) {
            return false;
        }
        for (const PageBox& other : boxes) {
            if (box.x < other.x + other.width && other.x < box.x + box.width &&
                box.y < other.y + other.height && other.y < box.y + box.height) {
                return false;
            }
        }
        boxes.push_back(box);
        return true;
    }
};

double length_of(const std::vector<PagePoint>& line) {
    double length = 0.0;
    for (size_t i = 1; i < line.size(); ++i) {
        length += std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
    }
    return length;
}

}  // namespace

void FluxPanel::draw_contours(Canvas& canvas, double x, double y) const {
    // Lines through a noisy map are ragged: blocks and a filter first.
    constexpr int64_t kBlocks = 128;
    const BlockMap blocks = block_means(target_, kBlocks);
    const std::vector<double> values = smoothed(blocks.values, blocks.width, blocks.height, 2);
    const double block_width =
        map_width_ * static_cast<double>(blocks.step) / static_cast<double>(target_.width);
    const double block_height =
        map_height_ * static_cast<double>(blocks.step) / static_cast<double>(target_.height);
    const PageBox map{x, y, map_width_, map_height_};
    PlacedLabels labels;
    std::vector<std::tuple<PagePoint, std::string, Color, Color>> texts;

    constexpr int kLevels = 9;
    const AxisTicks levels = shown_->scale.ticks(kLevels);
    for (size_t k = levels.positions.size(); k-- > 0;) {
        const double level = levels.positions[k];
        const double place = shown_->scale.place(level);
        if (place <= 0.0 || place >= 1.0) continue;
        const Rgb8 ground = shown_->scale.color_at(place);
        const Color color = perceived_lightness(ground) > 0.62 ? kBlack : kWhite;
        for (const auto& line :
             contour_lines(values, blocks.width, blocks.height, level / shown_->factor)) {
            std::vector<PagePoint> points;
            for (const ContourPoint& p : line) {
                points.push_back({x + (p.x + 0.5) * block_width, y + (p.y + 0.5) * block_height});
            }
            const double length = length_of(points);
            const double text_width = canvas.text_width(levels.labels[k], kContour);
            constexpr double kShortest = 10.0;
            if (length < kShortest) continue;
            canvas.polyline(points, 0.9, color);
            if (length < 3.0 * text_width) continue;
            // The first of some places along the line that is free.
            constexpr size_t kTries = 12;
            for (size_t i = 0; i < kTries; ++i) {
                const PagePoint at = points[points.size() * (2 * i + 1) / (2 * kTries)];
                const double height = kContour.size + 2.0;
                if (labels.take({at.x - text_width / 2.0 - 2.0,
                                 at.y - height / 2.0,
                                 text_width + 4.0,
                                 height},
                                map)) {
                    texts.emplace_back(at, levels.labels[k], color, canvas_color(ground));
                    break;
                }
            }
        }
    }
    for (const auto& [at, text, color, ground] : texts) {
        canvas.text_with_halo(at.x, at.y, text, kContour, color, ground);
    }
}

}  // namespace helioray
