// SPDX-License-Identifier: MIT
// Cuts through the peak.
#include "app/output/plot/panels/cut_panel.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

namespace {

TargetResult numbered() {
    TargetResult t = test::spot("t", 6.0, 2.0, 3, 4, 0.0);
    for (size_t i = 0; i < 12; ++i) {
        t.flux[i] = static_cast<double>(i);
        t.flux_std_error[i] = 0.1 * static_cast<double>(i);
    }
    t.flux[4] = 50.0;  // row 1, column 1
    return t;
}

}  // namespace

TEST_CASE("A cut holds the peak's row or column with places and errors") {
    const TargetResult t = numbered();
    const FluxCut row = flux_cut(t, CutDirection::horizontal);
    CHECK(row.flux == std::vector<double>{3.0, 50.0, 5.0});
    CHECK(row.position_m == std::vector<double>{-2.0, 0.0, 2.0});
    CHECK(row.across_m == Approx(0.25));
    CHECK(row.std_error[2] == Approx(0.5));

    // From the bottom up.
    const FluxCut column = flux_cut(t, CutDirection::vertical);
    CHECK(column.flux == std::vector<double>{10.0, 7.0, 50.0, 1.0});
    CHECK(column.position_m == std::vector<double>{-0.75, -0.25, 0.25, 0.75});
    CHECK(column.across_m == Approx(0.0));
}

TEST_CASE("Cuts of dark maps and of maps without errors exist") {
    TargetResult dark = test::spot("dark", 4.0, 4.0, 8, 8, 0.0);
    dark.flux_std_error.clear();
    const FluxCut cut = flux_cut(dark, CutDirection::horizontal);
    CHECK(cut.flux == std::vector<double>(8, 0.0));
    CHECK(std::isnan(cut.std_error[0]));
    Canvas measure;
    const CutPanel panel(
        dark, CutDirection::vertical, 0.0, FluxPanelStyle::Scale::logarithmic, 1.0, measure);
    CHECK(panel.width() > 300.0);
}
