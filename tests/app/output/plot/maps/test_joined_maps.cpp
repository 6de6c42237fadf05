// SPDX-License-Identifier: MIT
// Maps of a receiver's panels become one picture for each row of panels.
#include "app/output/plot/maps/joined_maps.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>

using namespace helioray;

namespace {

/// Panels in rows one above the other, numbered row by row; panel k has a map of k + 1 W/m2.
RunResult rows_of_panels(int rows, int columns) {
    RunResult result;
    for (int k = 0; k < rows * columns; ++k) {
        TargetResult panel;
        const int row = k / columns;
        const int column = k % columns;
        panel.target = {fmt::format("board_panel_{:02}", k + 1),
                        PlanarTarget{{-2.0 * column, 0.0, 50.0 - 3.0 * row}, {0, 1, 0}, 2.0, 3.0},
                        "board"};
        panel.width = 2;
        panel.height = 1;
        panel.flux.assign(2, k + 1.0);
        panel.power_w = 6.0 * (k + 1);
        result.targets.push_back(panel);
    }
    return result;
}

}  // namespace

TEST_CASE("panels of one row become one map with the name and the power of all") {
    const RunResult result = rows_of_panels(1, 3);
    const auto maps = joined_maps(result);
    REQUIRE(maps.size() == 1);
    CHECK(maps[0]->target.name == "board_panel");
    CHECK(maps[0]->width == 6);
    CHECK(maps[0]->flux == std::vector<double>{1, 1, 2, 2, 3, 3});
    CHECK(maps[0]->power_w == 36.0);
}

TEST_CASE("rows of panels one above the other have names of their own") {
    const RunResult result = rows_of_panels(2, 2);
    const auto maps = joined_maps(result);
    REQUIRE(maps.size() == 2);
    CHECK(maps[0]->target.name == "board_panel_01 to 02");
    CHECK(maps[1]->target.name == "board_panel_03 to 04");
    CHECK(maps[1]->flux == std::vector<double>{3, 3, 4, 4});
}

TEST_CASE("a panel without neighbours keeps its name and its map") {
    RunResult result = rows_of_panels(2, 1);
    result.targets[0].target.receiver.clear();
    const auto maps = joined_maps(result);
    REQUIRE(maps.size() == 2);
    for (size_t i = 0; i < 2; ++i) {
        CHECK(maps[i].get() == &result.targets[i]);
        CHECK(joined_targets(result)[i].name == result.targets[i].target.name);
    }
}
