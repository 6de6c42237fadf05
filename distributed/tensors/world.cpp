// SPDX-License-Identifier: MIT
// The connected ranks: discovery, channels, close and abort.
#include "distributed/tensors/world.h"

#include "distributed/launch/message_text.h"
#include "distributed/ranks/discovery/placement.h"
#include "distributed/ranks/discovery/rank_discovery.h"
#include "distributed/ranks/discovery/run_store.h"
#include "distributed/ranks/group_layout.h"
#include "distributed/ranks/group_state.h"
#include "distributed/store/descriptor_limit.h"
#include "distributed/tensors/collectives.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

namespace helioray::detail {
using std::chrono::milliseconds;

World::World(const DistributedOptions& options, RankInfo info)
    : options_(options),
      rank_(options.launch.rank),
      size_(options.launch.world_size),
      generation_(next_generation()) {
    try {
        const std::string problem = raise_descriptor_limit(count_descriptors_of_rank(rank_, size_));
        if (!problem.empty())
            throw DistributedError("rank " + std::to_string(rank_) + " of " +
                                   std::to_string(size_) + " cannot connect: " + problem);
        if (options.use_cuda && options.backend != DistributedOptions::Backend::gloo)
            run_guarded("start-up", [] { Group::load_nccl(); });
        discover(std::move(info));
        if (options.use_cuda) use_gpu(resources_.cuda_index);
        connect();
    } catch (...) {
        abort();
        throw;
    }
}

void World::open_store_connection() {
    const auto& launch = options_.launch;
    OpenStoreOptions options;
    options.generation = generation_;
    options.name = name_;
    options.timeout = options_.timeout;
    options.heartbeat_timeout = heartbeat_timeout(options_);
    opened_ = open_run_store(launch, options, make_launcher_store, options_.wait_callback);
    store_.emplace(opened_.client);
}

void World::discover(RankInfo mine) {
    name_ = describe_rank(rank_, mine);
    open_store_connection();
    mine.address = opened_.client->local_address();
    mine.server = opened_.client->server_address();
    DiscoveryOptions discovery;
    discovery.rank = rank_;
    discovery.size = size_;
    discovery.timeout = options_.timeout;
    discovery.store = describe_store_address(options_.launch);
    discovery.resource = options_.launch.store_file.empty() ? "port" : "file";
    discovery.configuration = options_.configuration;
    run_guarded("start-up", [&] {
        opened_.client->set_wait_callback([this, gate = gate_] {
            const std::lock_guard lock(gate->mutex);
            if (!gate->open) throw TimeoutError("this rank has aborted the run");
            poll();
        });
        infos_ = discover_ranks(*store_, mine, discovery);
    });
    const Placement place = compute_placements(infos_)[rank_];
    resources_.local_rank = place.local_rank;
    resources_.local_size = place.local_size;
    resources_.threads = compute_threads(rank_, infos_);
    resources_.cuda_index = choose_gpu(infos_[rank_], place);
}

void World::connect() {
    MonitorOptions watch = monitor_options(options_);
    watch.store = opened_.client->options();
    watch.server = describe_rank(0, infos_[0]);
    run_guarded("start-up", [&] {
        monitor_ = std::make_unique<PeerMonitor>(std::move(watch), options_.wait_callback);
        std::vector<int> ranks(size_);
        std::iota(ranks.begin(), ranks.end(), 0);
        rendezvous_ =
            std::make_unique<Rendezvous>(*this, store_->with_prefix("world"), ranks, rank_);
        rendezvous_->join("start-up", {}, options_.timeout);
        address_ = choose_own_address();

        using Backend = DistributedOptions::Backend;
        const bool own_gpus = options_.use_cuda && find_shared_gpu(infos_).empty();
        const bool nccl = options_.backend == Backend::nccl ||
                          (options_.backend == Backend::automatic && own_gpus);
        if (nccl) {
            nccl_index_ = resources_.cuda_index;
            backend_ = "nccl";
        }
        open_channel("world", ranks);
    });
    rendezvous_->join("end of start-up", {}, options_.timeout);
}

World::~World() {
    if (!closed_) abort();
}

void World::fail(const std::string& message) {
    broken_ = true;
    if (!monitor_) throw DistributedError(message);
    if (const auto cause = monitor_->cause()) throw DistributedError(*cause);
    monitor_->report(name_ + " aborted: " + message, milliseconds(2000));
    throw DistributedError(message);
}

void World::fail_with_error(const TransportError& error,
                            const std::string& operation,
                            std::chrono::steady_clock::time_point begin) {
    // LibTorch replaces exceptions of the callback by its own, so call it again to throw the
    // original.
    if (options_.wait_callback) options_.wait_callback();
    // A broken connection usually follows from the failure of a rank, so give the monitor time to
    // learn the cause. After a time-out, that rank may have sent its last heartbeat just now.
    const bool timed_out = std::chrono::steady_clock::now() - begin >= options_.timeout;
    const milliseconds timeout = timed_out ? heartbeat_timeout(options_) : milliseconds(2000);
    if (const auto cause = monitor_ ? monitor_->await_cause(timeout) : std::nullopt) {
        broken_ = true;
        throw DistributedError(*cause);
    }
    // Before the monitor has started, only the store is used, so name the rank that serves it.
    const bool monitored = monitor_ != nullptr;
    fail(operation + " failed: " + error.what() +
         (monitored ? "" : "; rank 0 serves it, and hangs or is gone"));
}

void World::fail_with_cause(const std::string& cause) {
    broken_ = true;
    if (monitor_) monitor_->set_cause(cause);
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
    options.group.wait_callback = options_.wait_callback;
    options.address = address_;
    options.nccl_index = nccl_index_;
    options.check_calls = options_.check_calls;
    return run_guarded("connection of group " + name, [&] {
        channels_.push_back(
            std::make_shared<Channel>(*this, store_->with_prefix("group/" + name), options));
        return channels_.back();
    });
}

std::shared_ptr<Channel> World::split(const std::string& name,
                                      const std::string& text,
                                      const std::vector<std::vector<int>>& groups) {
    world_channel()->rendezvous(text);
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

namespace {

/// Adds in a separate tensor: if the wait is cancelled, Gloo's threads may still use it.
template <typename Number>
void sum_in_tensor(const ProcessGroup& ranks, std::span<Number> values, at::ScalarType type) {
    at::Tensor tensor = at::empty({std::ssize(values)}, type);
    auto* const numbers = tensor.mutable_data_ptr<Number>();
    std::ranges::copy(values, numbers);
    all_reduce(ranks, tensor, Reduction::sum);
    std::copy_n(numbers, values.size(), values.begin());
}

/// Bytes that the store sends to all ranks together in one rendezvous.
constexpr std::size_t kMaxAnswers = std::size_t{4} << 20;

/// A wait for ranks that work, which only the loss of a rank ends early.
constexpr auto kNoTimeout = std::chrono::years(1);

/// Returns true if the store adds these values of each rank. Gloo's messages between neighbours
/// take longer for so few bytes, above all where ranks share cores.
bool fits_into_store(std::span<const std::int64_t> values, int ranks) {
    // The store sends the values of all ranks to every rank.
    const auto size = static_cast<std::size_t>(ranks);
    return values.size_bytes() <= kMaxAnswers / size / size;
}

std::string to_text(std::span<const std::int64_t> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Sets the values to the sums of those in the texts.
void add_texts(const std::vector<std::string>& texts, std::span<std::int64_t> values) {
    std::ranges::fill(values, 0);
    for (const std::string& text : texts) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::int64_t value = 0;
            std::memcpy(&value, text.data() + i * sizeof(value), sizeof(value));
            values[i] += value;
        }
    }
}

}  // namespace

void World::all_reduce_sum(std::span<std::int64_t> values) {
    if (size_ == 1) return;
    if (!fits_into_store(values, size_)) return sum_in_tensor(all_ranks_group(), values, at::kLong);
    const std::string operation =
        "all_reduce_sum of " + std::to_string(values.size()) + " integers";
    add_texts(world_channel()->rendezvous(operation, to_text(values)), values);
}

void World::all_reduce_sum(std::span<double> values) {
    if (size_ > 1) sum_in_tensor(all_ranks_group(), values, at::kDouble);
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

void World::wait_for_all(const std::string& name,
                         const std::function<void()>& meanwhile,
                         std::span<std::int64_t> values) {
    const bool by_store = fits_into_store(values, size_);
    std::vector<std::string> texts;
    {
        struct Scope {
            std::function<void()>& function;
            ~Scope() { function = nullptr; }
        } scope{meanwhile_ = meanwhile};
        texts = rendezvous_->join(name + ", " + std::to_string(values.size()) + " integers",
                                  by_store ? to_text(values) : std::string(),
                                  kNoTimeout);
    }
    if (by_store)
        add_texts(texts, values);
    else
        sum_in_tensor(all_ranks_group(), values, at::kLong);
}

std::string World::wait_for_root(const std::string& name, const std::string& mine) {
    // Rank 0 sends 'T' and its text, or 'L' if the text is too large for the store.
    std::string text;
    if (rank_ == 0)
        text = mine.size() <= kMaxAnswers / static_cast<std::size_t>(size_) ? 'T' + mine : "L";
    const std::string root = rendezvous_->join(name, text, kNoTimeout).front();
    return root.starts_with('T') ? root.substr(1) : broadcast_string(all_ranks_group(), mine);
}

void World::barrier() {
    helioray::barrier(all_ranks_group());
}

void World::poll() {
    if (options_.wait_callback) options_.wait_callback();
    if (monitor_) monitor_->count_call();
    check_peers();
    for (const auto& channel : channels_) channel->progress();
    if (meanwhile_) meanwhile_();
}

std::int64_t World::fetch_add(const std::string& counter, std::int64_t amount) {
    require_usable();
    check_peers();
    return run_guarded("fetch_add",
                       [&] { return store_->add("counter/" + counter, amount) - amount; });
}

void World::remove_counter(const std::string& counter) {
    require_usable();
    check_peers();
    run_guarded("remove_counter", [&] { store_->erase("counter/" + counter); });
}

void World::check_peers() {
    const auto cause = monitor_ ? monitor_->cause() : std::nullopt;
    if (!cause) return;
    broken_ = true;
    throw DistributedError(*cause);
}

std::shared_ptr<const void> World::watch_progress(WatchedWork work) {
    return monitor_ && !closed_ ? monitor_->watch(std::move(work)) : nullptr;
}

std::optional<std::string> World::await_failure(milliseconds timeout) {
    return monitor_ ? monitor_->await_cause(timeout) : std::nullopt;
}

void World::report_failure(const std::string& message) noexcept {
    try {
        broken_ = true;
        if (monitor_) monitor_->notice_failure();
        if (monitor_ && !closed_)
            monitor_->report(name_ + " failed: " + message, milliseconds(2000));
    } catch (...) {
        // The store cannot be reached any more. The other ranks notice when this process ends.
    }
}

void World::close(std::optional<milliseconds> timeout) {
    if (closed_) return;
    if (broken_) return abort();
    rendezvous_->join("close", {}, timeout.value_or(options_.timeout));
    closed_ = true;
    try {
        for (auto last = channels_.rbegin(); last != channels_.rend(); ++last) (*last)->shutdown();
        monitor_->stop();
    } catch (const TransportError& error) {
        throw DistributedError(std::string("the ranks could not shut down cleanly: ") +
                               error.what());
    }
    // Rank 0 serves the store, so it waits until the other ranks have closed their connections.
    if (opened_.server)
        opened_.server->wait_for_shutdown(
            std::min<milliseconds>(options_.timeout / 4, milliseconds(10'000)));
    // Free the port for the next environment.
    opened_.server.reset();
}

void World::abort() noexcept {
    try {
        if (closed_) return;
        closed_ = true;
        if (monitor_) monitor_->notice_failure();
        {
            const std::lock_guard lock(gate_->mutex);
            gate_->open = false;
        }
        if (monitor_ && !monitor_->cause()) monitor_->report(name_ + " failed", milliseconds(2000));
        for (auto last = channels_.rbegin(); last != channels_.rend(); ++last) (*last)->abort();
        // Keep the store open until every rank knows the cause.
        if (opened_.server)
            opened_.server->wait_for_shutdown(
                std::min<milliseconds>(options_.timeout / 4, milliseconds(3000)));
        if (monitor_) monitor_->stop();
    } catch (...) {
        // The connections are given up in any case; there is nothing left to clean up.
    }
}

// The interface that reaches the store also reaches the other ranks.
std::string World::choose_own_address() const {
    // LibTorch reads this variable if no address is given.
    if (std::getenv("GLOO_SOCKET_IFNAME")) return {};
    // On one machine the loopback address always works, whatever the host name resolves to.
    if (are_on_one_machine(infos_)) return "127.0.0.1";
    const std::string& mine = infos_[rank_].address;
    if (rank_ != 0 && !is_loopback(mine)) return mine;
    // On the machine of rank 0, use the address at which ranks of other machines reach the store.
    for (const RankInfo& info : infos_)
        if (!is_loopback(info.server)) return info.server;
    return {};
}

}  // namespace helioray::detail

/// Entry point of the module helioray_ranks and of programs that link helioray::collectives.
extern "C" const helioray::detail::RanksModule* helioray_ranks_module() {
    using namespace helioray::detail;
    static constexpr RanksModule module{[](const helioray::DistributedOptions& options,
                                           RankInfo info) -> std::unique_ptr<ConnectedRanks> {
                                            return std::make_unique<World>(options,
                                                                           std::move(info));
                                        },
                                        make_launcher_store};
    return &module;
}
