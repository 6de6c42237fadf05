// SPDX-License-Identifier: MIT
// The launcher for local ranks: exit codes, signals, no processes left behind.
#include "distributed/launch/child_process.h"
#include "distributed/launch/local_ranks.h"
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

using helioray::LocalRanksOptions;
using helioray::run_local_ranks;
using std::chrono::milliseconds;

namespace {

/// Returns options that run the test program and append reports to `lines`.
LocalRanksOptions make_options(int number,
                               std::vector<std::string> arguments,
                               std::vector<std::string>& lines) {
    LocalRanksOptions options;
    options.ranks = number;
    options.program = HELIORAY_RANK_PROGRAM;
    options.arguments = std::move(arguments);
    options.arguments.insert(options.arguments.begin(), "rank_program");
    options.environment = {{"OMP_NUM_THREADS", "1"}};
    options.grace = milliseconds(500);
    options.report = [&lines](const std::string& line) { lines.push_back(line); };
    return options;
}

std::string read_file(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

double measure_seconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A folder for the output of ranks, removed on destruction.
class LogDir {
  public:
    explicit LogDir(const std::string& name)
        : path_(std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()))) {
        clear();
    }
    ~LogDir() { clear(); }
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path file() const { return path_ / "rank_1.out"; }

  private:
    void clear() const {
        std::error_code ignored;
        std::filesystem::remove(file(), ignored);
        std::filesystem::remove(path_, ignored);
    }
    std::filesystem::path path_;
};

/// Starts a launcher process with two ranks and waits until they run.
pid_t start_launcher(const LogDir& logs, const std::string& scenario, const std::string& argument) {
    helioray::detail::ChildOptions child;
    child.program = HELIORAY_RANK_PROGRAM;
    child.arguments = {"rank_program", "launch", scenario, argument};
    child.environment = {{"TEST_LOG_DIR", logs.path().string()}, {"OMP_NUM_THREADS", "1"}};
    child.output_file = "/dev/null";
    const pid_t launcher = helioray::detail::start_child(child);
    for (int i = 0; i < 2000 && read_file(logs.file()).empty(); ++i)
        std::this_thread::sleep_for(milliseconds(10));
    // Rank 0 starts at about the same time.
    std::this_thread::sleep_for(milliseconds(500));
    return launcher;
}

/// Sends a signal to a launcher process and returns its wait status.
int status_after_signal(int signal, const std::string& scenario, const std::string& argument) {
    const LogDir logs("helioray_signal_");
    const pid_t launcher = start_launcher(logs, scenario, argument);
    ::kill(launcher, signal);
    int status = 0;
    ::waitpid(launcher, &status, 0);
    return status;
}

}  // namespace

TEST_CASE("local ranks work together") {
    std::vector<std::string> lines;
    CHECK(run_local_ranks(make_options(3, {"collectives"}, lines)) == 0);
    CHECK(run_local_ranks(make_options(1, {"collectives"}, lines)) == 0);
    CHECK(lines.empty());
}

TEST_CASE("the exit code of the first failing rank is returned") {
    std::vector<std::string> lines;
    CHECK(run_local_ranks(make_options(2, {"exits", "7"}, lines)) == 7);
    REQUIRE(lines.size() == 1);
    CHECK_THAT(lines[0], ContainsSubstring("rank 1") && ContainsSubstring("exit code 7"));
}

TEST_CASE("a rank killed by a signal is named") {
    std::vector<std::string> lines;
    CHECK(run_local_ranks(make_options(3, {"dies_in_collective", "1"}, lines)) == 1);
    REQUIRE(lines.size() == 1);
    CHECK_THAT(lines[0], ContainsSubstring("rank 1") && ContainsSubstring("SIGKILL"));
}

TEST_CASE("a rank that a signal stops decides on the exit code") {
    std::vector<std::string> lines;
    LocalRanksOptions options = make_options(2, {"stopped_by_signal"}, lines);
    // After the grace period the launcher would end this rank itself.
    options.grace = std::chrono::seconds(30);
    CHECK(run_local_ranks(options) == 143);
}

TEST_CASE("the folder of the ranks has no secret, and its missing parent is named") {
    const LogDir logs("helioray_secret_");
    const std::filesystem::path parent = logs.path() / "tmp";
    std::filesystem::create_directories(parent);
    helioray::detail::ChildOptions child;
    child.program = HELIORAY_RANK_PROGRAM;
    child.arguments = {"rank_program", "launch", "hangs", "connected"};
    child.environment = {{"TEST_LOG_DIR", logs.path().string()},
                         {"TMPDIR", parent.string()},
                         {"OMP_NUM_THREADS", "1"}};
    child.output_file = "/dev/null";
    const pid_t launcher = helioray::detail::start_child(child);
    const auto find_store = [&] {
        std::string text;
        for (const auto& folder : std::filesystem::directory_iterator(parent))
            text += read_file(folder.path() / "store.0");
        return text;
    };
    for (int i = 0; i < 3000 && find_store().empty(); ++i)
        std::this_thread::sleep_for(milliseconds(10));
    ::kill(launcher, SIGKILL);
    ::waitpid(launcher, nullptr, 0);
    const std::string store = find_store();
    std::filesystem::remove_all(parent);
    // Format, port, secret, address.
    CHECK_THAT(store,
               ContainsSubstring("helioray-store-1\n") && ContainsSubstring("\n\n127.0.0.1\n"));

    std::vector<std::string> lines;
    ::setenv("TMPDIR", "/no/such/folder", 1);
    CHECK_THROWS_WITH(run_local_ranks(make_options(2, {"collectives"}, lines)),
                      ContainsSubstring("/no/such/folder") && ContainsSubstring("TMPDIR"));
    ::unsetenv("TMPDIR");
}

TEST_CASE("ranks that hang after a failure are killed") {
    for (const char* how : {"kill", "exit"}) {
        std::vector<std::string> lines;
        int code = 0;
        const double seconds = measure_seconds([&] {
            code = run_local_ranks(make_options(2, {"one_hangs", how}, lines));
        });
        CHECK(code == (how == std::string("kill") ? 1 : 5));
        CHECK(lines.size() == 1);
        CHECK(seconds > 0.9);
        CHECK(seconds < 15.0 * helioray::test::kPatience);
    }
}

TEST_CASE("signals are forwarded") {
    for (const int signal : {SIGINT, SIGTERM}) {
        const int status = status_after_signal(signal, "waits_for_signal", "");
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 128 + signal);
    }
    // Ranks that ignore the signal are killed.
    const int status = status_after_signal(SIGTERM, "hangs", "deaf");
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 143);
}

TEST_CASE("ranks end when their launcher is killed") {
    // Launcher and ranks inherit the write end, so it closes when the last of them has ended.
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const LogDir logs("helioray_killed_");
    const pid_t launcher = start_launcher(logs, "hangs", "deaf");
    ::close(ends[1]);
    pollfd entry{ends[0], POLLIN, 0};
    CHECK(::poll(&entry, 1, 0) == 0);
    ::kill(launcher, SIGKILL);
    ::waitpid(launcher, nullptr, 0);
    REQUIRE(::poll(&entry, 1, 10'000) == 1);
    CHECK((entry.revents & POLLHUP) != 0);
    ::close(ends[0]);
}

TEST_CASE("a rank that does not end with the others is reported") {
    std::vector<std::string> lines;
    auto options = make_options(2, {"stays_behind"}, lines);
    options.grace = std::chrono::milliseconds(200);
    options.straggler_timeout = std::chrono::milliseconds(500);
    CHECK(run_local_ranks(options) == 1);
    REQUIRE(lines.size() == 1);
    CHECK_THAT(lines.front(),
               ContainsSubstring("rank 1 (pid ") && ContainsSubstring("hangs") &&
                   ContainsSubstring("0.5 s"));
}

TEST_CASE("output of the ranks above 0 is written to files") {
    const LogDir logs("helioray_logs_");
    std::vector<std::string> lines;
    auto options = make_options(2, {"speaks"}, lines);
    options.log_dir = logs.path().string();
    CHECK(run_local_ranks(options) == 0);
    CHECK_FALSE(std::filesystem::exists(logs.path() / "rank_0.out"));
    const auto text = read_file(logs.file());
    CHECK_THAT(text, ContainsSubstring("out 1\n") && ContainsSubstring("err 1\n"));
    CHECK_THAT(text,
               ContainsSubstring("local (HELIORAY_LAUNCHER=local)") &&
                   ContainsSubstring("store       file /"));
}

TEST_CASE("local ranks that cannot be started") {
    std::vector<std::string> lines;
    CHECK_THROWS_AS(run_local_ranks(make_options(0, {"collectives"}, lines)),
                    std::invalid_argument);
    auto options = make_options(2, {"collectives"}, lines);
    options.program = "/no/such/program";
    CHECK_THROWS_WITH(run_local_ranks(options),
                      ContainsSubstring("/no/such/program cannot be executed"));
}
