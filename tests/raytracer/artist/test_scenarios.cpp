// SPDX-License-Identifier: MIT
// Whole traces of ARTIST's sample scenarios without distortions: bitmaps, factors, alignment.
#include "raytracer/artist/surface.h"
#include "tests/raytracer/artist/artist_measures.h"
#include "tests/raytracer/artist/artist_support.h"

#include <cmath>

using namespace helioray;
using namespace helioray::test;

namespace {

// The run that the vectors of one case describe, group after group.
ArtistRun make_run(const Scenario& scenario, const Json& groups) {
    ArtistRun run;
    run.bitmap_width = run.bitmap_height = 32;
    run.blocking = false;
    for (const auto& [key, group] : groups.items()) {
        for (size_t k = 0; k < group["heliostats"].size(); ++k) {
            ArtistSample sample;
            sample.heliostat = *scenario.find_heliostat(group["heliostats"][k].get<std::string>());
            sample.target = group["targets"][k].get<size_t>();
            sample.incident_direction = to_vec3(group["incident"][k]);
            run.samples.push_back(sample);
        }
    }
    return run;
}

double factor(int64_t count, const ArtistRow& row) {
    return static_cast<double>(count) / static_cast<double>(row.rays);
}

void check_row(const Json& group,
               size_t k,
               const ArtistRow& row,
               const at::Tensor& bitmap,
               double peak_tolerance) {
    const double peak = group["maximum"][k].get<double>();
    const double tolerance = 1e-4 * peak + 1e-6;
    CHECK(bitmap.sum().item<double>() ==
          Approx(group["sum"][k].get<double>()).epsilon(1e-4).margin(1e-3));
    CHECK(bitmap.max().item<double>() == Approx(peak).epsilon(peak_tolerance));
    if (!group["bitmaps"].is_null()) CHECK(max_difference(bitmap, group["bitmaps"][k]) < tolerance);
    const at::Tensor centre = artist::centre_of_mass(bitmap.unsqueeze(0)).select(0, 0);
    CHECK(max_difference(centre, group["centre_of_mass_e_u"][k]) < 2e-3);
    const double motor_tolerance = row.group == "rigid_body_linear" ? 0.1 : 1e-6;
    for (size_t axis = 0; axis < 2; ++axis) {
        CHECK(std::abs(row.motor_positions[axis] -
                       group["motor_positions"][k][axis].get<double>()) < motor_tolerance);
    }
    // Counts may differ where rounding decides about single rays.
    CHECK(factor(row.rays_on_target, row) ==
          Approx(group["on_target"][k].get<double>()).margin(2e-4));
    CHECK(factor(row.rays_intercepted, row) ==
          Approx(group["intercept"][k].get<double>()).margin(2e-4));
    CHECK(factor(row.rays_unblocked, row) ==
          Approx(group["blocking_factor"][k].get<double>()).margin(2e-4));
}

void check_case(const Scenario& scenario,
                const Json& groups,
                ArtistRun run,
                double peak_tolerance = 1e-4) {
    RowBitmaps rows;
    rows.record(run);
    const ArtistResult result = trace_artist(scenario, run);
    rows.scale_all(result.scale);
    size_t row = 0;
    for (const auto& [key, group] : groups.items()) {
        for (size_t k = 0; k < group["heliostats"].size(); ++k, ++row) {
            INFO(key << " " << group["heliostats"][k]);
            CHECK(scenario.heliostats[run.samples[result.rows[row].sample].heliostat].name ==
                  group["heliostats"][k].get<std::string>());
            check_row(group, k, result.rows[row], rows.bitmaps[row], peak_tolerance);
        }
    }
    CHECK(row == result.rows.size());
    CHECK(result.complete);
}

}  // namespace

TEST_CASE("artist scenarios: four heliostats, two groups") {
    const auto sample = sample_scenario("test_scenario_paint_four_heliostats.h5");
    if (!sample) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Scenario scenario = without_distortions(*sample);
    const Json v = load_vectors("scenario_flux_deterministic.json");
    for (const char* name : {"paint_four_heliostats_to_receiver_from_south",
                             "paint_four_heliostats_to_multi_focus_tower_calibration_sun"}) {
        INFO(name);
        check_case(scenario, v[name], make_run(scenario, v[name]));
    }
}

TEST_CASE("artist scenarios: one ideal heliostat, four suns") {
    const auto sample = sample_scenario("single_heliostat_scenario.h5");
    if (!sample) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Scenario scenario = without_distortions(*sample);
    const Json v = load_vectors("scenario_flux_deterministic.json");
    for (const char* sun : {"south", "east", "west", "above"}) {
        INFO(sun);
        const Json& groups = v["single_heliostat_planar_sun_" + std::string(sun)];
        check_case(scenario, groups, make_run(scenario, groups));
    }
}

TEST_CASE("artist scenarios: blocking on, off and with irradiance") {
    const auto sample = sample_scenario("test_blocking.h5");
    if (!sample) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Scenario scenario = without_distortions(*sample);
    const Json v = load_vectors("scenario_flux_deterministic.json");

    const Json& off = v["blocking_scene_target_0_blocking_off"];
    check_case(scenario, off, make_run(scenario, off));

    const Json& on = v["blocking_scene_target_0_blocking_on"];
    ArtistRun run = make_run(scenario, on);
    run.blocking = true;
    check_case(scenario, on, run);

    const Json& with_dni = v["blocking_scene_target_0_blocking_on_dni_800"];
    run.dni = 800.0;
    check_case(scenario, with_dni, run);
}

TEST_CASE("artist scenarios: random rays of seed 7") {
    const auto sample = sample_scenario("test_scenario_paint_four_heliostats.h5");
    if (!sample) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Scenario scenario = with_heliostats(*sample, {"AA39"});
    const Json v = load_vectors("scenario_flux_random_seed7.json");
    for (const char* target : {"multi_focus_tower", "receiver"}) {
        INFO(target);
        const Json& groups = v["AA39_flux_10_rays_seed7_32x32"][target];
        check_case(scenario, groups, make_run(scenario, groups));
    }
    const Json& fine = v["AA39_multi_focus_tower_256"];
    ArtistRun run = make_run(scenario, fine);
    run.bitmap_width = run.bitmap_height = 256;
    Json with_null = fine;
    with_null["group_0"]["bitmaps"] = nullptr;
    // A pixel holds two dozen rays here; rounding moves each by up to a thousandth of a pixel.
    check_case(scenario, with_null, run, 5e-4);
}

TEST_CASE("artist scenarios: aligned points and normals") {
    const auto sample = sample_scenario("test_scenario_paint_four_heliostats.h5");
    if (!sample) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Json v = load_vectors("scenario_flux_deterministic.json");
    const Json& groups = v["paint_four_heliostats_to_receiver_from_south"];
    ArtistRun run = make_run(*sample, groups);
    run.rows = ArtistRows{0, 0};
    const ArtistResult result = trace_artist(*sample, run);
    artist::SurfaceStore surfaces(*sample, {50, 50});
    size_t row = 0;
    for (const auto& [key, group] : groups.items()) {
        for (size_t k = 0; k < 2; ++k, ++row) {
            const auto& entries = result.rows[row].orientation;
            const at::Tensor orientation =
                at::tensor(at::ArrayRef<double>(entries.data(), 16), at::kFloat).reshape({4, 4});
            const artist::SurfacePoints flat =
                surfaces.sample(run.samples[result.rows[row].sample].heliostat);
            const at::Tensor points = flat.points.matmul(orientation.t());
            const at::Tensor normals = flat.normals.matmul(orientation.t());
            CHECK(max_difference(points.select(0, 0), group["first_point"][k]) < 1e-5);
            CHECK(max_difference(points.select(0, 5050), group["mid_point"][k]) < 1e-5);
            CHECK(max_difference(normals.select(0, 0), group["first_normal"][k]) < 2e-6);
        }
    }
}
