// SPDX-License-Identifier: MIT
// Cylinders: which side a ray meets, which pixel that is, and what passes by.
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>

using namespace helioray::kernels;
using helioray::test::Scene;
using helioray::test::Sums;

namespace {

constexpr float kRadius = 4.0f;

/// A pencil of light that travels along +-y at (x, z) towards a cylinder of height 6 m; sun
/// overhead (+z).
Scene pencil(double opening_angle, bool inner, float x, float z, float direction) {
    const auto h = static_cast<float>(std::numbers::sqrt2 / 2.0);
    Scene scene;
    // The mirror's normal lies halfway between the beam (0, direction, 0) and the sun.
    scene.heliostats.push_back(
        helioray::test::heliostat({1, 0, 0, 0, h, direction * h, 0, -direction * h, h},
                                  {x, -direction * 100.0f, z},
                                  {0, 0, 1}));
    scene.facets.push_back(helioray::test::analytic_facet(FacetKind::flat, 1e-4f, 1e-4f, 0.0f));
    scene.area = 4e-8;
    TargetRecord target{};
    target.kind = inner ? TargetKind::cylinder_inside : TargetKind::cylinder_outside;
    target.radius = kRadius;
    target.height = 6.0f;
    target.opening_angle = static_cast<float>(opening_angle);
    target.width = static_cast<float>(kRadius * opening_angle);
    scene.targets.push_back(target);
    scene.width = 360;
    scene.height = 60;
    scene.plan(4, 64);
    return scene;
}

struct Spot {
    double share;  ///< of the reflected power that is delivered
    double column;
    double row;
};

Spot spot(const Scene& scene) {
    const Sums sums = scene.trace();
    double total = 0.0, column = 0.0, row = 0.0;
    for (int i = 0; i < scene.height; ++i) {
        for (int j = 0; j < scene.width; ++j) {
            const auto quanta =
                static_cast<double>(sums.flux[static_cast<size_t>(i * scene.width + j)]);
            total += quanta;
            column += quanta * (j + 0.5);
            row += quanta * (i + 0.5);
        }
    }
    return {total / static_cast<double>(sums.energy[kUnblockedSum]), column / total, row / total};
}

}  // namespace

TEST_CASE("outer side: the sector's middle is the middle column, +x lies on the observer's left") {
    const Spot middle = spot(pencil(std::numbers::pi / 3.0, false, 0.01f, 0.01f, -1.0f));
    CHECK(middle.share == 1.0);
    CHECK(middle.column == Approx(180.0).margin(1.0));
    CHECK(middle.row == Approx(30.0).margin(1.0));

    // 20 degrees towards +x: a third of the width left of the middle; 1.5 m up: a quarter of the
    // height.
    const auto x = static_cast<float>(kRadius * std::sin(20.0 * std::numbers::pi / 180.0));
    const Spot left = spot(pencil(std::numbers::pi / 3.0, false, x, 1.5f, -1.0f));
    CHECK(left.share == 1.0);
    CHECK(left.column == Approx(180.0 - 120.0).margin(1.0));
    CHECK(left.row == Approx(30.0 - 15.0).margin(1.0));
}

TEST_CASE("light beside the sector, over it or from behind is spilled") {
    const auto beside = static_cast<float>(kRadius * std::sin(31.0 * std::numbers::pi / 180.0));
    CHECK(spot(pencil(std::numbers::pi / 3.0, false, beside, 0.0f, -1.0f)).share == 0.0);
    CHECK(spot(pencil(std::numbers::pi / 3.0, false, 0.0f, 3.01f, -1.0f)).share == 0.0);
    CHECK(spot(pencil(std::numbers::pi / 3.0, false, kRadius + 0.01f, 0.0f, -1.0f)).share == 0.0);
    CHECK(spot(pencil(std::numbers::pi / 3.0, false, 0.0f, 0.0f, 1.0f)).share == 0.0);
}

TEST_CASE("a full turn catches light from every side") {
    const Spot front = spot(pencil(2.0 * std::numbers::pi, false, 0.01f, 0.0f, -1.0f));
    CHECK(front.share == 1.0);
    CHECK(front.column == Approx(180.0).margin(1.0));
    // From behind, a little towards +x (left of the middle): close to the left edge.
    const Spot back = spot(pencil(2.0 * std::numbers::pi, false, 0.2f, 0.0f, 1.0f));
    CHECK(back.share == 1.0);
    CHECK(back.column ==
          Approx(360.0 * std::asin(0.2 / kRadius) / (2.0 * std::numbers::pi)).margin(1.0));
}

TEST_CASE("inner side: lit through the opening, +x lies on the observer's right") {
    const auto x = static_cast<float>(kRadius * std::sin(45.0 * std::numbers::pi / 180.0));
    const Spot right = spot(pencil(std::numbers::pi, true, x, 0.0f, 1.0f));
    CHECK(right.share == 1.0);
    CHECK(right.column == Approx(180.0 + 90.0).margin(1.0));
    // From the other side the sheet's back stops the light.
    CHECK(spot(pencil(std::numbers::pi, true, 0.5f, 0.0f, -1.0f)).share == 0.0);
}
