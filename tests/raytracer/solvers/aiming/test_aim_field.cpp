// SPDX-License-Identifier: MIT
// Aim points of traced fields: strategies, limits, verification, what cannot be met.
#include "raytracer/run/make_job.h"
#include "raytracer/solvers/aiming/traced/limit_check.h"
#include "raytracer/solvers/aiming/traced/trace_images.h"
#include "scenario/files/error.h"
#include "tests/distributed/rank_runner.h"
#include "tests/raytracer/solvers/aiming/plant.h"
#include "tests/support/catch2.h"

using namespace helioray;
using namespace helioray::aiming;
using namespace helioray::test;
using Strategy = AimingConfig::Strategy;

namespace {

double power_of(const RunResult& result) {
    double power = 0.0;
    for (const TargetResult& target : result.targets) power += target.power_w;
    return power;
}

/// The same aim points, traced with other random numbers.
RunResult traced_again(const Plant& plant, const AimingResult& result, uint64_t seed) {
    RunConfig config = with_points(plant.config, *plant.scenario, result.points);
    config.tracing.seed = seed;
    const auto job = make_job(config, *plant.scenario);
    TraceControl control;
    control.num_threads = 2;
    job->trace(0, job->num_units(), control);
    return job->result();
}

}  // namespace

TEST_CASE("strategy center traces the configuration") {
    Plant plant = cylinder_plant(60);
    plant.config.aiming.strategy = Strategy::center;
    const AimingResult result = aim(plant);
    const auto job = make_job(plant.config, *plant.scenario);
    TraceControl control;
    job->trace(0, job->num_units(), control);
    CHECK(result.after.provenance.fingerprint == fingerprint(job->fingerprinted_sums()));
    CHECK(result.power == Approx(power_of(job->result())));
    CHECK(!result.worst_limit_share);
    CHECK(!result.power_bound);
    CHECK(result.limits_kept);
    CHECK(result.traces == 1);
}

TEST_CASE("rules lower the peak, and the optimum under a limit beats each of them") {
    for (const bool cylinder : {true, false}) {
        Plant plant = cylinder ? cylinder_plant(150) : plane_plant(100);
        plant.config.aiming.strategy = Strategy::center;
        const AimingResult center = aim(plant);
        // 34 % and 5 % of the peak without limits.
        plant.config.aiming.flux_limit = cylinder ? 113'088.0 : 129'280.0;
        plant.config.aiming.strategy = Strategy::optimize;
        const AimingResult best = aim(plant);
        CAPTURE(cylinder, center.peak_flux, best.peak_flux, best.violation);
        CHECK(best.limits_kept);
        CHECK(best.violation.empty());
        REQUIRE(best.power_bound);
        CHECK(*best.power_bound >= best.power - 3.0 * best.power_std_error);
        CHECK(*best.gap() < 0.02);
        CHECK(*best.worst_limit_share <= 1.0 + 3.0 * *best.worst_limit_share_std_error);
        CHECK(best.power <= center.power * 1.01);
        REQUIRE(best.limits.size() == 1);
        CHECK(best.limits[0].limit.size() == 24 * 16);
        double price = 0.0;
        for (const double p : best.limits[0].price) {
            CHECK(p >= 0.0);
            price += p;
        }
        CHECK(price > 0.0);
        // Rays of their own hold the limits too.
        CHECK(check_limits(best.limits, {traced_again(plant, best, 7), {}}).kept);

        for (const Strategy rule : {Strategy::equator, Strategy::sigma, Strategy::image_size}) {
            plant.config.aiming.strategy = rule;
            const AimingResult other = aim(plant);
            CHECK(!other.power_bound);
            if (rule != Strategy::equator) {
                CHECK(other.peak_flux < 0.97 * center.peak_flux);
            }
            if (*other.worst_limit_share <= 1.0) {
                CHECK(other.power <= best.power * 1.005);
            }
        }
    }
}

TEST_CASE("a limit that does not bind gives what center gives, or more") {
    Plant plant = cylinder_plant(60);
    plant.config.aiming.flux_limit = 1e8;
    const AimingResult result = aim(plant);
    CHECK(result.limits_kept);
    CHECK(result.heliostats_off == 0);
    CHECK(result.power >= power_of(result.before));
    CHECK(*result.gap() < 0.01);
    for (const double price : result.limits[0].price) CHECK(price == 0.0);
}

TEST_CASE("a limit far below the flux turns heliostats off, or says that it cannot be met") {
    Plant plant = cylinder_plant(60);
    plant.config.aiming.strategy = Strategy::center;
    const double peak = aim(plant).peak_flux;
    plant.config.aiming.strategy = Strategy::optimize;
    plant.config.aiming.flux_limit = 0.12 * peak;
    const AimingResult some = aim(plant);
    CAPTURE(some.heliostats_off, some.violation);
    CHECK(some.heliostats_off > 5);
    CHECK(some.heliostats_off < 60);
    CHECK(some.limits_kept);
    CHECK(*some.power_bound >= some.power);
    plant.config.aiming.flux_limit = 1.0;
    const AimingResult none = aim(plant);
    CHECK(!none.limits_kept);
    CHECK_THAT(none.violation,
               ContainsSubstring("even one heliostat alone") && ContainsSubstring("receiver"));
    CHECK(none.heliostats_off == 59);
}

TEST_CASE("aim points do not depend on threads") {
    Plant plant = cylinder_plant(80);
    plant.config.aiming.flux_limit = 100e3;
    const AimingResult one = aim(plant, 1), three = aim(plant, 3);
    REQUIRE(one.points.size() == three.points.size());
    for (size_t i = 0; i < one.points.size(); ++i) {
        CHECK(one.points[i].aim.point == three.points[i].aim.point);
        CHECK(one.points[i].active == three.points[i].active);
    }
    CHECK(one.after.provenance.fingerprint == three.after.provenance.fingerprint);
    CHECK(*one.power_bound == *three.power_bound);
}

TEST_CASE("several targets of different shapes share a field") {
    Plant plant = cylinder_plant(80);
    Scenario scenario = *plant.scenario;
    DiscTarget disc;
    disc.center = {0.0, 3.0, 25.0};
    disc.radius = 2.0;
    scenario.targets.push_back({"lower", disc});
    for (size_t i = 0; i < scenario.heliostats.size(); ++i)
        if (scenario.heliostats[i].position[1] > 20.0)
            plant.config.aim.heliostats[scenario.heliostats[i].name].target = "lower";
    plant.scenario = std::make_shared<const Scenario>(std::move(scenario));
    plant.config.aiming.flux_limit = 80e3;
    const AimingResult result = aim(plant);
    REQUIRE(result.limits.size() == 2);
    REQUIRE(result.after.targets.size() == 2);
    CAPTURE(result.violation, result.heliostats_off);
    CHECK(result.limits_kept);
    CHECK(*result.power_bound >= result.power);
    CHECK(result.power > 0.5 * power_of(result.before));
    for (const AimedPoint& point : result.points)
        if (point.aim.target == 1) CHECK(std::hypot(point.x, point.y) <= 2.0 + 1e-9);
}

TEST_CASE("two ranks choose what one chooses") {
    const auto lines = [](int size) {
        const auto ranks = run_world(size, {"aim"});
        for (const RankResult& rank : ranks) {
            CAPTURE(size, rank.output);
            CHECK(rank.exit_code == 0);
        }
        return ranks[0].output;
    };
    const std::string one = lines(1);
    CHECK_THAT(one, ContainsSubstring("fingerprint"));
    CHECK(lines(2) == one);
}

TEST_CASE("ranks wait for a solver that takes longer than the time-out") {
    for (const RankResult& rank : run_world(2, {"late_points"})) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 0);
        CHECK_THAT(rank.output, ContainsSubstring("shared 3"));
    }
}

TEST_CASE("robust limits leave room for tracking errors") {
    Plant plant = cylinder_plant(150);
    plant.config.aiming.flux_limit = 125e3;
    plant.config.optics.tracking_error = 1e-3;
    const AimingResult plain = aim(plant);
    plant.config.aiming.robust_sigma = 2.0;
    const AimingResult robust = aim(plant);
    CHECK(robust.limits_kept);
    CHECK(*robust.worst_limit_share < *plain.worst_limit_share);
    CHECK(robust.power < plain.power);
    // Without the room the same prices give the bound of the plain limits (weak duality).
    CHECK(!plain.robust_price);
    REQUIRE(robust.robust_price);
    CHECK(*robust.robust_price > 0.0);
    CHECK(plain.power < 1.001 * (*robust.power_bound + *robust.robust_price));
    // Other errors of the same size: the mean plus two standard deviations stays below the limit in
    // most cells, the mean alone does not.
    const auto above = [&](const AimingResult& result) {
        size_t count = 0;
        for (uint64_t seed = 100; seed < 108; ++seed) {
            const RunResult again = traced_again(plant, result, seed);
            for (const double flux : again.targets[0].flux) count += flux > 125e3 ? 1 : 0;
        }
        return count;
    };
    CHECK(2 * above(robust) < above(plain));
}

TEST_CASE("other draws of the errors exceed binding limits as often as robust_sigma says") {
    constexpr double kLimit = 100e3;
    Plant plant = cylinder_plant(150);
    plant.config.aiming.flux_limit = kLimit;
    plant.config.aiming.robust_sigma = 2.0;
    plant.config.optics.tracking_error = 1e-3;
    size_t above = 0, all = 0;
    for (const uint64_t drawn : {1, 2, 3}) {
        plant.config.tracing.seed = drawn;
        const AimingResult planned = aim(plant);
        for (uint64_t seed = 100; seed < 106; ++seed) {
            const RunResult again = traced_again(plant, planned, 10 * seed + drawn);
            for (size_t p = 0; p < planned.limits[0].price.size(); ++p) {
                if (planned.limits[0].price[p] == 0.0) continue;
                ++all;
                above += again.targets[0].flux[p] > kLimit ? 1 : 0;
            }
        }
    }
    // Two standard deviations of the difference of two draws: 2.3 % beyond. Room for one draw alone
    // leaves 5 %.
    const double share = static_cast<double>(above) / static_cast<double>(all);
    CAPTURE(above, all, share);
    REQUIRE(all > 1000);
    CHECK(share < 0.0228);
    CHECK(share > 0.001);
}

TEST_CASE("model artist is refused") {
    Plant plant = cylinder_plant(4);
    plant.config.tracing.model = Model::artist;
    CHECK_THROWS_AS(aim(plant), InputError);
}
