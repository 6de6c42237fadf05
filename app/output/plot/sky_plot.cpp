// SPDX-License-Identifier: MIT
// Draws efficiency as colours on a disc of the sky.
#include "app/output/plot/sky_plot.h"

#include "app/output/plot/drawing/colors.h"
#include "app/output/plot/drawing/panel_style.h"
#include "scenario/files/number_text.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace helioray {

using namespace panel_style;

namespace {

constexpr double kCompassRoom = 18.0;
constexpr double kHalfTurn = std::numbers::pi;
constexpr const char* kSkyTitle = "Efficiency by position of the sun";

/// Returns the radius as a fraction of the disc's radius.
double disc_radius(double elevation) {
    return 1.0 - elevation / (0.5 * kHalfTurn);
}

class SkyPanel : public Panel {
  public:
    SkyPanel(const EfficiencyTable& table, double radius, Canvas& measure);

    double width() const override {
        return std::max(2.0 * (radius_ + kCompassRoom) + kBarGap + bar_.thickness(), text_width_);
    }
    double height() const override { return kTitleHeight + 2.0 * (radius_ + kCompassRoom); }
    void draw(Canvas& canvas, double x, double y) const override;

  private:
    /// A place on the disc whose radius is 1, x to the east, y to the north.
    struct Place {
        double x = 0.0, y = 0.0;
    };
    /// Returns the efficiency; NaN if the table has no value.
    double efficiency(const Place& place) const;
    /// Returns true above the table's highest elevation and outside of its azimuths.
    bool is_beyond_table(const Place& place) const;
    void draw_lines(Canvas& canvas, double x, double y) const;

    const EfficiencyTable& table_;
    double radius_;  // points
    ColorBar bar_;
    std::string subtitle_;
    double text_width_ = 0.0;
};

ColorScale make_scale(const EfficiencyTable& table) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < table.shares.size(); ++i) {
        if (!table.reached[i]) continue;
        low = std::min(low, 100.0 * table.shares[i].target_power);
        high = std::max(high, 100.0 * table.shares[i].target_power);
    }
    if (!(high > low)) return ColorScale::linear(0.0, 100.0);
    return ColorScale::linear(low, high);
}

SkyPanel::SkyPanel(const EfficiencyTable& table, double radius, Canvas& measure)
    : table_(table),
      radius_(radius),
      bar_(make_scale(table), "Efficiency of the field (%)", true, 2.0 * radius, measure) {
    double largest = 0.0, rays = 0.0;
    for (std::size_t i = 0; i < table.shares.size(); ++i) {
        if (!table.reached[i]) continue;
        largest = std::max(largest, table.interpolation_error[i]);
        rays = std::max(rays, table.std_error[i]);
    }
    subtitle_ = fmt::format("± {} points from rays, ± {} points from interpolation at most",
                            significant(100.0 * rays, 2),
                            significant(100.0 * largest, 2));
    const bool is_whole =
        table.suns.is_all_around() && table.suns.elevations().back() > 0.5 * kHalfTurn - 1e-6;
    if (!is_whole) subtitle_ += "; grey: beyond the table";
    text_width_ =
        std::max(measure.text_width(kSkyTitle, kTitle), measure.text_width(subtitle_, kSubtitle));
}

double SkyPanel::efficiency(const Place& place) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const double radius = std::hypot(place.x, place.y);
    const double elevation = (1.0 - radius) * 0.5 * kHalfTurn;
    const double azimuth = std::atan2(place.x, place.y);
    if (!table_.suns.contains(azimuth, elevation)) return kNone;
    double value = 0.0;
    double reached = 0.0;
    for (const auto& [entry, weight] : table_.suns.interpolation(azimuth, elevation)) {
        value += weight * table_.shares[entry].target_power;
        reached += table_.reached[entry] ? weight : 0.0;
    }
    return reached < 0.5 ? kNone : 100.0 * value;
}

bool SkyPanel::is_beyond_table(const Place& place) const {
    const double radius = std::hypot(place.x, place.y);
    const double elevation = (1.0 - radius) * 0.5 * kHalfTurn;
    return elevation >= table_.suns.elevations().front() &&
           !table_.suns.contains(std::atan2(place.x, place.y), elevation);
}

void SkyPanel::draw_lines(Canvas& canvas, double x, double y) const {
    const auto circle = [&](double radius, double width, const Color& color) {
        std::vector<PagePoint> points;
        constexpr int kSteps = 180;
        for (int i = 0; i <= kSteps; ++i) {
            const double angle = 2.0 * kHalfTurn * i / kSteps;
            points.push_back({x + radius * std::sin(angle), y - radius * std::cos(angle)});
        }
        canvas.polyline(points, width, color);
    };
    canvas.on_image([&] {
        for (const double degrees : {30.0, 60.0}) {
            const double radius = radius_ * disc_radius(degrees * kRadiansPerDegree);
            circle(radius, 0.6, kGrey);
            canvas.text_with_halo(
                x + radius, y - 8.0, fmt::format("{:.0f}°", degrees), kContour, kBlack, kWhite);
        }
        for (std::size_t i = 0; i < table_.suns.size(); ++i) {
            if (!table_.reached[i]) continue;
            const auto [azimuth, elevation] = table_.suns.sun(i);
            const double radius = radius_ * disc_radius(elevation);
            canvas.disc(
                x + radius * std::sin(azimuth), y - radius * std::cos(azimuth), 1.1, kBlack);
        }
    });
    circle(radius_, kLine, kBlack);
    const double out = radius_ + 5.0;
    canvas.text(x, y - out, "N", kTargetName, TextAnchor::middle);
    canvas.text(x, y + out + 9.0, "S", kTargetName, TextAnchor::middle);
    canvas.text(x + out, y + 3.5, "E", kTargetName);
    canvas.text(x - out, y + 3.5, "W", kTargetName, TextAnchor::end);
}

void SkyPanel::draw(Canvas& canvas, double x, double y) const {
    canvas.text(x, y + kTitle.size, kSkyTitle, kTitle);
    canvas.text(x, y + kTitle.size + 16.0, subtitle_, kSubtitle, TextAnchor::start, kGrey);
    const double middle_x = x + radius_ + kCompassRoom;
    const double middle_y = y + kTitleHeight + radius_ + kCompassRoom;
    constexpr int kPixels = 500;
    const auto ground = [&](double grey) {
        const Color color = themed_color({grey, grey, grey}, canvas.theme());
        const auto byte = [](double part) {
            return static_cast<std::uint8_t>(std::lround(255.0 * part));
        };
        return packed_color({byte(color.red), byte(color.green), byte(color.blue)});
    };
    const std::uint32_t nothing = ground(1.0);
    const std::uint32_t beyond = ground(221.0 / 255.0);
    ColorImage image{kPixels, kPixels, {}};
    for (int row = 0; row < kPixels; ++row) {
        for (int column = 0; column < kPixels; ++column) {
            const Place place{(2.0 * column + 1.0) / kPixels - 1.0,
                              1.0 - (2.0 * row + 1.0) / kPixels};
            const double value = efficiency(place);
            image.pixels.push_back(!std::isnan(value) ? packed_color(bar_.scale().color(value))
                                   : is_beyond_table(place) ? beyond
                                                            : nothing);
        }
    }
    canvas.image(image, middle_x - radius_, middle_y - radius_, 2.0 * radius_, 2.0 * radius_);
    draw_lines(canvas, middle_x, middle_y);
    bar_.draw(canvas, middle_x + radius_ + kCompassRoom + kBarGap, middle_y - radius_);
}

}  // namespace

PlotPage sky_page(const EfficiencyTable& table, double radius) {
    PlotPage page;
    page.title = scenario_title(table.provenance, "Efficiency");
    page.subtitle = fmt::format("{} of the sun  ·  {}  ·  {} rays",
                                counted(table.positions, "position"),
                                counted(static_cast<std::size_t>(table.heliostats), "heliostat"),
                                count_text(table.provenance.rays));
    page.footer = origin_text(table.provenance);
    Canvas measure;
    page.panels.push_back(std::make_unique<SkyPanel>(table, radius, measure));
    return page;
}

}  // namespace helioray
