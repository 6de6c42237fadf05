// SPDX-License-Identifier: MIT
// Cones, spheres and annuli: hits of random rays against double precision, from all sides, and
// equal sums of every instruction set.
#include "kernels/receiver/target.h"
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>

using namespace helioray::kernels;
using helioray::test::Scene;
using helioray::test::Sums;

namespace {

constexpr float kOverlap = 2e-4f;

struct Double3 {
    double x, y, z;
};

/// A hit in double precision. `sure`: no limit of the surface is so close that rounding decides.
struct Reference {
    bool meets = false;
    bool front = false;
    bool sure = true;
    double distance = 0.0;
    double across = 0.0;
    double up = 0.0;
};

/// Square of the radius minus the profile's: negative inside of the body.
double inside(const TargetRecord& shape, const Double3& p) {
    const double square = p.x * p.x + p.y * p.y;
    const double radius = static_cast<double>(shape.radius);
    if (shape.kind == TargetKind::sphere) return square + p.z * p.z - radius * radius;
    const double bottom = static_cast<double>(shape.bottom);
    const double top = static_cast<double>(shape.top);
    const double low = static_cast<double>(shape.bottom_radius);
    const double high = static_cast<double>(shape.top_radius);
    const double profile = low + (high - low) * (p.z - bottom) / (top - bottom);
    return square - profile * profile;
}

/// Fraction of the area of a surface below a height, by closed form.
double area_below(const TargetRecord& shape, double z) {
    const double s =
        (z - static_cast<double>(shape.bottom)) / static_cast<double>(shape.top - shape.bottom);
    if (shape.kind == TargetKind::sphere) return s;
    const double low = static_cast<double>(shape.bottom_radius);
    const double high = static_cast<double>(shape.top_radius);
    const double here = low + (high - low) * s;
    return (low + here) * s / (low + high);
}

/// Finds the first crossing of a ray with a surface of revolution. The quadratic goes through
/// three values of inside().
Reference meet(const TargetRecord& shape, const Double3& o, const Double3& r) {
    // From the point closest to the centre, so that double precision is exact enough.
    const double start = -(o.x * r.x + o.y * r.y + o.z * r.z);
    const auto at = [&](double t) { return Double3{o.x + t * r.x, o.y + t * r.y, o.z + t * r.z}; };
    const double middle = inside(shape, at(start));
    const double after = inside(shape, at(start + 1.0)), before = inside(shape, at(start - 1.0));
    const double a = 0.5 * (after + before) - middle, b = 0.25 * (after - before);
    const double discriminant = b * b - a * middle;
    Reference found;
    if (std::abs(discriminant) < 1e-2 || std::abs(a) < 0.05) found.sure = false;
    if (discriminant <= 0.0) return found;
    double nearest = 1e30;
    for (const double sign : {-1.0, 1.0}) {
        const double t = start + (-b + sign * std::sqrt(discriminant)) / a;
        const Double3 p = at(t);
        const double turns = std::atan2(p.x, p.y) / (2.0 * std::numbers::pi);
        const double half = static_cast<double>(shape.opening_angle) / (4.0 * std::numbers::pi);
        const double bottom = static_cast<double>(shape.bottom) - static_cast<double>(kOverlap);
        const double top = static_cast<double>(shape.top) + static_cast<double>(kOverlap);
        const double to_limit = std::min({std::abs(p.z - bottom),
                                          std::abs(p.z - top),
                                          half < 0.4999 ? std::abs(std::abs(turns) - half) : 1.0,
                                          std::abs(t)});
        // At an apex or a pole the angle is uncertain.
        if (to_limit < 3e-3 || std::hypot(p.x, p.y) < 0.05) found.sure = false;
        if (t <= 0.0 || t > nearest || p.z < bottom || p.z > top || std::abs(turns) > half)
            continue;
        nearest = t;
        found.meets = true;
        found.distance = t;
        const bool enters = inside(shape, at(t + 1e-6)) < inside(shape, p);
        found.front = enters != (shape.lit_inside != 0);
        found.across = (shape.lit_inside != 0 ? 1.0 : -1.0) * turns / (2.0 * half);
        found.up = area_below(shape, p.z) - 0.5;
    }
    return found;
}

struct Counts {
    int met = 0, fronts = 0, sure = 0;
};

/// Compares random rays from a distance with the reference; 0: from points within and beside it.
Counts compare(const TargetRecord& shape, double distance) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> even(-1.0, 1.0);
    Counts counts;
    for (int i = 0; i < 20'000; ++i) {
        const auto direction = [&] {
            for (;;) {
                const Double3 v{even(random), even(random), even(random)};
                const double n = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
                if (n > 0.1 && n < 1.0) return Double3{v.x / n, v.y / n, v.z / n};
            }
        };
        const Double3 aim{3.0 * even(random), 3.0 * even(random), 3.0 * even(random)};
        const Double3 way = direction();
        const Vec<float> origin{static_cast<float>(aim.x - distance * way.x),
                                static_cast<float>(aim.y - distance * way.y),
                                static_cast<float>(aim.z - distance * way.z)};
        const Vec<float> r = normalized(Vec<float>{
            static_cast<float>(way.x), static_cast<float>(way.y), static_cast<float>(way.z)});
        const Reference expected = meet(shape, {origin.x, origin.y, origin.z}, {r.x, r.y, r.z});
        TargetHit<float> hit;
        const bool front = shape.kind == TargetKind::cone
                               ? meet_cone(shape, origin, r, kOverlap, hit)
                               : meet_sphere(shape, origin, r, kOverlap, hit);
        if (!expected.sure) continue;
        ++counts.sure;
        REQUIRE(hit.mask == expected.meets);
        if (!expected.meets) continue;
        ++counts.met;
        counts.fronts += front ? 1 : 0;
        REQUIRE(front == expected.front);
        REQUIRE(std::abs(static_cast<double>(hit.distance) - expected.distance) < 5e-3);
        REQUIRE(std::abs(static_cast<double>(hit.across) - expected.across) < 3e-3);
        REQUIRE(std::abs(static_cast<double>(hit.up) - expected.up) < 3e-3);
        // The normal of the lit side, against the way of rays that meet it.
        Vec<float> point = add_scaled(origin, hit.distance, r);
        const Vec<float> before = point;
        const Vec<float> normal = settle_on_surface(shape, point);
        CHECK((dot(normal, r) < 0.0f) == front);
        CHECK(std::abs(dot(normal, normal) - 1.0f) < 1e-5f);
        CHECK(std::abs(dot(point - before, point - before)) < 1e-4f);
    }
    return counts;
}

TargetRecord cone(double bottom, double top, double angle, bool inner) {
    return cone_record(bottom,
                       top,
                       3.0,
                       angle,
                       inner,
                       0.5 * (bottom + top) * angle,
                       std::hypot(3.0, top - bottom));
}

/// A mirror 100 m before a receiver of round surfaces, whose light falls on all of them.
Scene scene_of(std::vector<SurfaceRecord>& surfaces) {
    const auto h = static_cast<float>(std::numbers::sqrt2 / 2.0);
    Scene scene;
    scene.heliostats.push_back(
        helioray::test::heliostat({1, 0, 0, 0, h, h, 0, -h, h}, {0, -100, 0}, {0, 0, 1}));
    scene.facets.push_back(
        helioray::test::analytic_facet(FacetKind::paraboloid, 4.0f, 4.0f, 200.0f));
    scene.area = scene.facets[0].area;
    scene.sun = {AngularShape::Kind::pillbox, 4.65e-3f};
    scene.slope_error = {AngularShape::Kind::gaussian, 2e-3f};
    const std::array<TargetRecord, 4> shapes{
        cone(0.8, 0.2, 2.0 * std::numbers::pi, false),
        sphere_record(0.5, -0.5, 0.3, 2.0 * std::numbers::pi, false),
        sphere_record(2.0, -1.8, 1.8, 3.0, true),
        annulus_record(0.9, 0.4, 4.0, 1.0, 1.0)};
    const std::array<std::array<float, 3>, 4> places{
        {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (size_t i = 0; i < shapes.size(); ++i) {
        SurfaceRecord surface{};
        surface.shape = shapes[i];
        surface.shape.in_receiver = 1;
        // The last one is flat and faces the mirror: x, up and the way back to it.
        if (i == 3) {
            surface.rotation[0] = 1.0f;
            surface.rotation[5] = 1.0f;
            surface.rotation[7] = -1.0f;
        } else {
            surface.rotation[0] = surface.rotation[4] = surface.rotation[8] = 1.0f;
        }
        for (size_t k = 0; k < 3; ++k) surface.origin[k] = places[i][k];
        surface.radius = 3.0f;
        surface.target = static_cast<int32_t>(i);
        surface.is_absorber = 1;
        surfaces.push_back(surface);
        scene.targets.push_back(surface.shape);
    }
    scene.plan(4, 1024);
    return scene;
}

}  // namespace

TEST_CASE("rays meet cones and spheres where double precision does") {
    const double full = 2.0 * std::numbers::pi;
    for (const bool inner : {false, true}) {
        for (const double angle : {full, 2.5}) {
            for (const TargetRecord& shape : {cone(2.0, 1.0, angle, inner),
                                              cone(0.0, 1.5, angle, inner),
                                              cone(1.5, 1.5, angle, inner),
                                              sphere_record(1.75, -1.75, 1.75, angle, inner),
                                              sphere_record(2.5, -0.5, 1.5, angle, inner)}) {
                // From far away, a whole sphere shows only its outside.
                int met = 0, fronts = 0;
                for (const double distance : {0.0, 20.0, 900.0}) {
                    const Counts counts = compare(shape, distance);
                    CHECK(counts.sure > 15'000);
                    met += counts.met;
                    fronts += counts.fronts;
                }
                CHECK(fronts > 100);
                CHECK(fronts < met - 100);
            }
        }
    }
}

TEST_CASE("round surfaces have the same sums with every instruction set and number of threads") {
    std::vector<SurfaceRecord> surfaces;
    const Scene scene = scene_of(surfaces);
    const auto trace = [&](InstructionSet set, int threads) {
        Sums sums = scene.zero_sums();
        std::vector<int64_t> surface_square(scene.targets.size(), 0);
        std::vector<int64_t> shielded(1, 0);
        SumsView view = sums.view();
        view.surface_square = surface_square.data();
        view.shielded = shielded.data();
        FieldView field = scene.view();
        field.surfaces = surfaces.data();
        field.num_surfaces = static_cast<int32_t>(surfaces.size());
        CpuOptions options;
        options.num_threads = threads;
        options.instruction_set = set;
        trace_flux_cpu(
            field, scene.units.data(), static_cast<int64_t>(scene.units.size()), view, options);
        // Every surface is lit.
        const size_t pixels = sums.flux.size() / surfaces.size();
        for (size_t i = 0; i < surfaces.size(); ++i) {
            int64_t total = 0;
            for (size_t p = 0; p < pixels; ++p) total += sums.flux[i * pixels + p];
            CHECK(total > 0);
        }
        return sums;
    };
    const Sums expected = trace(InstructionSet::automatic, 1);
    CHECK(trace(InstructionSet::automatic, 3) == expected);
    for (const InstructionSet set : usable_instruction_sets()) CHECK(trace(set, 1) == expected);
}
