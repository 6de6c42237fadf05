// SPDX-License-Identifier: MIT
// Flux and power of a live field are those of a run with the same configuration.
#include "raytracer/run/make_job.h"
#include "raytracer/tracing/physical/live_field.h"
#include "tests/raytracer/tracing/physical/field_changes.h"
#include "tests/support/catch2.h"

#include <memory>
#include <random>

using namespace helioray;
using physical::LiveField;

namespace {

void check_against_run(const LiveField& field, const validation::Scene& scene) {
    const auto job = make_job(scene.config, scene.scenario);
    job->trace(0, job->num_units(), {});
    const RunResult run = job->result();
    for (const TargetResult& target : run.targets) {
        const size_t index = scene.scenario.find_target(target.target.name).value();
        const std::vector<double> flux = field.flux(index);
        REQUIRE(flux.size() == target.flux.size());
        for (size_t i = 0; i < flux.size(); ++i)
            REQUIRE(flux[i] == Approx(target.flux[i]).epsilon(1e-12));
        const std::vector<double> incident = field.incident_flux(index);
        const std::vector<double>& expected = target.incident ? target.incident->flux : target.flux;
        for (size_t i = 0; i < flux.size(); ++i)
            REQUIRE(incident[i] == Approx(expected[i]).epsilon(1e-12));
    }
    // The maps come first. Sums of squares depend on how heliostats share units.
    const auto num_sums = scene.scenario.targets.size() * run.targets.front().flux.size();
    const auto expected = job->sums().first(num_sums);
    const std::vector<std::int64_t> sums = field.sums();
    CHECK(std::equal(expected.begin(), expected.end(), sums.begin()));
    double power = 0.0;
    for (const HeliostatResult& heliostat : run.heliostats) {
        const size_t index = scene.scenario.find_heliostat(heliostat.name).value();
        CHECK(field.power(index) == Approx(heliostat.energy.target_power).epsilon(1e-12));
        power += heliostat.energy.target_power;
    }
    CHECK(power > 0.0);
    CHECK(field.power() == Approx(power).epsilon(1e-12));
}

}  // namespace

TEST_CASE("A live field has the flux and the powers of a run, before and after changes") {
    std::mt19937 random(3);
    validation::Scene scene = test::dense_scene(random);
    const bool with_receiver = GENERATE(false, true);
    if (with_receiver) {
        test::add_dense_receiver(scene);
        scene.config.aim.target = "tower";
        scene.config.aim.heliostats[validation::mirror_name(3)].target = "cylinder";
    }
    LiveField field(scene.config, std::make_shared<const Scenario>(scene.scenario), 2);
    const size_t active = scene.config.aim.active->size();
    CHECK(field.trace() == active);
    CHECK(field.trace() == 0);
    check_against_run(field, scene);

    scene.config.aim.heliostats[validation::mirror_name(2)].point = Vec3{0.5, 0.0, 22.0};
    for (const Aim& aim : resolve_aims(scene.config.aim, scene.scenario))
        if (aim.heliostat == 2) field.set_aim(aim);
    std::erase(*scene.config.aim.active, validation::mirror_name(5));
    field.set_inactive(5);
    const size_t traced = field.trace();
    CHECK(traced >= 1);
    CHECK(traced < active);
    CHECK(field.power(5) == 0.0);
    check_against_run(field, scene);

    scene.config.sun.position = validation::sun_at(200.0, 50.0);
    scene.config.sun.dni = 700.0;
    scene.config.optics.reflectivity = 0.8;
    field.set_sun(direction_to_sun(scene.config.sun, scene.scenario.position), 700.0);
    field.set_optics(scene.config.sun.shape.value(), scene.config.optics);
    CHECK(field.trace() == active - 1);
    check_against_run(field, scene);

    const auto mirror = test::bent_mirror(random);
    scene.scenario.heliostats[1].surface = mirror;
    field.set_surface(1, mirror);
    CHECK(field.trace() >= 1);
    check_against_run(field, scene);
}

TEST_CASE("A live field has the flux of each triangle of a mesh") {
    std::mt19937 random(4);
    validation::Scene scene = test::dense_scene(random);
    const auto mesh = [](double x) {
        return std::vector<MeshTriangle>{{{{x, 4, 18}, {x - 6, 4, 18}, {x - 6, 4, 26}}},
                                         {{{x, 4, 18}, {x - 6, 4, 26}, {x, 4, 27}}}};
    };
    scene.config.bitmap.filter = Filter::box;
    scene.scenario.receivers = {{"tower", std::nullopt}};
    scene.scenario.targets.push_back(
        {"tower_mesh", make_mesh(mesh(3.0), MeshTarget::Front::both), "tower"});
    scene.config.aim.target = "tower";
    LiveField field(scene.config, std::make_shared<const Scenario>(scene.scenario), 2);
    field.trace();
    check_against_run(field, scene);
}
