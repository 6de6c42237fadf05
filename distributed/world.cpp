// SPDX-License-Identifier: MIT
// The connected ranks: their channels, and the two ways to end.
#include "distributed/world.h"

#include "distributed/collectives.h"
#include "distributed/group_layout.h"
#include "distributed/group_state.h"
#include "distributed/strings.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <thread>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

}  // namespace

World::~World() {
    if (!closed_) abandon();
}

void World::fail(const std::string& message) {
    broken_ = true;
    if (!monitor_) throw DistributedError(message);
    if (const auto cause = monitor_->cause()) throw DistributedError(*cause);
    monitor_->report(name_of(rank_, hellos_[rank_]) + " gave up: " + message, milliseconds(2000));
    throw DistributedError(message);
}

void World::fail_after(const TransportError& error, const std::string& operation) {
    // A broken connection is an effect; give the monitor time to learn its cause.
    if (const auto cause = monitor_ ? monitor_->await_cause(milliseconds(2000)) : std::nullopt) {
        broken_ = true;
        throw DistributedError(*cause);
    }
    fail(operation + " failed: " + error.what());
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

std::vector<std::string> World::all_gather_strings(const std::string& mine) {
    return helioray::all_gather_strings(all_ranks_group(), mine);
}

void World::barrier() {
    helioray::barrier(all_ranks_group());
}

void World::while_waiting() {
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
            monitor_->report(name_of(rank_, hellos_[rank_]) + " failed: " + message,
                             milliseconds(2000));
    } catch (...) {
        // Nothing is left to tell the others with; they will notice that this process ends.
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
        store_->set(PeerMonitor::bye_key(rank_), "1");
    } catch (const TransportError& error) {
        throw DistributedError(std::string("the ranks could not part in good order: ") +
                               error.what());
    }
    // The store goes last, with rank 0.
    if (!serves_store_) return;
    std::vector<std::string> keys;
    for (int rank = 0; rank < size_; ++rank) keys.push_back(PeerMonitor::bye_key(rank));
    wait_for_keys(keys, std::min<milliseconds>(options_.timeout, milliseconds(10'000)));
}

void World::abandon() noexcept {
    try {
        if (closed_) return;
        closed_ = true;
        if (monitor_ && !monitor_->cause())
            monitor_->report(name_of(rank_, hellos_[rank_]) + " failed", milliseconds(2000));
        for (auto last = channels_.rbegin(); last != channels_.rend(); ++last) (*last)->abort();
        if (monitor_) monitor_->stop();
    } catch (...) {
        // Leaving is all that is left to do.
    }
}

void World::wait_for_keys(const std::vector<std::string>& keys, milliseconds patience) noexcept {
    try {
        const auto deadline = Clock::now() + patience;
        while (!store_->has_all(keys) && Clock::now() < deadline)
            std::this_thread::sleep_for(milliseconds(5));
    } catch (const TransportError&) {
        // A courtesy to the other ranks only.
    }
}

std::string World::store_address() const {
    const auto& launch = options_.launch;
    return launch.store_file.empty() ? launch.master_addr + ":" + std::to_string(launch.master_port)
                                     : "in file " + launch.store_file;
}

bool World::rank_zero_serves() const {
    return !options_.launch.launcher_owns_store && options_.launch.store_file.empty();
}

std::string World::store_name() const {
    if (!options_.launch.store_file.empty()) return "the store " + store_address();
    return (options_.launch.launcher_owns_store ? "the launcher's store at " : "its store at ") +
           store_address();
}

}  // namespace helioray::detail

/// What programs that link helioray::collectives, and the module helioray_ranks, offer.
extern "C" const helioray::detail::RanksModule* helioray_ranks_module() {
    using namespace helioray::detail;
    struct ServedStore final : LocalStore {
        const Store store = Store::serve_local();
        int port() const override { return store.port(); }
    };
    static constexpr RanksModule module{
        [](const helioray::DistributedOptions& options,
           Hello hello,
           int cuda_index) -> std::unique_ptr<ConnectedRanks> {
            return std::make_unique<World>(options, std::move(hello), cuda_index);
        },
        []() -> std::unique_ptr<LocalStore> { return std::make_unique<ServedStore>(); }};
    return &module;
}
