// SPDX-License-Identifier: MIT
// Rays per second of the CPU kernel by instruction set and threads. Built, not run as a test.
#include "kernels/trace_flux.h"
#include "tests/kernels/scene.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace helioray::kernels;

int main(int argc, char** argv) {
    const int max_threads = argc > 1 ? std::atoi(argv[1]) : 1;
    for (const auto sampling : {SamplingKind::sobol, SamplingKind::random}) {
        for (const auto filter : {FilterKind::box, FilterKind::bilinear}) {
            for (const bool spline : {false, true}) {
                helioray::test::Scene scene = helioray::test::paraboloid_scene();
                if (spline) helioray::test::use_flat_bspline(scene, 10);
                scene.width = scene.height = 256;
                scene.sampling = sampling;
                scene.filter = filter;
                scene.sun = {AngularShape::Kind::gaussian, 2.09e-3f};
                scene.slope_error = {AngularShape::Kind::gaussian, 1e-3f};
                scene.plan(32, 500000);
                for (const auto set :
                     {InstructionSet::avx512, InstructionSet::avx2, InstructionSet::portable}) {
                    for (int threads = 1; threads <= max_threads; ++threads) {
                        double best = 0.0;
                        for (int repeat = 0; repeat < 3; ++repeat) {
                            const auto start = std::chrono::steady_clock::now();
                            helioray::test::Sums sums = scene.trace(threads, set);
                            const double seconds = std::chrono::duration<double>(
                                                       std::chrono::steady_clock::now() - start)
                                                       .count();
                            best = std::max(best, 32e6 / seconds);
                        }
                        std::printf("%-7s %-8s %-10s %-8s %d thread(s): %7.1f million rays/s\n",
                                    sampling == SamplingKind::sobol ? "sobol" : "random",
                                    filter == FilterKind::box ? "box" : "bilinear",
                                    spline ? "B-spline" : "paraboloid",
                                    to_string(set),
                                    threads,
                                    best * 1e-6);
                    }
                }
            }
        }
    }
    return 0;
}
