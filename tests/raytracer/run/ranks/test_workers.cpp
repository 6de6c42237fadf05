// SPDX-License-Identifier: MIT
// Rank 0 hands out work: the same sums whatever happens to the workers.
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

using namespace helioray::test;

namespace {

namespace fs = std::filesystem;

const std::string kMasterWorker = "distributed.schedule=master_worker";

/// A folder for the files by which ranks wait for each other.
class WorkersFolder {
  public:
    WorkersFolder() {
        std::string name = (fs::temp_directory_path() / "helioray_workers_XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~WorkersFolder() { fs::remove_all(path_); }
    WorkersFolder(const WorkersFolder&) = delete;
    WorkersFolder& operator=(const WorkersFolder&) = delete;
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

/// Runs ranks of scenario "hands_out" with the variables of each; rank 0 begins to trace when the
/// files `await` exist.
std::vector<RankResult> run_workers(const std::vector<Variables>& ranks,
                                    const std::string& await,
                                    const std::vector<std::string>& more = {}) {
    const WorkersFolder folder;
    const int port = free_port();
    std::vector<Variables> environments = ranks;
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
        environments[rank].merge(Variables{{"RANK", std::to_string(rank)},
                                           {"WORLD_SIZE", std::to_string(ranks.size())},
                                           {"MASTER_ADDR", "127.0.0.1"},
                                           {"MASTER_PORT", std::to_string(port)},
                                           {"HELIORAY_TEST_FOLDER", folder.path().string()},
                                           {"HELIORAY_TEST_AWAIT", await}});
    }
    std::vector<std::string> arguments{"hands_out", kMasterWorker};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_ranks(arguments, environments, 120 * kPatience);
}

/// Returns the fingerprint of one process.
std::vector<std::string> expected(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"single"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ranks = run_world(1, arguments);
    CAPTURE(ranks[0].output);
    const auto lines = lines_of(ranks[0], "fingerprint");
    CHECK(lines.size() == 1);
    return lines;
}

}  // namespace

TEST_CASE("workers change no fingerprint") {
    const auto ranks = run_workers({{}, {}, {}}, "delivered");
    for (const RankResult& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 0);
        CHECK(lines_of(rank, "warning").empty());
    }
    CHECK(lines_of(ranks[0], "fingerprint") == expected());
    CHECK(lines_of(ranks[0], "ranks") == std::vector<std::string>{"3"});
}

TEST_CASE("a worker that starts after the run has begun gets work") {
    const auto ranks = run_workers({{}, {{"HELIORAY_TEST_LATE", "1"}}}, "delivered");
    CAPTURE(ranks[0].output, ranks[1].output);
    CHECK(ranks[0].exit_code == 0);
    CHECK(ranks[1].exit_code == 0);
    CHECK(lines_of(ranks[0], "fingerprint") == expected());
    const auto workers = lines_of(ranks[0], "workers");
    REQUIRE(workers.size() == 1);
    CHECK_FALSE(workers[0].starts_with("traced 0 "));
}

TEST_CASE("the work of lost workers is done by others") {
    const std::vector<std::string> many{"tracing.rays_per_heliostat=1e6"};
    const auto fingerprint = expected(many);
    // Before the first draw, with traced units, before the second draw, and later.
    for (const std::string step : {"1", "2", "3", "6"}) {
        const Variables dies{{"HELIORAY_TEST_DIES_AT", step}};
        const auto one = run_workers({{}, dies, {}}, "dies_1", many);
        CAPTURE(step, one[0].output, one[2].output);
        CHECK(one[0].exit_code == 0);
        CHECK(one[1].signal == SIGKILL);
        CHECK(one[2].exit_code == 0);
        CHECK(lines_of(one[0], "fingerprint") == fingerprint);
        const auto warnings = lines_of(one[0], "warning");
        REQUIRE(warnings.size() == 1);
        CHECK_THAT(warnings[0],
                   ContainsSubstring("rank 1 on host ") && ContainsSubstring("is gone") &&
                       ContainsSubstring("continues without it"));

        const auto all = run_workers({{}, dies, dies}, "dies_1 dies_2", many);
        CAPTURE(all[0].output);
        CHECK(all[0].exit_code == 0);
        CHECK(lines_of(all[0], "fingerprint") == fingerprint);
        CHECK(lines_of(all[0], "warning").size() == 2);
    }
}

TEST_CASE("rounds and series on workers") {
    const std::vector<std::string> rounds{"tracing.relative_error=0.01",
                                          "tracing.rays_per_heliostat=1e6"};
    const auto with_rounds = run_workers({{}, {}}, "delivered", rounds);
    CAPTURE(with_rounds[0].output);
    CHECK(lines_of(with_rounds[0], "fingerprint") == expected(rounds));

    const WorkersFolder folder;
    std::vector<std::vector<std::string>> found;
    for (const bool workers : {false, true}) {
        const std::vector<std::string> series{
            "sun.azimuth_deg=null",
            "sun.elevation_deg=null",
            "sun.positions=[{azimuth_deg: 120, elevation_deg: 30}, "
            "{azimuth_deg: 180, elevation_deg: 50}]",
            "output.file=" + (folder.path() / (workers ? "workers.h5" : "one.h5")).string()};
        auto arguments = series;
        arguments.insert(arguments.begin(), "series");
        const auto ranks =
            workers ? run_workers({{}, {}, {}}, "delivered", series) : run_world(1, arguments);
        for (const RankResult& rank : ranks) {
            CAPTURE(rank.output);
            CHECK(rank.exit_code == 0);
        }
        found.push_back(lines_of(ranks[0], "fingerprint"));
    }
    REQUIRE(found[0].size() == 1);
    CHECK(found[0] == found[1]);
}

TEST_CASE("a worker with another configuration cannot work, and the others do") {
    const WorkersFolder folder;
    const auto ranks = run_workers({{}, {}, {{"HELIORAY_TEST_SEED", "7"}}}, "delivered");
    CAPTURE(ranks[0].output, ranks[2].output);
    CHECK(ranks[0].exit_code == 0);
    CHECK(ranks[1].exit_code == 0);
    CHECK(ranks[2].exit_code == 4);
    CHECK_THAT(ranks[2].output, ContainsSubstring("tracing.seed") && ContainsSubstring("rank 2"));
    CHECK(lines_of(ranks[0], "fingerprint") == expected());
}

TEST_CASE("programs that do not support workers refuse the schedule") {
    const auto ranks = run_world(2, {"single", kMasterWorker});
    for (const RankResult& rank : ranks) {
        CAPTURE(rank.output);
        CHECK(rank.exit_code == 2);
        CHECK_THAT(rank.output, ContainsSubstring("distributed.schedule: is master_worker"));
    }
    // One process has no workers.
    CHECK(lines_of(run_world(1, {"single", kMasterWorker})[0], "fingerprint") == expected());
}
