// SPDX-License-Identifier: MIT
// Pictures for light and dark pages, and the parts of reports that depend on them.
#include "app/output/plot/drawing/colors.h"
#include "app/output/plot/panels/curve_panel.h"
#include "app/output/report/html_report.h"
#include "app/output/report/report_parts.h"
#include "app/output/report/themed_picture.h"
#include "tests/app/output/panel_image.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

namespace {

double brightness(const Color& color) {
    return 0.299 * color.red + 0.587 * color.green + 0.114 * color.blue;
}

size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

}  // namespace

TEST_CASE("Dark themes turn greys over and keep hues apart from the ground") {
    const Color ground = themed_color({1, 1, 1}, Theme::dark);
    CHECK(brightness(ground) < 0.2);
    CHECK(brightness(themed_color({0, 0, 0}, Theme::dark)) > 0.85);
    CHECK(brightness(themed_color({0.3, 0.3, 0.3}, Theme::dark)) >
          brightness(themed_color({0.7, 0.7, 0.7}, Theme::dark)));
    for (const Color& hue : {Color{0.1, 0.2, 0.45}, Color{0.0, 0.447, 0.698}, Color{0.8, 0.4, 0.0}})
        CHECK(brightness(themed_color(hue, Theme::dark)) - brightness(ground) > 0.25);
    const Color bright{0.98, 0.7, 0.42};
    CHECK(themed_color(bright, Theme::dark).red == bright.red);
    CHECK(themed_color({0, 0, 0}, Theme::light).red == 0.0);
    // The darkest mirror differs from the ground too.
    for (const Theme theme : {Theme::light, Theme::dark}) {
        const double page = brightness(themed_color({1, 1, 1}, theme));
        for (const double share : {0.0, 0.5, 1.0})
            CHECK(std::abs(brightness(canvas_color(field_color(share, theme))) - page) > 0.07);
    }
}

TEST_CASE("Lines on images have the same colour in all themes") {
    Canvas canvas(PictureFormat::png, 4.0, 4.0, 1.0, Theme::dark);
    CHECK(canvas.theme() == Theme::dark);
    canvas.on_image([&] { CHECK(canvas.theme() == Theme::light); });
    CHECK(canvas.theme() == Theme::dark);
}

TEST_CASE("Reports have each picture once, in the colours of light and of dark pages") {
    const std::string page = html_report(test::sample_result());
    CHECK(count(page, "<svg class=\"map\" role=\"img\" aria-label=\"Flux map of target ") == 2);
    CHECK(count(page, "<svg class=\"cuts\"") == 2);
    CHECK(count(page, " on-light\"") == 0);
    // The paper is white on light pages, the colour of cards on dark ones, and white in print.
    // In the style of an element, or in an attribute (cairo 1.18).
    CHECK(count(page, "fill:var(--on-ffffff-212127)") +
              count(page, "fill=\"var(--on-ffffff-212127)") >=
          4);
    CHECK(count(page, "--on-ffffff-212127: #ffffff;") == 2);
    CHECK(count(page, "--on-ffffff-212127: #212127;") == 2);
    CHECK_THAT(page, ContainsSubstring("\"colors_on_dark\""));
    CHECK(html_report(test::sample_result()) == page);
}

TEST_CASE("Pictures for both themes have a variable for each colour that differs") {
    const auto document = [](const std::string& number, const std::string& ink) {
        return "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
               "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"9pt\"><defs><image id=\"i" +
               number + "\"/></defs><use xlink:href=\"#i" + number + "\" style=\"fill:url(#i" +
               number + ")\"/><path style=\"stroke:rgb(" + ink +
               ");fill:rgb(100%,0%,0%);\"/></svg>\n";
    };
    const std::string light = document("3", "0%,0%,0%");
    const std::string both =
        themed_picture(light, document("8", "100%, 100%, 100%"), "map", "A & B");
    CHECK(both.starts_with("<svg class=\"map\" role=\"img\" aria-label=\"A &amp; B\" width="));
    CHECK_THAT(both, ContainsSubstring("stroke:var(--on-000000-ffffff);fill:#ff0000;"));
    CHECK(count(both, "http") == 0);
    // The same identifier at its three places, which other pictures do not have.
    const size_t at = both.find("id=\"") + 4;
    const std::string name = both.substr(at, both.find('"', at) - at);
    CHECK(count(both, name) == 3);
    const std::string other =
        themed_picture(document("3", "0%,0%,50%"), document("8", "0%,0%,50%"), "map", "");
    CHECK(count(other, name) == 0);
    CHECK(themed_picture(
              document("5", "0%,0%,0%"), document("6", "100%, 100%, 100%"), "map", "A & B") ==
          both);
    const std::string style = themed_colors(both + both);
    CHECK(count(style, "--on-000000-ffffff: #000000;") == 2);
    CHECK(count(style, "--on-000000-ffffff: #ffffff;") == 2);
    CHECK(themed_colors(other).empty());
    // Other shapes: a picture for each theme.
    const std::string two = themed_picture(light, "<svg><path/></svg>", "sky", "");
    CHECK(count(two, "class=\"sky on-light\"") == 1);
    CHECK(count(two, "class=\"sky on-dark\"") == 1);
}

TEST_CASE("Several curves have a legend, which takes as many rows as it needs") {
    CurveGraph graph;
    graph.title = "Title";
    graph.label = "Power (kW)";
    graph.places = {0.0, 1.0, 2.0};
    graph.steps = {nice_ticks(0.0, 2.0, 5), "Step", [](double at) { return at / 2.0; }};
    Canvas measure;
    const auto height = [&](size_t curves) {
        std::vector<StepCurve> all(
            curves, {"a curve with a long name", {1.0, std::nan(""), 3.0}, {0.1, 0.1, 0.1}, {}});
        const CurvePanel panel(graph, all, measure);
        test::panel_image(panel, 1.0);
        return panel.height();
    };
    CHECK(height(2) > height(1));
    CHECK(height(6) > height(2));
}
