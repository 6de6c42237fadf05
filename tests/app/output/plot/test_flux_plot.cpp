// SPDX-License-Identifier: MIT
// Pictures: formats, sizes, proportions.
#include "app/output/plot/flux_plot.h"
#include "app/output/plot/panels/flux_panel.h"
#include "scenario/files/error.h"
#include "tests/app/output/panel_image.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <numbers>

using namespace helioray;

namespace {

// Width and height from the header of a PNG file.
std::array<unsigned, 2> png_size(const std::string& bytes) {
    std::array<unsigned, 2> size{};
    for (size_t axis = 0; axis < 2; ++axis) {
        for (size_t i = 0; i < 4; ++i) {
            size[axis] = size[axis] << 8U | static_cast<unsigned char>(bytes.at(16 + 4 * axis + i));
        }
    }
    return size;
}

std::string picture(const RunResult& result,
                    const std::string& name,
                    const PlotOptions& options = {}) {
    const test::ScratchFolder folder;
    plot_flux(result, folder / name, options);
    CHECK(folder.num_entries() == 1);
    return test::read_bytes(folder / name);
}

/// White area of a map's panel in square points.
double white_points(const TargetResult& target) {
    constexpr double kEnlargement = 4.0;
    Canvas measure;
    const FluxPanel panel(target, FluxPanelStyle{}, measure);
    const ColorImage image = test::panel_image(panel, kEnlargement);
    const auto white = std::ranges::count(image.pixels, 0xFFFFFFU);
    return static_cast<double>(white) / (kEnlargement * kEnlargement);
}

}  // namespace

TEST_CASE("The file name chooses the format") {
    const RunResult result = test::sample_result();
    CHECK(picture(result, "a.png").substr(0, 8) == "\x89PNG\r\n\x1a\n");
    CHECK(picture(result, "a.PNG").substr(1, 3) == "PNG");
    const std::string document = picture(result, "a.pdf");
    CHECK(document.substr(0, 5) == "%PDF-");
    CHECK_THAT(document, !ContainsSubstring("CreationDate"));
    CHECK_THAT(picture(result, "a.svg").substr(0, 200), ContainsSubstring("<svg"));

    const test::ScratchFolder folder;
    CHECK_THROWS_AS(plot_flux(result, folder / "a.jpg"), InputError);
    CHECK_THROWS_AS(plot_flux(result, folder / "a"), InputError);
    CHECK_THROWS_AS(plot_flux(test::result_with({}), folder / "a.png"), InputError);
    CHECK(folder.num_entries() == 0);
}

TEST_CASE("Equal results give equal pictures") {
    const RunResult result = test::sample_result();
    CHECK(picture(result, "a.png") == picture(result, "b.png"));
}

TEST_CASE("Pixels per point scale a PNG") {
    const RunResult result = test::sample_result();
    PlotOptions fine;
    fine.pixels_per_point = 4.0;
    const auto [width, height] = png_size(picture(result, "a.png"));
    const auto [fine_width, fine_height] = png_size(picture(result, "a.png", fine));
    CHECK(std::abs(static_cast<int>(fine_width) - 2 * static_cast<int>(width)) <= 2);
    CHECK(std::abs(static_cast<int>(fine_height) - 2 * static_cast<int>(height)) <= 2);
    CHECK(width > 800);
    CHECK(width < 4000);
}

TEST_CASE("Maps have the target's proportions") {
    Canvas measure;
    for (const auto& [width, height] :
         {std::array{8.6, 7.2}, {30.0, 3.0}, {0.5, 10.0}, {4.0, 4.0}, {100.0, 1.0}}) {
        const TargetResult target = test::spot("t", width, height, 16, 16, 1e5);
        const FluxPanel panel(target, FluxPanelStyle{}, measure);
        CHECK(panel.map_width() / panel.map_height() == Approx(width / height));
        CHECK(panel.width() > panel.map_width());
        CHECK(panel.height() > panel.map_height());
    }
}

TEST_CASE("Only targets with flux are drawn, unless all are asked for or none has any") {
    const TargetResult lit = test::spot("lit", 4.0, 4.0, 16, 16, 1e5);
    const TargetResult dark = test::spot("dark", 4.0, 4.0, 16, 16, 0.0);
    const auto one = png_size(picture(test::result_with({lit}), "a.png"));
    CHECK(png_size(picture(test::result_with({lit, dark}), "a.png")) == one);
    PlotOptions all;
    all.all_targets = true;
    CHECK(png_size(picture(test::result_with({lit, dark}), "a.png", all)) != one);
    CHECK(png_size(picture(test::result_with({dark, dark}), "a.png"))[0] > 800);
}

TEST_CASE("Long names widen the page instead of being cut off") {
    const auto narrow =
        png_size(picture(test::result_with({test::spot("t", 1, 1, 8, 8, 1e5)}), "a.png"));
    const auto wide = png_size(
        picture(test::result_with({test::spot(std::string(150, 'm'), 1, 1, 8, 8, 1e5)}), "a.png"));
    CHECK(wide[0] > narrow[0]);
    CHECK(wide[1] == narrow[1]);
}

TEST_CASE("Odd values and names do not spoil a picture") {
    RunResult result = test::result_with({test::spot("bad \xff\xfe name\n", 8.6, 7.2, 8, 8, 1e-9),
                                          test::spot("huge", 8.6, 7.2, 8, 8, 1e30),
                                          test::spot("holes", 8.6, 7.2, 8, 8, 1e5)});
    result.targets[2].flux[3] = std::nan("");
    result.targets[2].unit = std::string("1");
    result.provenance = {};
    CHECK(picture(result, "a.png").size() > 10'000);
    PlotOptions options;
    options.shared_scale = true;
    options.title = "Own title";
    CHECK(picture(result, "a.svg", options).size() > 10'000);
}

TEST_CASE("The corners of a disc's map are blank") {
    TargetResult square = test::spot("t", 4.0, 4.0, 16, 16, 1e5);
    TargetResult round = square;
    round.target.geometry = DiscTarget{{}, {0, 1, 0}, 2.0};
    Canvas measure;
    const FluxPanel panel(round, FluxPanelStyle{}, measure);
    const double corners = (1.0 - 0.25 * std::numbers::pi) * panel.map_width() * panel.map_height();
    const double blank = white_points(round) - white_points(square);
    // The line of the rim and the compass cover a few per cent of them.
    CHECK(blank == Approx(corners).epsilon(0.05));
}

TEST_CASE("What is outside of the outline of a flat target is blank") {
    const TargetResult whole = test::spot("t", 4.0, 4.0, 16, 16, 1e5);
    Canvas measure;
    const FluxPanel panel(whole, FluxPanelStyle{}, measure);
    // A triangle with half of the area, anticlockwise and clockwise.
    for (const auto& outline : {std::vector<std::array<double, 2>>{{-2, -2}, {2, -2}, {0, 2}},
                                std::vector<std::array<double, 2>>{{0, 2}, {2, -2}, {-2, -2}}}) {
        TargetResult triangle = whole;
        triangle.target.outline = outline;
        const double blank = white_points(triangle) - white_points(whole);
        CHECK(blank == Approx(0.5 * panel.map_width() * panel.map_height()).epsilon(0.05));
    }
}
