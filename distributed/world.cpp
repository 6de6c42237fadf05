// SPDX-License-Identifier: MIT
// The connected ranks: collectives and their agreement, and the two ways to end.
#include "distributed/world.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <thread>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The store takes values of a few megabytes; longer strings travel through the group.
constexpr std::size_t kLongString = 1 << 20;

std::string arrival_key(std::int64_t sequence, int rank) {
    return "arrived/" + std::to_string(sequence) + "/" + std::to_string(rank);
}

/// "all_reduce_sum of int64 [64, 64] on the host".
std::string describe_operation(const std::string& name, const at::Tensor& tensor) {
    std::string text = name + " of " + std::string(c10::toString(tensor.scalar_type())) + " [";
    for (std::int64_t i = 0; i < tensor.dim(); ++i) {
        if (i > 0) text += ", ";
        text += std::to_string(tensor.size(i));
    }
    return text + "]" + (tensor.is_cuda() ? " on CUDA" : " on the host");
}

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

void World::require_usable() const {
    if (closed_) throw DistributedError("the distributed environment is closed");
    if (!broken_) return;
    const auto cause = monitor_ ? monitor_->cause() : std::nullopt;
    throw DistributedError(cause.value_or("the distributed environment failed earlier"));
}

std::vector<std::string> World::arrive(const std::string& operation, const std::string& payload) {
    require_usable();
    const std::int64_t sequence = sequence_++;
    std::vector<std::string> keys;
    for (int rank = 0; rank < size_; ++rank) keys.push_back(arrival_key(sequence, rank));

    const auto values = guarded(operation, [&] {
        store_->set(keys[rank_], operation + "\n" + payload);
        const auto deadline = Clock::now() + options_.timeout;
        auto pause = std::chrono::microseconds(50);
        while (!store_->has_all(keys)) {
            check_peers();
            if (Clock::now() > deadline) {
                std::vector<int> missing;
                std::string names;
                for (int rank = 0; rank < size_; ++rank) {
                    if (store_->has(keys[rank])) continue;
                    missing.push_back(rank);
                    if (missing.size() <= 4)
                        names += (names.empty() ? "" : ", ") + name_of(rank, hellos_[rank]);
                }
                if (missing.size() > 4) names = "ranks " + list_ranks(missing);
                fail(operation + ": " + names + " did not arrive within " +
                     seconds_text(options_.timeout) +
                     "; the rank hangs, or has more work than the time-out allows");
            }
            std::this_thread::sleep_for(pause);
            pause = std::min(2 * pause, std::chrono::microseconds(20'000));
        }
        auto found = store_->get_all(keys);
        // Everybody is here, so everybody has read what was said at the meeting before.
        if (sequence > 0) store_->erase(arrival_key(sequence - 1, rank_));
        return found;
    });

    std::vector<std::string> payloads;
    std::string differing;
    for (int rank = 0; rank < size_; ++rank) {
        const auto end = values[rank].find('\n');
        const std::string said = values[rank].substr(0, end);
        if (differing.empty() && said != values[0].substr(0, values[0].find('\n')))
            differing = "the ranks disagree: rank 0 calls " +
                        values[0].substr(0, values[0].find('\n')) + ", rank " +
                        std::to_string(rank) + " calls " + said;
        payloads.push_back(values[rank].substr(end + 1));
    }
    if (!differing.empty()) fail(differing);
    return payloads;
}

void World::move_data(const std::string& operation, at::Tensor& tensor, int root) {
    const bool sum = root < 0;
    arrive(operation);
    if (tensor.numel() == 0) return;
    guarded(operation, [&] {
        const auto run = [&](Group& group, at::Tensor& data) {
            const auto watch = [this] { check_peers(); };
            sum ? group.all_reduce_sum(data, watch) : group.broadcast(data, root, watch);
        };
        if (tensor.is_cuda() && cuda_group_) {
            run(*cuda_group_, tensor);
        } else if (tensor.is_cuda()) {
            // Gloo works on the host; the copies are exact.
            at::Tensor copy = tensor.cpu();
            run(*host_group_, copy);
            tensor.copy_(copy);
        } else {
            run(*host_group_, tensor);
        }
    });
}

void World::all_reduce_sum(at::Tensor& tensor) {
    move_data(describe_operation("all_reduce_sum", tensor), tensor, -1);
}

void World::broadcast(at::Tensor& tensor, int root) {
    move_data(
        describe_operation("broadcast from rank " + std::to_string(root), tensor), tensor, root);
}

std::vector<std::string> World::all_gather_strings(const std::string& mine) {
    const bool is_long = mine.size() > kLongString;
    std::string payload(1, is_long ? 'L' : 'S');
    payload += is_long ? std::to_string(mine.size()) : mine;
    auto strings = arrive("all_gather_strings", payload);
    for (int rank = 0; rank < size_; ++rank) {
        std::string& text = strings[rank];
        if (text.front() == 'S') {
            text.erase(0, 1);
            continue;
        }
        const auto length = static_cast<std::int64_t>(std::stoll(text.substr(1)));
        at::Tensor bytes = at::empty({length}, at::kByte);
        if (rank == rank_) std::copy(mine.begin(), mine.end(), bytes.data_ptr<std::uint8_t>());
        move_data("text of rank " + std::to_string(rank), bytes, rank);
        const auto* begin = reinterpret_cast<const char*>(bytes.data_ptr<std::uint8_t>());
        text.assign(begin, begin + length);
    }
    return strings;
}

void World::barrier() {
    arrive("barrier");
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
    arrive("close");
    closed_ = true;
    try {
        if (cuda_group_) cuda_group_->shutdown();
        host_group_->shutdown();
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
        if (cuda_group_) cuda_group_->abort();
        if (host_group_) host_group_->abort();
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
