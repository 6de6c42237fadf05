// SPDX-License-Identifier: MIT
// One process: results, hooks, and what is refused.
#include "kernels/core/out_of_memory.h"
#include "raytracer/run/make_job.h"
#include "raytracer/run/options.h"
#include "raytracer/run/session.h"
#include "raytracer/run/trace.h"
#include "tests/raytracer/run/small_run.h"
#include "tests/support/catch2.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <stdexcept>

using namespace helioray;
using namespace helioray::test;

namespace {

std::string fingerprint_of_small_run(run::Options options,
                                     const std::vector<std::string>& overrides = {}) {
    run::Session session([&] { return run::prepare(small_config(overrides)); }, std::move(options));
    const auto result = run::trace(session);
    session.close();
    return result->provenance.fingerprint;
}

}  // namespace

TEST_CASE("a session gives what its job gives by hand") {
    run::Session session([] { return run::prepare(small_config()); }, alone());
    const auto result = run::trace(session);
    session.close();
    REQUIRE(result);

    const run::PreparedRun prepared = run::prepare(small_config());
    TraceControl control;
    prepared.job->trace(0, prepared.job->num_units(), control);
    CHECK(result->provenance.fingerprint == fingerprint(prepared.job->fingerprinted_sums()));
    CHECK(result->provenance.rays == prepared.job->num_rays());
    CHECK(result->provenance.world_size == 1);
    CHECK(result->provenance.backend == "none");
    CHECK(result->provenance.device == "cpu");
    CHECK(result->provenance.scenario_sha256.size() == 64);
    CHECK_THAT(result->provenance.config, ContainsSubstring("multi_focus_tower"));
    CHECK(result->rays_per_second > 0.0);
}

TEST_CASE("threads and schedules change no sum") {
    run::Options threads = alone();
    threads.num_threads = 3;
    const std::string expected = fingerprint_of_small_run(alone());
    CHECK(fingerprint_of_small_run(threads) == expected);
    CHECK(fingerprint_of_small_run(alone(), {"distributed.schedule=dynamic"}) == expected);
    CHECK(fingerprint_of_small_run(alone(), {"tracing.seed=1"}) != expected);
}

TEST_CASE("sessions side by side do not meet") {
    run::Session one([] { return run::prepare(small_config()); }, alone());
    run::Session other([] { return run::prepare(small_config({"tracing.seed=1"})); }, alone());
    const auto second = run::trace(other), first = run::trace(one);
    CHECK(first->provenance.fingerprint == fingerprint_of_small_run(alone()));
    CHECK(second->provenance.seed == 1);
}

TEST_CASE("a session traces any number of jobs") {
    run::Session session([] { return run::prepare(small_config()); }, alone());
    const run::PreparedRun& prepared = session.prepared();
    std::vector<std::string> fingerprints;
    for (int i = 0; i < 3; ++i) {
        const auto job = make_job(prepared.config, *prepared.scenario);
        CHECK(session.trace(*job) > 0.0);
        fingerprints.push_back(fingerprint(job->fingerprinted_sums()));
    }
    CHECK(fingerprints[0] == fingerprint_of_small_run(alone()));
    CHECK(fingerprints[1] == fingerprints[0]);
    CHECK(fingerprints[2] == fingerprints[0]);
}

TEST_CASE("a run is traced once") {
    run::Session session([] { return run::prepare(small_config()); }, alone());
    run::trace(session);
    CHECK_THROWS_WITH(run::trace(session), ContainsSubstring("has been traced"));
}

TEST_CASE("progress goes from nothing to everything") {
    std::mutex mutex;
    std::vector<run::Progress> calls;
    run::Options options = alone();
    options.progress = [&](const run::Progress& progress) {
        const std::lock_guard lock(mutex);
        calls.push_back(progress);
    };
    run::Session session(
        [] { return run::prepare(small_config({"tracing.rays_per_heliostat=1e6"})); }, options);
    const int64_t rays = session.prepared().job->num_rays();
    run::trace(session);
    REQUIRE(calls.size() >= 2);
    CHECK(calls.front().rays == 0);
    for (size_t i = 0; i < calls.size(); ++i) {
        CHECK(calls[i].expected == rays);
        CHECK(calls[i].finished == (i + 1 == calls.size()));
        if (i > 0) CHECK(calls[i].rays >= calls[i - 1].rays);
    }
    CHECK(calls.back().rays == rays);
}

TEST_CASE("messages go to the program's log") {
    std::vector<std::string> debug;
    run::Options options = alone();
    options.log = [&](run::LogLevel level, const std::string& message) {
        if (level == run::LogLevel::debug) debug.push_back(message);
    };
    fingerprint_of_small_run(options);
    REQUIRE(debug.size() == 2);
    CHECK_THAT(debug[0], ContainsSubstring("device cpu (asked for), 1 thread(s), cores "));
    CHECK_THAT(debug[1], ContainsSubstring("traced 60000 rays"));
}

TEST_CASE("a program stops its run") {
    std::atomic<bool> traces{false};
    bool stuck = false;
    run::Options options = alone();
    options.progress = [&](const run::Progress& progress) { traces = traces || progress.rays > 0; };
    options.stop = [&] { return std::string(traces ? "enough" : ""); };
    options.stuck = [&](const std::string&) { stuck = true; };
    run::Session session(
        [] { return run::prepare(small_config({"tracing.rays_per_heliostat=1e12"})); }, options);
    const auto start = std::chrono::steady_clock::now();
    try {
        run::trace(session);
        FAIL("the trace ended by itself");
    } catch (const run::Stopped& stopped) {
        CHECK(std::string(stopped.what()) == "enough");
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    CHECK_FALSE(stuck);
    CHECK_THROWS_AS(session.check_stop(), run::Stopped);
}

TEST_CASE("errors pass through guards unchanged, nested ones too") {
    run::Session session([] { return run::prepare(small_config()); }, alone());
    CHECK_THROWS_AS(
        session.guard([&] { session.guard([] { throw std::out_of_range("the table"); }); }),
        std::out_of_range);
    CHECK_THROWS_AS(
        run::Session([]() -> run::PreparedRun { throw std::domain_error("sun"); }, alone()),
        std::domain_error);
}

TEST_CASE("messages of failures are for users") {
    CHECK_THAT(run::readable_message(std::bad_alloc()), ContainsSubstring("smaller bitmap"));
    CHECK_THAT(run::readable_message(kernels::OutOfMemory(1'500'000)),
               ContainsSubstring("1.5 MB more were asked for") &&
                   ContainsSubstring("output.per_heliostat"));
    CHECK(run::readable_message(std::runtime_error("the disk is full")) == "the disk is full");
}

TEST_CASE("threads of a rank are its share of the machine") {
    LaunchInfo launch;
    const int all = run::threads_of_rank(launch);
    CHECK(all >= 1);
    launch.world_size = launch.local_world_size = 2;
    CHECK(run::threads_of_rank(launch) == std::max(1, all / 2));
    launch.local_world_size = 0;  // not known
    CHECK(run::threads_of_rank(launch) == std::max(1, all / 2));
    launch.local_world_size = 100'000;
    CHECK(run::threads_of_rank(launch) == 1);
}
