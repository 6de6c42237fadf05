// SPDX-License-Identifier: MIT
// Calls on a store, and what follows from them.
#include "distributed/store/state.h"

#include "distributed/hello.h"

#include <algorithm>
#include <cstdlib>

namespace helioray::detail {
namespace {

using std::chrono::milliseconds;

// All values together; runs need kilobytes.
constexpr std::size_t kMostStoredBytes = std::size_t{256} << 20;
constexpr auto kBetweenLooks = milliseconds(250);

std::vector<std::string> read_keys(FrameReader& frame) {
    std::vector<std::string> keys(std::min<std::size_t>(frame.u32(), frame.rest().size() / 4));
    for (std::string& key : keys) key = frame.text();
    return keys;
}

}  // namespace

StoreState::StoreState(int ranks, milliseconds silence_limit, Time now)
    : ranks_(static_cast<std::uint32_t>(ranks)), silence_limit_(silence_limit), last_look_(now) {}

void StoreState::join(int connection, int rank, const std::string& name, Time now) {
    members_[rank] = {name, connection, now};
    ++present_;
}

void StoreState::count_out(Member& member) {
    if (std::exchange(member.present, false)) --present_;
}

void StoreState::answer(const Waiting& call, std::string_view body) {
    answers_.push_back({call.connection, call.id, StoreAnswer::done, std::string(body)});
}

void StoreState::answer_failure(const Waiting& call) {
    if (const auto member = members_.find(call.rank); member != members_.end())
        count_out(member->second);
    answers_.push_back({call.connection, call.id, StoreAnswer::failed, *cause_});
}

void StoreState::store_value(const std::string& key, std::string value) {
    const auto [place, is_new] = values_.try_emplace(key);
    stored_bytes_ += is_new ? key.size() : 0;
    stored_bytes_ = stored_bytes_ + value.size() - place->second.size();
    place->second = std::move(value);
    std::vector<Waiting> still, ready;
    for (Waiting& wait : waits_) (all_exist(wait.keys) ? ready : still).push_back(std::move(wait));
    waits_ = std::move(still);
    for (const Waiting& wait : ready) answer(wait);
}

bool StoreState::all_exist(const std::vector<std::string>& keys) const {
    return std::all_of(keys.begin(), keys.end(), [this](const std::string& key) {
        return values_.count(key) != 0;
    });
}

void StoreState::serve(int connection, int rank, FrameReader& frame, Time now) {
    Waiting call{connection, rank, frame.u64(), {}};
    const auto kind = static_cast<StoreCall>(frame.u8());
    const auto member = members_.find(rank);
    if (member != members_.end()) member->second.heard = now;
    const bool writes =
        kind == StoreCall::set || kind == StoreCall::compare_set || kind == StoreCall::add;
    if (writes && stored_bytes_ + frame.rest().size() > kMostStoredBytes) {
        answers_.push_back({connection, call.id, StoreAnswer::refused, "the store is full"});
        return;
    }
    switch (kind) {
        case StoreCall::set: {
            const std::string key = frame.text();
            store_value(key, frame.text());
            return answer(call);
        }
        case StoreCall::get:
            return answer(call, values_of(read_keys(frame)));
        case StoreCall::wait:
            call.keys = read_keys(frame);
            if (all_exist(call.keys)) return answer(call);
            if (cause_) return answer_failure(call);
            waits_.push_back(std::move(call));
            return;
        case StoreCall::compare_set:
            return compare_set(call, frame);
        case StoreCall::add:
            return add(call, frame);
        case StoreCall::erase:
            return answer(call, erase(frame.text()) ? "1" : "0");
        case StoreCall::count:
            return answer(call, std::to_string(values_.size()));
        case StoreCall::meet:
            return meet(call, frame);
        case StoreCall::missing:
            return answer(call, missing_from(frame));
        case StoreCall::beat:
            return cause_ ? answer_failure(call) : answer(call);
        case StoreCall::fail:
            fail(printable(frame.text(), 4000));
            return answer(call);
        case StoreCall::leave:
            if (member != members_.end()) {
                member->second.left = true;
                count_out(member->second);
            }
            return answer(call);
        case StoreCall::admit:
            break;
    }
    throw TransportError("an unknown call");
}

std::string StoreState::values_of(const std::vector<std::string>& keys) const {
    FrameWriter values;
    for (const std::string& key : keys) {
        const auto found = values_.find(key);
        values.u8(found != values_.end());
        if (found != values_.end()) values.text(found->second);
    }
    return values.body();
}

void StoreState::compare_set(const Waiting& call, FrameReader& frame) {
    const std::string key = frame.text(), expected = frame.text(), desired = frame.text();
    const auto found = values_.find(key);
    if (found == values_.end() ? expected.empty() : found->second == expected)
        store_value(key, desired);
    const auto now = values_.find(key);
    answer(call, now != values_.end() ? now->second : expected);
}

void StoreState::add(const Waiting& call, FrameReader& frame) {
    const std::string key = frame.text();
    const std::uint64_t amount = frame.u64();
    const auto found = values_.find(key);
    const std::int64_t before =
        found == values_.end() ? 0 : std::strtoll(found->second.c_str(), nullptr, 10);
    // Without a sign, because a sum that is too large must not end the server.
    const std::string sum =
        std::to_string(static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + amount));
    store_value(key, sum);
    answer(call, sum);
}

bool StoreState::erase(const std::string& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return false;
    stored_bytes_ -= found->first.size() + found->second.size();
    values_.erase(found);
    return true;
}

std::string StoreState::missing_from(FrameReader& frame) const {
    const std::string name = frame.text();
    const std::uint32_t ranks = std::min(frame.u32(), ranks_);
    const auto found = meetings_.find(name);
    FrameWriter missing;
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        if (found == meetings_.end() || found->second.present.count(rank) == 0) missing.u32(rank);
    return missing.body();
}

void StoreState::meet(const Waiting& call, FrameReader& frame) {
    const std::string name = frame.text();
    const std::uint32_t ranks = frame.u32(), rank = frame.u32();
    std::string text = frame.text();
    if (rank >= ranks || ranks > ranks_) throw TransportError("an impossible meeting");
    if (cause_) return answer_failure(call);
    Meeting& meeting = meetings_[name];
    meeting.present.insert(rank);
    meeting.ranks_by_text[std::move(text)].push_back(rank);
    meeting.waiting.push_back(call);
    if (meeting.present.size() == ranks) answer_meeting(name);
}

/// Nothing where all said the same; else each text with those who said it.
void StoreState::answer_meeting(const std::string& name) {
    const Meeting meeting = std::move(meetings_.at(name));
    meetings_.erase(name);
    FrameWriter differences;
    if (meeting.ranks_by_text.size() > 1) {
        for (const auto& [text, ranks] : meeting.ranks_by_text) {
            differences.text(text).u32(static_cast<std::uint32_t>(ranks.size()));
            for (const std::uint32_t rank : ranks) differences.u32(rank);
        }
    }
    for (const Waiting& waiting : meeting.waiting) answer(waiting, differences.body());
}

void StoreState::forget(int connection) {
    const auto of_it = [connection](const Waiting& call) { return call.connection == connection; };
    std::erase_if(waits_, of_it);
    for (auto& [name, meeting] : meetings_) std::erase_if(meeting.waiting, of_it);
    const auto member = std::find_if(members_.begin(), members_.end(), [&](const auto& entry) {
        return entry.second.connection == connection;
    });
    if (member == members_.end()) return;
    if (!member->second.left)
        fail(member->second.name +
             " is gone: its process ended without a word (killed, crashed, or out of memory), or "
             "its connection broke");
    member->second.left = true;
    count_out(member->second);
    member->second.connection = -1;  // the number may come again
}

void StoreState::fail(const std::string& cause) {
    if (cause_) return;
    cause_ = cause;
    std::vector<Waiting> waits = std::exchange(waits_, {});
    for (const auto& [name, meeting] : meetings_)
        waits.insert(waits.end(), meeting.waiting.begin(), meeting.waiting.end());
    meetings_.clear();
    for (const Waiting& wait : waits) answer_failure(wait);
}

void StoreState::look_at_time(Time now) {
    if (now - last_look_ < kBetweenLooks) return;
    // This process may have been stopped itself: nobody could be heard then.
    const auto asleep = now - last_look_ - kBetweenLooks;
    last_look_ = now;
    for (auto& [rank, member] : members_) {
        if (asleep > silence_limit_ / 2) member.heard += asleep;
        if (member.left || cause_ || now - member.heard < silence_limit_) continue;
        fail(member.name + " hangs: nothing was heard of it for " + seconds_text(silence_limit_) +
             " (it was stopped, or its machine or network fails)");
        count_out(member);
    }
}

}  // namespace helioray::detail
