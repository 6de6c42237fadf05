// SPDX-License-Identifier: MIT
// Mirrors among the surfaces of receivers: a hyperboloid between its foci, a dish with small
// absorbers, concentrators by angle, and the shadow of mirrors.
#include "scenario/files/units.h"
#include "scenario/receivers/shapes.h"
#include "tests/raytracer/tracing/physical/records/receiver_beam.h"

#include <array>
#include <cmath>
#include <numbers>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

Target absorber(const std::string& name, const TargetShape& shape) {
    return {name, shape, "tower"};
}

Target mirror(const std::string& name,
              const TargetShape& shape,
              double reflectivity = 1.0,
              double slope_error = 0.0) {
    Target target{name, shape, "tower", SurfaceUse::mirror};
    target.absorption = mirror_front(reflectivity, slope_error);
    return target;
}

EnergyTerms balanced_with_mirrors(const RunResult& result) {
    const EnergyTerms total = total_energy(result);
    CHECK(std::abs(imbalance(total)) < 1e-12);
    double absorbed = 0.0;
    for (const TargetResult& target : result.targets)
        if (target.target.use == SurfaceUse::absorber) absorbed += target.power_w;
    CHECK(absorbed == Approx(total.target_power).epsilon(1e-9));
    return total;
}

/// Checks that a share of the power has a value to within four standard errors, and the rounding of
/// the value.
void check_power(const RunResult& result, double all, double expected, double rounding) {
    double error = 0.0;
    for (const HeliostatResult& heliostat : result.heliostats)
        error = std::hypot(error, heliostat.target_power_std_error);
    const double share = total_energy(result).target_power / all;
    INFO(share << " instead of " << expected << ", error " << error / all);
    CHECK(std::abs(share - expected) < 4.0 * error / all + rounding);
}

/// A hyperboloid with its foci at the heights 100 m and 10 m, and its vertex at 82 m.
QuadricTarget hyperboloid() {
    QuadricTarget shape = quadric_with_foci({0, 0, 82}, {0, 0, 100}, {0, 0, 10});
    shape.radius = 20.0;
    return shape;
}

}  // namespace

TEST_CASE("mirrors: the light of one point between the foci of a hyperboloid") {
    // A mirror of a millimetre with the sun's disc as its cone of light, whose edge lies 2.35288 m
    // from the axis at most.
    struct Ring {
        double inner, outer, share;
    };
    for (const Ring& ring : {Ring{0, 1, 0.1902}, Ring{0, 2, 0.7602}, Ring{0, 2.36, 1.0}}) {
        Scene scene = make_scene({Mirror{{100, 0, 0}, 1e-3, 1e-3, FacetShape::flat}},
                                 {{0, 0, 0}, {0, -1, 0}, 8.0, 8.0},
                                 sun_at(0.0, 20.0),
                                 PillboxShape{4.65e-3},
                                 NoError{});
        scene.config.tracing.rays_per_heliostat = 500'000;
        scene.config.bitmap.width = scene.config.bitmap.height = 32;
        use_receiver(scene,
                     {absorber("spot", DiscTarget{{0, 0, 10}, {0, 0, 1}, ring.outer}),
                      mirror("secondary", hyperboloid())});
        scene.config.aim.point = Vec3{0, 0, 100};
        const RunResult result = run(scene);
        const EnergyTerms e = balanced_with_mirrors(result);
        CHECK(e.spillage_loss == 0.0);
        CHECK(e.secondary_loss == 0.0);
        CHECK(find(result, "secondary").power_w == Approx(reflected(result)).epsilon(1e-9));
        if (ring.share == 1.0) {
            CHECK(e.escape_loss == 0.0);
        } else {
            check_power(result, reflected(result), ring.share, 1e-4);
        }
    }
}

TEST_CASE("mirrors: a dish with small absorbers in its focus") {
    // The beam comes from the south; the absorber's back shades the dish.
    struct Case {
        double radius, share;
    };
    for (const Case& c :
         {Case{1.0, 0.8020}, Case{0.15, 0.7658}, Case{0.10, 0.6130}, Case{0.05, 0.2509}}) {
        Scene scene = make_scene({Mirror{{0, -100, 0}, 24.0, 24.0, FacetShape::flat}},
                                 {{0, 0, 0}, {0, -1, 0}, 8.0, 8.0},
                                 sun_at(0.0, 89.99),
                                 PillboxShape{0.2664 * kRadiansPerDegree},
                                 NoError{});
        scene.config.tracing.rays_per_heliostat = 2'000'000;
        scene.config.bitmap.width = scene.config.bitmap.height = 32;
        QuadricTarget dish;
        dish.center = {0, 10, 0};
        dish.axis = {0, -1, 0};
        dish.curvature_radius = 20.0;
        dish.radius = 10.0;
        dish.side = QuadricTarget::Side::inner;
        // Surfaces reach 0.2 mm over their edges, which matters here.
        Target focus = absorber("focus", DiscTarget{{0, 0, 0}, {0, 1, 0}, c.radius - 2e-4});
        focus.absorption.emplace().absorptance = 0.9;
        use_receiver(scene, {focus, mirror("dish", dish, 0.9, 2e-3)});
        const RunResult result = run(scene);
        const EnergyTerms e = balanced_with_mirrors(result);
        const double aperture = 100.0 * std::numbers::pi / (24.0 * 24.0) * reflected(result);
        CHECK(e.secondary_loss == Approx(0.1 * find(result, "dish").power_w).epsilon(1e-3));
        check_power(result, aperture, c.share, 5e-4);
    }
}

TEST_CASE("mirrors: hexagonal facets of a dish collect the light on their hexagons") {
    // Two facets of one sphere that share an edge, and a third beside the beam of 8 m. The
    // spherical mirrors blur their foci by less than the absorber.
    constexpr double kSide = 0.8;
    Outline hexagon;
    for (int i = 0; i < 6; ++i)
        hexagon.push_back({kSide * std::cos(i * 60.0 * kRadiansPerDegree),
                           kSide * std::sin(i * 60.0 * kRadiansPerDegree)});
    std::vector<Target> surfaces{absorber("focus", DiscTarget{{0, 0, 0}, {0, 1, 0}, 0.05})};
    const double apart = std::sqrt(3.0) * kSide;
    for (const double up : {0.0, apart, 6.0}) {
        // Each facet faces between the light from the south and the focus.
        const Vec3 to_focus = normalized(Vec3{0, -10, -up});
        QuadricTarget facet;
        facet.center = {0, 10, up};
        facet.axis = normalized(add(Vec3{0, -1, 0}, to_focus));
        facet.curvature_radius = 2.0 * std::hypot(10.0, up);
        facet.conic_constant = 0.0;
        facet.radius = kSide;
        facet.side = QuadricTarget::Side::inner;
        surfaces.push_back(mirror("facet_" + std::to_string(surfaces.size()), facet, 0.9));
        surfaces.back().outline = hexagon;
    }
    Scene scene = beam(surfaces, 2'000'000, 8.0);
    const RunResult result = run(scene);
    const EnergyTerms e = balanced_with_mirrors(result);
    const double flux = reflected(result) / 64.0;
    const double area = 1.5 * std::sqrt(3.0) * kSide * kSide;
    // The absorber's back shades the first facet.
    const double shadow = std::numbers::pi * 0.05 * 0.05;
    const double upper = area * std::cos(0.5 * std::atan2(apart, 10.0));
    const double error = four_errors(area / 64.0, 2e6) * 64.0 * flux;
    CHECK(std::abs(find(result, "facet_1").power_w - (area - shadow) * flux) < error);
    CHECK(std::abs(find(result, "facet_2").power_w - upper * flux) < error);
    CHECK(find(result, "facet_3").power_w == 0.0);
    CHECK(e.target_power / flux == Approx(0.9 * (area - shadow + upper)).epsilon(0.005));
}

TEST_CASE("mirrors: a concentrator transmits by angle, round and with flat sides") {
    struct Case {
        double degrees, share;
    };
    for (const Case& c : {Case{15, 1.0}, Case{18, 0.966}, Case{20, 0.479}, Case{22, 0.027}}) {
        for (const int64_t sides : {int64_t{0}, int64_t{4}}) {
            ReceiverConfig config;
            config.type = ReceiverConfig::Type::concentrator;
            config.azimuth = (180.0 + c.degrees) * kRadiansPerDegree;
            config.half_angle = 20.0 * kRadiansPerDegree;
            config.exit_radius = 1.0;
            config.reflectivity = 1.0;
            config.sides = sides;
            const ReceiverSurfaces made = make_receiver("tower", config);
            Scene scene = beam(made.targets, 1'000'000, 8.0);
            scene.config.aim.target = "tower";
            scene.config.bitmap.width = scene.config.bitmap.height = 16;
            const RunResult result = run(scene);
            const EnergyTerms e = balanced_with_mirrors(result);
            CHECK(e.bounce_limit_loss == 0.0);
            const double entry = sides == 0 ? std::numbers::pi : 4.0;
            const double radius = 1.0 / std::sin(20.0 * kRadiansPerDegree);
            const double area = entry * radius * radius * std::cos(c.degrees * kRadiansPerDegree);
            const double lit = area / 64.0 * reflected(result);
            if (sides == 0) {
                check_power(result, lit, c.share, 0.004);
            } else {
                // A square one leaks within its half angle. Beyond it, no light in the middle plane
                // of two sides passes.
                CHECK(e.target_power < 1.001 * lit);
                if (c.degrees < 20.0)
                    CHECK(e.target_power > 0.6 * lit);
                else if (c.degrees > 20.0)
                    CHECK(e.target_power == 0.0);
            }
        }
    }
}

TEST_CASE("mirrors: their shadow falls on heliostats") {
    // A ring 50 m above the ground, with the sun in the zenith or at 45 degrees in the east.
    QuadricTarget ring;
    ring.center = {0, 0, 50};
    ring.curvature_radius = 100.0;
    ring.radius = 5.0;
    ring.inner_radius = 1.0;
    struct Case {
        double east;
        SunAngles sun;
        bool is_shaded;
    };
    const SunAngles zenith = sun_at(0.0, 0.01), east = sun_at(90.0, 45.0);
    for (const Case& c : {Case{0.0, zenith, false},
                          Case{3.0, zenith, true},
                          Case{6.0, zenith, false},
                          Case{-50.0, east, false},
                          Case{-47.0, east, true},
                          Case{-44.0, east, false},
                          Case{-53.0, east, true}}) {
        for (const bool is_flat : {false, true}) {
            Scene scene = make_scene({Mirror{{c.east, 0, 0}, 0.5, 0.5, FacetShape::flat}},
                                     {{0, 0, 0}, {0, -1, 0}, 8.0, 8.0},
                                     c.sun,
                                     CollimatedShape{},
                                     NoError{});
            scene.config.tracing.rays_per_heliostat = 1'000;
            scene.config.tracing.shading = true;
            TargetShape shape = ring;
            if (is_flat) shape = DiscTarget{{0, 0, 50}, {0, 0, -1}, 5.0};
            use_receiver(
                scene,
                {absorber("spot", DiscTarget{{90, 0, 10}, {0, 0, 1}, 1.0}), mirror("roof", shape)});
            scene.config.aim.point = Vec3{c.east, 60, 30};
            const EnergyTerms e = balanced_with_mirrors(run(scene));
            const bool is_in_hole = std::abs(c.east) < 1.0 || std::abs(c.east + 50.0) < 1.0;
            const bool is_shaded = c.is_shaded || (is_flat && is_in_hole);
            INFO(c.east << " " << is_flat);
            CHECK(e.shading_loss ==
                  Approx(is_shaded ? e.solar_power - e.cosine_loss : 0.0).epsilon(1e-9));
        }
    }
}

TEST_CASE("mirrors: results do not depend on the number of threads") {
    Scene scene = make_scene(
        {Mirror{{60, 0, 0}, 3, 3, FacetShape::flat}, Mirror{{-60, 20, 0}, 3, 3, FacetShape::flat}},
        {{0, 0, 0}, {0, -1, 0}, 8.0, 8.0},
        sun_at(180.0, 30.0),
        PillboxShape{4.65e-3},
        GaussianShape{1e-3});
    scene.config.tracing.rays_per_heliostat = 30'000;
    scene.config.bitmap.width = scene.config.bitmap.height = 16;
    ReceiverConfig config;
    config.type = ReceiverConfig::Type::beam_down;
    config.center = {0, 0, 100};
    config.foci_distance = 90.0;
    config.vertex_distance = 18.0;
    config.radius = 16.0;
    config.exit_radius = 1.5;
    config.half_angle = 25.0 * kRadiansPerDegree;
    config.reflectivity = 0.94;
    config.slope_error = 1e-3;
    const ReceiverSurfaces made = make_receiver("tower", config);
    REQUIRE(made.aim_point == Vec3{0, 0, 100});
    use_receiver(scene, made.targets);
    scene.config.aim.target = "tower";
    scene.config.aim.point = made.aim_point;
    const RunResult one = run(scene, 1), three = run(scene, 3);
    const EnergyTerms e = balanced_with_mirrors(one);
    CHECK(e.secondary_loss > 0.06 * find(one, "tower_mirror").power_w);
    CHECK(e.target_power > 0.2 * e.solar_power);
    REQUIRE(one.targets.size() == three.targets.size());
    for (size_t i = 0; i < one.targets.size(); ++i) {
        CHECK(one.targets[i].flux == three.targets[i].flux);
        CHECK(one.targets[i].flux_std_error == three.targets[i].flux_std_error);
    }
}
