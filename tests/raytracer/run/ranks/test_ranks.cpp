// SPDX-License-Identifier: MIT
// The engine on several ranks: equal sums, failures that reach everybody.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

#include <unistd.h>

#include <filesystem>
#include <sstream>

using namespace helioray::test;

namespace {

/// What rank 0 of so many ranks says, all of which succeed: fingerprints, then sums over the noise.
std::vector<std::string> fingerprints(int size, const std::vector<std::string>& arguments) {
    const auto ranks = run_world(size, arguments);
    for (const RankResult& rank : ranks) {
        CAPTURE(size, rank.output);
        CHECK(rank.exit_code == 0);
    }
    std::vector<std::string> lines = lines_of(ranks[0], "fingerprint");
    for (const std::string& noise : lines_of(ranks[0], "noise")) lines.push_back(noise);
    return lines;
}

}  // namespace

TEST_CASE("one fingerprint for any number of ranks and both schedules") {
    const auto expected = fingerprints(1, {"single"});
    REQUIRE(expected.size() == 2);
    CHECK(expected[1] != "0");
    for (const int size : {2, 3}) {
        CHECK(fingerprints(size, {"single"}) == expected);
        CHECK(fingerprints(size, {"single", "distributed.schedule=dynamic"}) == expected);
    }
}

TEST_CASE("rounds end for all ranks together") {
    const std::vector<std::string> rounds{
        "single", "tracing.relative_error=0.01", "tracing.rays_per_heliostat=1e6"};
    const auto expected = fingerprints(1, rounds);
    CHECK(expected != fingerprints(1, {"single", "tracing.rays_per_heliostat=1e6"}));
    CHECK(fingerprints(3, rounds) == expected);
}

TEST_CASE("several jobs of one session") {
    const auto expected = fingerprints(1, {"jobs"});
    REQUIRE(expected.size() == 3);
    CHECK(expected[0] != expected[1]);
    CHECK(expected[0] == expected[2]);
    for (const std::string schedule : {"static", "dynamic"}) {
        const auto ranks = run_world(2, {"jobs", "distributed.schedule=" + schedule});
        for (const RankResult& rank : ranks) CHECK(lines_of(rank, "fingerprint") == expected);
    }
}

TEST_CASE("a series on ranks") {
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::temp_directory_path() / ("helioray_ranks_" + std::to_string(::getpid()));
    fs::create_directory(folder);
    std::vector<std::vector<std::string>> found;
    for (const int size : {1, 2}) {
        const fs::path file = folder / (std::to_string(size) + ".h5");
        found.push_back(fingerprints(size,
                                     {"series",
                                      "sun.azimuth_deg=null",
                                      "sun.elevation_deg=null",
                                      "sun.positions=[{azimuth_deg: 120, elevation_deg: 30}, "
                                      "{azimuth_deg: 180, elevation_deg: 50}]",
                                      "output.file=" + file.string()}));
    }
    fs::remove_all(folder);
    REQUIRE(found[0].size() == 1);
    CHECK(found[0] == found[1]);
}

TEST_CASE("what one rank cannot prepare, every rank says alike") {
    const auto ranks = run_world(3, {"bad_input"});
    for (const RankResult& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 2);
        CHECK(rank.output == ranks[0].output);
        CHECK_THAT(rank.output, ContainsSubstring("rank 1") && ContainsSubstring("nowhere"));
    }
}

TEST_CASE("a run whose units were not all traced has no result") {
    const auto ranks = run_world(2, {"robbed", "distributed.schedule=dynamic"});
    for (const RankResult& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 4);
        CHECK_THAT(rank.output, ContainsSubstring("units of work where"));
    }
}

TEST_CASE("ranks trace again after a run whose units were not all traced") {
    const auto expected = lines_of(run_world(1, {"single"})[0], "fingerprint");
    REQUIRE(expected.size() == 1);
    const auto ranks = run_world(3, {"robbed_once", "distributed.schedule=dynamic"});
    for (const RankResult& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 0);
        const auto failures = lines_of(rank, "distributed");
        REQUIRE(failures.size() == 1);
        CHECK_THAT(failures[0], ContainsSubstring("units of work where"));
        CHECK(failures == lines_of(ranks[0], "distributed"));
    }
    CHECK(lines_of(ranks[0], "fingerprint") == expected);
}

TEST_CASE("what is traced of a run whose units were not all traced is not lost") {
    namespace fs = std::filesystem;
    const fs::path folder =
        fs::temp_directory_path() / ("helioray_robbed_" + std::to_string(::getpid()));
    fs::create_directory(folder);
    const std::string rays = "tracing.rays_per_heliostat=1e6";
    const std::vector<std::string> run{rays,
                                       "distributed.schedule=dynamic",
                                       "output.checkpoint_minutes=0.0001",
                                       "output.file=" + (folder / "flux.h5").string()};
    const auto with = [&](const std::string& scenario) {
        std::vector<std::string> all{scenario};
        all.insert(all.end(), run.begin(), run.end());
        return all;
    };
    for (const RankResult& rank : run_world(2, with("robbed"))) CHECK(rank.exit_code == 4);
    const auto ranks = run_world(2, with("single"));
    fs::remove_all(folder);
    CAPTURE(ranks[0].output);
    CHECK(ranks[0].exit_code == 0);
    // The ranks stored their own sums, not those of all ranks.
    const auto fingerprint = lines_of(run_world(1, {"single", rays})[0], "fingerprint");
    CHECK(lines_of(ranks[0], "fingerprint") == fingerprint);
    const auto before = lines_of(ranks[0], "before");
    REQUIRE(before.size() == 1);
    CHECK(std::stod(before[0]) > 0.5 * 3e6);
}

TEST_CASE("other configurations are refused") {
    const auto ranks = run_world(2, {"other_seeds"});
    for (const RankResult& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 4);
    }
}

TEST_CASE("a rank that stops ends the others with its reason") {
    const auto ranks = run_world(2, {"stops", "tracing.rays_per_heliostat=1e12"});
    CAPTURE(ranks[0].output, ranks[1].output);
    CHECK(ranks[1].exit_code == 3);
    CHECK(lines_of(ranks[1], "stopped") == std::vector<std::string>{"enough"});
    CHECK(ranks[0].exit_code == 4);
    CHECK_THAT(ranks[0].output, ContainsSubstring("rank 1") && ContainsSubstring("enough"));
}

TEST_CASE("a failure after the trace reaches the other ranks") {
    const auto ranks = run_world(2, {"fails_after"});
    CAPTURE(ranks[0].output, ranks[1].output);
    CHECK(ranks[0].exit_code == 1);
    CHECK(ranks[1].exit_code == 4);
    CHECK_THAT(ranks[1].output,
               ContainsSubstring("rank 0") && ContainsSubstring("no room for the result"));
}
