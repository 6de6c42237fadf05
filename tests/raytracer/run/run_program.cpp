// SPDX-License-Identifier: MIT
// Program of the test ranks: every run of it is one rank of one scenario, named by its first
// argument. Prints what the tests compare.
#include "raytracer/run/make_job.h"
#include "raytracer/run/options.h"
#include "raytracer/run/session.h"
#include "raytracer/run/trace.h"
#include "tests/raytracer/run/small_run.h"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>

namespace {

using namespace helioray;
using namespace helioray::test;

std::vector<std::string> arguments;  // overrides of the configuration

int own_rank() {
    return detect_launcher(EnvironmentView::from_process()).rank;
}

run::Options one_thread() {
    run::Options options;
    options.num_threads = 1;
    return options;
}

void print(const char* name, const std::string& value) {
    std::printf("%s %s\n", name, value.c_str());
}

void single() {
    run::Session session([] { return run::prepare(small_config(arguments)); }, one_thread());
    if (const auto result = run::trace(session)) {
        print("fingerprint", result->provenance.fingerprint);
        print("ranks", std::to_string(result->provenance.world_size));
        // The fingerprint does not cover the noise.
        double sum = 0.0, place = 0.0;
        for (const double noise : result->targets.at(0).flux_noise) sum += ++place * noise;
        print("noise", fmt::format("{}", sum));
    }
    session.close();
}

// Several jobs in one session: the sums of each are on every rank.
void jobs() {
    run::Session session([] { return run::prepare(small_config(arguments)); }, one_thread());
    for (int i = 0; i < 3; ++i) {
        RunConfig config = session.prepared().config;
        config.tracing.seed = 42 + static_cast<uint64_t>(i % 2);
        const auto job = make_job(config, *session.prepared().scenario);
        session.trace(*job);
        print("fingerprint", fingerprint(job->sums()));
    }
    session.close();
}

void series() {
    run::Session session([] { return run::prepare(small_config(arguments)); }, one_thread());
    const auto result = run::trace_series(session, session.prepared().output);
    if (result) print("fingerprint", result->provenance.fingerprint);
    session.close();
}

// Input is wrong on rank 1 alone.
void bad_input() {
    run::Session session(
        [] {
            if (own_rank() == 1) arguments.emplace_back("aim.target=nowhere");
            return run::prepare(small_config(arguments));
        },
        one_thread());
}

// Every rank has a configuration of its own.
void other_seeds() {
    arguments.push_back("tracing.seed=" + std::to_string(own_rank()));
    single();
}

// Rank 1 wants to stop while all trace; rank 0 does not know.
void stops() {
    std::atomic<bool> traces{false};
    run::Options options = one_thread();
    options.progress = [&](const run::Progress& progress) { traces = traces || progress.rays > 0; };
    if (own_rank() == 1) options.stop = [&] { return std::string(traces ? "enough" : ""); };
    run::Session session([] { return run::prepare(small_config(arguments)); }, options);
    run::trace(session);
}

// Something else draws from the queue of units.
void robbed() {
    run::Session session([] { return run::prepare(small_config(arguments)); }, one_thread());
    if (own_rank() == 0) session.environment().fetch_add("queue/trace 0 round 1", 2);
    session.environment().barrier();
    run::trace(session);
    session.close();
}

// Rank 0 fails after the trace, in work of its own.
void fails_after() {
    run::Session session([] { return run::prepare(small_config(arguments)); }, one_thread());
    const auto result = run::trace(session);
    session.guard([&] {
        if (result) throw std::runtime_error("no room for the result");
        session.environment().barrier();
    });
    session.close();
}

const std::map<std::string, std::function<void()>> scenarios = {{"single", single},
                                                                {"jobs", jobs},
                                                                {"series", series},
                                                                {"bad_input", bad_input},
                                                                {"other_seeds", other_seeds},
                                                                {"stops", stops},
                                                                {"robbed", robbed},
                                                                {"fails_after", fails_after}};

}  // namespace

int main(int argc, char** argv) {
    try {
        arguments.assign(argv + 2, argv + argc);
        scenarios.at(argv[1])();
        return 0;
    } catch (const run::PreparationError& error) {
        print("preparation", error.what());
        return 2;
    } catch (const run::Stopped& stopped) {
        print("stopped", stopped.what());
        return 3;
    } catch (const DistributedError& error) {
        print("distributed", error.what());
        return 4;
    } catch (const std::exception& error) {
        print("failed", error.what());
        return 1;
    }
}
