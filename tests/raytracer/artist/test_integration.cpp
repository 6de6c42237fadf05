// SPDX-License-Identifier: MIT
// ARTIST's own integration cases: 10 random rays per point, 256 x 256 pixels, repeated heliostats,
// batches.
#include "tests/raytracer/artist/artist_measures.h"
#include "tests/raytracer/artist/artist_support.h"

#include <cmath>

using namespace helioray;
using namespace helioray::test;

namespace {

double share(int64_t count, const ArtistRow& row) {
    return static_cast<double>(count) / static_cast<double>(row.rays);
}

// The samples of one case in ARTIST's order: a heliostat as often as its mask says.
ArtistRun integration_run(const Scenario& scenario, const Json& groups) {
    ArtistRun run;
    run.blocking = false;
    run.batch_size = 10;
    for (const Json& group : groups) {
        size_t row = 0;
        for (size_t h = 0; h < group["names"].size(); ++h) {
            for (int n = 0; n < group["mask"][h].get<int>(); ++n, ++row) {
                ArtistSample sample;
                sample.heliostat = *scenario.find_heliostat(group["names"][h].get<std::string>());
                sample.target = group["target_index"][row].get<size_t>();
                sample.incident_direction = to_vec3(group["incident"][row]);
                run.samples.push_back(sample);
            }
        }
    }
    return run;
}

// Single pixels hold a few dozen rays here: rounding moves rays by fractions of a thousandth of a
// pixel.
void check_integration(const Scenario& scenario,
                       const Json& groups,
                       const std::string& unchecked = "") {
    ArtistRun run = integration_run(scenario, groups);
    RowBitmaps rows;
    rows.record(run);
    const ArtistResult result = trace_artist(scenario, run);
    rows.scale_all(result.scale);
    size_t index = 0;
    for (const Json& group : groups) {
        for (size_t k = 0; k < group["target_index"].size(); ++k, ++index) {
            INFO("row " << index);
            const ArtistRow& row = result.rows[index];
            if (scenario.heliostats[run.samples[row.sample].heliostat].name == unchecked) continue;
            const at::Tensor& bitmap = rows.bitmaps[index];
            CHECK(bitmap.sum().item<double>() ==
                  Approx(group["sum"][k].get<double>()).epsilon(1e-4).margin(1e-3));
            CHECK(bitmap.max().item<double>() ==
                  Approx(group["maximum"][k].get<double>()).epsilon(1e-3));
            const at::Tensor centre = artist::centre_of_mass(bitmap.unsqueeze(0)).select(0, 0);
            CHECK(max_difference(centre, group["centre_of_mass"][k]) < 0.01);
            CHECK(share(row.rays_on_target, row) ==
                  Approx(group["on_target"][k].get<double>()).margin(5e-5));
            const double tolerance = row.group == "rigid_body_linear" ? 0.1 : 1e-6;
            for (size_t axis = 0; axis < 2; ++axis) {
                CHECK(std::abs(row.motor_positions[axis] -
                               group["motor_positions"][k][axis].get<double>()) < tolerance);
            }
        }
    }
}

}  // namespace

TEST_CASE("artist integration: one heliostat four times") {
    const auto scenario = sample_scenario("test_scenario_stral_single_heliostat.h5");
    if (!scenario) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Json v = load_vectors("integration_alignment.json");
    check_integration(*scenario, v["test_scenario_stral_single_heliostat"]["groups"]);
}

TEST_CASE("artist integration: one heliostat on four targets") {
    const auto sample = sample_scenario("test_scenario_paint_four_heliostats.h5");
    if (!sample) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Json v = load_vectors("integration_alignment.json");
    check_integration(with_heliostats(*sample, {"AA39"}),
                      v["test_scenario_paint_single_heliostat"]["groups"]);
}

TEST_CASE("artist integration: prototype and individual surfaces mixed") {
    const auto fitted = sample_scenario("test_scenario_paint_four_heliostats.h5");
    const auto ideal = sample_scenario("test_scenario_paint_four_heliostats_ideal.h5");
    if (!fitted) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    // AA28 is flat there. AC43 has another surface than in this sample, but keeps its row of random
    // numbers.
    Scenario scenario = *fitted;
    const size_t first = *scenario.find_heliostat("AA28");
    scenario.heliostats[first].surface = ideal->heliostats[first].surface;
    const Json v = load_vectors("integration_alignment.json");
    check_integration(
        scenario, v["test_scenario_paint_mix_ideal_prototype_deflectometry"]["groups"], "AC43");
}

TEST_CASE("artist integration: blocking depends on the batch size, extinction scales") {
    const auto scenario = sample_scenario("test_blocking.h5");
    if (!scenario) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Json v = load_vectors("integration_alignment.json")["blocking_scene_10_rays_seed7"];
    const auto trace = [&](int64_t batch_size, double extinction) {
        ArtistRun run;
        for (size_t h = 0; h < 6; ++h) {
            run.samples.push_back(
                {h, *scenario->find_target("target_0"), {0, 1, 0}, std::nullopt, std::nullopt});
        }
        run.batch_size = batch_size;
        run.extinction = extinction;
        return trace_artist(*scenario, run);
    };
    const auto sum = [](const ArtistResult& result, size_t row) {
        return static_cast<double>(result.rows[row].bitmap_sum) / result.scale;
    };
    for (const int64_t batch_size : {10, 1}) {
        INFO("batch size " << batch_size);
        const Json& expected = v["batch_size_" + std::to_string(batch_size)];
        const ArtistResult result = trace(batch_size, 0.0);
        for (size_t k = 0; k < 6; ++k) {
            INFO("heliostat_" << k);
            const ArtistRow& row = result.rows[k];
            CHECK(sum(result, k) ==
                  Approx(expected["sum"][k].get<double>()).epsilon(1e-4).margin(0.1));
            CHECK(share(row.rays_on_target, row) ==
                  Approx(expected["on_target"][k].get<double>()).margin(5e-5));
            CHECK(share(row.rays_intercepted, row) ==
                  Approx(expected["intercept"][k].get<double>()).margin(5e-5));
            CHECK(share(row.rays_unblocked, row) ==
                  Approx(expected["blocking_factor"][k].get<double>()).margin(5e-5));
        }
    }
    const ArtistResult dimmed = trace(10, 0.9);
    for (size_t k = 0; k < 6; ++k) {
        CHECK(sum(dimmed, k) ==
              Approx(v["extinction_0p9_sum"][k].get<double>()).epsilon(1e-4).margin(0.01));
    }
}
