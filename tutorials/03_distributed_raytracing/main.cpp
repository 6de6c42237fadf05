// SPDX-License-Identifier: MIT
// Tutorial 03: a scenario traced on all ranks, in ten lines.
#include "raytracer/results/result_file.h"
#include "raytracer/run/trace.h"
#include "scenario/config/reader.h"

#include <cstdio>
#include <exception>

using namespace helioray;

int main(int argc, char** argv) try {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s CONFIG.yaml RESULT.h5\n", argv[0]);
        return 2;
    }
    // 1. Every rank prepares the run, and the ranks connect. A single process needs no network.
    run::Session session([&] { return run::prepare(read_run_config(argv[1])); });

    // 2. Every rank traces its share, the integer sums are added, and rank 0 gets the result.
    if (const auto result = run::trace(session)) {
        write_result(*result, argv[2]);
        session.prepared().remove_parts();
        for (const TargetResult& target : result->targets)
            std::printf("%s: %.0f W\n", target.target.name.c_str(), target.power_w);
        std::printf("fingerprint %s\n", result->provenance.fingerprint.c_str());
    }

    // 3. The ranks disconnect. If a rank failed before, the others would end with its message.
    session.close();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
