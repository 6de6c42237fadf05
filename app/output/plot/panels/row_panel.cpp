// SPDX-License-Identifier: MIT
// Arranges panels beside each other.
#include "app/output/plot/panels/row_panel.h"

#include <algorithm>
#include <utility>

namespace helioray {

namespace {

constexpr double kBetween = 26.0;  // points

}  // namespace

RowPanel::RowPanel(std::vector<std::unique_ptr<Panel>> panels) : panels_(std::move(panels)) {}

double RowPanel::width() const {
    double width = 0.0;
    for (const auto& panel : panels_) width += (width > 0.0 ? kBetween : 0.0) + panel->width();
    return width;
}

double RowPanel::height() const {
    double height = 0.0;
    for (const auto& panel : panels_) height = std::max(height, panel->height());
    return height;
}

void RowPanel::draw(Canvas& canvas, double x, double y) const {
    for (const auto& panel : panels_) {
        panel->draw(canvas, x, y);
        x += panel->width() + kBetween;
    }
}

}  // namespace helioray
