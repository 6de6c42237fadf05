// SPDX-License-Identifier: MIT
// Tutorial 09: a field that is prepared once and follows changes. It lowers the peak of the flux by
// moving one aim point at a time.
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "raytracer/tracing/physical/traced_field.h"
#include "scenario/config/reader.h"
#include "scenario/reader/scenario_reader.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

using namespace helioray;
using namespace helioray::physical;

namespace {

/// The brightest pixel of all targets, W/m2.
double peak_flux(const Field& field, const TracedField& traced) {
    double peak = 0.0;
    for (size_t t = 0; t < field.targets().size(); ++t) {
        const auto flux = traced.flux(t);
        const auto brightest = static_cast<double>(*std::max_element(flux.begin(), flux.end()));
        peak = std::max(peak, brightest * field.flux_per_quantum(t));
    }
    return peak;
}

/// The power that all heliostats deliver, W.
double power(const Field& field, const TracedField& traced) {
    double quanta = 0.0;
    for (const AimedHeliostat& one : field.aimed())
        quanta += static_cast<double>(traced.delivered(one.heliostat));
    return quanta / field.quanta_per_watt();
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s CONFIG.yaml\n", argv[0]);
        return 2;
    }
    // 1. Prepare the field once. The sums of heliostats are kept apart, so that each can be
    // replaced.
    RunConfig config = read_run_config(argv[1]);
    config.output.per_heliostat = true;
    config.tracing.rays_per_heliostat = 20'000;
    config.bitmap = {48, 48, Filter::bilinear};
    const Scenario scenario = read_scenario(config.scenario);
    PreparedField field(config, scenario);

    // 2. The first trace covers the whole field. From then on the sums follow changes.
    const kernels::CpuOptions options;
    TracedField traced(field.field());
    traced.follow({.everything = true, .heliostats = {}}, options);
    const double first_power = power(field.field(), traced);
    double peak = peak_flux(field.field(), traced);
    std::printf("all at their first aim points: peak %.0f W/m2, %.0f W\n", peak, first_power);

    // 3. Each heliostat in turn tries aim points around its own. A trial that lowers the peak and
    // keeps 99 % of the power is accepted.
    std::vector<Aim> aims = resolve_aims(config.aim, scenario);
    int trials = 0;
    size_t heliostats_traced = 0;
    const auto follow = [&](const Aim& aim) {
        field.set_aim(aim);
        heliostats_traced += traced.follow(field.update(), options);
    };
    const auto start = std::chrono::steady_clock::now();
    for (const double step : {0.8, 0.4, 0.2}) {
        for (Aim& aim : aims) {
            const TargetFrame frame = target_frame(scenario.targets[aim.target]);
            for (const Vec3& direction : {Vec3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}}) {
                const Aim before = aim;
                const Vec3 way = frame.direction_to_world(direction);
                for (size_t i = 0; i < 3; ++i) aim.point[i] += step * way[i];
                follow(aim);
                ++trials;
                const double now = peak_flux(field.field(), traced);
                if (now < peak && power(field.field(), traced) > 0.99 * first_power) {
                    peak = now;
                    continue;
                }
                aim = before;
                follow(aim);
            }
        }
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf(
        "after %d trials: peak %.0f W/m2, %.0f W\n", trials, peak, power(field.field(), traced));
    std::printf("%zu heliostats traced again, %.1f ms for each trial\n",
                heliostats_traced,
                1e3 * seconds.count() / trials);

    // 4. A new field with the final aim points has the same integers.
    for (const Aim& aim : aims) {
        HeliostatAim& wanted = config.aim.heliostats[scenario.heliostats[aim.heliostat].name];
        wanted.target = scenario.targets[aim.target].name;
        wanted.point = aim.point;
    }
    const PreparedField anew(config, scenario);
    TracedField traced_anew(anew.field());
    traced_anew.follow({.everything = true, .heliostats = {}}, options);
    const bool same = traced_anew.sums() == traced.sums();
    std::printf("%s\n", same ? "equal to a field made anew, bit for bit" : "DIFFERENT");
    return same ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
