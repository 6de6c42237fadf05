// SPDX-License-Identifier: MIT
// Program that runs one rank of a test: helioray_rank_program SCENARIO [ARGUMENT]. Exit codes: 0 if
// all checks succeed, 2 for LaunchError, 3 for DistributedError, 1 for other errors. Errors are
// printed to stderr.
#include "distributed/launch/launcher.h"
#include "distributed/launch/local_ranks.h"
#include "distributed/ranks/discovery/rank_info.h"
#include "distributed/ranks/environment.h"
#include "distributed/ranks/work_queue.h"
#include "distributed/store/open_store.h"
#include "tests/distributed/rank_scenarios.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using helioray::DistributedEnvironment;
using helioray::test::expect;
using helioray::test::make_test_options;

std::string argument;           // of the scenario, may be empty
std::vector<std::string> rest;  // arguments from the second on, with a program name before them

/// If TEST_CONNECTIONS_BREAK is set, every write to another rank raises SIGPIPE, as the kernel does
/// for closed connections.
const bool connections_break = std::getenv("TEST_CONNECTIONS_BREAK") != nullptr;
std::atomic<int> broken{0};

void pause_ms(int time) {
    std::this_thread::sleep_for(std::chrono::milliseconds(time));
}

/// Kills this process after a pause, when the other ranks are waiting or computing.
[[noreturn]] void die() {
    pause_ms(300);
    ::kill(::getpid(), SIGKILL);
    std::abort();
}

// Integers above 2^53 would lose their last digits in a floating-point sum.
void check_sums(DistributedEnvironment& environment) {
    const std::int64_t large = (std::int64_t{1} << 60) / environment.world_size() + 1;
    const auto rank = environment.rank(), size = environment.world_size();
    at::Tensor sums = at::arange(1000, at::kLong).add(large + rank);
    environment.all_reduce_sum(sums);
    const at::Tensor expected =
        at::arange(1000, at::kLong).add(large).mul(size).add(size * (size - 1) / 2);
    expect(sums.equal(expected), "int64 sums");

    for (const auto type : {at::kInt, at::kFloat, at::kDouble}) {
        at::Tensor values = at::full({3, 5}, rank + 1, type);
        environment.all_reduce_sum(values);
        expect(values.equal(at::full({3, 5}, size * (size + 1) / 2, type)),
               "sums of small numbers");
    }
    // Few numbers are added by the store, many by Gloo; the ranks' numbers are equal or differ.
    for (const std::size_t count : {0, 1, 1000, 200'000}) {
        std::vector<std::int64_t> equal(count, -3), different(count);
        for (std::size_t i = 0; i < count; ++i)
            different[i] = large + rank * static_cast<std::int64_t>(i);
        environment.all_reduce_sum(equal);
        environment.all_reduce_sum(different);
        bool right = true;
        for (std::size_t i = 0; i < count; ++i)
            right = right && equal[i] == -3 * size &&
                    different[i] ==
                        large * size + static_cast<std::int64_t>(i) * (size * (size - 1) / 2);
        expect(right, "sums of lists");
    }
    at::Tensor empty = at::zeros({0, 4}, at::kLong);
    environment.all_reduce_sum(empty);
    expect(empty.numel() == 0, "sum of nothing");
}

void check_copies(DistributedEnvironment& environment) {
    const auto rank = environment.rank(), size = environment.world_size();
    for (int root = 0; root < size; ++root) {
        at::Tensor values = at::arange(7, at::kDouble).add(10 * rank);
        environment.broadcast(values, root);
        expect(values.equal(at::arange(7, at::kDouble).add(10 * root)), "broadcast");
    }
    const auto short_text = [](int r) {
        return "rank\n" + std::to_string(r) + std::string("\0x", 2);
    };
    const auto strings = environment.all_gather_strings(short_text(rank));
    expect(static_cast<int>(strings.size()) == size, "number of strings");
    for (int r = 0; r < size; ++r) expect(strings[r] == short_text(r), "strings");

    // One text is too long for the store, the others are empty.
    const std::string long_text(3'000'000, 'x');
    const auto texts = environment.all_gather_strings(rank == size - 1 ? long_text + "end" : "");
    for (int r = 0; r < size - 1; ++r) expect(texts[r].empty(), "empty strings");
    expect(texts[size - 1] == long_text + "end", "long string");
}

void check_wait_for_all(DistributedEnvironment& environment) {
    // Rank 0 is late, and the others are called meanwhile.
    int calls = 0;
    if (environment.is_root()) std::this_thread::sleep_for(std::chrono::milliseconds(400));
    environment.fetch_add("late", 1);
    environment.wait_for_all("work", [&] { ++calls; });
    expect(environment.fetch_add("late", 0) == environment.world_size(), "wait for all");
    expect(environment.is_root() || calls > 0, "calls while waiting");

    // Few numbers are added by the store, many by Gloo.
    const std::int64_t size = environment.world_size();
    for (const std::size_t count : {1, 200'000}) {
        std::vector<std::int64_t> values(count, environment.rank() + 1);
        environment.wait_for_all(
            "work", [] {}, values);
        expect(std::ranges::all_of(values,
                                   [&](std::int64_t sum) { return sum == size * (size + 1) / 2; }),
               "sums after waiting");
    }

    // A text for the store, none, and one that the group sends; other ranks' texts do not count.
    for (const std::string& text :
         {std::string("few\n\0x", 6), std::string(), std::string(5'000'000, 'x')})
        expect(environment.wait_for_root("text", environment.is_root() ? text : "other") == text,
               "text of rank 0 after waiting");
}

void check_counter(DistributedEnvironment& environment) {
    at::Tensor drawn = at::zeros({40}, at::kLong);
    std::int64_t unit = 0;
    while ((unit = environment.fetch_add("units")) < 40) drawn[unit] += 1;
    environment.all_reduce_sum(drawn);
    expect(drawn.equal(at::full({40}, 1, at::kLong)), "every unit drawn once");
}

/// Takes `n` items from a work queue, `pause` ms each, and checks that each item is taken once.
void draw_items(int n, int pause) {
    DistributedEnvironment environment(make_test_options());
    if (environment.rank() == 1) pause *= 2;
    helioray::WorkQueue queue(environment, "items", std::vector<double>(n, 1.0));
    at::Tensor drawn = at::zeros({n}, at::kLong);
    std::int64_t own = 0;
    // Start together, so that a rank that starts late does not count as slow.
    environment.barrier();
    while (const auto range = queue.next()) {
        const auto length = range->second - range->first;
        own += length;
        drawn.narrow(0, range->first, length).add_(1);
        pause_ms(static_cast<int>(pause * length));
    }
    environment.all_reduce_sum(drawn);
    expect(drawn.equal(at::full({n}, 1, at::kLong)), "every item drawn once");
    expect(environment.fetch_add("queue/items", 0) == 0, "no counter of a queue that has ended");
    std::cout << "items=" << own << std::endl;
}

void draws() {
    draw_items(std::atoi(argument.c_str()), 0);
}
void draws_slowly() {
    draw_items(std::atoi(argument.c_str()), 4);
}

void dies_between_draws() {
    DistributedEnvironment environment(make_test_options());
    helioray::WorkQueue queue(environment, "items", std::vector<double>(10'000, 1.0));
    while (queue.next()) {
        if (environment.rank() == 1) die();
        pause_ms(100);
    }
}

void collectives() {
    DistributedEnvironment environment(make_test_options());
    check_sums(environment);
    check_copies(environment);
    check_wait_for_all(environment);
    check_counter(environment);
    environment.barrier();
    environment.check_peers();
    expect(environment.backend_name() == (environment.world_size() > 1 ? "gloo" : "none"),
           "backend name");
    expect(environment.device_name() == "cpu", "device name");
    environment.close();
    environment.close();
}

void twice() {
    for (int round = 0; round < 3; ++round) {
        DistributedEnvironment environment(make_test_options());
        at::Tensor values = at::full({4}, 1, at::kLong);
        environment.all_reduce_sum(values);
        expect(values.equal(at::full({4}, environment.world_size(), at::kLong)), "sum of round");
        expect(environment.fetch_add("units", 0) == 0, "a new counter in every environment");
        environment.barrier();
        environment.fetch_add("units", 5);
    }
}

void shapes() {
    DistributedEnvironment environment(make_test_options());
    at::Tensor values = at::zeros({64, 64 + (environment.rank() == 1 ? 1 : 0)}, at::kLong);
    environment.all_reduce_sum(values);
}

void types() {
    DistributedEnvironment environment(make_test_options());
    at::Tensor values = at::zeros({8}, environment.rank() == 1 ? at::kInt : at::kLong);
    environment.all_reduce_sum(values);
}

void order() {
    DistributedEnvironment environment(make_test_options());
    at::Tensor values = at::zeros({8}, at::kLong);
    if (environment.rank() == 1) environment.barrier();
    environment.all_reduce_sum(values);
}

void configuration() {
    auto options = make_test_options();
    const bool differs = options.launch.rank == 1;
    options.configuration = {{"sun.dni_w_m2", "1000"}, {"tracing.seed", differs ? "7" : "42"}};
    if (differs) options.configuration["aim.target"] = "tower\n";
    DistributedEnvironment environment(options);
}

// One rank reports a problem, so no rank can continue.
void not_ready() {
    auto options = make_test_options();
    const bool bad = std::to_string(options.launch.rank) == argument;
    if (bad) options.problem = "no file\nno sun";
    if (bad) options.configuration = {{"a", "b"}};
    try {
        DistributedEnvironment environment(options);
        expect(false, "an environment without all ranks");
    } catch (const helioray::RanksNotReady& failure) {
        for (int rank = 0; rank < options.launch.world_size; ++rank)
            expect(failure.problems()[rank] ==
                       (std::to_string(rank) == argument ? "no file\nno sun" : ""),
                   "problems by rank");
    }
}

// Rank 1 simulates another build of the program: it writes the RankInfo of that build into the
// store.
void other_version() {
    const auto options = make_test_options();
    if (options.launch.rank == 1) {
        namespace detail = helioray::detail;
        const auto& launch = options.launch;
        detail::OpenStoreOptions open;
        open.name = "rank 1";
        open.timeout = options.timeout;
        const auto opened = detail::open_store(launch, open, {}, {});
        detail::RankInfo info;
        info.version = "0.0.1 other";
        detail::fill_in_process(info);
        opened.client->set("hello/1",
                           argument == "format" ? "helioray-hello-9\n" : detail::to_text(info));
        opened.client->wait({"roster"}, options.timeout);
        return;
    }
    DistributedEnvironment environment(options);
}

// One rank is killed while the others wait in a collective.
void dies_in_collective() {
    DistributedEnvironment environment(make_test_options());
    if (std::to_string(environment.rank()) == argument) die();
    environment.barrier();
}

// One rank is killed while the others compute.
void dies_while_computing() {
    DistributedEnvironment environment(make_test_options());
    if (std::to_string(environment.rank()) == argument) die();
    for (int unit = 0; unit < 3000; ++unit) {
        pause_ms(10);
        environment.check_peers();
    }
}

/// Waits without a time-out until every rank has come, as the tracer does.
void wait_for_all(DistributedEnvironment& environment) {
    environment.fetch_add("done", 1);
    while (environment.fetch_add("done", 0) < environment.world_size()) pause_ms(20);
}

// The computing thread of one rank hangs: it has work, and neither a number nor the processor time
// of the process shows progress. The process itself is alive.
void hangs_in_work() {
    auto options = make_test_options();
    const std::string name = "rank " + std::to_string(options.launch.rank);
    options.stuck = [name](const std::string& cause) {
        std::cerr << name << " is stuck: " << cause << std::endl;
        _exit(3);
    };
    DistributedEnvironment environment(options);
    const auto watched = environment.watch_progress(
        {.phase = "tracing", .progress = [] { return std::uint64_t{7}; }});
    if (std::to_string(environment.rank()) == argument)
        for (;;) pause_ms(1000);
    wait_for_all(environment);
}

// One rank takes four time-outs for its work: "counts" finished parts, "computes" a single long
// part, or waits "unwatched". Rank 0 does so "before_text". This is not a hang.
void works_slowly() {
    DistributedEnvironment environment(make_test_options());
    const bool before_text = argument == "before_text";
    if (environment.rank() == (before_text ? 0 : 1)) {
        std::atomic<std::uint64_t> parts{0};
        helioray::WatchedWork work{.phase = argument == "unwatched" ? "" : "tracing",
                                   .progress = [&] { return parts.load(); },
                                   .counts_processor_time = argument == "computes" || before_text};
        const auto watched = environment.watch_progress(std::move(work));
        const auto begin = std::chrono::steady_clock::now();
        const auto end = begin + 4 * make_test_options().timeout;
        while (std::chrono::steady_clock::now() < end) {
            if (argument == "computes" || before_text) continue;
            pause_ms(300);
            if (argument == "counts") ++parts;
        }
    }
    if (before_text)
        expect(environment.wait_for_root("text", environment.is_root() ? "late" : "") == "late",
               "late text of rank 0");
    wait_for_all(environment);
}

void reports() {
    DistributedEnvironment environment(make_test_options());
    if (std::to_string(environment.rank()) == argument) {
        environment.report_failure("the disk is full");
        throw std::runtime_error("the disk is full");
    }
    environment.barrier();
}

// One rank is killed after it has connected to the store and before it has published its info.
void dies_before_discovery() {
    const auto options = make_test_options();
    if (options.launch.rank != 1) {
        DistributedEnvironment environment(options);
        return;
    }
    helioray::detail::StoreClientOptions client_options;
    client_options.host = options.launch.master_addr;
    client_options.port = options.launch.master_port;
    client_options.run = options.launch.run_id + "/0";
    client_options.ranks = options.launch.world_size;
    client_options.rank = 1;
    client_options.name = "rank 1";
    const helioray::detail::StoreClient client(client_options);
    die();
}

// Rank 1 ends with the exit code of a signal a moment after the other rank has failed for that.
void stopped_by_signal() {
    const bool is_stopped =
        helioray::detect_launcher(helioray::EnvironmentView::from_process()).rank == 1;
    pause_ms(is_stopped ? 300 : 0);
    std::exit(is_stopped ? 143 : 1);
}

void throws() {
    DistributedEnvironment environment(make_test_options());
    if (std::to_string(environment.rank()) == argument)
        throw std::runtime_error("thrown by the test");
    environment.barrier();
}

void late() {
    const auto options = make_test_options();
    DistributedEnvironment environment(options);
    if (std::to_string(environment.rank()) == argument)
        pause_ms(2 * static_cast<int>(options.timeout.count()));
    environment.barrier();
}

void show() {
    const auto options = make_test_options();
    DistributedEnvironment environment(options);
    at::Tensor value = at::full({1}, 1, at::kLong);
    environment.all_reduce_sum(value);
    expect(value.item<std::int64_t>() == environment.world_size(), "sum");
    if (environment.is_root())
        std::cout << "launcher=" << to_string(options.launch.launcher)
                  << " ranks=" << environment.world_size() << std::endl;
}

// Prints the placement of every rank.
void places() {
    const auto options = make_test_options();
    DistributedEnvironment environment(options);
    const std::string mine = to_string(options.launch.launcher) + ": local rank " +
                             std::to_string(environment.local_rank()) + " of " +
                             std::to_string(environment.local_size()) + ", threads " +
                             std::to_string(environment.threads());
    const auto lines = environment.all_gather_strings(mine);
    for (std::size_t rank = 0; rank < lines.size() && environment.is_root(); ++rank)
        std::cout << "rank " << rank << ": " << lines[rank] << std::endl;
}

// The following scenarios are for tests of launchers and create no environment.
void exits() {
    const auto launch = helioray::detect_launcher(helioray::EnvironmentView::from_process());
    if (launch.rank == 1) std::exit(std::atoi(argument.c_str()));
}

void hangs() {
    if (argument == "deaf") ::signal(SIGTERM, SIG_IGN);
    std::optional<DistributedEnvironment> environment;
    if (argument == "connected") environment.emplace(make_test_options());
    std::cout << "hanging" << std::endl;
    pause_ms(60'000);
}

void one_hangs() {
    const auto launch = helioray::detect_launcher(helioray::EnvironmentView::from_process());
    if (launch.rank == 1) {
        pause_ms(200);
        if (argument == "kill") ::kill(::getpid(), SIGKILL);
        std::exit(5);
    }
    ::signal(SIGTERM, SIG_IGN);
    pause_ms(60'000);
}

std::atomic<bool> interrupted{false};

void waits_for_signal() {
    ::signal(SIGINT, [](int) { interrupted = true; });
    ::signal(SIGTERM, [](int) { interrupted = true; });
    std::cout << "ready" << std::endl;
    for (int i = 0; i < 2000 && !interrupted; ++i) pause_ms(10);
    expect(interrupted, "a signal");
    std::exit(130);
}

void speaks() {
    const auto launch = helioray::detect_launcher(helioray::EnvironmentView::from_process());
    std::cout << "out " << launch.rank << std::endl;
    std::cerr << "err " << launch.rank << std::endl;
    std::cout << describe(launch);
}

// Rank 0 ends without an error, the others hang.
void stays_behind() {
    if (std::string(std::getenv("RANK")) != "0") ::pause();
}

// Runs two ranks of this program with the remaining arguments by run_local_ranks().
void launch() {
    helioray::LocalRanksOptions options;
    options.ranks = 2;
    options.arguments = rest;
    options.grace = std::chrono::milliseconds(500);
    if (const char* dir = std::getenv("TEST_LOG_DIR")) options.log_dir = dir;
    std::exit(run_local_ranks(options));
}

const std::map<std::string, std::function<void()>> scenarios = {
    {"collectives", collectives},
    {"twice", twice},
    {"shapes", shapes},
    {"types", types},
    {"order", order},
    {"configuration", configuration},
    {"not_ready", not_ready},
    {"other_version", other_version},
    {"draws", draws},
    {"draws_slowly", draws_slowly},
    {"dies_between_draws", dies_between_draws},
    {"dies_in_collective", dies_in_collective},
    {"dies_while_computing", dies_while_computing},
    {"hangs_in_work", hangs_in_work},
    {"works_slowly", works_slowly},
    {"dies_before_discovery", dies_before_discovery},
    {"stopped_by_signal", stopped_by_signal},
    {"places", places},
    {"reports", reports},
    {"throws", throws},
    {"late", late},
    {"launch", launch},
    {"show", show},
    {"exits", exits},
    {"hangs", hangs},
    {"one_hangs", one_hangs},
    {"stays_behind", stays_behind},
    {"waits_for_signal", waits_for_signal},
    {"speaks", speaks}};

}  // namespace

/// Replaces writev(), which Gloo calls to send data.
extern "C" ssize_t writev(int file, const iovec* parts, int count) {
    if (connections_break) {
        ++broken;
        ::pthread_kill(::pthread_self(), SIGPIPE);
    }
    return ::syscall(SYS_writev, file, parts, count);
}

int main(int argc, char** argv) {
    try {
        if (argc > 2) argument = argv[2];
        rest.assign(argv, argv + argc);
        if (argc > 1) rest.erase(rest.begin() + 1);
        auto known = scenarios;
        using namespace helioray::test;
        for (auto more : {collective_scenarios(),
                          group_scenarios(),
                          autograd_scenarios(),
                          gradient_scenarios()})
            known.merge(more);
        known.at(argc > 1 ? argv[1] : "collectives")();
        expect(!connections_break || broken > 0, "a write to another rank");
        return 0;
    } catch (const helioray::LaunchError& error) {
        std::cerr << "launcher: " << error.what() << std::endl;
        return 2;
    } catch (const helioray::DistributedError& error) {
        std::cerr << "distributed: " << error.what() << std::endl;
        return 3;
    } catch (const std::exception& error) {
        std::cerr << "failed: " << error.what() << std::endl;
        return 1;
    }
}
