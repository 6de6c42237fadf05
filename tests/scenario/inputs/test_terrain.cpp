// SPDX-License-Identifier: MIT
// Heights of the ground: files, triangles, skylines, and what is refused.
#include "scenario/config/checks/checks.h"
#include "scenario/config/write_run_config.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/types/terrain.h"
#include "tests/scenario/config/support.h"
#include "tests/support/golden_messages.h"

#include <cmath>
#include <limits>

using namespace helioray;
using namespace helioray::test;

namespace {

RunConfig config_of(const ConfigFolder& folder, const std::string& section) {
    return parse_run_config(kSmallest + section, "run.yaml", folder.path());
}

std::string problems_of(const ConfigFolder& folder, const std::string& section) {
    try {
        config_of(folder, section);
    } catch (const InputError& error) {
        std::string text;
        for (const Problem& problem : error.problems()) text += to_string(problem) + "\n";
        return text;
    }
    return {};
}

constexpr const char* kFile = "terrain: {file: ground.csv}\n";

/// A plane of slope 0.1 to the east and 0.2 to the north, with a peak at (100, 100).
Terrain peak() {
    ValueGrid grid{{0.0, 100.0, 200.0}, {0.0, 100.0, 200.0}, {}};
    for (const double y : grid.y)
        for (const double x : grid.x)
            grid.values.push_back(x == 100.0 && y == 100.0 ? 80.0 : 0.1 * x + 0.2 * y);
    return Terrain(std::move(grid));
}

}  // namespace

TEST_CASE("terrain: tables, ASCII grids and HDF5 hold the same ground") {
    const ConfigFolder folder;
    folder.write("ground.csv", "x [m],y [m],z [m]\n10,20,5\n30,20,7\n10,40,8\n30,40,9\n");
    folder.write("km.csv",
                 "north_km,east_km,up_km\n0.02,0.01,0.005\n0.04,0.01,0.008\n"
                 "0.02,0.03,0.007\n0.04,0.03,0.009\n");
    folder.write("ground.asc",
                 "NCOLS 2\nNROWS 2\nxllcorner 0\nyllcorner 10\ncellsize 20\n"
                 "NODATA_value -1\n8 9\n5 7\n");
    hdf5::write_file(folder.path() / "ground.h5", [](hdf5::Group root) {
        root.write_array("east_m", std::vector<double>{10, 30}, {2});
        root.write_array("north_m", std::vector<double>{20, 40}, {2});
        root.write_array("height_m", std::vector<double>{5, 7, 8, 9}, {2, 2});
    });
    for (const char* file : {"ground.csv", "km.csv", "ground.asc", "ground.h5"}) {
        CAPTURE(file);
        const RunConfig config =
            config_of(folder, fmt::format("terrain: {{file: {}, origin_m: [10, 20, 1]}}\n", file));
        REQUIRE(config.terrain.ground);
        const Terrain& ground = *config.terrain.ground;
        CHECK(*ground.height_at(0, 0) == Approx(4.0));
        CHECK(*ground.height_at(20, 20) == Approx(8.0));
        CHECK(*ground.height_at(10, 10) == Approx(6.0));
        CHECK(*ground.height_at(20, 10) == Approx(7.0));
        CHECK_FALSE(ground.height_at(20.1, 10));
        const std::string text = run_config_text(config, "");
        CHECK(text.find("origin_m: [10, 20, 1]") != std::string::npos);
    }
}

TEST_CASE("terrain: holes of a grid are no ground") {
    const ConfigFolder folder;
    folder.write("ground.asc",
                 "ncols 3\nnrows 2\nxllcenter 0\nyllcenter 0\ncellsize 10\n"
                 "1 1 -9999\n1 1 1\n");
    const RunConfig config = config_of(folder, "terrain: {file: ground.asc}\n");
    CHECK(*config.terrain.ground->height_at(5, 5) == 1.0);
    CHECK_FALSE(config.terrain.ground->height_at(19, 9));
    const auto skyline = config.terrain.ground->find_skyline({0, 9, 2}, {1, 0}, 0.0, 1e9);
    REQUIRE(skyline);
    CHECK(skyline->height == Approx(1.0));
}

TEST_CASE("terrain: the skyline is the point that appears highest") {
    const Terrain ground = peak();
    // Along the diagonal over the peak, from the south-west corner.
    const double half = std::sqrt(0.5);
    const auto over = ground.find_skyline({0, 0, 1}, {half, half}, 1.0, 1e9);
    REQUIRE(over);
    CHECK(over->distance == Approx(100.0 / half));
    CHECK(over->height == Approx(80.0));
    // Not beyond the end, and not before the beginning.
    CHECK(ground.find_skyline({0, 0, 1}, {half, half}, 1.0, 50.0)->distance <= 50.0);
    CHECK(ground.find_skyline({0, 0, 1}, {half, half}, 150.0, 1e9)->distance == Approx(150.0));
    CHECK_FALSE(ground.find_skyline({0, 0, 1}, {-half, -half}, 1.0, 1e9));
    // From outside of the grid, in every direction: no sampled point appears higher.
    for (int k = 0; k < 360; ++k) {
        const double angle = 0.0174533 * k;
        const std::array<double, 2> ahead{std::sin(angle), std::cos(angle)};
        for (const Vec3& from : {Vec3{100, 40, 30}, Vec3{37, 61, 25}, Vec3{-50, 20, 3}}) {
            const auto found = ground.find_skyline(from, ahead, 0.5, 400.0);
            double steepest = -std::numeric_limits<double>::infinity();
            for (double along = 0.5; along < 400.0; along += 0.05) {
                const auto height =
                    ground.height_at(from[0] + along * ahead[0], from[1] + along * ahead[1]);
                if (height) steepest = std::max(steepest, (*height - from[2]) / along);
            }
            CAPTURE(k, from[0], from[1]);
            REQUIRE(found.has_value() == std::isfinite(steepest));
            if (!found) continue;
            const double slope = (found->height - from[2]) / found->distance;
            CHECK(slope >= steepest - 1e-9);
            CHECK(slope <= steepest + 0.005);
        }
    }
}

TEST_CASE("terrain: what is wrong with a file") {
    const ConfigFolder folder;
    const auto check = [&](const std::string& name,
                           const std::string& content,
                           const std::vector<std::string>& words) {
        folder.write("ground.csv", content);
        check_message("site", name, problems_of(folder, kFile), words);
    };
    check("no column of heights", "x,y,h\n0,0,1\n", {"no column"});
    check("not a height", "x,y,z\n0,0,1\n0,1,high\n1,0,1\n1,1,1\n", {"'high'"});
    check("points that are missing", "x,y,z\n0,0,1\n0,1,1\n1,0,1\n", {"missing"});
    check("heights in centimetres", "x,y,z\n0,0,87000\n0,1,1\n1,0,1\n1,1,1\n", {"range"});
    check("coordinates in degrees", "x [deg],y,z\n0,0,1\n", {"unit"});
    check(
        "a grid without cells", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\n1 1\n", {"cellsize"});
    check("a grid with a number too many",
          "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 1\n1 1\n1\n",
          {"more numbers"});
    check("a grid of holes",
          "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n-9999 -9999 -9999 -9999\n",
          {"consists of holes"});
    check("a grid without position", "ncols 2\nnrows 2\ncellsize 1\n1 1 1 1\n", {"position"});
    check("a grid that ends early",
          "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 1 1\n",
          {"row 2"});
    CHECK(problems_of(folder, "terrain: {origin_m: [0, 0, 0]}\n").find("file") !=
          std::string::npos);
    CHECK(problems_of(folder, "terrain: {file: nowhere.csv}\n").find("nowhere.csv") !=
          std::string::npos);
}
