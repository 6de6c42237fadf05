// SPDX-License-Identifier: MIT
// How the ranks meet: store, exchange of cards, monitor, groups.
#include "distributed/local_address.h"
#include "distributed/world.h"

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::string hello_key(int rank) {
    return "hello/" + std::to_string(rank);
}
std::string read_key(int rank) {
    return "read/" + std::to_string(rank);
}

/// Environments of one process follow each other in the same order on every rank, so a count tells
/// them apart.
int next_generation() {
    static std::atomic<int> generation{0};
    return generation++;
}

/// The store of all ranks, not yet divided into runs.
Store open_store(const LaunchInfo& launch,
                 int generation,
                 bool serve,
                 std::chrono::milliseconds timeout) {
    // One file per environment: the last rank to leave one removes it.
    if (!launch.store_file.empty())
        return Store::in_file(
            launch.store_file + "." + std::to_string(generation), launch.world_size, timeout);
    return Store::root(launch.master_addr, launch.master_port, serve, timeout);
}

}  // namespace

World::World(const DistributedOptions& options, Hello hello, int cuda_index)
    : options_(options),
      rank_(options.launch.rank),
      size_(options.launch.world_size),
      serves_store_(options.launch.rank == 0 && rank_zero_serves()) {
    try {
        if (options.use_cuda && options.backend != DistributedOptions::Backend::gloo)
            guarded("start-up", [] { Group::load_nccl(); });
        meet(std::move(hello));
        connect(cuda_index);
    } catch (...) {
        abandon();
        throw;
    }
}

void World::meet(Hello mine) {
    const auto& launch = options_.launch;
    const int generation = next_generation();
    const std::string prefix = "helioray/" + launch.run_id + "/" +
                               std::to_string(launch.restart_count) + "/" +
                               std::to_string(generation);
    try {
        const Store root = open_store(launch, generation, serves_store_, options_.timeout);
        store_ = std::make_unique<Store>(root.with_prefix(prefix));
    } catch (const TransportError& error) {
        const std::string address = store_address();
        if (!launch.store_file.empty())
            throw DistributedError("rank " + std::to_string(rank_) + " cannot open the store " +
                                   address + ": " + error.what() +
                                   "; check HELIORAY_STORE, and the folder's permissions");
        if (serves_store_)
            throw DistributedError("rank 0 cannot open the store at " + address + ": " +
                                   error.what() + "; choose another MASTER_PORT");
        throw DistributedError("rank " + std::to_string(rank_) + " cannot reach the store at " +
                               address + " within " + seconds_text(options_.timeout) + ": " +
                               error.what() +
                               "; check MASTER_ADDR and MASTER_PORT, and that rank 0 was started");
    }

    std::string verdict;
    guarded("start-up", [&] {
        const std::string text = to_text(mine);
        if (store_->set_if_absent(hello_key(rank_), text) != text)
            throw DistributedError("two processes are rank " + std::to_string(rank_) +
                                   " of the same run at " + store_address() +
                                   (launch.store_file.empty()
                                        ? "; give every process its own rank, and every run its "
                                          "own port"
                                        : "; give every process its own rank, and every run its "
                                          "own file (remove one that an earlier run left)"));

        // Cards are read as they come: a rank that expects another number of ranks would wait for
        // ever.
        hellos_.resize(size_);
        std::vector<int> missing;
        for (int rank = 0; rank < size_; ++rank) missing.push_back(rank);
        const auto deadline = Clock::now() + options_.timeout;
        auto pause = milliseconds(1);
        while (verdict.empty()) {
            std::vector<int> still;
            for (const int rank : missing) {
                if (!store_->has(hello_key(rank))) {
                    still.push_back(rank);
                    continue;
                }
                try {
                    hellos_[rank] = parse_hello(store_->get(hello_key(rank)));
                } catch (const std::invalid_argument& error) {
                    verdict = error.what();
                    break;
                }
                if (hellos_[rank].world_size != size_ && verdict.empty())
                    verdict = "the ranks disagree on the number of ranks: rank " +
                              std::to_string(rank) + " says " +
                              std::to_string(hellos_[rank].world_size) + ", rank " +
                              std::to_string(rank_) + " says " + std::to_string(size_);
            }
            missing.swap(still);
            if (missing.empty() || !verdict.empty()) break;
            if (Clock::now() > deadline)
                verdict = (missing.size() > 1 ? "ranks " : "rank ") + list_ranks(missing) + " of " +
                          std::to_string(size_) + " did not start within " +
                          seconds_text(options_.timeout);
            std::this_thread::sleep_for(pause);
            pause = std::min(2 * pause, milliseconds(50));
        }
    });
    if (verdict.empty()) verdict = disagreement(hellos_);
    if (verdict.empty() && options_.backend == DistributedOptions::Backend::nccl) {
        const std::string shared = shared_gpu(hellos_);
        if (!shared.empty())
            verdict = shared +
                      " use the same GPU, which NCCL refuses; give every rank a GPU of its own, or "
                      "choose gloo";
    }
    if (verdict.empty()) return;

    // Every rank comes to the same verdict by itself; rank 0 keeps the store open until all have
    // read the cards.
    std::vector<std::string> keys;
    for (int rank = 0; rank < size_; ++rank) keys.push_back(read_key(rank));
    try {
        store_->set(read_key(rank_), "1");
    } catch (const TransportError&) {
        // The others are gone already.
    }
    if (serves_store_) wait_for_keys(keys, milliseconds(3000));
    throw DistributedError(verdict);
}

void World::connect(int cuda_index) {
    MonitorOptions watch;
    watch.rank = rank_;
    watch.store_name = store_name();
    watch.serves_store = serves_store_;
    watch.rank_zero_serves = rank_zero_serves();
    watch.silence_limit = options_.silence_limit;
    for (int rank = 0; rank < size_; ++rank) {
        const bool visible = hellos_[rank].processes == hellos_[rank_].processes;
        watch.peers.push_back({name_of(rank, hellos_[rank]), visible ? hellos_[rank].pid : 0});
    }
    guarded("start-up", [&] {
        monitor_ = std::make_unique<PeerMonitor>(store_->new_connection(), std::move(watch));
        std::vector<int> ranks(size_);
        std::iota(ranks.begin(), ranks.end(), 0);
        meeting_ = std::make_unique<Meeting>(*this, *store_, ranks, rank_);
        meeting_->arrive("start-up", {}, options_.timeout);

        // On one machine the loopback address always works, whatever the host name resolves to.
        if (!std::getenv("GLOO_SOCKET_IFNAME")) {
            if (on_one_machine(hellos_))
                address_ = "127.0.0.1";
            else if (options_.launch.store_file.empty())
                address_ =
                    local_address_towards(options_.launch.master_addr, options_.launch.master_port);
        }

        using Backend = DistributedOptions::Backend;
        const bool own_gpus = options_.use_cuda && shared_gpu(hellos_).empty();
        const bool nccl = options_.backend == Backend::nccl ||
                          (options_.backend == Backend::automatic && own_gpus);
        if (nccl) {
            nccl_index_ = cuda_index;
            backend_ = "nccl";
        }
        open_channel("world", ranks);
    });
    meeting_->arrive("end of start-up", {}, options_.timeout);
}

}  // namespace helioray::detail
