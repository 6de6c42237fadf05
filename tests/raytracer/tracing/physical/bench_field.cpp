// SPDX-License-Identifier: MIT
// What it costs to prepare a large field, to follow the sun, and to aim a part of it anew. Built
// where Google Benchmark is installed, not run as a test.
#include "kernels/core/sums_layout.h"
#include "raytracer/run/make_job.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "raytracer/tracing/physical/traced_field.h"
#include "scenario/import/field/build_field.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <random>

using namespace helioray;
using namespace helioray::physical;

namespace {

constexpr int64_t kRaysOfBench = 1000;

struct Plant {
    Scenario scenario;
    RunConfig config;
};

/// Heliostats of six facets around an external receiver, in the south-western sun.
const Plant& plant() {
    static const Plant made = [] {
        std::vector<std::string> report;
        const FieldTemplate field = read_field_template(
            std::nullopt,
            {"tower={optical_height_m: 120}",
             "receiver={type: cylinder, radius_m: 8, height_m: 18}",
             "heliostat={width_m: 6, height_m: 5, facets: [3, 2], facet_shape: "
             "sphere, focal_length_m: slant_range, canting_distance_m: "
             "slant_range, pivot_height_m: 3, slant_step_m: 1}",
             "layout={type: radial_stagger, heliostats: 10000, min_radius_m: 60}"},
            FieldUse::generate,
            report);
        MadeField made_field = generate_field(field, {});
        Plant result{std::move(made_field.scenario), std::move(made_field.run)};
        result.config.sun.position = SunAngles{3.8, 0.8};
        result.config.bitmap = {64, 64, Filter::bilinear};
        result.config.tracing.rays_per_heliostat = kRaysOfBench;
        // A map for each heliostat's sums apart, as TracedField wants it.
        result.config.output.per_heliostat = true;
        return result;
    }();
    return made;
}

kernels::CpuOptions threads(int64_t num_threads) {
    kernels::CpuOptions options;
    options.num_threads = static_cast<int>(num_threads);
    return options;
}

void prepare(benchmark::State& state) {
    for (auto _ : state) PreparedField field(plant().config, plant().scenario);
}

/// The sun half a minute on, everything but the rays.
void follow_sun(benchmark::State& state) {
    PreparedField field(plant().config, plant().scenario);
    SunAngles sun{3.8, 0.8};
    SunConfig config = plant().config.sun;
    for (auto _ : state) {
        sun.azimuth += 0.002;
        config.position = sun;
        field.set_sun(direction_to_sun(config, plant().scenario.position), 900.0);
        field.update(static_cast<int>(state.range(0)));
    }
}

/// Aims some heliostats elsewhere on the receiver; the flux of the whole field follows.
void aim_again(benchmark::State& state) {
    const auto count = static_cast<size_t>(state.range(0));
    const int num_threads = static_cast<int>(state.range(1));
    PreparedField field(plant().config, plant().scenario);
    TracedField traced(field.field());
    traced.follow({true, {}}, threads(2));
    std::vector<Aim> aims = resolve_aims(plant().config.aim, plant().scenario);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> height(-6.0, 6.0);
    size_t retraced = 0;
    for (auto _ : state) {
        for (size_t i = 0; i < count; ++i) {
            Aim& aim = aims[count == aims.size() ? i : random() % aims.size()];
            aim.point[2] = 120.0 + height(random);
            field.set_aim(aim);
        }
        const FieldUpdate update = field.update(num_threads);
        retraced += traced.follow(update, threads(num_threads));
    }
    state.counters["heliostats_traced"] =
        static_cast<double>(retraced) / static_cast<double>(state.iterations());
}

/// The same rays without following anything.
void trace_all(benchmark::State& state) {
    PreparedField field(plant().config, plant().scenario);
    const Plan& plan = field.field().plan();
    const kernels::SumsLayout layout = field.field().sums_layout();
    std::vector<int64_t> sums(static_cast<size_t>(layout.total_size()));
    for (auto _ : state) {
        kernels::trace_flux_cpu(field.field().view(),
                                plan.units.data(),
                                std::ssize(plan.units),
                                layout.view(sums.data()),
                                threads(state.range(0)));
    }
    state.counters["rays"] = benchmark::Counter(static_cast<double>(field.field().num_rays()),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

BENCHMARK(prepare)->Unit(benchmark::kMillisecond);
BENCHMARK(follow_sun)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(aim_again)
    ->Args({1, 1})
    ->Args({10, 1})
    ->Args({100, 1})
    ->Args({1000, 1})
    ->Args({10000, 1})
    ->Args({10000, 2})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK(trace_all)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

BENCHMARK_MAIN();
