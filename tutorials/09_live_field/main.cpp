// SPDX-License-Identifier: MIT
// Tutorial 09: a field that is prepared once and follows changes. It lowers the peak of the flux by
// moving one aim point at a time.
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/physical/live_field.h"
#include "scenario/config/reader.h"
#include "scenario/reader/scenario_reader.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

using namespace helioray;
using physical::LiveField;

namespace {

/// The brightest pixel of all targets, W/m2.
double peak_flux(const Scenario& scenario, const LiveField& field) {
    double peak = 0.0;
    for (size_t t = 0; t < scenario.targets.size(); ++t)
        peak = std::max(peak, std::ranges::max(field.flux(t)));
    return peak;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s CONFIG.yaml\n", argv[0]);
        return 2;
    }
    // 1. Prepare the field once.
    RunConfig config = read_run_config(argv[1]);
    config.tracing.rays_per_heliostat = 20'000;
    config.bitmap = {48, 48, Filter::bilinear};
    const auto scenario = std::make_shared<const Scenario>(read_scenario(config));
    LiveField field(config, scenario);

    // 2. The first trace covers the whole field. From then on the flux follows changes.
    field.trace();
    const double first_power = field.power();
    double peak = peak_flux(*scenario, field);
    std::printf("all at their first aim points: peak %.0f W/m2, %.0f W\n", peak, first_power);

    // 3. Each heliostat in turn tries aim points around its own. A trial that lowers the peak and
    // keeps 99 % of the power is accepted.
    std::vector<Aim> aims = resolve_aims(config.aim, *scenario);
    int trials = 0;
    size_t heliostats_traced = 0;
    const auto follow = [&](const Aim& aim) {
        field.set_aim(aim);
        heliostats_traced += field.trace();
    };
    const auto start = std::chrono::steady_clock::now();
    for (const double step : {0.8, 0.4, 0.2}) {
        for (Aim& aim : aims) {
            const TargetFrame frame = target_frame(scenario->targets[aim.target]);
            for (const Vec3& direction : {Vec3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}}) {
                const Aim before = aim;
                const Vec3 way = frame.direction_to_world(direction);
                for (size_t i = 0; i < 3; ++i) aim.point[i] += step * way[i];
                follow(aim);
                ++trials;
                const double now = peak_flux(*scenario, field);
                if (now < peak && field.power() > 0.99 * first_power) {
                    peak = now;
                    continue;
                }
                aim = before;
                follow(aim);
            }
        }
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("after %d trials: peak %.0f W/m2, %.0f W\n", trials, peak, field.power());
    std::printf("%zu heliostats traced again, %.1f ms for each trial\n",
                heliostats_traced,
                1e3 * seconds.count() / trials);

    // 4. A new field with the final aim points has the same integers.
    for (const Aim& aim : aims) {
        HeliostatAim& wanted = config.aim.heliostats[scenario->heliostats[aim.heliostat].name];
        wanted.target = scenario->targets[aim.target].name;
        wanted.point = aim.point;
    }
    LiveField anew(config, scenario);
    anew.trace();
    const bool same = anew.sums() == field.sums();
    std::printf("%s\n", same ? "equal to a field made anew, bit for bit" : "DIFFERENT");
    return same ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
