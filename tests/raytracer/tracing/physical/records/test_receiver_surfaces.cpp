// SPDX-License-Identifier: MIT
// Receivers of many surfaces: every ray ends at the nearest one, against areas of plane geometry,
// single targets and cylinders.
#include "tests/raytracer/tracing/physical/records/receiver_beam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

constexpr int64_t kRaysOnSurfaces = 400'000;

double share(const RunResult& result, const std::string& name) {
    return find(result, name).power_w / reflected(result);
}

void check_balance(const RunResult& result) {
    double on_absorbers = 0.0;
    double on_shields = 0.0;
    for (const TargetResult& target : result.targets) {
        const auto [width, height] = surface_extent(target.target);
        double sum = 0.0;
        for (const double flux : target.flux) sum += flux;
        CHECK(sum * width * height / static_cast<double>(target.flux.size()) ==
              Approx(target.power_w).epsilon(1e-9).margin(1e-9));
        (target.target.use == SurfaceUse::absorber ? on_absorbers : on_shields) += target.power_w;
    }
    const EnergyTerms total = total_energy(result);
    CHECK(std::abs(imbalance(total)) < 1e-12);
    CHECK(on_absorbers == Approx(total.target_power).epsilon(1e-9).margin(1e-9));
    CHECK(on_shields <= total.shield_loss * (1.0 + 1e-9));
}

/// Returns `count` flat panels around the z axis with vertices on a radius, the first one facing
/// north.
std::vector<Target> polygon(int count, double radius, double height) {
    std::vector<Target> panels;
    const double apothem = radius * std::cos(std::numbers::pi / count);
    const double width = 2.0 * radius * std::sin(std::numbers::pi / count);
    for (int i = 0; i < count; ++i) {
        const double azimuth = 2.0 * std::numbers::pi * i / count;
        const Vec3 normal{std::sin(azimuth), std::cos(azimuth), 0.0};
        panels.push_back(surface(
            fmt::format("panel_{:03}", i),
            PlanarTarget{{apothem * normal[0], apothem * normal[1], 0.0}, normal, width, height}));
    }
    return panels;
}

/// Returns four mirrors around a receiver at the origin, each of which lights all of its side.
Scene ring(const std::vector<Target>& surfaces) {
    std::vector<Mirror> mirrors;
    for (int i = 0; i < 4; ++i) {
        const double azimuth = 0.3 + 0.5 * std::numbers::pi * i;
        mirrors.push_back(Mirror{{300.0 * std::sin(azimuth), 300.0 * std::cos(azimuth), -60.0},
                                 8.0,
                                 6.0,
                                 FacetShape::flat});
    }
    Scene scene = make_scene(mirrors,
                             {{0, 0, 0}, {0, -1, 0}, 8.0, 8.0},
                             sun_at(20.0, 30.0),
                             PillboxShape{4.65e-3},
                             GaussianShape{1e-3});
    scene.config.tracing.rays_per_heliostat = kRaysOnSurfaces;
    use_receiver(scene, surfaces);
    return scene;
}

}  // namespace

TEST_CASE("the nearest surface takes the light, whatever the heliostat aims at") {
    const Target wall = surface("wall", PlanarTarget{{0, 0, 0}, {0, -1, 0}, 8.0, 8.0});
    const Target plate = surface("plate", PlanarTarget{{0, -3, 1.5}, {0, -1, 0}, 8.0, 3.0});
    const Target disc = surface("disc", DiscTarget{{0, -6, 0}, {0, -1, 0}, 1.0});
    const double of_disc = std::numbers::pi / 16.0;
    const double plate_behind = 0.5 * of_disc;
    for (const char* aimed : {"wall", "plate", "disc"}) {
        Scene scene = beam({wall, plate, disc}, kRaysOnSurfaces);
        // Rays of a bundle share their mirror point, so small shares need more of them.
        scene.config.tracing.rays_per_heliostat = 8 * kRaysOnSurfaces;
        scene.config.aim.target = aimed;
        const RunResult result = run(scene);
        check_balance(result);
        CHECK(std::abs(share(result, "disc") - of_disc) < four_errors(of_disc, kRaysOnSurfaces));
        // The plate covers the upper half of the beam, less the half disc before it.
        CHECK(std::abs(share(result, "plate") - (0.5 - plate_behind)) <
              four_errors(0.4, kRaysOnSurfaces));
        CHECK(std::abs(share(result, "wall") - (0.5 - plate_behind)) <
              four_errors(0.4, kRaysOnSurfaces));
        CHECK(total_energy(result).spillage_loss == 0.0);
        CHECK(total_energy(result).shield_loss == 0.0);
    }
}

TEST_CASE("shields and backs of surfaces take light that is lost") {
    const Target wall = surface("wall", PlanarTarget{{0, 0, 0}, {0, -1, 0}, 8.0, 8.0});
    SECTION("a shield before the left half") {
        const RunResult result = run(beam(
            {wall,
             surface(
                 "shield", PlanarTarget{{-2, -1, 0}, {0, -1, 0}, 4.0, 8.0}, SurfaceUse::shield)},
            kRaysOnSurfaces));
        check_balance(result);
        CHECK(std::abs(share(result, "shield") - 0.5) < four_errors(0.5, kRaysOnSurfaces));
        CHECK(total_energy(result).shield_loss == Approx(find(result, "shield").power_w));
    }
    SECTION("a plane that shows its back") {
        const RunResult result =
            run(beam({wall, surface("turned", PlanarTarget{{-2, -1, 0}, {0, 1, 0}, 4.0, 8.0})},
                     kRaysOnSurfaces));
        check_balance(result);
        CHECK(find(result, "turned").power_w == 0.0);
        CHECK(std::abs(share(result, "wall") - 0.5) < four_errors(0.5, kRaysOnSurfaces));
        CHECK(std::abs(total_energy(result).shield_loss / reflected(result) - 0.5) <
              four_errors(0.5, kRaysOnSurfaces));
    }
    SECTION("a pipe that is lit from inside shows its outside") {
        CylindricalTarget pipe;
        pipe.center = {0, 0, 0};
        pipe.normal = {0, 1, 0};
        pipe.axis = {0, 0, 1};
        pipe.radius = 1.0;
        pipe.height = 8.0;
        pipe.opening_angle = 2.0 * std::numbers::pi;
        pipe.side = CylindricalTarget::Side::inner;
        const RunResult result = run(beam({surface("pipe", pipe)}, kRaysOnSurfaces));
        check_balance(result);
        CHECK(find(result, "pipe").power_w == 0.0);
        CHECK(std::abs(total_energy(result).shield_loss / reflected(result) - 0.5) <
              four_errors(0.5, kRaysOnSurfaces));
        // The northern half of a pipe is open to the south.
        pipe.opening_angle = std::numbers::pi;
        const RunResult open = run(beam({surface("pipe", pipe)}, kRaysOnSurfaces));
        CHECK(std::abs(share(open, "pipe") - 0.5) < four_errors(0.5, kRaysOnSurfaces));
        CHECK(total_energy(open).shield_loss == 0.0);
    }
}

TEST_CASE("no ray passes between panels that share an edge") {
    // More panels than a mirror point's list holds, and edges in the middle of the beam.
    std::vector<Target> panels;
    for (int row = 0; row < 11; ++row) {
        for (int column = 0; column < 11; ++column) {
            panels.push_back(surface(
                fmt::format("panel_{:02}_{:02}", row, column),
                PlanarTarget{{0.4 * (column - 5), 0.0, 0.4 * (row - 5)}, {0, -1, 0}, 0.4, 0.4}));
        }
    }
    Scene scene = beam(panels, kRaysOnSurfaces);
    scene.config.bitmap.width = scene.config.bitmap.height = 8;
    const RunResult result = run(scene);
    check_balance(result);
    REQUIRE(result.targets.size() == 121);
    CHECK(total_energy(result).spillage_loss == 0.0);
    CHECK(std::abs(share(result, "panel_05_05") - 0.01) < four_errors(0.01, kRaysOnSurfaces));

    // A closed polygon is not entered, either.
    const RunResult closed = run(ring(polygon(24, 8.0, 60.0)));
    CHECK(total_energy(closed).shield_loss == 0.0);
}

TEST_CASE("a polygon of many panels is a cylinder") {
    CylindricalTarget drum;
    drum.center = {0, 0, 0};
    drum.normal = {0, 1, 0};
    drum.axis = {0, 0, 1};
    drum.radius = 3.0;
    drum.height = 5.0;
    drum.opening_angle = 2.0 * std::numbers::pi;
    Scene alone = ring({{"drum", drum}});
    alone.scenario.receivers.clear();
    const RunResult expected = run(alone);
    const RunResult one_surface = run(ring({surface("drum", drum)}));
    const double power = total_energy(expected).target_power;
    const double error = find(expected, "drum").power_std_error_w;
    CHECK(error > 0.0);
    CHECK(std::abs(total_energy(one_surface).target_power - power) < 6.0 * error);
    for (const int count : {12, 24, 96}) {
        const RunResult result = run(ring(polygon(count, drum.radius, drum.height)));
        check_balance(result);
        // The mean width of the polygon is its perimeter over pi; at the ends the light is lost.
        const double narrower = count / std::numbers::pi * std::sin(std::numbers::pi / count);
        const double ratio = total_energy(result).target_power / power;
        CHECK(ratio < 1.0 + 6.0 * error / power);
        CHECK(ratio > narrower - 0.01);
    }
}

TEST_CASE("sums of surfaces do not depend on threads, and errors are those of replicated runs") {
    Scene scene = ring(polygon(12, 3.0, 5.0));
    scene.config.tracing.rays_per_heliostat = 20'000;
    scene.config.bitmap.width = scene.config.bitmap.height = 32;
    const RunResult one = run(scene, 1);
    const RunResult three = run(scene, 3);
    for (size_t t = 0; t < one.targets.size(); ++t) {
        CHECK(one.targets[t].flux == three.targets[t].flux);
        CHECK(one.targets[t].power_std_error_w == three.targets[t].power_std_error_w);
    }
    // The strongest panel.
    const auto strongest = std::max_element(
        one.targets.begin(), one.targets.end(), [](const TargetResult& a, const TargetResult& b) {
            return a.power_w < b.power_w;
        });
    const size_t panel = static_cast<size_t>(strongest - one.targets.begin());
    constexpr int kRuns = 40;
    double sum = 0.0;
    double squares = 0.0;
    double stated = 0.0;
    for (int i = 0; i < kRuns; ++i) {
        scene.config.tracing.seed = static_cast<uint64_t>(100 + i);
        const RunResult result = run(scene);
        const double power = result.targets[panel].power_w;
        sum += power;
        squares += power * power;
        stated += result.targets[panel].power_std_error_w / kRuns;
    }
    const double spread = std::sqrt((squares - sum * sum / kRuns) / (kRuns - 1));
    CHECK(stated / spread > 0.6);
    CHECK(stated / spread < 1.6);
}

TEST_CASE("the map of a heliostat is its light on the surface at which it aims") {
    Scene scene = ring(polygon(12, 3.0, 5.0));
    scene.config.tracing.rays_per_heliostat = 20'000;
    scene.config.output.per_heliostat = true;
    scene.config.bitmap.width = scene.config.bitmap.height = 16;
    const RunResult result = run(scene);
    std::vector<double> sum(16 * 16, 0.0);
    for (const HeliostatResult& heliostat : result.heliostats) {
        REQUIRE(heliostat.target == "panel_000");
        for (size_t p = 0; p < sum.size(); ++p) sum[p] += static_cast<double>(heliostat.flux[p]);
    }
    const TargetResult& panel = find(result, "panel_000");
    CHECK(panel.power_w > 0.0);
    for (size_t p = 0; p < sum.size(); ++p)
        CHECK(sum[p] == Approx(panel.flux[p]).epsilon(1e-5).margin(1e-6));
}
