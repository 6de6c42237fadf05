// SPDX-License-Identifier: MIT
// Prints what aiming a configuration takes and brings: bench_aiming CONFIG [key=value...].
#include "raytracer/run/prepare.h"
#include "raytracer/solvers/aiming/aim_field.h"
#include "scenario/config/reader.h"

#include <chrono>
#include <cstdio>
#include <ctime>

using namespace helioray;

namespace {

AimingConfig::Strategy strategy_of(const std::string& name) {
    using Strategy = AimingConfig::Strategy;
    if (name == "center") return Strategy::center;
    if (name == "equator") return Strategy::equator;
    if (name == "image_size") return Strategy::image_size;
    if (name == "sigma") return Strategy::sigma;
    return Strategy::optimize;
}

}  // namespace

int main(int argc, char** argv) {
    Overrides replaced;
    std::string strategy = "optimize";
    double limit = 0.0;
    for (int i = 2; i < argc; ++i) {
        const std::string word = argv[i];
        if (word.starts_with("strategy="))
            strategy = word.substr(9);
        else if (word.starts_with("limit="))
            limit = std::stod(word.substr(6)) * 1000.0;
        else
            replaced.set.push_back(word);
    }
    RunConfig config = read_run_config(argv[1], replaced);
    config.aiming.strategy = strategy_of(strategy);
    if (limit > 0.0) config.aiming.flux_limit = limit;
    const std::clock_t begin = std::clock();
    run::Session session([&] { return run::prepare(config); });
    if (const auto result = aiming::aim_field(session)) {
        for (const aiming::Round& round : result->rounds)
            std::printf("round: %4d iterations, power %.4f MW, bound %.4f MW, worst %.5f, %.2f s\n",
                        round.iterations,
                        round.power * 1e-6,
                        round.bound * 1e-6,
                        round.worst_limit_share,
                        round.seconds);
        std::printf(
            "%s: power %.4f MW, peak %.1f kW/m2, gap %.4f, worst %.5f +- %.5f, off %ld, "
            "traces %ld, kept %d %s\n",
            strategy.c_str(),
            result->power * 1e-6,
            result->peak_flux * 1e-3,
            result->gap().value_or(-1.0),
            result->worst_limit_share.value_or(0.0),
            result->worst_limit_share_std_error.value_or(0.0),
            static_cast<long>(result->heliostats_off),
            static_cast<long>(result->traces),
            result->limits_kept ? 1 : 0,
            result->violation.c_str());
    }
    session.close();
    std::printf("CPU %.2f s\n", static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
}
