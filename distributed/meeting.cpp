// SPDX-License-Identifier: MIT
// Arrival of the ranks of a group in the store.
#include "distributed/meeting.h"

#include "distributed/world.h"

#include <algorithm>
#include <thread>

namespace helioray::detail {
namespace {

std::string arrival_key(std::int64_t sequence, int rank) {
    return "arrived/" + std::to_string(sequence) + "/" + std::to_string(rank);
}

std::string operation_in(const std::string& value) {
    return value.substr(0, value.find('\n'));
}

}  // namespace

Meeting::Meeting(World& world, Store store, std::vector<int> ranks, int rank)
    : world_(world), store_(std::move(store)), ranks_(std::move(ranks)), rank_(rank) {}

std::vector<std::string> Meeting::arrive(const std::string& operation,
                                         const std::string& payload,
                                         std::chrono::milliseconds timeout) {
    using Clock = std::chrono::steady_clock;
    world_.require_usable();
    // A rank that gave up waiting has left its word in the store, too: look for failures first.
    world_.check_peers();
    const std::int64_t sequence = sequence_++;
    std::vector<std::string> keys;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        keys.push_back(arrival_key(sequence, static_cast<int>(rank)));

    const auto values = world_.guarded(operation, [&] {
        store_.set(keys[rank_], operation + "\n" + payload);
        const auto deadline = Clock::now() + timeout;
        auto pause = std::chrono::microseconds(50);
        while (!store_.has_all(keys)) {
            world_.while_waiting();
            if (Clock::now() > deadline) fail_for_missing(operation, keys, timeout);
            std::this_thread::sleep_for(pause);
            pause = std::min(2 * pause, std::chrono::microseconds(20'000));
        }
        auto found = store_.get_all(keys);
        // Everybody is here, so everybody has read what was said at the meeting before.
        if (sequence > 0) store_.erase(arrival_key(sequence - 1, rank_));
        return found;
    });
    return agreed(values);
}

void Meeting::fail_for_missing(const std::string& operation,
                               const std::vector<std::string>& keys,
                               std::chrono::milliseconds timeout) {
    std::vector<int> missing;
    std::string names;
    for (std::size_t rank = 0; rank < keys.size(); ++rank) {
        if (store_.has(keys[rank])) continue;
        missing.push_back(ranks_[rank]);
        if (missing.size() <= 4)
            names += (names.empty() ? "" : ", ") + world_.name_of_rank(ranks_[rank]);
    }
    if (missing.size() > 4) names = "ranks " + list_ranks(missing);
    world_.fail(operation + ": " + names + " did not arrive within " + seconds_text(timeout) +
                "; the rank hangs, or has more work than the time-out allows");
}

std::vector<std::string> Meeting::agreed(const std::vector<std::string>& values) {
    std::vector<std::string> payloads;
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
        const std::string first = operation_in(values[0]), said = operation_in(values[rank]);
        if (said != first)
            world_.fail("the ranks disagree: rank " + std::to_string(ranks_[0]) + " calls " +
                        first + ", rank " + std::to_string(ranks_[rank]) + " calls " + said);
        payloads.push_back(values[rank].substr(said.size() + 1));
    }
    return payloads;
}

}  // namespace helioray::detail
