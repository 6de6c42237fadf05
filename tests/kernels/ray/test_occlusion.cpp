// SPDX-License-Identifier: MIT
// Facets and bodies in the way of rays, against exact intersections in double precision.
#include "kernels/ray/air.h"
#include "kernels/ray/occlusion.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

using namespace helioray::kernels;

namespace {

std::mt19937 generator(11);

double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
}

Vec<double> random_unit() {
    Vec<double> v{};
    do {
        v = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    } while (dot(v, v) > 1.0 || dot(v, v) < 0.01);
    return normalized(v);
}

Vec<float> narrow(const Vec<double>& v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// 10 m x 8 m paraboloid of focal length f at the origin, opening to +z.
OccluderFacet paraboloid(double f) {
    OccluderFacet facet{};
    facet.normal[2] = 1.0f;
    facet.axis_x[0] = 1.0f / 5.0f;
    facet.axis_y[1] = 1.0f / 4.0f;
    facet.bending[0] = static_cast<float>(25.0 / (4.0 * f));
    facet.bending[2] = static_cast<float>(16.0 / (4.0 * f));
    facet.radius = 6.6f;
    return facet;
}

/// Distance of the exact paraboloid's rectangle along the ray, or -1; `margin`: how far inside or
/// outside of the rectangle the nearest hit is, metres.
double exact_distance(double f, const Vec<double>& o, const Vec<double>& d, double& margin) {
    // z = (x^2 + y^2) / 4f along o + t d.
    const double a = (d.x * d.x + d.y * d.y) / (4.0 * f);
    const double b = (o.x * d.x + o.y * d.y) / (2.0 * f) - d.z;
    const double c = (o.x * o.x + o.y * o.y) / (4.0 * f) - o.z;
    const double discriminant = b * b - 4.0 * a * c;
    margin = 1e9;
    if (discriminant < 0.0) return -1.0;
    double best = -1.0;
    const double q = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
    for (const double t : {a != 0.0 ? q / a : -1.0, q != 0.0 ? c / q : -1.0}) {
        if (!(t > 0.0)) continue;
        const double x = o.x + t * d.x;
        const double y = o.y + t * d.y;
        const double outside = std::max(std::abs(x) - 5.0, std::abs(y) - 4.0);
        margin = std::min(margin, std::abs(outside));
        if (outside <= 0.0 && (best < 0.0 || t < best)) best = t;
    }
    return best;
}

}  // namespace

TEST_CASE("rays meet a curved facet where the exact paraboloid is") {
    // Mirrors of the field's curvatures; edges are met to a millimetre, less closely
    // the more a ray grazes the facet.
    for (const double f : {50.0, 200.0, 1000.0}) {
        const OccluderFacet facet = paraboloid(f);
        int hits = 0;
        for (int i = 0; i < 40000; ++i) {
            const Vec<double> o{uniform(-15, 15), uniform(-15, 15), uniform(-12, 12)};
            const Vec<double> aim{uniform(-7, 7), uniform(-6, 6), 0.0};
            const Vec<double> d = normalized(aim - o);
            if (std::abs(d.z) < 0.1) continue;
            double margin;
            const double distance = exact_distance(f, o, d, margin);
            const FacetInView view = view_facet(facet, narrow(o));
            const bool met = meets_facet(view, narrow(d), 1e30f);
            if (margin < 4e-5 / std::pow(d.z, 4)) continue;
            CAPTURE(f, o.x, o.y, o.z, d.x, d.y, d.z, distance, margin);
            REQUIRE(met == (distance > 0.0));
            if (!met) continue;
            ++hits;
            // A limit before the facet hides it, one behind does not.
            const double tolerance = 4e-4 / std::pow(d.z, 4);
            if (distance < 2.0 * tolerance || std::abs(d.z) < 0.3) continue;
            REQUIRE_FALSE(meets_facet(view, narrow(d), static_cast<float>(distance - tolerance)));
            REQUIRE(meets_facet(view, narrow(d), static_cast<float>(distance + tolerance)));
        }
        CHECK(hits > 10000);
    }
}

TEST_CASE("a cone meets every sphere that one of its rays meets") {
    int met = 0;
    for (int i = 0; i < 200000; ++i) {
        const double tangent = uniform(0.0, 0.3);
        const Vec<double> axis = random_unit();
        const RayCone cone{narrow({uniform(-900, 900), uniform(-900, 900), uniform(-50, 50)}),
                           narrow(axis),
                           static_cast<float>(tangent + 1e-4)};
        // A ray within the cone and a point near it.
        Vec<double> aside = random_unit();
        aside = normalized(aside - scaled(dot(aside, axis), axis));
        const Vec<double> d = normalized(add_scaled(axis, tangent * uniform(0, 1), aside));
        const double t = uniform(0.0, 1500.0);
        const double radius = uniform(1.0, 10.0);
        const Vec<double> origin{cone.origin.x, cone.origin.y, cone.origin.z};
        const Vec<double> center =
            add_scaled(add_scaled(origin, t, d), 0.99 * radius, random_unit());
        const float c[3] = {static_cast<float>(center.x),
                            static_cast<float>(center.y),
                            static_cast<float>(center.z)};
        REQUIRE(may_meet(cone, c, static_cast<float>(radius)));
        ++met;
        // Far beside or behind it does not.
        const Vec<double> behind = add_scaled(origin, -2.0 * radius - 1.0, axis);
        const float b[3] = {static_cast<float>(behind.x),
                            static_cast<float>(behind.y),
                            static_cast<float>(behind.z)};
        REQUIRE_FALSE(may_meet(cone, b, static_cast<float>(radius)));
    }
    CHECK(met == 200000);
    const float anywhere[3] = {0.0f, 0.0f, -100.0f};
    CHECK(may_meet({{0, 0, 0}, {0, 0, 1}, -1.0f}, anywhere, 1.0f));
}

TEST_CASE("boxes, cylinders and cones are met where sampled points of the ray lie inside") {
    using Kind = ObstacleRecord::Kind;
    const std::pair<Kind, double> kinds[] = {{Kind::box, 0.0},
                                             {Kind::cylinder, 0.0},
                                             {Kind::cone, -0.8},
                                             {Kind::cone, -0.1},
                                             {Kind::cone, 0.5}};
    for (const auto& [kind, taper] : kinds) {
        int hits = 0;
        for (int i = 0; i < 20000; ++i) {
            // Half extents 2, 3, 5 (others: radius 3, half height 5) about a random frame.
            const Vec<double> z = random_unit();
            Vec<double> x, y;
            tangent_basis(z, x, y);
            const bool box = kind == Kind::box;
            const double extent[3] = {box ? 2.0 : 3.0, 3.0, 5.0};
            const Vec<double> axes[3] = {x, y, z};
            ObstacleRecord body{};
            body.kind = kind;
            body.taper = static_cast<float>(taper);
            for (int k = 0; k < 3; ++k) {
                body.axes[3 * k] = static_cast<float>(axes[k].x / extent[k]);
                body.axes[3 * k + 1] = static_cast<float>(axes[k].y / extent[k]);
                body.axes[3 * k + 2] = static_cast<float>(axes[k].z / extent[k]);
            }
            const Vec<double> o{uniform(-20, 20), uniform(-20, 20), uniform(-20, 20)};
            const Vec<double> aim{uniform(-5, 5), uniform(-5, 5), uniform(-5, 5)};
            const Vec<double> d = normalized(aim - o);
            const double limit = uniform(1.0, 60.0);
            bool inside = false;
            double nearest = 1e9;  // to the surface, in half extents
            for (double t = 0.0; t < limit; t += 0.02) {
                const Vec<double> p = add_scaled(o, t, d);
                const double u = dot(p, x) / extent[0];
                const double v = dot(p, y) / extent[1];
                const double w = dot(p, z) / extent[2];
                const double radius = 1.0 + taper * std::clamp(w, -1.0, 1.0);
                const double across =
                    box ? std::max(std::abs(u), std::abs(v)) : std::sqrt(u * u + v * v) / radius;
                const double size = std::max(across, std::abs(w));
                inside = inside || size < 1.0;
                nearest = std::min(nearest, size);
            }
            if (std::abs(nearest - 1.0) < 0.03) continue;  // a graze: sampling cannot tell
            CAPTURE(static_cast<int>(kind), taper, limit, nearest);
            REQUIRE(meets_obstacle(body, narrow(o), narrow(d), static_cast<float>(limit)) ==
                    inside);
            hits += inside ? 1 : 0;
        }
        CHECK(hits > 3000);
    }
}

namespace {

/// An upright cone that stands on the origin.
ObstacleRecord upright_cone(double foot_radius, double top_radius, double height) {
    ObstacleRecord cone{};
    cone.kind = ObstacleRecord::Kind::cone;
    cone.center[2] = static_cast<float>(0.5 * height);
    const double radius = 0.5 * (foot_radius + top_radius);
    cone.axes[0] = cone.axes[4] = static_cast<float>(1.0 / radius);
    cone.axes[8] = static_cast<float>(2.0 / height);
    cone.taper = static_cast<float>(0.5 * (top_radius - foot_radius) / radius);
    return cone;
}

}  // namespace

TEST_CASE("the shadow of a truncated cone on level ground is the hull of two discs") {
    struct Case {
        double foot, top, height, elevation;
    };
    constexpr double kPi = 3.14159265358979323846;
    // The last three are flatter than the light is steep, so that only one disc is seen.
    for (const Case& c : {Case{3, 1, 40, 30},
                          Case{8, 5, 120, 3},
                          Case{1, 4, 20, 50},
                          Case{5, 0, 10, 35},
                          Case{2, 2.001, 12, 45},
                          Case{6, 1, 4, 80},
                          Case{1, 6, 4, 80},
                          Case{4, 0, 6, 60}}) {
        const ObstacleRecord cone = upright_cone(c.foot, c.top, c.height);
        const double elevation = c.elevation * kPi / 180.0;
        const double shift = c.height / std::tan(elevation);
        const double larger = std::max(c.foot, c.top);
        double area = kPi * larger * larger;
        if (shift > std::abs(c.foot - c.top)) {
            // The hull is bounded by two arcs and two tangents.
            const double angle = std::acos((c.foot - c.top) / shift);
            area = shift * std::sin(angle) * (c.foot + c.top) + c.foot * c.foot * (kPi - angle) +
                   c.top * c.top * angle;
        }
        // The sun is in the direction of -x.
        const Vec<float> sun = narrow({-std::cos(elevation), 0.0, std::sin(elevation)});
        constexpr int kSteps = 400;
        const double low = -larger - 1.0, length = shift + 2.0 * larger + 2.0;
        const double width = 2.0 * larger + 2.0;
        int dark = 0;
        for (int i = 0; i < kSteps; ++i)
            for (int k = 0; k < kSteps; ++k) {
                const double x = low + (i + uniform(0, 1)) / kSteps * length;
                const double y = ((k + uniform(0, 1)) / kSteps - 0.5) * width;
                dark += meets_obstacle(cone, narrow({x, y, 0.0}), sun, kNoLimit) ? 1 : 0;
            }
        CAPTURE(c.foot, c.top, c.height, c.elevation);
        CHECK(dark * length * width / (kSteps * kSteps) == Approx(area).epsilon(2e-3));
    }
}

TEST_CASE("a ray along a cone's axis meets its shell at the height of its radius") {
    // Radius 3 at the foot and 1 at the top, from -20 to 20 m.
    ObstacleRecord cone = upright_cone(3.0, 1.0, 40.0);
    cone.center[2] = 0.0f;
    const Vec<float> up{0.0f, 0.0f, 1.0f}, down{0.0f, 0.0f, -1.0f};
    CHECK(meets_obstacle(cone, {2.0f, 0.0f, -40.0f}, up, 20.1f));
    CHECK_FALSE(meets_obstacle(cone, {2.0f, 0.0f, -40.0f}, up, 19.9f));
    CHECK(meets_obstacle(cone, {2.0f, 0.0f, 40.0f}, down, 40.1f));
    CHECK_FALSE(meets_obstacle(cone, {2.0f, 0.0f, 40.0f}, down, 39.9f));
    CHECK(meets_obstacle(cone, {2.0f, 0.0f, -1.0f}, up, 1.0f));
    CHECK_FALSE(meets_obstacle(cone, {2.0f, 0.0f, 1.0f}, up, kNoLimit));
    CHECK_FALSE(meets_obstacle(cone, {3.1f, 0.0f, -40.0f}, up, kNoLimit));
    CHECK(meets_obstacle(cone, {0.0f, 0.0f, 40.0f}, down, 20.1f));
    CHECK_FALSE(meets_obstacle(cone, {0.0f, 0.0f, 40.0f}, up, kNoLimit));
}

TEST_CASE("a ray along a cylinder's axis is inside always or never") {
    ObstacleRecord tower{};
    tower.kind = ObstacleRecord::Kind::cylinder;
    tower.axes[0] = tower.axes[4] = 1.0f / 3.0f;
    tower.axes[8] = 1.0f / 30.0f;
    const Vec<float> up{0.0f, 0.0f, 1.0f};
    CHECK(meets_obstacle(tower, {2.9f, 0.0f, -40.0f}, up, 1e30f));
    CHECK_FALSE(meets_obstacle(tower, {3.1f, 0.0f, -40.0f}, up, 1e30f));
    CHECK_FALSE(meets_obstacle(tower, {2.9f, 0.0f, -40.0f}, up, 9.0f));
    CHECK_FALSE(meets_obstacle(tower, {2.9f, 0.0f, 40.0f}, up, 1e30f));
}

TEST_CASE("exponentials and transmittances are those of the library") {
    for (double x = -95.0; x <= 0.0; x += 0.0137) {
        const double exact = x < -87.0 ? 0.0 : std::exp(static_cast<double>(static_cast<float>(x)));
        CHECK(std::abs(exp_negative(static_cast<float>(x)) - exact) <= 2e-7 * exact + 1e-38);
    }
    const AirRecord air{0, {0.99f, -0.1f, 0.02f, -0.003f, 0.0001f}, 1.5f, 0.97f, 0.12f};
    for (double d = 0.0; d < 4000.0; d += 7.3) {
        const double k = d * 1e-3;
        const double near = 0.99 + k * (-0.1 + k * (0.02 + k * (-0.003 + k * 0.0001)));
        const double expected = k > 1.5 ? 0.97 * std::exp(-0.12 * k) : near;
        CHECK(transmittance(air, static_cast<float>(d)) == Approx(expected).epsilon(1e-6));
    }
}
