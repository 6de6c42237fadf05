// SPDX-License-Identifier: MIT
// One field, one file, different heliostats: facet counts, degrees, control points, shapes, drives.
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/vector_math.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

/// Planar B-spline facet of nu x nv control points.
Facet spline_facet(const std::string& name,
                   const Vec3& center,
                   double half_e,
                   double half_n,
                   int nu,
                   int nv,
                   int p,
                   int q) {
    Facet facet;
    facet.name = name;
    facet.translation = center;
    facet.canting_e = {half_e, 0, 0};
    facet.canting_n = {0, half_n, 0};
    facet.num_control_points = {nu, nv};
    facet.degrees = {p, q};
    for (int i = 0; i < nu; ++i)
        for (int j = 0; j < nv; ++j)
            for (const double value :
                 {half_e * (2.0 * i / (nu - 1) - 1.0), half_n * (2.0 * j / (nv - 1) - 1.0), 0.0})
                facet.control_points.push_back(value);
    return facet;
}

Facet analytic_facet(
    FacetShape shape, const std::string& name, const Vec3& center, double half_e, double half_n) {
    Facet facet;
    facet.name = name;
    facet.shape = shape;
    facet.focal_length = shape == FacetShape::flat ? 0.0 : 120.0;
    facet.translation = center;
    facet.canting_e = {half_e, 0, 0};
    facet.canting_n = {0, half_n, 0};
    return facet;
}

Scene mixed_scene() {
    std::vector<Mirror> mirrors;
    for (int i = 0; i < 5; ++i) mirrors.push_back({{-40.0 + 20.0 * i, 90.0 + 7.0 * i, 0.5 * i}});
    Scene scene = make_scene(mirrors,
                             {{0, 0, 50}, {0, 1, -0.3}, 30.0, 30.0},
                             sun_at(170.0, 40.0),
                             PillboxShape{4.65e-3},
                             GaussianShape{1e-3});
    auto& plane = std::get<PlanarTarget>(scene.scenario.targets[0].geometry);
    plane.normal = normalized(plane.normal);
    auto& heliostats = scene.scenario.heliostats;
    const auto set_surface = [&](size_t i, std::vector<Facet> facets) {
        heliostats[i].surface = std::make_shared<const Surface>(Surface{std::move(facets)});
    };
    set_surface(0,
                {spline_facet("a", {-1, 1, 0}, 0.9, 0.8, 10, 10, 3, 3),
                 spline_facet("b", {1, 1, 0}, 0.9, 0.8, 10, 10, 3, 3),
                 spline_facet("c", {-1, -1, 0}, 0.9, 0.8, 10, 10, 3, 3),
                 spline_facet("d", {1, -1, 0}, 0.9, 0.8, 10, 10, 3, 3)});
    set_surface(1, {spline_facet("a", {0, 0, 0}, 2.0, 1.5, 6, 7, 2, 4)});
    set_surface(2,
                {analytic_facet(FacetShape::flat, "a", {-1.1, 0, 0}, 1.0, 2.0),
                 analytic_facet(FacetShape::flat, "b", {1.1, 0, 0}, 1.0, 2.0)});
    set_surface(3,
                {analytic_facet(FacetShape::paraboloid, "a", {0, 0, 0}, 3.0, 2.0),
                 spline_facet("b", {0, 4, 0}, 3.0, 1.5, 4, 4, 3, 3)});
    set_surface(4, {analytic_facet(FacetShape::sphere, "a", {0, 0, 0}, 2.5, 2.5)});
    // Ideal rigid body beside azimuth-elevation, with an offset of the concentrator.
    Kinematics rigid = *heliostats[0].kinematics;
    rigid.type = KinematicsType::rigid_body;
    rigid.deviations.concentrator_translation = {0.0, -0.2, 0.1};
    heliostats[0].kinematics = heliostats[3].kinematics = std::make_shared<const Kinematics>(rigid);
    LightSource sun;
    sun.name = "sun";
    sun.shape = GaussianShape{2e-3};
    scene.scenario.light_sources.push_back(sun);
    scene.config.tracing.rays_per_heliostat = 100'000;
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    return scene;
}

}  // namespace

TEST_CASE("mixed heliostats carry area times cosine and hit where they aim") {
    const Scene scene = mixed_scene();
    const RunResult result = run(scene);
    const double areas[] = {4 * 1.8 * 1.6, 4.0 * 3.0, 2 * 2.0 * 4.0, 6.0 * 4.0 + 6.0 * 3.0, 25.0};
    const Vec3 to_sun = result.provenance.sun_direction;
    for (size_t i = 0; i < 5; ++i) {
        const HeliostatResult& heliostat = result.heliostats[i];
        CAPTURE(heliostat.name);
        // Closed form for the ray of the mirror's origin; curved and offset parts differ a little.
        const Vec3 origin{
            heliostat.orientation[3], heliostat.orientation[7], heliostat.orientation[11]};
        const Vec3 to_target = normalized(subtract(heliostat.aim_point, origin));
        const double cosine = std::sqrt(0.5 * (1.0 + dot(to_target, to_sun)));
        const EnergyTerms& e = heliostat.energy;
        CHECK(e.solar_power == Approx(1000.0 * areas[i]).epsilon(2e-3));
        CHECK((e.solar_power - e.cosine_loss) / e.solar_power == Approx(cosine).epsilon(2e-3));
        CHECK(e.target_power == Approx(e.solar_power - e.cosine_loss).epsilon(1e-3));
        CHECK(std::abs(imbalance(e)) < 1e-12);
    }
}

TEST_CASE("a mixed field traces the same after a way through its file") {
    Scene scene = mixed_scene();
    const TemporaryFolder folder;
    write_scenario(scene.scenario, folder.path() / "mixed.h5");
    const RunResult direct = run(scene);
    scene.scenario = read_scenario(folder.path() / "mixed.h5");
    const RunResult read = run(scene);
    REQUIRE(read.heliostats.size() == 5);
    for (size_t i = 0; i < 5; ++i) {
        for (const EnergyTermInfo& term : energy_term_infos()) {
            CHECK(read.heliostats[i].energy.*term.member ==
                  Approx(direct.heliostats[i].energy.*term.member).epsilon(1e-5).margin(1e-3));
        }
    }
}
