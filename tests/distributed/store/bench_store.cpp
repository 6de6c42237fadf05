// SPDX-License-Identifier: MIT
// Cost of discovery, rendezvous and heartbeats with many ranks: each rank is a client of one store
// on a separate thread. Prints a table.
//   helioray_bench_store [RANKS...]     by default 128 256 512 1024
#include "distributed/store/client.h"
#include "distributed/store/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace helioray::detail;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kRendezvous = 20;
constexpr int kHeartbeats = 100;
constexpr auto kTimeout = std::chrono::seconds(60);
// A text of the size of a RankInfo.
const std::string kRankInfo(300, 'x');

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string make_rank_info_key(int rank) {
    return "hello/" + std::to_string(rank);
}

/// Publishes a RankInfo and receives those of all ranks, as ranks do when a run starts.
void exchange_rank_info(StoreClient& client, int ranks) {
    const int rank = client.options().rank;
    client.set(make_rank_info_key(rank), kRankInfo);
    if (rank == 0) {
        std::vector<std::string> keys;
        for (int other = 0; other < ranks; ++other) keys.push_back(make_rank_info_key(other));
        client.wait(keys, kTimeout);
        std::string roster;
        for (const auto& text : client.get(keys)) roster += *text;
        client.set("roster", roster);
    }
    client.wait({"roster"}, kTimeout);
    client.get({"roster"});
}

void measure(int ranks) {
    StoreServerOptions options;
    options.host = "127.0.0.1";
    options.secret = "bench";
    options.ranks = ranks;
    options.heartbeat_timeout = kTimeout;
    const StoreServer server(options);

    const double cpu_before = cpu_seconds();
    double discovery = 0.0, rendezvous = 0.0, heartbeat = 0.0;
    std::barrier<> together(ranks);
    const auto start = Clock::now();
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&, rank] {
            StoreClientOptions client_options;
            client_options.host = "127.0.0.1";
            client_options.port = server.port();
            client_options.secret = "bench";
            client_options.ranks = ranks;
            client_options.rank = rank;
            client_options.name = "rank " + std::to_string(rank);
            StoreClient client(client_options);
            client_options.sends_heartbeats = true;
            StoreClient heartbeats(client_options);
            exchange_rank_info(client, ranks);
            together.arrive_and_wait();
            if (rank == 0) discovery = seconds_since(start);
            const auto begin = Clock::now();
            for (int i = 0; i < kRendezvous; ++i)
                client.rendezvous(std::to_string(i), ranks, rank, "all_reduce", kTimeout);
            together.arrive_and_wait();
            if (rank == 0) rendezvous = seconds_since(begin) / kRendezvous;
            const auto first = Clock::now();
            for (int i = 0; rank == 0 && i < kHeartbeats; ++i)
                heartbeats.send_heartbeat({}, kTimeout);
            if (rank == 0) heartbeat = seconds_since(first) / kHeartbeats;
            together.arrive_and_wait();
            heartbeats.close();
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("| %5d | %8.2f | %10.1f | %9.0f | %7.2f |\n",
                ranks,
                discovery,
                1e3 * rendezvous,
                1e6 * heartbeat,
                cpu_seconds() - cpu_before);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(std::max(1, std::stoi(argv[i])));
    if (sizes.empty()) sizes = {128, 256, 512, 1024};
    // Each rank has two connections with both ends in this process.
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    std::printf(
        "| ranks | discovery, s | rendezvous, ms | heartbeat, us | CPU s "
        "|\n|---|---|---|---|---|\n");
    for (const int ranks : sizes) measure(ranks);
    return 0;
}
