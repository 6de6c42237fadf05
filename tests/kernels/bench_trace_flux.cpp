// SPDX-License-Identifier: MIT
// Rays per second of the CPU kernel: instruction sets, threads, sampling, facets, sun shapes, what
// is in the way. Built where Google Benchmark is installed, not run as a test.
#include "tests/kernels/feature_scenes.h"

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <thread>

using namespace helioray::kernels;
using helioray::test::FeatureScene;

namespace {

constexpr int64_t kPairs = 16;
constexpr int64_t kRaysPerBlock = 31250;

/// The usual case; benchmarks change one thing of it.
FeatureScene usual() {
    FeatureScene f = helioray::test::feature_scenes::plain();
    f.scene.width = f.scene.height = 256;
    f.scene.sun = {AngularShape::Kind::gaussian, 2.09e-3f};
    return f;
}

void trace(benchmark::State& state, const FeatureScene& f, InstructionSet set, int threads) {
    CpuOptions options;
    options.instruction_set = set;
    options.num_threads = threads;
    helioray::test::Sums sums = f.scene.zero_sums();
    const FieldView view = f.view();
    const auto num_units = static_cast<int64_t>(f.scene.units.size());
    for (auto _ : state)
        trace_flux_cpu(view, f.scene.units.data(), num_units, sums.view(), options);
    state.counters["rays"] = benchmark::Counter(
        static_cast<double>(f.scene.rays) * static_cast<double>(f.scene.heliostats.size()),
        benchmark::Counter::kIsIterationInvariantRate);
}

void add(const std::string& name,
         const std::function<void(FeatureScene&)>& change,
         InstructionSet set = InstructionSet::automatic,
         int threads = 1) {
    FeatureScene f = usual();
    change(f);
    f.scene.plan(kPairs, kRaysPerBlock);
    benchmark::RegisterBenchmark(
        name.c_str(), [f, set, threads](benchmark::State& state) { trace(state, f, set, threads); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
}

void add_all() {
    const auto nothing = [](FeatureScene&) {};
    const auto spline = [](FeatureScene& f) { helioray::test::use_flat_bspline(f.scene, 10); };
    for (const InstructionSet set : usable_instruction_sets()) {
        add(std::string("instructions/") + to_string(set), nothing, set);
        add(std::string("instructions/") + to_string(set) + "/B-spline", spline, set);
    }
    const int most = static_cast<int>(std::thread::hardware_concurrency());
    for (int threads = 2; threads <= most; threads *= 2)
        add("threads/" + std::to_string(threads), nothing, InstructionSet::automatic, threads);

    add("sampling/random", [](FeatureScene& f) { f.scene.sampling = SamplingKind::random; });
    add("filter/bilinear", [](FeatureScene& f) { f.scene.filter = FilterKind::bilinear; });
    add("facet/sphere", [](FeatureScene& f) {
        f.scene.facets[0] = helioray::test::analytic_facet(FacetKind::sphere, 5.0f, 5.0f, 500.0f);
    });
    add("facet/B-spline of degree 5",
        [](FeatureScene& f) { helioray::test::use_flat_bspline(f.scene, 10, 5); });
    add("sun/pillbox", [](FeatureScene& f) {
        f.scene.sun = {AngularShape::Kind::pillbox, 4.65e-3f};
    });
    add("sun/table", helioray::test::feature_scenes::use_table_sun);
    add("target/cylinder",
        [](FeatureScene& f) { helioray::test::feature_scenes::use_cylinder(f, false); });
    add("in the way/37 mirrors, 2 bodies", helioray::test::feature_scenes::use_occlusion);
    add("in the way/the same without culling", [](FeatureScene& f) {
        helioray::test::feature_scenes::use_occlusion(f);
        f.culling = false;
    });
}

}  // namespace

int main(int argc, char** argv) {
    add_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
