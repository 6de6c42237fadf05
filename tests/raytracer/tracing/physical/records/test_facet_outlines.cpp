// SPDX-License-Identifier: MIT
// Facets that are round or polygons: areas, points, images and shadows against closed forms.
#include "kernels/surface/facet_point.h"
#include "raytracer/tracing/physical/occlusion/mirror_shape.h"
#include "raytracer/tracing/physical/records/facet_outlines.h"
#include "raytracer/tracing/physical/records/surface_records.h"
#include "scenario/types/vector_math.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <functional>
#include <numbers>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

const double kRoot = std::sqrt(3.0);

FacetOutline round_outline(double hole = 0.0) {
    return {FacetOutlineKind::round, hole, {}};
}

/// A regular hexagon whose corners lie at both ends of the width; its height is sqrt(3) / 2 of it.
FacetOutline hexagon() {
    return {FacetOutlineKind::polygon,
            0.0,
            {{1, 0}, {0.5, 1}, {-0.5, 1}, {-1, 0}, {-0.5, -1}, {0.5, -1}}};
}

Facet facet(FacetShape shape, double half_e, double half_n, const FacetOutline& outline, double f) {
    Facet facet;
    facet.name = "facet";
    facet.shape = shape;
    facet.canting_e = {half_e, 0, 0};
    facet.canting_n = {0, half_n, 0};
    facet.focal_length = f;
    facet.outline = outline;
    return facet;
}

/// The paraboloid z = (x^2 + y^2) / 4 f as a biquadratic B-spline over a square.
Facet spline_paraboloid(double half, const FacetOutline& outline, double f) {
    Facet spline = facet(FacetShape::bspline, half, half, outline, 0.0);
    spline.degrees = {2, 2};
    spline.num_control_points = {3, 3};
    const auto square = [](int i) { return i == 0 ? -1.0 : 1.0; };
    for (int i = -1; i <= 1; ++i) {
        for (int k = -1; k <= 1; ++k) {
            const double z = 0.25 * half * half / f * (square(i) + square(k));
            spline.control_points.insert(spline.control_points.end(), {i * half, k * half, z});
        }
    }
    return spline;
}

double mirror_area(const Facet& facet) {
    return physical::facet_records(Surface{{facet}}).area;
}

/// Mean of a function over the points of a facet for a grid of uniform numbers, by true area.
double mean(const Facet& facet, const std::function<double(double, double)>& function) {
    const physical::FacetRecords records = physical::facet_records(Surface{{facet}});
    kernels::HeliostatRecord heliostat{};
    heliostat.num_facets = 1;
    heliostat.rotation[0] = heliostat.rotation[4] = heliostat.rotation[8] = 1.0f;
    kernels::FieldView field{};
    field.facets = records.facets.data();
    field.floats = records.floats.data();
    constexpr int kSteps = 600;  // a multiple of the triangles
    double sum = 0.0, weights = 0.0;
    for (int i = 0; i < kSteps; ++i) {
        for (int k = 0; k < kSteps; ++k) {
            const auto at = [](int step) { return (static_cast<float>(step) + 0.5f) / kSteps; };
            const kernels::MirrorPoint point =
                kernels::mirror_point(field, heliostat, at(i), at(k));
            const auto weight = static_cast<double>(point.residual);
            sum += weight * function(static_cast<double>(point.position.x),
                                     static_cast<double>(point.position.y));
            weights += weight;
        }
    }
    CHECK(weights / (kSteps * kSteps) == Approx(1.0).epsilon(1e-5));
    return sum / weights;
}

/// Area that two circles whose centres are `apart` have in common.
double lens(double a, double b, double apart) {
    if (apart >= a + b) return 0.0;
    if (apart <= std::abs(a - b)) return std::numbers::pi * std::pow(std::min(a, b), 2.0);
    const double x = (apart * apart + a * a - b * b) / (2.0 * apart);
    return a * a * std::acos(x / a) + b * b * std::acos((apart - x) / b) -
           apart * std::sqrt(a * a - x * x);
}

/// Gives all mirrors of a scene an outline.
void set_outlines(Scene& scene, const FacetOutline& outline) {
    for (Heliostat& heliostat : scene.scenario.heliostats) {
        Surface surface = *heliostat.surface;
        for (Facet& facet : surface.facets) facet.outline = outline;
        heliostat.surface = std::make_shared<const Surface>(surface);
    }
}

}  // namespace

TEST_CASE("outlines: areas of facets are exact") {
    CHECK(mirror_area(facet(FacetShape::flat, 2, 1, round_outline(), 0)) ==
          Approx(2.0 * std::numbers::pi).epsilon(1e-12));
    CHECK(mirror_area(facet(FacetShape::flat, 2, 2, round_outline(0.25), 0)) ==
          Approx(3.75 * std::numbers::pi).epsilon(1e-12));
    CHECK(mirror_area(facet(FacetShape::flat, 2, kRoot, hexagon(), 0)) ==
          Approx(6.0 * kRoot).epsilon(1e-12));
    // A deep dish, and the cap of a sphere of radius 2 f with its height h: 2 pi R h.
    constexpr double kFocus = 5.0, kRadius = 4.0;
    const double dish = 8.0 * std::numbers::pi * kFocus * kFocus / 3.0 *
                        (std::pow(1.0 + std::pow(kRadius / (2.0 * kFocus), 2.0), 1.5) - 1.0);
    CHECK(mirror_area(facet(FacetShape::paraboloid, kRadius, kRadius, round_outline(), kFocus)) ==
          Approx(dish).epsilon(1e-9));
    CHECK(mirror_area(spline_paraboloid(kRadius, round_outline(), kFocus)) ==
          Approx(dish).epsilon(1e-9));
    const double cap = 2.0 * std::numbers::pi * 10.0 * (10.0 - std::sqrt(100.0 - 16.0));
    CHECK(mirror_area(facet(FacetShape::sphere, kRadius, kRadius, round_outline(), kFocus)) ==
          Approx(cap).epsilon(1e-9));
    // The whole rectangle as a polygon.
    const FacetOutline all{FacetOutlineKind::polygon, 0.0, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
    CHECK(mirror_area(facet(FacetShape::paraboloid, 4, 3, all, 5)) ==
          Approx(mirror_area(facet(FacetShape::paraboloid, 4, 3, {}, 5))).epsilon(1e-9));
}

TEST_CASE("outlines: points are uniform over them") {
    const auto square = [](double x, double y) { return x * x + y * y; };
    const auto x_square = [](double x, double) { return x * x; };
    const auto product = [](double x, double y) { return x * y; };
    const auto x_only = [](double x, double) { return x; };
    const Facet disc = facet(FacetShape::flat, 2, 2, round_outline(), 0);
    CHECK(mean(disc, x_square) == Approx(1.0).epsilon(1e-4));
    CHECK(mean(disc, square) == Approx(2.0).epsilon(1e-4));
    CHECK(mean(disc, [&](double x, double y) { return std::pow(square(x, y), 2.0); }) ==
          Approx(16.0 / 3.0).epsilon(1e-4));
    CHECK(mean(disc, product) == Approx(0.0).margin(1e-5));
    CHECK(mean(disc, x_only) == Approx(0.0).margin(1e-5));
    const Facet ring = facet(FacetShape::flat, 2, 2, round_outline(0.5), 0);
    CHECK(mean(ring, square) == Approx(2.5).epsilon(1e-4));
    CHECK(mean(ring, [&](double x, double y) { return square(x, y) < 0.9999 ? 1.0 : 0.0; }) == 0.0);
    const Facet six = facet(FacetShape::flat, 2, kRoot, hexagon(), 0);
    CHECK(mean(six, x_square) == Approx(5.0 / 24.0 * 4.0).epsilon(1e-4));
    CHECK(mean(six, square) == Approx(5.0 / 12.0 * 4.0).epsilon(1e-4));
    CHECK(mean(six, product) == Approx(0.0).margin(1e-5));
    // A triangle away from the middle of its rectangle: corners (-1, -1), (1, -1), (-1, 1).
    const FacetOutline corner{FacetOutlineKind::polygon, 0.0, {{-1, -1}, {1, -1}, {-1, 1}}};
    CHECK(mean(facet(FacetShape::flat, 3, 3, corner, 0), x_only) == Approx(-1.0).epsilon(1e-4));
    // By true area, a deep dish has more points at its rim: the mean of r^2 over the paraboloid.
    const Facet dish = facet(FacetShape::paraboloid, 4, 4, round_outline(), 5);
    const auto element = [](double r) { return r * std::sqrt(1.0 + r * r / 100.0); };
    double weighted = 0.0, total = 0.0;
    for (int i = 0; i < 100000; ++i) {
        const double r = 4.0 * (i + 0.5) / 100000.0;
        weighted += r * r * element(r);
        total += element(r);
    }
    CHECK(mean(dish, square) == Approx(weighted / total).epsilon(1e-4));
    CHECK(mean(spline_paraboloid(4, round_outline(), 5), square) ==
          Approx(weighted / total).epsilon(1e-4));
}

TEST_CASE("outlines: power is the irradiance on the true area, and the image has the outline") {
    // Collimated light that a flat mirror reflects straight up to a target.
    struct Case {
        FacetOutline outline;
        double area;  ///< m2
        std::function<bool(double, double)>
            inside;  ///< true within the outline, at metres from its centre
    };
    const std::vector<Case> cases{
        {round_outline(),
         std::numbers::pi,
         [](double x, double y) { return std::hypot(x, y) < 1.0; }},
        {round_outline(0.5),
         0.75 * std::numbers::pi,
         [](double x, double y) { return std::hypot(x, y) < 1.0 && std::hypot(x, y) > 0.5; }},
        {{FacetOutlineKind::polygon, 0.0, {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}},
         2.0,
         [](double x, double y) { return std::abs(x) + std::abs(y) < 1.0; }},
    };
    constexpr int kPixels = 20;
    constexpr double kPixel = 3.0 / kPixels;
    for (const Case& item : cases) {
        Scene scene = make_scene({{{0, 0, 0}, 2.0, 2.0, FacetShape::flat}},
                                 {{0, 0, 50}, {0, 0, -1}, 3.0, 3.0},
                                 sun_at(180.0, 0.0),
                                 CollimatedShape{},
                                 NoError{});
        set_outlines(scene, item.outline);
        scene.config.bitmap.width = scene.config.bitmap.height = kPixels;
        scene.config.tracing.rays_per_heliostat = 8'000'000;
        const RunResult result = run(scene);
        const EnergyTerms& energy = result.heliostats[0].energy;
        CHECK(energy.solar_power == Approx(1000.0 * item.area).epsilon(1e-12));
        CHECK(energy.target_power == Approx(1000.0 * item.area).epsilon(1e-5));
        // Pixels that lie inside or outside as a whole are lit evenly or dark.
        const std::vector<double>& flux = result.targets[0].flux;
        int lit = 0;
        for (int row = 0; row < kPixels; ++row) {
            for (int column = 0; column < kPixels; ++column) {
                const double x = (column - 9.5) * kPixel, y = (9.5 - row) * kPixel;
                int corners = 0;
                for (const double a : {-0.08, 0.08}) {
                    for (const double b : {-0.08, 0.08}) corners += item.inside(x + a, y + b);
                }
                if (corners != 0 && corners != 4) continue;
                const double found = flux[static_cast<size_t>(kPixels * row + column)];
                if (corners == 4) {
                    ++lit;
                    CHECK(found == Approx(1000.0).epsilon(0.1));
                } else if (std::abs(x) > kPixel && std::abs(y) > kPixel) {
                    CHECK(found == 0.0);
                }
            }
        }
        CHECK(lit > 30);
    }
}

TEST_CASE("outlines: a round mirror's shadow on another is the area that two circles share") {
    // Both mirrors have the same motor positions, so their planes are parallel and the shadow of
    // one in the plane of the other is a circle of its own size.
    constexpr double kElevation = 40.0 * std::numbers::pi / 180.0;
    for (const double hole : {0.0, 0.4}) {
        for (const double side : {0.0, 0.8, 1.7}) {
            Scene scene = make_scene({{{0, 0, 0}, 4.0, 4.0, FacetShape::flat},
                                      {{side, -3, 2.2}, 3.0, 3.0, FacetShape::flat}},
                                     {{0, -60, 40}, {0, 1, 0}, 40.0, 40.0},
                                     sun_at(180.0, 55.0),
                                     CollimatedShape{},
                                     NoError{});
            set_outlines(scene, round_outline());
            Surface shading = *scene.scenario.heliostats[1].surface;
            shading.facets[0].outline.hole = hole;
            scene.scenario.heliostats[1].surface = std::make_shared<const Surface>(shading);
            scene.config.tracing.shading = true;
            scene.config.tracing.blocking = false;
            constexpr double kRays = 400'000;
            scene.config.tracing.rays_per_heliostat = static_cast<int64_t>(kRays);
            for (const size_t i : {0, 1})
                scene.config.aim.heliostats[mirror_name(i)].motor_positions = {std::numbers::pi,
                                                                               kElevation};
            const RunResult result = run(scene);
            const HeliostatResult& mirror = result.heliostats[0];
            const auto& m = mirror.orientation;
            const Vec3 s = result.provenance.sun_direction;
            const Vec3 normal{m[2], m[6], m[10]};
            const Vec3 between{side, -3, 2.2};
            const Vec3 foot = add_scaled(between, -dot(between, normal) / dot(s, normal), s);
            const double shadow =
                lens(2.0, 1.5, norm(foot)) - (hole > 0.0 ? lens(2.0, 1.5 * hole, norm(foot)) : 0.0);
            const double share = shadow / (4.0 * std::numbers::pi);
            CAPTURE(side, hole, norm(foot), share);
            CHECK(share > 0.05);
            const EnergyTerms& e = mirror.energy;
            CHECK(std::abs(e.shading_loss / (e.solar_power - e.cosine_loss) - share) <
                  four_errors(share, kRays));
            CHECK(std::abs(imbalance(e)) < 1e-12);
        }
    }
}

TEST_CASE("outlines: a triangle shades by its own area") {
    // The mirror lies in the full shadow of the triangle's rectangle; half of it is shaded.
    Scene scene = make_scene(
        {{{0, 0, 0}, 2.0, 2.0, FacetShape::flat}, {{0, 0, 5}, 2.0, 2.0, FacetShape::flat}},
        {{0, 0, 50}, {0, 0, -1}, 3.0, 3.0},
        sun_at(180.0, 0.0),
        CollimatedShape{},
        NoError{});
    Surface triangle = *scene.scenario.heliostats[1].surface;
    triangle.facets[0].outline = {FacetOutlineKind::polygon, 0.0, {{-1, -1}, {1, -1}, {-1, 1}}};
    scene.scenario.heliostats[1].surface = std::make_shared<const Surface>(triangle);
    scene.config.aim.active = std::vector<std::string>{mirror_name(0)};
    scene.config.tracing.shading = true;
    constexpr double kRays = 400'000;
    scene.config.tracing.rays_per_heliostat = static_cast<int64_t>(kRays);
    const EnergyTerms e = run(scene).heliostats[0].energy;
    CHECK(std::abs(e.shading_loss / e.solar_power - 0.5) < four_errors(0.5, kRays));
}

TEST_CASE("outlines: an outline that is not convex or leaves the facet is refused") {
    const auto fault = [](FacetOutline outline) {
        const auto found = make_valid(outline);
        return found ? found->what : "";
    };
    CHECK(fault(round_outline(1.0)) == "the hole has 1 times the size of the facet");
    CHECK(fault({FacetOutlineKind::polygon, 0.0, {{0, 0}, {1, 0}}}) == "the outline has 2 corners");
    CHECK(fault({FacetOutlineKind::polygon, 0.0, {{0, 0}, {1.1, 0}, {0, 1}}}) ==
          "1.1 is outside the facet");
    CHECK(fault({FacetOutlineKind::polygon, 0.0, {{0, 0}, {1, 0}, {0.1, 0.1}, {0, 1}}}) ==
          "the outline is not convex at this corner");
    FacetOutline clockwise{FacetOutlineKind::polygon, 0.0, {{0, 1}, {1, 0}, {0, 0}}};
    CHECK_FALSE(make_valid(clockwise));
    CHECK(outline_fraction(clockwise) == Approx(0.125));
}
