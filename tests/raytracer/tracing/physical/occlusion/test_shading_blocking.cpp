// SPDX-License-Identifier: MIT
// Shading and blocking of flat mirrors against the exact areas of clipped polygons.
#include "scenario/types/vector_math.h"
#include "tests/raytracer/tracing/physical/polygon.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

constexpr int64_t kRaysInShade = 400'000;

/// Corners of a flat mirror, ENU.
std::array<Vec3, 4> corners(const std::array<double, 16>& m, double width, double height) {
    std::array<Vec3, 4> result{};
    const double signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (size_t k = 0; k < 4; ++k) {
        const double x = 0.5 * width * signs[k][0];
        const double y = 0.5 * height * signs[k][1];
        result[k] = {
            m[0] * x + m[1] * y + m[3], m[4] * x + m[5] * y + m[7], m[8] * x + m[9] * y + m[11]};
    }
    return result;
}

/// The occluder's outline along direction d on the mirror's plane, in the mirror's coordinates;
/// only what lies ahead along d casts a shadow (all corners of the scenes below do).
Polygon shadow(const std::array<double, 16>& mirror,
               const std::array<Vec3, 4>& occluder,
               const Vec3& d) {
    const Vec3 e{mirror[0], mirror[4], mirror[8]};
    const Vec3 n{mirror[1], mirror[5], mirror[9]};
    const Vec3 normal{mirror[2], mirror[6], mirror[10]};
    const Vec3 origin{mirror[3], mirror[7], mirror[11]};
    Polygon polygon;
    for (const Vec3& corner : occluder) {
        const Vec3 p = subtract(corner, origin);
        const double distance = dot(p, normal) / dot(d, normal);
        REQUIRE(distance > 0.0);
        const Vec3 foot = add_scaled(p, -distance, d);
        polygon.push_back({dot(foot, e), dot(foot, n)});
    }
    return polygon;
}

std::array<double, 16> stowed(const Vec3& p) {
    return {1, 0, 0, p[0], 0, 1, 0, p[1], 0, 0, 1, p[2], 0, 0, 0, 1};
}

/// Two flat mirrors below a target so large that nothing is spilled.
Scene two_mirrors(const Vec3& other, double azimuth_deg, double zenith_deg) {
    const std::vector<Mirror> mirrors{{{0, 0, 0}, 4.0, 3.0, FacetShape::flat},
                                      {other, 3.0, 2.5, FacetShape::flat}};
    Scene scene = make_scene(mirrors,
                             {{0, -60, 40}, {0, 1, 0}, 40.0, 40.0},
                             sun_at(azimuth_deg, zenith_deg),
                             CollimatedShape{},
                             NoError{});
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.tracing.rays_per_heliostat = kRaysInShade;
    return scene;
}

struct Case {
    Vec3 other;
    double azimuth_deg, zenith_deg;
    bool active;  ///< the other mirror tracks; otherwise it lies flat
};

/// First the mirror loses what the sun does not reach, then what the other intercepts of the rest.
void check(const Case& c) {
    Scene scene = two_mirrors(c.other, c.azimuth_deg, c.zenith_deg);
    if (!c.active) scene.config.aim.active = std::vector<std::string>{mirror_name(0)};
    const RunResult result = run(scene);
    const HeliostatResult& mirror = result.heliostats[0];
    const std::array<double, 16> other =
        c.active ? result.heliostats[1].orientation : stowed(c.other);

    const Vec3 s = result.provenance.sun_direction;
    const Vec3 normal{mirror.orientation[2], mirror.orientation[6], mirror.orientation[10]};
    const Vec3 r = subtract(scaled(2.0 * dot(s, normal), normal), s);
    const auto outline = corners(other, 3.0, 2.5);
    const Polygon rectangle{{-2.0, -1.5}, {2.0, -1.5}, {2.0, 1.5}, {-2.0, 1.5}};
    const Vec3 to_other = subtract(c.other, {0, 0, 0});
    Polygon shaded, blocked;
    if (dot(to_other, s) > 3.0)
        shaded = intersection(rectangle, shadow(mirror.orientation, outline, s));
    if (dot(to_other, r) > 3.0)
        blocked = intersection(rectangle, shadow(mirror.orientation, outline, r));
    const double shaded_share = area(shaded) / 12.0;
    const double both =
        shaded.empty() || blocked.empty() ? 0.0 : area(intersection(shaded, blocked));
    const double blocked_share = (area(blocked) - both) / 12.0;
    CAPTURE(c.other[0],
            c.other[1],
            c.other[2],
            c.azimuth_deg,
            c.zenith_deg,
            shaded_share,
            blocked_share);
    // The scene shows something.
    CHECK(shaded_share + blocked_share > 0.02);

    const EnergyTerms& e = mirror.energy;
    const double incident = e.solar_power - e.cosine_loss;
    CHECK(std::abs(e.shading_loss / incident - shaded_share) <
          four_errors(shaded_share, kRaysInShade));
    CHECK(std::abs(e.blocking_loss / incident - blocked_share) <
          four_errors(blocked_share, kRaysInShade));
    CHECK(e.spillage_loss == 0.0);
    CHECK(std::abs(imbalance(e)) < 1e-12);
}

}  // namespace

TEST_CASE("a tracking neighbour shades by the exact area") {
    check({{1.5, -3.5, 2.0}, 160.0, 60.0, true});
    check({{-2.0, -4.0, 1.0}, 200.0, 70.0, true});
}

TEST_CASE("a tracking neighbour blocks by the exact area") {
    check({{0.7, -4.0, 2.8}, 20.0, 10.0, true});
    check({{-1.2, -5.0, 3.0}, 90.0, 40.0, true});
}

TEST_CASE("where both shade and block, shading counts first") {
    check({{0.5, -4.5, 3.3}, 178.0, 52.0, true});
}

TEST_CASE("a stowed heliostat shades and blocks with its flat mirror") {
    check({{0.5, -4.0, 2.6}, 175.0, 60.0, false});
    check({{0.2, -4.5, 3.4}, 0.0, 5.0, false});
}

TEST_CASE("shading and blocking are off when they are not wanted") {
    Scene scene = two_mirrors({0.5, -4.5, 3.3}, 178.0, 52.0);
    scene.config.tracing.shading = false;
    scene.config.tracing.blocking = false;
    const RunResult result = run(scene);
    CHECK(result.heliostats[0].energy.shading_loss == 0.0);
    CHECK(result.heliostats[0].energy.blocking_loss == 0.0);
}

TEST_CASE("a mirror behind, or beyond the target, is not in the way") {
    // Away from both sun and target; and on the beam's way, but farther than the target.
    for (const Vec3& other : {Vec3{0, 5, -2.5}, Vec3{0, -90, 60}}) {
        const RunResult result = run(two_mirrors(other, 180.0, 30.0));
        CHECK(result.heliostats[0].energy.shading_loss == 0.0);
        CHECK(result.heliostats[0].energy.blocking_loss == 0.0);
    }
}
