// SPDX-License-Identifier: MIT
// CPU time of the records of many different mirrors on one thread: areas, sampling tables, shapes
// for shading and blocking. Built where Google Benchmark is installed, not run as a test.
#include "raytracer/tracing/physical/records/surface_records.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace helioray;

namespace {

constexpr int64_t kMirrors = 2000;
constexpr int64_t kFacetsPerMirror = 4;

/// Cubic facet of 1.6 m x 1.3 m with n x n control points, of a bent shape of its own.
Facet bent_facet(int64_t n, double phase) {
    Facet facet;
    facet.num_control_points = {n, n};
    facet.canting_e = {0.8, 0.0, 0.0};
    facet.canting_n = {0.0, 0.65, 0.0};
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            const double x = 1.6 * static_cast<double>(i) / static_cast<double>(n - 1) - 0.8;
            const double y = 1.3 * static_cast<double>(j) / static_cast<double>(n - 1) - 0.65;
            const double height = (x * x + y * y) / 400.0 + 1e-3 * std::sin(5.0 * x + phase);
            facet.control_points.insert(facet.control_points.end(), {x, y, height});
        }
    }
    return facet;
}

std::vector<std::unique_ptr<Surface>> different_mirrors(int64_t n) {
    std::vector<std::unique_ptr<Surface>> mirrors;
    for (int64_t m = 0; m < kMirrors; ++m) {
        auto surface = std::make_unique<Surface>();
        for (int64_t f = 0; f < kFacetsPerMirror; ++f) {
            surface->facets.push_back(
                bent_facet(n, 0.01 * static_cast<double>(m) + static_cast<double>(f)));
            surface->facets.back().name = std::to_string(f);
        }
        mirrors.push_back(std::move(surface));
    }
    return mirrors;
}

/// Arguments: control points per direction, whether areas and tables, whether shapes are wanted.
void surface_records(benchmark::State& state) {
    const auto mirrors = different_mirrors(state.range(0));
    std::vector<physical::SurfaceRequest> requests;
    for (const auto& mirror : mirrors)
        requests.push_back({mirror.get(), state.range(1) != 0, state.range(2) != 0});
    for (auto _ : state) {
        physical::KnownSurfaces known;
        physical::add_surface_records(requests, known, 1);
        benchmark::DoNotOptimize(known.size());
    }
    state.counters["per_facet"] = benchmark::Counter(
        static_cast<double>(kMirrors * kFacetsPerMirror),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

BENCHMARK(surface_records)
    ->ArgNames({"points", "areas", "shapes"})
    ->Args({10, 1, 1})
    ->Args({10, 1, 0})
    ->Args({10, 0, 1})
    ->Args({4, 1, 1})
    ->Args({20, 1, 1})
    ->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
