// SPDX-License-Identifier: MIT
// Program of the test ranks: every run of it is one rank of one scenario, named by its first
// argument. Prints what the tests compare.
#include "raytracer/run/lasting_ranks.h"
#include "raytracer/run/make_job.h"
#include "raytracer/run/options.h"
#include "raytracer/run/session.h"
#include "raytracer/run/trace.h"
#include "tests/raytracer/run/small_run.h"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

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

void trace_single(const run::Options& options) {
    run::Session session([] { return run::prepare(small_config(arguments)); }, options);
    if (const auto result = run::trace(session)) {
        print("fingerprint", result->provenance.fingerprint);
        print("ranks", std::to_string(result->provenance.world_size));
        print("before", std::to_string(result->rays_done_before));
        // The fingerprint does not cover the noise.
        double sum = 0.0, place = 0.0;
        for (const double noise : result->targets.at(0).flux_noise) sum += ++place * noise;
        print("noise", fmt::format("{}", sum));
    }
    session.close();
}

void single() {
    trace_single(one_thread());
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

/// Traces while something else draws from the queue of units of this trace.
void trace_robbed(const run::Options& options, const std::string& trace) {
    run::Session session([] { return run::prepare(small_config(arguments)); }, options);
    if (own_rank() == 0) session.environment().fetch_add("queue/" + trace + " round 1", 2);
    session.environment().barrier();
    run::trace(session);
    session.close();
}

void robbed() {
    trace_robbed(one_thread(), "trace 0");
}

// A session is robbed, and the next one on the lasting ranks is not.
void robbed_once() {
    run::Options options = one_thread();
    options.lasting = std::make_shared<run::LastingRanks>();
    try {
        trace_robbed(options, "trace 1.0");
    } catch (const DistributedError& error) {
        print("distributed", error.what());
    }
    trace_single(options);
    options.lasting->close();
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

/// Creates an empty file of the test's folder.
void touch(const std::string& name) {
    std::ofstream(std::filesystem::path(std::getenv("HELIORAY_TEST_FOLDER")) / name).put('\n');
}

/// Waits until a file of the test's folder exists.
void await(const std::string& name) {
    const auto file = std::filesystem::path(std::getenv("HELIORAY_TEST_FOLDER")) / name;
    while (!std::filesystem::exists(file))
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

// Rank 0 hands out work. HELIORAY_TEST_AWAIT: files, before all of which exist rank 0 traces
// nothing. A worker begins with the file "begun" if HELIORAY_TEST_LATE is set, creates
// "delivered" after its first delivery, and kills itself before its n-th step if
// HELIORAY_TEST_DIES_AT is n, after it has created "dies_<rank>". HELIORAY_TEST_SEED replaces the
// seed.
void hands_out() {
    const std::string rank = std::to_string(own_rank());
    run::Options options = one_thread();
    options.can_hand_out_work = true;
    options.log = [&](run::LogLevel level, const std::string& message) {
        if (level == run::LogLevel::warning) print("warning", message);
        if (message.starts_with("workers traced")) print("workers", message);
        if (message.starts_with("delivered")) touch("delivered");
        if (!message.starts_with("hands out")) return;
        touch("begun");
        std::istringstream files(std::getenv("HELIORAY_TEST_AWAIT"));
        for (std::string file; files >> file;) await(file);
    };
    const auto calling = std::this_thread::get_id();
    int steps = 0;
    bool works = false;
    if (const char* const dies_at = std::getenv("HELIORAY_TEST_DIES_AT"))
        options.stop = [&, dies_at] {
            if (works && std::this_thread::get_id() == calling && ++steps == std::stoi(dies_at)) {
                touch("dies_" + rank);
                ::raise(SIGKILL);
            }
            return std::string();
        };
    if (std::getenv("HELIORAY_TEST_LATE") != nullptr) await("begun");
    if (const char* const seed = std::getenv("HELIORAY_TEST_SEED"))
        arguments.push_back("tracing.seed=" + std::string(seed));
    run::Session session([] { return run::prepare(small_config(arguments)); }, options);
    if (session.is_worker()) {
        works = true;
        session.work();
    } else if (session.prepared().is_series()) {
        const auto result = run::trace_series(session, session.prepared().output);
        print("fingerprint", result->provenance.fingerprint);
    } else {
        const auto result = run::trace(session);
        print("fingerprint", result->provenance.fingerprint);
        print("ranks", std::to_string(result->provenance.world_size));
    }
    session.close();
}

const std::map<std::string, std::function<void()>> scenarios = {{"single", single},
                                                                {"hands_out", hands_out},
                                                                {"jobs", jobs},
                                                                {"series", series},
                                                                {"bad_input", bad_input},
                                                                {"other_seeds", other_seeds},
                                                                {"stops", stops},
                                                                {"robbed", robbed},
                                                                {"robbed_once", robbed_once},
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
