// SPDX-License-Identifier: MIT
// The connected ranks: how they meet, their channels, and the two ways to end.
#include "distributed/world.h"

#include "distributed/collectives.h"
#include "distributed/group_layout.h"
#include "distributed/group_state.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>

namespace helioray::detail {
namespace {

using std::chrono::milliseconds;

std::string hello_key(int rank) {
    return "hello/" + std::to_string(rank);
}
std::vector<std::string> hello_keys(int size) {
    std::vector<std::string> keys;
    for (int rank = 0; rank < size; ++rank) keys.push_back(hello_key(rank));
    return keys;
}
std::string read_key(int rank) {
    return "read/" + std::to_string(rank);
}
constexpr const char* kRosterKey = "roster";
// Rank 0 has waited for the cards for as long; its verdict comes after that.
constexpr auto kRosterDelay = milliseconds(5000);

/// Environments of one process follow each other in the same order on every rank, so a count
/// identifies them.
int next_generation() {
    static std::atomic<int> generation{0};
    return generation++;
}

}  // namespace

World::World(const DistributedOptions& options, Hello hello, int cuda_index)
    : options_(options),
      rank_(options.launch.rank),
      size_(options.launch.world_size),
      generation_(next_generation()) {
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

void World::open() {
    const auto& launch = options_.launch;
    const std::string address = store_address();
    const std::string rank = "rank " + std::to_string(rank_);
    try {
        OpenStoreOptions options;
        options.generation = generation_;
        options.name = name_;
        options.timeout = options_.timeout;
        options.silence_limit = options_.silence_limit;
        LauncherStore launcher;
        if (launch.launcher_owns_store)
            launcher = launcher_store(
                launch.master_addr, launch.master_port, options_.timeout, options_.while_waiting);
        opened_ = open_store(launch, options, launcher, options_.while_waiting);
        store_.emplace(opened_.client);
    } catch (const Refused& refusal) {
        throw DistributedError(rank + " is refused by the store at " + address + ": " +
                               refusal.what() +
                               "; give every run a store of its own, and every rank the same "
                               "HELIORAY_SECRET");
    } catch (const TransportError& error) {
        if (!launch.store_file.empty())
            throw DistributedError(rank + " cannot open the store " + address + " within " +
                                   seconds_text(options_.timeout) + ": " + error.what() +
                                   "; check HELIORAY_STORE and the folder's permissions, and that "
                                   "rank 0 was started");
        if (rank_ == 0 && !launch.launcher_owns_store)
            throw DistributedError("rank 0 cannot open the store at " + address + ": " +
                                   error.what() + "; choose another MASTER_PORT");
        throw DistributedError(rank + " cannot reach the store at " + address + " within " +
                               seconds_text(options_.timeout) + ": " + error.what() +
                               "; check MASTER_ADDR and MASTER_PORT, and that rank 0 was started");
    }
}

void World::meet(Hello mine) {
    name_ = name_of(rank_, mine);
    open();
    mine.address = opened_.client->local_address();
    mine.server = opened_.client->server_address();
    std::string verdict;
    guarded("start-up", [&] {
        opened_.client->set_look([this] { while_waiting(); });
        verdict = exchange_cards(mine);
    });
    if (!verdict.empty()) throw DistributedError(verdict);
}

/// Cards of all ranks, collected by rank 0 and handed to each in one piece. Returns why they cannot
/// work together; empty where they can.
std::string World::exchange_cards(const Hello& mine) {
    const std::string card = to_text(mine);
    if (store_->client().compare_set(hello_key(rank_), "", card) != card)
        return "two processes are rank " + std::to_string(rank_) + " of the same run at " +
               store_address() +
               (options_.launch.store_file.empty()
                    ? "; give every process its own rank, and every run its own port"
                    : "; give every process its own rank, and every run its own file");
    hellos_.resize(size_);
    if (rank_ == 0) {
        const std::vector<std::string> keys = hello_keys(size_);
        std::string verdict;
        try {
            store_->client().wait(keys, options_.timeout);
        } catch (const Unanswered&) {
            verdict = missing_cards();
        }
        FrameWriter roster;
        const auto cards = store_->client().get(keys);
        try {
            for (int rank = 0; rank < size_ && verdict.empty(); ++rank)
                hellos_[rank] = parse_hello(cards[rank].value_or(""));
        } catch (const std::invalid_argument& error) {
            verdict = error.what();
        }
        if (verdict.empty()) verdict = verdict_on_cards();
        roster.text(verdict);
        if (verdict.empty())
            for (const auto& one : cards) roster.text(*one);
        store_->set(kRosterKey, roster.body());
        // The store ends with this rank: the others read the verdict first.
        if (!verdict.empty()) wait_for_readers();
        return verdict;
    }
    try {
        store_->client().wait({kRosterKey}, options_.timeout + kRosterDelay);
    } catch (const Unanswered&) {
        return missing_cards();
    }
    const std::string text = store_->get(kRosterKey).value_or("");
    FrameReader roster(text);
    const std::string verdict = roster.text();
    if (!verdict.empty()) store_->set(read_key(rank_), "1");
    if (verdict.empty())
        for (Hello& hello : hellos_) hello = parse_hello(roster.text());
    return verdict;
}

void World::wait_for_readers() {
    std::vector<std::string> keys;
    for (int rank = 1; rank < size_; ++rank) keys.push_back(read_key(rank));
    try {
        store_->client().wait(keys, std::min<milliseconds>(options_.timeout, milliseconds(3000)));
    } catch (const TransportError&) {
        // A courtesy to ranks that may not exist.
    }
}

std::string World::missing_cards() {
    const auto cards = store_->client().get(hello_keys(size_));
    std::vector<int> missing;
    for (int rank = 0; rank < size_; ++rank)
        if (!cards[rank]) missing.push_back(rank);
    if (missing.empty()) return "rank 0 did not answer within " + seconds_text(options_.timeout);
    return (missing.size() > 1 ? "ranks " : "rank ") + list_ranks(missing) + " of " +
           std::to_string(size_) + " did not start within " + seconds_text(options_.timeout);
}

std::string World::verdict_on_cards() const {
    std::string verdict = disagreement(hellos_);
    if (!verdict.empty() || options_.backend != DistributedOptions::Backend::nccl) return verdict;
    const std::string shared = shared_gpu(hellos_);
    if (shared.empty()) return {};
    return shared +
           " use the same GPU, which NCCL refuses; give every rank a GPU of its own, or choose "
           "gloo";
}

void World::connect(int cuda_index) {
    MonitorOptions watch;
    watch.store = opened_.client->options();
    watch.server = name_of(0, hellos_[0]);
    watch.silence_limit = options_.silence_limit;
    guarded("start-up", [&] {
        monitor_ = std::make_unique<PeerMonitor>(std::move(watch), options_.while_waiting);
        std::vector<int> ranks(size_);
        std::iota(ranks.begin(), ranks.end(), 0);
        meeting_ = std::make_unique<Meeting>(*this, store_->with_prefix("world"), ranks, rank_);
        meeting_->arrive("start-up", {}, options_.timeout);
        address_ = own_address();

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

World::~World() {
    if (!closed_) abandon();
}

void World::fail(const std::string& message) {
    broken_ = true;
    if (!monitor_) throw DistributedError(message);
    if (const auto cause = monitor_->cause()) throw DistributedError(*cause);
    monitor_->report(name_ + " gave up: " + message, milliseconds(2000));
    throw DistributedError(message);
}

void World::fail_after(const TransportError& error, const std::string& operation) {
    // LibTorch hands on only the text of what ended its wait.
    if (options_.while_waiting) options_.while_waiting();
    // A broken connection is an effect; give the monitor time to learn its cause.
    if (const auto cause = monitor_ ? monitor_->await_cause(milliseconds(2000)) : std::nullopt) {
        broken_ = true;
        throw DistributedError(*cause);
    }
    fail(operation + " failed: " + error.what());
}

void World::fail_because(const std::string& cause) {
    broken_ = true;
    if (monitor_) monitor_->learn(cause);
    throw DistributedError(cause);
}

void World::require_usable() const {
    if (closed_) throw DistributedError("the distributed environment is closed");
    if (!broken_) return;
    const auto cause = monitor_ ? monitor_->cause() : std::nullopt;
    throw DistributedError(cause.value_or("the distributed environment failed earlier"));
}

std::shared_ptr<Channel> World::open_channel(const std::string& name, std::vector<int> ranks) {
    ChannelOptions options;
    options.group.name = name;
    options.group.rank =
        static_cast<int>(std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin());
    options.group.ranks = std::move(ranks);
    options.group.timeout = options_.timeout;
    options.address = address_;
    options.nccl_index = nccl_index_;
    options.check_calls = options_.check_calls;
    return guarded("connection of group " + name, [&] {
        channels_.push_back(
            std::make_shared<Channel>(*this, store_->with_prefix("group/" + name), options));
        return channels_.back();
    });
}

std::shared_ptr<Channel> World::split(const std::string& name,
                                      const std::string& text,
                                      const std::vector<std::vector<int>>& groups) {
    world_channel()->meet(text);
    std::shared_ptr<Channel> mine;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto& ranks = groups[i];
        if (ranks.size() > 1 && std::count(ranks.begin(), ranks.end(), rank_) != 0)
            mine = open_channel("split/" + name + "/" + std::to_string(i), ranks);
    }
    return mine;
}

ProcessGroup World::all_ranks_group() const {
    auto state = std::make_shared<GroupState>();
    state->name = "world";
    state->ranks = all_ranks(size_);
    state->rank = rank_;
    state->cuda_index = nccl_index_;
    state->channel = world_channel();
    return ProcessGroup(std::move(state));
}

void World::all_reduce_sum(std::span<std::int64_t> values) {
    at::Tensor tensor = at::from_blob(values.data(), {std::ssize(values)}, at::kLong);
    all_reduce(all_ranks_group(), tensor, Reduction::sum);
}

void World::all_reduce_sum(std::span<double> values) {
    at::Tensor tensor = at::from_blob(values.data(), {std::ssize(values)}, at::kDouble);
    all_reduce(all_ranks_group(), tensor, Reduction::sum);
}

void World::all_reduce_sum(const kernels::DeviceIntegers& values) {
    const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(values.device));
    at::Tensor tensor = at::for_blob(values.data, {values.count})
                            .options(at::TensorOptions().dtype(at::kLong).device(device))
                            .target_device(device)
                            .make_tensor();
    all_reduce(all_ranks_group(), tensor, Reduction::sum);
}

std::vector<std::string> World::all_gather_strings(const std::string& mine) {
    return helioray::all_gather_strings(all_ranks_group(), mine);
}

void World::barrier() {
    helioray::barrier(all_ranks_group());
}

void World::while_waiting() {
    if (options_.while_waiting) options_.while_waiting();
    check_peers();
    for (const auto& channel : channels_) channel->progress();
}

std::int64_t World::fetch_add(const std::string& counter, std::int64_t amount) {
    require_usable();
    check_peers();
    return guarded("fetch_add", [&] { return store_->add("counter/" + counter, amount) - amount; });
}

void World::check_peers() {
    const auto cause = monitor_ ? monitor_->cause() : std::nullopt;
    if (!cause) return;
    broken_ = true;
    throw DistributedError(*cause);
}

void World::report_failure(const std::string& message) noexcept {
    try {
        broken_ = true;
        if (monitor_ && !closed_)
            monitor_->report(name_ + " failed: " + message, milliseconds(2000));
    } catch (...) {
        // The store cannot be reached any more; the others will notice that this process ends.
    }
}

void World::close() {
    if (closed_) return;
    if (broken_) return abandon();
    meeting_->arrive("close", {}, options_.timeout);
    closed_ = true;
    try {
        for (auto last = channels_.rbegin(); last != channels_.rend(); ++last) (*last)->shutdown();
        monitor_->stop();
    } catch (const TransportError& error) {
        throw DistributedError(std::string("the ranks could not part in good order: ") +
                               error.what());
    }
    // The store goes last, with rank 0.
    if (opened_.server)
        opened_.server->wait_for_farewells(
            std::min<milliseconds>(options_.timeout, milliseconds(10'000)));
}

void World::abandon() noexcept {
    try {
        if (closed_) return;
        closed_ = true;
        if (monitor_ && !monitor_->cause()) monitor_->report(name_ + " failed", milliseconds(2000));
        for (auto last = channels_.rbegin(); last != channels_.rend(); ++last) (*last)->abort();
        // The store goes when every rank knows the cause.
        if (opened_.server) opened_.server->wait_for_farewells(milliseconds(3000));
        if (monitor_) monitor_->stop();
    } catch (...) {
        // All that remains is to leave.
    }
}

/// The address that other ranks reach this one at: that of the interface it reaches rank 0 with.
std::string World::own_address() const {
    // LibTorch reads this variable where no address is given.
    if (std::getenv("GLOO_SOCKET_IFNAME")) return {};
    // On one machine the loopback address always works, whatever the host name resolves to.
    if (on_one_machine(hellos_)) return "127.0.0.1";
    const std::string& mine = hellos_[rank_].address;
    if (rank_ != 0 && !is_loopback(mine)) return mine;
    // On the machine of rank 0 the others know it.
    for (const Hello& hello : hellos_)
        if (!is_loopback(hello.server)) return hello.server;
    return {};
}

std::string World::store_address() const {
    const auto& launch = options_.launch;
    return launch.store_file.empty() ? launch.master_addr + ":" + std::to_string(launch.master_port)
                                     : "in file " + launch.store_file;
}

}  // namespace helioray::detail

/// Entry of the module helioray_ranks, and of programs that link helioray::collectives.
extern "C" const helioray::detail::RanksModule* helioray_ranks_module() {
    using namespace helioray::detail;
    static constexpr RanksModule module{[](const helioray::DistributedOptions& options,
                                           Hello hello,
                                           int cuda_index) -> std::unique_ptr<ConnectedRanks> {
        return std::make_unique<World>(options, std::move(hello), cuda_index);
    }};
    return &module;
}
