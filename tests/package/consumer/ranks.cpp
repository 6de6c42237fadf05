// SPDX-License-Identifier: MIT
// A configuration traced over ranks with the installed run engine.
#include "raytracer/run/trace.h"
#include "scenario/config/reader.h"

#include <cstdio>
#include <exception>

using namespace helioray;

int main(int, char** argv) try {
    run::Options options;
    options.num_threads = 1;
    options.log = [](run::LogLevel, const std::string& message) {
        std::fprintf(stderr, "%s\n", message.c_str());
    };
    run::Session session([&] { return run::prepare(read_run_config(argv[1])); }, options);
    if (const auto result = run::trace(session))
        std::printf("fingerprint %s ranks %ld\n",
                    result->provenance.fingerprint.c_str(),
                    static_cast<long>(result->provenance.world_size));
    session.close();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
