// SPDX-License-Identifier: MIT
// Aim points on receivers of several surfaces: against targets that stand alone, limits of single
// panels, exhaustive searches, ranks.
#include "raytracer/run/make_job.h"
#include "raytracer/solvers/aiming/model/aim_surface.h"
#include "raytracer/solvers/aiming/traced/limit_check.h"
#include "raytracer/solvers/aiming/traced/start.h"
#include "raytracer/solvers/aiming/traced/trace_images.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/files/error.h"
#include "scenario/receivers/add_receivers.h"
#include "scenario/types/vector_math.h"
#include "tests/distributed/rank_runner.h"
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numbers>

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;

namespace {

RunResult traced_again(const Plant& plant, const std::vector<AimedPoint>& points, uint64_t seed) {
    RunConfig config = with_points(plant.config, *plant.scenario, points);
    config.tracing.seed = seed;
    const auto job = make_job(config, *plant.scenario);
    TraceControl control;
    control.num_threads = 2;
    job->trace(0, job->num_units(), control);
    return job->result();
}

Plant polygon_plant(int count, int panels) {
    return make_plant(count,
                      {"receiver.type=polygon",
                       "receiver.panels=" + std::to_string(panels),
                       "receiver.radius_m=1.5",
                       "receiver.height_m=4"});
}

/// The heliostats of another plant, which aim at a receiver of this description.
Plant with_receiver(Plant plant, const ReceiverConfig& receiver) {
    Scenario changed = *plant.scenario;
    changed.targets.clear();
    changed.receivers.clear();
    add_receiver("receiver", receiver, changed);
    plant.scenario = std::make_shared<const Scenario>(std::move(changed));
    return plant;
}

Plant cavity_plant(int count) {
    ReceiverConfig cavity;
    cavity.type = ReceiverConfig::Type::cavity;
    cavity.center = {0.0, 0.0, 40.0};
    cavity.panels = 6;
    cavity.radius = 2.5;
    cavity.height = 5.0;
    cavity.aperture_width = 3.0;
    cavity.lip_top = 1.0;
    cavity.lip_bottom = 1.0;
    return with_receiver(plane_plant(count), cavity);
}

void check_kept(const Plant& plant, const AimingResult& result) {
    CAPTURE(result.violation, *result.worst_limit_share);
    CHECK(result.limits_kept);
    REQUIRE(result.power_bound);
    CHECK(*result.power_bound >= result.power);
    // New rays keep the limits, too.
    CHECK(check_limits(result.limits, {traced_again(plant, result.points, 7), {}}).kept);
}

}  // namespace

TEST_CASE("aim points on a receiver lie on the face, the panel or in the aperture") {
    ReceiverConfig billboard;
    billboard.type = ReceiverConfig::Type::billboard;
    billboard.center = {0.0, 0.0, 40.0};
    billboard.width = 6.0;
    billboard.height = 4.0;
    billboard.columns = 3;
    billboard.rows = 2;
    billboard.shield_width = 1.0;
    const auto surface_of = [](const Plant& plant) {
        const AimedPoint point = configured_points(plant.config, *plant.scenario).front();
        return aim_surface(*plant.scenario, point);
    };
    const auto extent_of = [&](const Plant& plant) { return surface_extent(surface_of(plant)); };
    for (const double tilt : {0.0, 0.3}) {
        billboard.tilt = tilt;
        const Plant plant = with_receiver(plane_plant(3), billboard);
        const Target face = surface_of(plant);
        CHECK(surface_extent(face)[0] == Approx(6.0).epsilon(1e-6));
        CHECK(surface_extent(face)[1] == Approx(4.0).epsilon(1e-6));
        CHECK(target_frame(face).axes[2][2] == Approx(-std::sin(tilt)).margin(1e-9));
        const AimedPoint point = configured_points(plant.config, *plant.scenario).front();
        CHECK(norm(subtract(usual_aim_point(*plant.scenario, point), billboard.center)) < 1e-9);
        CHECK(norm(subtract(point.aim.point, billboard.center)) < 1e-9);
    }
    const auto aperture = extent_of(cavity_plant(3));
    CHECK(aperture[0] == Approx(3.0).epsilon(1e-4));
    CHECK(aperture[1] == Approx(3.0).epsilon(1e-4));
    const auto panel = extent_of(polygon_plant(6, 8));
    CHECK(panel[0] == Approx(3.0 * std::sin(std::numbers::pi / 8.0)).epsilon(1e-6));
    CHECK(panel[1] == Approx(4.0));
    // A surface of a receiver that is named itself is the area of its aim points.
    Plant named = cavity_plant(3);
    named.config.aim.target = "receiver_panel_03";
    const auto own = extent_of(named);
    CHECK(own[1] == Approx(5.0).epsilon(1e-6));
}

TEST_CASE("a polygon of many panels brings what a cylinder brings") {
    Plant cylinder = cylinder_plant(40);
    cylinder.config.bitmap = {96, 16, Filter::box};
    Plant polygon = polygon_plant(40, 24);
    polygon.config.bitmap = {4, 16, Filter::box};
    // Without limits, and with one of a third of the peak.
    for (const double limit : {1e7, 60e3}) {
        cylinder.config.aiming.flux_limit = polygon.config.aiming.flux_limit = limit;
        const AimingResult one = aim(cylinder);
        const AimingResult many = aim(polygon);
        CAPTURE(limit, one.power, many.power, *one.power_bound, *many.power_bound);
        check_kept(cylinder, one);
        check_kept(polygon, many);
        CHECK(many.power == Approx(one.power).epsilon(0.02));
        CHECK(*many.gap() < 0.03);
        CHECK(many.power <= *one.power_bound * 1.01);
        CHECK(one.power <= *many.power_bound * 1.01);
    }
}

TEST_CASE("a receiver of one panel is aimed at like a plane") {
    Plant plane = plane_plant(16);
    ReceiverConfig single;
    single.type = ReceiverConfig::Type::surfaces;
    single.surfaces = plane.scenario->targets;
    single.surfaces[0].name = "face";
    Plant panel = with_receiver(plane, single);
    for (const double limit : {1e7, 100e3}) {
        plane.config.aiming.flux_limit = panel.config.aiming.flux_limit = limit;
        const AimingResult alone = aim(plane);
        const AimingResult of_receiver = aim(panel);
        CAPTURE(limit, alone.power, of_receiver.power, *alone.gap(), *of_receiver.gap());
        check_kept(panel, of_receiver);
        CHECK(of_receiver.power == Approx(alone.power).epsilon(0.01));
        CHECK(of_receiver.power <= *alone.power_bound * 1.005);
        CHECK(alone.power <= *of_receiver.power_bound * 1.005);
    }
}

TEST_CASE("every panel keeps its own limit") {
    Plant plant = polygon_plant(60, 8);
    const auto table =
        std::filesystem::temp_directory_path() / fmt::format("helioray_panels_{}.csv", ::getpid());
    std::ofstream(table) << "target,flux_limit_kw_m2\nreceiver,110\nreceiver_panel_01,60\n"
                            "receiver_panel_04,80\n";
    plant.config.aiming.flux_limit_file = table;
    const AimingResult result = aim(plant);
    std::filesystem::remove(table);
    check_kept(plant, result);
    REQUIRE(result.limits.size() == 8);
    for (const LimitMap& map : result.limits) {
        const double expected = map.target == "receiver_panel_01"   ? 60e3
                                : map.target == "receiver_panel_04" ? 80e3
                                                                    : 110e3;
        for (const double limit : map.limit) CHECK(limit == Approx(expected));
    }
    CHECK(*result.worst_limit_share > 0.9);
    CHECK(*result.gap() < 0.05);
}

TEST_CASE("a cavity keeps a limit on its wall, and strategies aim into its aperture") {
    Plant plant = cavity_plant(30);
    plant.config.aiming.strategy = AimingConfig::Strategy::center;
    const AimingResult center = aim(plant);
    CHECK(center.traces == 1);
    for (const auto rule : {AimingConfig::Strategy::equator,
                            AimingConfig::Strategy::image_size,
                            AimingConfig::Strategy::sigma}) {
        plant.config.aiming.strategy = rule;
        const AimingResult found = aim(plant);
        CHECK(found.power > 0.6 * center.power);
        for (const AimedPoint& point : found.points) {
            CHECK(std::abs(point.x) < 1.501);
            CHECK(std::abs(point.y) < 1.501);
        }
    }
    plant.config.aiming.strategy = AimingConfig::Strategy::optimize;
    plant.config.aiming.flux_limit = 0.6 * center.peak_flux;
    const AimingResult best = aim(plant);
    check_kept(plant, best);
    CHECK(best.power > 0.9 * center.power);
    CHECK(*best.gap() < 0.06);
    // The next position of the sun begins where this one ends.
    plant.config.sun.position = SunAngles{3.1, 0.92};
    const StepBefore before{best.points, best.limits, std::nullopt};
    const AimingResult next = aim_next(plant, before);
    check_kept(plant, next);
    CHECK(next.follows);
    CHECK(next.power == Approx(best.power).epsilon(0.05));
}

TEST_CASE("no aim points of an exhaustive search exceed the bound") {
    for (const bool is_cavity : {false, true}) {
        Plant plant = is_cavity ? cavity_plant(2) : polygon_plant(2, 5);
        plant.config.bitmap = {8, 8, Filter::box};
        plant.config.tracing.rays_per_heliostat = 100'000;
        plant.config.aiming.strategy = AimingConfig::Strategy::center;
        const AimingResult center = aim(plant);
        plant.config.aiming.strategy = AimingConfig::Strategy::optimize;
        plant.config.aiming.flux_limit = 0.8 * center.peak_flux;
        const AimingResult found = aim(plant);
        check_kept(plant, found);
        // Each heliostat is off or at one of nine points.
        double most = 0.0;
        for (int state = 1; state < 100; ++state) {
            std::vector<AimedPoint> points = center.points;
            for (size_t i = 0; i < points.size(); ++i) {
                const int own = i == 0 ? state % 10 : state / 10;
                points[i].active = own > 0;
                const Target surface = aim_surface(*plant.scenario, points[i]);
                const auto [width, height] = surface_extent(surface);
                points[i].aim.point =
                    surface_point(surface,
                                  (own - 1) % 3 * 0.35 * width - 0.35 * width,
                                  (own - 1) / 3 % 3 * 0.35 * height - 0.35 * height);
            }
            const RunResult traced = traced_again(plant, points, 5);
            if (check_limits(found.limits, {traced, {}}).most_errors > 0.0) continue;
            most = std::max(most, power_on_targets(traced));
        }
        CAPTURE(is_cavity, most, found.power, *found.power_bound);
        CHECK(most > 0.0);
        CHECK(most <= *found.power_bound);
        CHECK(found.power >= 0.99 * most);
    }
}

TEST_CASE("room for aim errors on a receiver is refused by name") {
    Plant plant = polygon_plant(6, 8);
    plant.config.aiming.robust_sigma = 2.0;
    CHECK_THROWS_AS(aim(plant), InputError);
}

TEST_CASE("two ranks choose the aim points on a receiver that one chooses") {
    const auto output = [](int size) {
        const auto ranks = run_world(size, {"receiver"});
        for (const RankResult& rank : ranks) {
            CAPTURE(size, rank.output);
            CHECK(rank.exit_code == 0);
        }
        return ranks[0].output;
    };
    const std::string one = output(1);
    CHECK(!one.empty());
    CHECK(output(2) == one);
}
