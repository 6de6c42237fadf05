// SPDX-License-Identifier: MIT
// What meeting costs many ranks: clients of one store, each on a thread of its own. Prints a table.
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

constexpr int kAgreements = 20;
constexpr int kHeartbeats = 100;
constexpr auto kPatience = std::chrono::seconds(60);
// As long as the card of a rank.
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

/// Connects, hands in a card and receives all of them, as ranks do when a run starts.
void exchange_rank_info(StoreClient& client, int ranks) {
    const int rank = client.options().rank;
    client.set(make_rank_info_key(rank), kRankInfo);
    if (rank == 0) {
        std::vector<std::string> keys;
        for (int other = 0; other < ranks; ++other) keys.push_back(make_rank_info_key(other));
        client.wait(keys, kPatience);
        std::string roster;
        for (const auto& text : client.get(keys)) roster += *text;
        client.set("roster", roster);
    }
    client.wait({"roster"}, kPatience);
    client.get({"roster"});
}

void measure(int ranks) {
    StoreServerOptions options;
    options.host = "127.0.0.1";
    options.secret = "bench";
    options.ranks = ranks;
    options.heartbeat_timeout = kPatience;
    const StoreServer server(options);

    const double cpu_before = cpu_seconds();
    double info = 0.0, agreement = 0.0, send_heartbeat = 0.0;
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
            StoreClient watch(client_options);
            exchange_rank_info(client, ranks);
            together.arrive_and_wait();
            if (rank == 0) info = seconds_since(start);
            const auto begin = Clock::now();
            for (int i = 0; i < kAgreements; ++i)
                client.rendezvous(std::to_string(i), ranks, rank, "all_reduce", kPatience);
            together.arrive_and_wait();
            if (rank == 0) agreement = seconds_since(begin) / kAgreements;
            const auto first = Clock::now();
            for (int i = 0; rank == 0 && i < kHeartbeats; ++i) watch.send_heartbeat(kPatience);
            if (rank == 0) send_heartbeat = seconds_since(first) / kHeartbeats;
            together.arrive_and_wait();
            watch.close();
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::printf("| %5d | %8.2f | %10.1f | %9.0f | %7.2f |\n",
                ranks,
                info,
                1e3 * agreement,
                1e6 * send_heartbeat,
                cpu_seconds() - cpu_before);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i) sizes.push_back(std::max(1, std::stoi(argv[i])));
    if (sizes.empty()) sizes = {128, 256, 512, 1024};
    // Two ends of two connections for each rank.
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    std::printf("| ranks | hello, s | agreement, ms | beat, us | CPU s |\n|---|---|---|---|---|\n");
    for (const int ranks : sizes) measure(ranks);
    return 0;
}
