// SPDX-License-Identifier: MIT
// Draws, deliveries and losses of work units.
#include "distributed/ranks/work_pool.h"

#include "kernels/host/partition.h"

#include <algorithm>
#include <stdexcept>

namespace helioray {

namespace {

// Results that wait or arrive may take so much memory; a single one may be larger.
constexpr std::size_t kMaxStoredBytes = std::size_t{64} << 20;
// The largest result that a rank may announce.
constexpr std::size_t kMaxResultBytes = std::size_t{64} << 30;

std::int64_t count_units(const std::vector<WorkRange>& ranges) {
    std::int64_t count = 0;
    for (const auto& [first, last] : ranges) count += last - first;
    return count;
}

}  // namespace

void WorkPool::open(std::string text,
                    const std::vector<WorkRange>& units,
                    std::function<double(std::int64_t)> cost) {
    if (!is_complete()) throw std::logic_error("the task before is not complete");
    ++task_;
    text_ = std::move(text);
    cost_ = std::move(cost);
    free_cost_ = 0.0;
    for (const WorkRange& range : units) release(range);
}

void WorkPool::abandon() {
    free_.clear();
    drawn_.clear();
    incoming_.clear();
    portions_.clear();
    taken_ = stored_bytes_ = 0;
    cost_ = {};
}

bool WorkPool::is_complete() const {
    return free_.empty() && portions_.empty() && taken_ == 0 &&
           std::all_of(
               drawn_.begin(), drawn_.end(), [](const auto& item) { return item.second.empty(); });
}

void WorkPool::release(WorkRange units) {
    if (units.first >= units.second) return;
    for (std::int64_t unit = units.first; unit < units.second; ++unit) free_cost_ += cost_(unit);
    free_[units.first] = units.second;
}

std::optional<WorkRange> WorkPool::draw(int rank, double wanted, std::int64_t smallest) {
    if (free_.empty()) return std::nullopt;
    // As shrinking_chunks(): the last draws are small, and a rank that is lost or slow has little.
    const double most = std::min(wanted, free_cost_ / (4.0 * ranks_));
    const auto [first, end] = *free_.begin();
    double taken = 0.0;
    std::int64_t last = first;
    while (last < end) {
        const double cost = cost_(last);
        if (last - first >= smallest && taken + cost > most) break;
        taken += cost;
        ++last;
    }
    free_.erase(free_.begin());
    if (last < end) free_[last] = end;
    free_cost_ = free_.empty() ? 0.0 : free_cost_ - taken;
    drawn_[rank].emplace_back(first, last);
    return WorkRange{first, last};
}

void WorkPool::complete(WorkRange units) {
    std::vector<WorkRange> left;
    for (const WorkRange& range : drawn_[0])
        for (const WorkRange& part : range_without(range, {units})) left.push_back(part);
    if (count_units(drawn_[0]) - count_units(left) != units.second - units.first)
        throw std::logic_error("rank 0 has not drawn these units");
    drawn_[0] = std::move(left);
}

bool WorkPool::receive(
    int rank, std::int64_t task, std::size_t total, std::size_t offset, std::string_view bytes) {
    if (task != task_ || drawn_[rank].empty())
        throw std::invalid_argument("the rank delivers a result of units that it does not have");
    if (total > kMaxResultBytes || offset > total || bytes.size() > total - offset ||
        (bytes.empty() && total > 0))
        throw std::invalid_argument("a part of a result is outside of it");
    if (offset == 0) {
        if (const auto before = incoming_.find(rank); before != incoming_.end()) {
            stored_bytes_ -= before->second.total;
            incoming_.erase(before);
        }
        if (stored_bytes_ > 0 && stored_bytes_ + total > kMaxStoredBytes) return false;
        incoming_[rank] = {{}, total};
        incoming_[rank].bytes.reserve(std::min(total, kMaxStoredBytes));
        stored_bytes_ += total;
    }
    const auto found = incoming_.find(rank);
    if (found == incoming_.end() || found->second.total != total ||
        found->second.bytes.size() != offset)
        throw std::invalid_argument("the parts of a result do not follow each other");
    found->second.bytes.append(bytes);
    if (found->second.bytes.size() < total) return true;
    portions_.push_back({rank, std::exchange(drawn_[rank], {}), std::move(found->second.bytes)});
    incoming_.erase(found);
    return true;
}

std::vector<WorkPortion> WorkPool::take_portions() {
    taken_ += portions_.size();
    return std::exchange(portions_, {});
}

void WorkPool::accept(const WorkPortion& portion) {
    --taken_;
    stored_bytes_ -= portion.result.size();
}

void WorkPool::reject(const WorkPortion& portion) {
    accept(portion);
    for (const WorkRange& range : portion.units) release(range);
}

std::int64_t WorkPool::lose(int rank) {
    if (const auto found = incoming_.find(rank); found != incoming_.end()) {
        stored_bytes_ -= found->second.total;
        incoming_.erase(found);
    }
    const std::vector<WorkRange> units = std::exchange(drawn_[rank], {});
    for (const WorkRange& range : units) release(range);
    return count_units(units);
}

}  // namespace helioray
