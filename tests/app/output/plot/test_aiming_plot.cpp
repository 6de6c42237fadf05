// SPDX-License-Identifier: MIT
// Pictures and report of aim points.
#include "app/output/plot/aiming_plot.h"
#include "app/output/plot/drawing/panel_style.h"
#include "app/output/plot/field_plot.h"
#include "app/output/plot/panels/aiming_panels.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/report/aiming_report.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/files/error.h"
#include "tests/app/output/aimed_field.h"
#include "tests/app/output/panel_image.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace helioray;

namespace {

constexpr double kPixelsPerPoint = 2.0;

/// Traced once for all tests: copies are changed, this is not.
const test::AimedField& plant() {
    static const test::AimedField made = test::aimed_field();
    return made;
}

std::vector<size_t> panels_per_part(const test::AimedField& field) {
    std::vector<size_t> counts;
    for (const AimingPart& part : aiming_parts(field.result, field.scenario))
        counts.push_back(part.panels.size());
    return counts;
}

/// Pixels of the colour that only marks of cells above the limit have.
int64_t marked_pixels(const Panel& panel) {
    const ColorImage image = test::panel_image(panel, kPixelsPerPoint);
    return std::ranges::count_if(image.pixels, [](std::uint32_t pixel) {
        const std::uint32_t red = pixel >> 16U;
        const std::uint32_t green = (pixel >> 8U) & 0xFFU;
        const std::uint32_t blue = pixel & 0xFFU;
        return red < 0x60U && green > 0xC0U && blue > 0xC0U;
    });
}

/// Middle and number of the pixels in which two drawings of equal size differ; points.
struct Difference {
    double x = 0.0, y = 0.0;
    int64_t count = 0;
};
Difference difference(const Panel& a, const Panel& b) {
    const ColorImage first = test::panel_image(a, kPixelsPerPoint);
    const ColorImage second = test::panel_image(b, kPixelsPerPoint);
    REQUIRE(first.pixels.size() == second.pixels.size());
    Difference found;
    for (size_t i = 0; i < first.pixels.size(); ++i) {
        if (first.pixels[i] == second.pixels[i]) continue;
        ++found.count;
        found.x += (static_cast<double>(i % first.width) + 0.5) / kPixelsPerPoint;
        found.y += (static_cast<double>(i / first.width) + 0.5) / kPixelsPerPoint;
    }
    found.x /= static_cast<double>(found.count);
    found.y /= static_cast<double>(found.count);
    return found;
}

size_t count_of(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

/// A plane of 4 m x 2 m, 4 x 2 cells of 100 kW/m2, aimed at by one heliostat.
test::AimedField flat_plant() {
    test::AimedField field = plant();
    TargetResult map = test::spot("wall", 4.0, 2.0, 4, 2, 1.0);
    map.flux.assign(8, 1e5);
    map.flux_std_error.assign(8, 1e3);
    map.power_w = 8e5;
    field.scenario.targets = {map.target};
    field.result.before.targets = {map};
    field.result.after.targets = {map};
    field.result.limits = {{"wall", std::vector<double>(8, 2e5), std::vector<double>(8, 0.01)}};
    field.result.power = 8e5;
    return field;
}

}  // namespace

TEST_CASE("A picture of aim points is drawn in the format of its name, the same every time") {
    const test::AimedField& p = plant();
    const test::ScratchFolder folder;
    const auto draw = [&](const char* name) {
        plot_aiming(p.result, p.config, p.scenario, folder / name);
        return test::read_bytes(folder / name);
    };
    const std::string png = draw("a.png");
    CHECK(png.substr(1, 3) == "PNG");
    CHECK(png.size() > 50'000);
    CHECK(draw("b.png") == png);
    CHECK(draw("a.pdf").substr(0, 5) == "%PDF-");
    CHECK_THAT(draw("a.svg").substr(0, 200), ContainsSubstring("<svg"));
    CHECK(folder.num_entries() == 4);
    CHECK_THROWS_AS(plot_aiming(p.result, p.config, p.scenario, folder / "a.jpg"), InputError);
    CHECK(folder.num_entries() == 4);
}

TEST_CASE("Panels follow from what is known about the aim points") {
    test::AimedField field = plant();
    CHECK(panels_per_part(field) == std::vector<size_t>{4, 2});
    field.result.rounds.resize(1);
    CHECK(panels_per_part(field) == std::vector<size_t>{4, 1});
    field.result.limits[0].price.clear();
    CHECK(panels_per_part(field) == std::vector<size_t>{3, 1});
    field.result.limits.clear();
    CHECK(panels_per_part(field) == std::vector<size_t>{3, 1});
    field.result.before.heliostats.clear();
    field.result.points.clear();
    CHECK(panels_per_part(field) == std::vector<size_t>{3, 0});
}

TEST_CASE("Every target has its maps, also one on which nobody aims any more") {
    test::AimedField field = test::aimed_field({}, true);
    REQUIRE(field.result.before.targets.size() == 2);
    CHECK(panels_per_part(field) == std::vector<size_t>{4, 4, 2});
    field.result.after.targets.pop_back();
    CHECK(panels_per_part(field) == std::vector<size_t>{4, 4, 2});
    const test::ScratchFolder folder;
    plot_aiming(field.result, field.config, field.scenario, folder / "a.png");
    CHECK(count_of(aiming_report(field.result, field.config, field.scenario),
                   "<figure class=\"panels\" style=") == 3);
}

TEST_CASE("Cells above their limit by more than three standard errors are marked, no others") {
    test::AimedField field = flat_plant();
    const auto marked_before_and_after = [&] {
        const auto parts = aiming_parts(field.result, field.scenario);
        return std::pair{marked_pixels(*parts[0].panels[0]), marked_pixels(*parts[0].panels[1])};
    };
    CHECK(marked_before_and_after() == std::pair<int64_t, int64_t>{0, 0});
    field.result.before.targets[0].flux[5] = 2.029e5;
    CHECK(marked_before_and_after() == std::pair<int64_t, int64_t>{0, 0});
    field.result.before.targets[0].flux[5] = 2.031e5;
    const auto [one, none] = marked_before_and_after();
    CHECK(one > 100);
    CHECK(none == 0);
    // Hatching grows with the area.
    field.result.before.targets[0].flux.assign(8, 2.031e5);
    const auto all = marked_before_and_after().first;
    CHECK(all > 3 * one);
    // Without a limit there, the cell cannot be above it.
    field.result.limits[0].limit.assign(8, std::numeric_limits<double>::infinity());
    field.result.limits[0].limit[0] = 3e5;
    CHECK(marked_before_and_after() == std::pair<int64_t, int64_t>{0, 0});
}

TEST_CASE("Marks stay on their cells") {
    const TargetResult map = test::spot("t", 4.0, 2.0, 8, 4, 1e5);
    FluxPanelStyle style;
    style.centroid = false;
    style.subtitle = "";
    Canvas measure;
    const FluxPanel plain(map, style, measure);
    // The cell in the second row and the seventh column.
    style.marked.assign(32, false);
    style.marked[8 + 6] = true;
    const FluxPanel marked(map, style, measure);
    const Difference found = difference(plain, marked);
    CHECK(found.x == Approx(plain.left_margin() + 6.5 / 8.0 * plain.map_width()).margin(1.0));
    CHECK(found.y ==
          Approx(panel_style::kTitleHeight + 1.5 / 4.0 * plain.map_height()).margin(1.0));
}

TEST_CASE("An aim point is drawn at its place on the unrolled surface") {
    Canvas measure;
    const Target target = test::spot("t", 10.0, 5.0, 2, 2, 1.0).target;
    // The panels differ at both places, half of the pixels at each.
    const AimPointsPanel a(target, {{{0.0, 0.0}, 100.0}}, "t", 1.0, measure);
    const AimPointsPanel b(target, {{{3.0, -1.5}, 100.0}}, "t", 1.0, measure);
    const Difference found = difference(a, b);
    CHECK(found.count > 20);
    CHECK(found.x == Approx(a.left_margin() + 0.65 * a.map_width()).margin(2.0));
    CHECK(found.y == Approx(panel_style::kTitleHeight + 0.65 * a.map_height()).margin(2.0));
}

TEST_CASE("Aim points lie on the ground of the theme") {
    Canvas measure;
    const Target target = test::spot("t", 10.0, 5.0, 2, 2, 1.0).target;
    PlotPage page;
    page.panels.push_back(std::make_unique<AimPointsPanel>(
        target, std::vector<AimDot>{{{0.0, 0.0}, 100.0}}, "t", 1.0, measure));
    const auto count_white = [&](Theme theme) {
        std::string picture = draw_page(page, PictureFormat::svg, 1.0, theme);
        std::erase(picture, ' ');  // cairo 1.18 writes them between colours
        return count_of(picture, "rgb(100%,100%,100%)");
    };
    CHECK(count_white(Theme::light) >= 2);
    CHECK(count_white(Theme::dark) == 0);
}

TEST_CASE("Thousands of aim points leave the receiver visible") {
    Canvas measure;
    const Target target = test::spot("t", 50.0, 18.0, 2, 2, 1.0).target;
    std::vector<AimDot> aims;
    for (int i = 0; i < 2650; ++i) {
        aims.push_back({{(i % 53 - 26) * 0.9, (i / 53 - 25) * 0.34}, 100.0 + i});
    }
    const AimPointsPanel none(target, {}, "t", 1.0, measure);
    const AimPointsPanel many(target, aims, "t", 1.0, measure);
    const auto white = [](const Panel& panel) {
        return static_cast<double>(
            std::ranges::count(test::panel_image(panel, kPixelsPerPoint).pixels, 0xFFFFFFU));
    };
    const double map = none.map_width() * none.map_height() * kPixelsPerPoint * kPixelsPerPoint;
    const double covered = (white(none) - white(many)) / map;
    CHECK(covered > 0.05);
    // With the soft edges of the dots.
    CHECK(covered < 0.35);
}

TEST_CASE("A heliostat that is turned off has a cross instead of its mirror") {
    const RunResult& result = plant().result.before;
    FieldNumbers numbers{"Field", "", "m", std::vector<double>(result.heliostats.size(), 1.0)};
    numbers.values[1] = 2.0;
    Canvas measure;
    const FieldPanel all(result, numbers, 1.0, measure);
    numbers.values[0] = std::nan("");
    const FieldPanel grey(result, numbers, 1.0, measure);
    numbers.cross_out = true;
    const FieldPanel crossed(result, numbers, 1.0, measure);
    const Difference turned_grey = difference(all, grey);
    const Difference turned_off = difference(all, crossed);
    CHECK(turned_off.x == Approx(turned_grey.x).margin(1.0));
    CHECK(turned_off.y == Approx(turned_grey.y).margin(1.0));
    CHECK(difference(grey, crossed).count > 20);
}

TEST_CASE("The price of the limits is the sum of prices times limits over the power") {
    test::AimedField field = flat_plant();
    // 8 cells, each 0.01 W per W/m2 times 200 kW/m2, of 800 kW.
    CHECK(price_of_limits(field.result) == Approx(8 * 0.01 * 2e5 / 8e5));
    field.result.limits[0].limit[3] = std::numeric_limits<double>::infinity();
    CHECK(price_of_limits(field.result) == Approx(7 * 0.01 * 2e5 / 8e5));
    field.result.power = 0.0;
    CHECK(price_of_limits(field.result) == 0.0);
    field.result.limits[0].price.clear();
    field.result.power = 1.0;
    CHECK(price_of_limits(field.result) == 0.0);
}

TEST_CASE("A price too small to matter has no row of zeros") {
    CHECK(price_text(0.6123) == "0.61 %");
    CHECK(price_text(7.6e-5) == "< 0.001 %");
    CHECK(price_text(0.0) == "0 %");
}

TEST_CASE("The strategy is described in words, with its limit") {
    AimingConfig config;
    config.flux_limit = 8e5;
    CHECK(strategy_text(config) == "Optimised for power  ·  limit 800 kW/m²");
    config.flux_limit.reset();
    config.flux_limit_file = "plants/limits.csv";
    config.robust_sigma = 2.0;
    CHECK(strategy_text(config) ==
          "Optimised for power  ·  limits of limits.csv for the mean + 2 sigma");
    config = {};
    config.strategy = AimingConfig::Strategy::sigma;
    CHECK(strategy_text(config) == "Spread to 2 sigma from the edges");
}

TEST_CASE("The report of aim points has the figures, and what cannot be met") {
    test::AimedField field = flat_plant();
    aiming::AimingResult& result = field.result;
    result.power_bound = 8.2e5;
    result.worst_limit_share = 0.987;
    result.worst_limit_share_std_error = 0.0042;
    result.peak_flux = 1.5e5;
    std::string page = aiming_report(result, field.config, field.scenario);
    for (const char* text : {"800.0 kW", "820.0 kW", "at most 2.44 %", "98.7 %", "± 0.4 %"}) {
        INFO(text);
        CHECK_THAT(page, ContainsSubstring(text));
    }
    CHECK(count_of(page, "<figure class=\"panels\" style=") == 2);
    // A picture of each panel, for light and for dark pages.
    CHECK(count_of(page, "<img class=\"panel on-light\"") ==
          count_of(page, "<img class=\"panel on-dark\""));
    CHECK(count_of(page, "<img class=\"panel on-light\"") >= 4);
    CHECK_THAT(page, !ContainsSubstring("Limits are not kept"));
    CHECK_THAT(page, !ContainsSubstring("http:"));
    const auto off = std::ranges::find(result.points, false, &aiming::AimedPoint::active);
    REQUIRE(off != result.points.end());
    CHECK_THAT(
        page,
        ContainsSubstring("Turned off: " + field.scenario.heliostats[off->aim.heliostat].name));

    result.limits_kept = false;
    result.violation = "<wall> bears too little";
    page = aiming_report(result, field.config, field.scenario, "Own title");
    CHECK_THAT(page, ContainsSubstring("&lt;wall&gt; bears too little"));
    CHECK_THAT(page, ContainsSubstring("<h1>Own title</h1>"));
}

TEST_CASE("Odd results have a picture and a page") {
    test::AimedField field = flat_plant();
    aiming::AimingResult& result = field.result;
    const auto shown = [&] {
        const test::ScratchFolder folder;
        plot_aiming(result, field.config, field.scenario, folder / "a.png");
        return test::read_bytes(folder / "a.png").size() +
               aiming_report(result, field.config, field.scenario).size();
    };
    result.before.targets[0].flux[2] = std::nan("");
    result.after.targets[0].flux.assign(8, 0.0);
    result.power = 0.0;
    for (aiming::Round& round : result.rounds) round = {};
    CHECK(shown() > 20'000);
    // Limits of another shape are none; a hundredfold limit ends the colours.
    result.limits[0].limit.resize(3);
    CHECK(shown() > 20'000);
    result.limits[0].limit.assign(8, 1e3);
    result.limits[0].price.assign(8, 0.0);
    CHECK(shown() > 20'000);
    for (aiming::AimedPoint& point : result.points) point.active = false;
    result.heliostats_off = static_cast<int64_t>(result.points.size());
    CHECK(shown() > 20'000);
}
