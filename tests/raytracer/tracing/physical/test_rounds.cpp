// SPDX-License-Identifier: MIT
// Rounds: how rays are cut, when a run may stop, and what its result is worth then.
#include "raytracer/run/make_job.h"
#include "raytracer/tracing/physical/plan.h"
#include "raytracer/tracing/physical/sums.h"
#include "scenario/config/checks/checks.h"
#include "tests/raytracer/tracing/physical/physical_support.h"

#include <cmath>
#include <set>
#include <utility>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::physical;

namespace {

/// A third of the beam misses the wall: its power is uncertain.
RunConfig spilling_config() {
    RunConfig config = wall_config();
    config.sun.shape = GaussianShape{5e-3};
    config.optics.slope_error = GaussianShape{3e-3};
    config.tracing.sampling = Sampling::random;
    return config;
}

}  // namespace

TEST_CASE("rounds double the rays and never exceed the limit") {
    for (const int64_t rays :
         {8LL, 100LL, 300LL, 1000LL, 50'000LL, 1'000'000LL, 123'456'789LL, 1'000'000'000'000LL}) {
        INFO(rays);
        PlanRequest request;
        request.targets = {0, 0, 1};
        request.rays = rays;
        request.num_pixels = 64 * 64;
        request.in_rounds = true;
        const Plan plan = make_plan(request);
        CHECK(plan.rays_per_heliostat <= rays);
        CHECK(plan.rays_per_heliostat >= rays / 2);
        REQUIRE(plan.round_ends.size() == plan.round_rays.size());
        CHECK(plan.round_ends.back() == std::ssize(plan.units));
        CHECK(plan.round_rays.back() == plan.rays_per_heliostat);
        for (size_t round = 1; round < plan.round_rays.size(); ++round) {
            CHECK(plan.round_rays[round] == 2 * plan.round_rays[round - 1]);
        }
        CHECK(plan.units.size() < 20'000'000);

        // Every heliostat gets the same rays in every round, in pairs that nothing else uses.
        int64_t begin = 0;
        std::vector<int64_t> traced(3, 0);
        std::set<std::pair<int32_t, int32_t>> pairs;
        int64_t random_end = 0;
        for (size_t round = 0; round < plan.round_ends.size() && plan.units.size() < 10'000;
             ++round) {
            int64_t round_random_end = random_end;
            for (int64_t u = begin; u < plan.round_ends[round]; ++u) {
                const kernels::WorkUnit& unit = plan.units[static_cast<size_t>(u)];
                for (int32_t h = 0; h < unit.num_heliostats; ++h) {
                    traced[static_cast<size_t>(unit.first_heliostat + h)] +=
                        2 * unit.rays_per_block;
                    CHECK(pairs.emplace(unit.first_heliostat + h, unit.pair).second);
                }
                if (rays >= 512) CHECK(unit.rays_per_block % 32 == 0);
                // Random numbers of a block begin where the ray with its number times its size is.
                CHECK(2 * unit.pair * unit.rays_per_block >= random_end);
                round_random_end =
                    std::max(round_random_end, 2 * (unit.pair + 1) * unit.rays_per_block);
            }
            random_end = round_random_end;
            begin = plan.round_ends[round];
            for (const int64_t sum : traced) CHECK(sum == plan.round_rays[round]);
        }
    }
}

TEST_CASE("a plan stays small however many rays it has") {
    for (const size_t heliostats : {size_t{1}, size_t{700}, size_t{9000}}) {
        for (const bool in_rounds : {false, true}) {
            INFO(heliostats << " heliostats, in rounds: " << in_rounds);
            PlanRequest request;
            request.targets.assign(heliostats, 0);
            request.rays = kMostRaysOfField / static_cast<int64_t>(heliostats);
            request.num_pixels = 256 * 256;
            request.in_rounds = in_rounds;
            const Plan plan = make_plan(request);
            CHECK(plan.units.size() < 4'500'000);
            CHECK(plan.rays_per_heliostat > request.rays / 100 * 98);
        }
    }
    // Ordinary plans are those of blocks of at most half a million rays.
    PlanRequest request;
    request.targets.assign(1000, 0);
    request.rays = 100'000'000;
    const Plan plan = make_plan(request);
    CHECK(plan.rays_per_heliostat == 100'000'000);
    for (const kernels::WorkUnit& unit : plan.units) CHECK(unit.rays_per_block <= 500'000);
}

TEST_CASE("without rounds a plan has one, with exactly the rays that were asked for") {
    PlanRequest request;
    request.targets = {0};
    request.rays = 1'000'000;
    const Plan plan = make_plan(request);
    CHECK(plan.round_ends == std::vector<int64_t>{std::ssize(plan.units)});
    CHECK(plan.rays_per_heliostat == 1'000'000);
}

TEST_CASE("few rays fill bundles, many stay as they are") {
    PlanRequest request;
    request.targets.assign(10, 0);
    request.num_pixels = 64 * 64;
    for (int64_t rays = 1; rays < 5000; ++rays) {
        INFO(rays);
        request.rays = rays;
        request.full_bundles = false;
        const Plan exact = make_plan(request);
        request.full_bundles = true;
        const Plan filled = make_plan(request);
        REQUIRE(filled.rays_per_heliostat >= rays);
        if (filled.rays_per_heliostat == exact.rays_per_heliostat) continue;
        REQUIRE(rays >= 257);
        REQUIRE(rays <= 2072);
        REQUIRE(filled.rays_per_heliostat * 4 <= rays * 5);
        const int64_t block = filled.units.front().rays_per_block;
        REQUIRE(block % kernels::kRaysPerPoint == 0);
        const int64_t pairs = filled.rays_per_heliostat / (2 * block);
        REQUIRE(pairs >= 4);
        REQUIRE(pairs <= 7);
        // No more bundles than before.
        const int64_t bundles = (exact.units.front().rays_per_block + 31) / 32;
        REQUIRE(filled.rays_per_heliostat <= 8 * 32 * bundles);
    }
    request.rays = 300;
    CHECK(make_plan(request).rays_per_heliostat == 320);
    request.rays = 1000;
    CHECK(make_plan(request).rays_per_heliostat == 1000);
}

TEST_CASE("large units have as many rays as pixels, and the same pairs of every heliostat") {
    PlanRequest request;
    request.targets.assign(2500, 0);
    request.targets.resize(4000, 1);
    request.rays = 1000;
    request.num_pixels = 256 * 256;
    const Plan small = make_plan(request);
    request.large_units = true;
    const Plan large = make_plan(request);
    CHECK(large.rays_per_heliostat == small.rays_per_heliostat);
    CHECK(large.units.size() < small.units.size() / 8);
    std::set<std::pair<int32_t, int32_t>> pairs;
    for (const kernels::WorkUnit& unit : large.units) {
        for (int32_t h = unit.first_heliostat; h < unit.first_heliostat + unit.num_heliostats;
             ++h) {
            CHECK(request.targets[static_cast<size_t>(h)] == unit.target);
            CHECK(pairs.emplace(h, unit.pair).second);
        }
    }
    CHECK(pairs.size() == 4000 * 4);
    CHECK(Plan::rays(large.units.front()) >= request.num_pixels);

    // Where rays are many, units stay numerous.
    request.rays = 1'000'000;
    const size_t many = make_plan(request).units.size();
    request.large_units = false;
    CHECK(make_plan(request).units.size() == many);
}

TEST_CASE("errors are as uncertain as their pairs of blocks are few") {
    PlanRequest request;
    request.targets = {0};
    request.rays = 1000;
    CHECK(error_uncertainty(make_plan(request), 1000) == Approx(std::sqrt(1.0 / 8.0)));
    request.rays = 1'000'000;
    CHECK(error_uncertainty(make_plan(request), 1'000'000) == Approx(std::sqrt(1.0 / 32.0)));

    // Rounds: equal blocks count fully, larger ones for more than the small ones before them.
    request.in_rounds = true;
    const Plan plan = make_plan(request);
    double last = 1.0;
    for (const int64_t rays : plan.round_rays) {
        const double uncertainty = error_uncertainty(plan, rays);
        CHECK(uncertainty > 0.0);
        CHECK(uncertainty <= last * 1.01);
        last = uncertainty;
    }
    CHECK(error_uncertainty(plan, plan.round_rays.front()) == Approx(0.25));
    CHECK(error_uncertainty(plan, 0) == 0.0);
}

TEST_CASE("accuracy is that of the least certain target, and none where a target is dark") {
    using namespace kernels;
    std::vector<HeliostatRecord> heliostats(3);
    heliostats[0].target = heliostats[1].target = 0;
    heliostats[2].target = 4;
    const std::vector<TargetRecord> targets(5);
    FieldView field{};
    field.heliostats = heliostats.data();
    field.targets = targets.data();
    field.num_heliostats = 3;
    std::vector<int64_t> sums(3 * kNumEnergySums + 3, 0);
    sums[kDeliveredSum] = 600;
    sums[kNumEnergySums + kDeliveredSum] = 400;
    sums[2 * kNumEnergySums + kDeliveredSum] = 1000;
    int64_t* squares = sums.data() + 3 * kNumEnergySums;
    squares[0] = 45;
    squares[1] = 5;
    squares[2] = 200;
    const Accuracy accuracy = target_accuracy(sums.data(), field, 0.5);
    CHECK(accuracy.relative_error == Approx(0.02));
    CHECK(accuracy.target == size_t{4});
    CHECK(accuracy.is_reached(0.021));
    CHECK_FALSE(accuracy.is_reached(0.019));
    sums[2 * kNumEnergySums + kDeliveredSum] = 0;
    squares[2] = 0;
    const Accuracy dark = target_accuracy(sums.data(), field, 0.5);
    CHECK(dark.relative_error == Approx(0.01));
    CHECK_FALSE(dark.is_reached(0.5));
}

TEST_CASE("a loose wish stops early, and its result is as good as it says") {
    const Scenario scenario = wall_scenario(3, 2.0, 2.0);
    RunConfig config = spilling_config();
    config.tracing.rays_per_heliostat = 4'000'000;
    const RunResult truth = trace_all(*make_job(config, scenario), 2);
    CHECK_FALSE(truth.accuracy);
    const double expected = truth.targets[0].power_w;

    config.tracing.relative_error = 2e-3;
    for (const uint64_t seed : {1, 2, 3, 4, 5}) {
        config.tracing.seed = seed;
        const RunResult result = trace_rounds(*make_job(config, scenario));
        REQUIRE(result.accuracy);
        CHECK(result.accuracy->is_reached());
        CHECK(result.accuracy->target == "wall");
        CHECK(result.accuracy->rays_per_heliostat < 2'000'000);
        CHECK(result.accuracy->most_rays_per_heliostat > 3'900'000);
        CHECK(result.heliostats[0].rays == result.accuracy->rays_per_heliostat);
        CHECK(result.provenance.rays == 3 * result.accuracy->rays_per_heliostat);
        const TargetResult& wall = result.targets[0];
        CHECK(wall.power_std_error_w / wall.power_w == Approx(result.accuracy->reached));
        CHECK(result.accuracy->reached <= 2e-3);
        CHECK(result.accuracy->reached > 2e-4);
        CHECK(std::abs(wall.power_w - expected) <
              4.0 * std::hypot(wall.power_std_error_w, truth.targets[0].power_std_error_w));
        // Solar power is exact, and the terms add up.
        const EnergyTerms& energy = result.heliostats[1].energy;
        CHECK(energy.solar_power == Approx(truth.heliostats[1].energy.solar_power).epsilon(1e-6));
        CHECK(energy.cosine_loss + energy.spillage_loss + energy.target_power ==
              Approx(energy.solar_power).epsilon(1e-12));
    }
}

TEST_CASE("a tight wish uses all rays and reports what they gave") {
    const Scenario scenario = wall_scenario(2, 2.0, 2.0);
    RunConfig config = spilling_config();
    config.tracing.rays_per_heliostat = 20'000;
    config.tracing.relative_error = 1e-6;
    const auto job = make_job(config, scenario);
    const RunResult result = trace_rounds(*job);
    REQUIRE(result.accuracy);
    CHECK_FALSE(result.accuracy->is_reached());
    CHECK(result.accuracy->rays_per_heliostat == result.accuracy->most_rays_per_heliostat);
    CHECK(result.provenance.rays == job->num_rays());
    CHECK(result.accuracy->reached > 1e-6);
    CHECK(result.accuracy->reached < 0.05);
}

TEST_CASE("a target without power is traced to the end and then counts as reached") {
    const Scenario scenario = wall_scenario(1, 0.1, 2.0);
    RunConfig config = wall_config();
    config.aim.point = Vec3{30.0, 0.0, 0.0};
    config.tracing.rays_per_heliostat = 10'000;
    config.tracing.relative_error = 0.1;
    const RunResult result = trace_rounds(*make_job(config, scenario));
    REQUIRE(result.accuracy);
    CHECK(result.targets[0].power_w == 0.0);
    CHECK(result.accuracy->is_reached());
    CHECK(result.accuracy->target.empty());
    CHECK(result.accuracy->rays_per_heliostat == result.accuracy->most_rays_per_heliostat);
}
