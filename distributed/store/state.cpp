// SPDX-License-Identifier: MIT
// Processes the calls to a store.
#include "distributed/store/state.h"

#include "distributed/launch/message_text.h"

#include <algorithm>
#include <cstdlib>

namespace helioray::detail {
namespace {

using std::chrono::milliseconds;

// Limits of the size of all values together, of the calls that wait, and of answers that are not
// sent; runs need kilobytes.
constexpr std::size_t kMaxStoredBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxPendingBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxUnsentBytes = std::size_t{256} << 20;
// Memory of an entry beside its texts.
constexpr std::size_t kEntryBytes = 128;
constexpr auto kCheckInterval = milliseconds(250);
// Between two heartbeats a rank counts as idle for this time at most: a process or a store that was
// suspended is not idle.
constexpr auto kMaxIdlePerHeartbeat = milliseconds(2000);

std::vector<std::string> read_keys(FrameReader& frame) {
    std::vector<std::string> keys(std::min<std::size_t>(frame.u32(), frame.rest().size() / 4));
    for (std::string& key : keys) key = frame.text();
    return keys;
}

}  // namespace

StoreState::StoreState(int ranks, milliseconds heartbeat_timeout, Time now, WorkService* work)
    : ranks_(static_cast<std::uint32_t>(ranks)),
      heartbeat_timeout_(heartbeat_timeout),
      work_(work),
      last_check_(now) {}

void StoreState::add_member(int connection, int rank, const std::string& name, Time now) {
    Member member;
    member.name = name;
    member.connection = connection;
    member.last_heard = member.last_beat = now;
    members_[rank] = std::move(member);
    ++open_members_;
}

void StoreState::add_connection(int connection, int rank, const std::string& name) {
    connections_[connection] = {rank, name};
}

void StoreState::clear_open(Member& member) {
    if (std::exchange(member.open, false)) --open_members_;
}

void StoreState::answer(const PendingCall& call, std::string_view body) {
    reply(call, StoreAnswer::done, body);
}

/// Counts a body as unsent until its last answer has been sent.
std::shared_ptr<const std::string> StoreState::share(std::string body) {
    const std::size_t size = body.size();
    *unsent_bytes_ += size;
    return {new std::string(std::move(body)),
            [unsent = unsent_bytes_, size](const std::string* sent) {
                *unsent -= size;
                delete sent;
            }};
}

void StoreState::reply(const PendingCall& call, StoreAnswer status, std::string_view body) {
    answers_.push_back({call.connection, call.id, status, share(std::string(body))});
}

/// Returns true if a call with arguments of this size would exceed a limit of the memory.
bool StoreState::is_full(StoreCall call, std::size_t bytes) const {
    switch (call) {
        case StoreCall::set:
        case StoreCall::compare_set:
        case StoreCall::add:
            return stored_bytes_ + bytes > kMaxStoredBytes || *unsent_bytes_ > kMaxUnsentBytes;
        case StoreCall::wait:
        case StoreCall::rendezvous:
            return pending_bytes_ + bytes > kMaxPendingBytes || *unsent_bytes_ > kMaxUnsentBytes;
        case StoreCall::get:
        case StoreCall::missing_ranks:
            return *unsent_bytes_ > kMaxUnsentBytes;
        default:
            return false;
    }
}

void StoreState::answer_failure(const PendingCall& call) {
    if (const auto member = members_.find(call.rank); member != members_.end())
        clear_open(member->second);
    reply(call, StoreAnswer::failed, *cause_);
}

void StoreState::store_value(const std::string& key, std::string value) {
    const auto [place, is_new] = values_.try_emplace(key);
    stored_bytes_ += is_new ? kEntryBytes + key.size() : 0;
    stored_bytes_ = stored_bytes_ + value.size() - place->second.size();
    place->second = std::move(value);
    std::vector<PendingCall> still, ready;
    if (waits_.empty()) return;
    for (PendingCall& wait : waits_)
        (all_exist(wait.keys) ? ready : still).push_back(std::move(wait));
    waits_ = std::move(still);
    for (const PendingCall& wait : ready) {
        pending_bytes_ -= wait.bytes;
        answer(wait);
    }
}

bool StoreState::all_exist(const std::vector<std::string>& keys) const {
    return std::all_of(keys.begin(), keys.end(), [this](const std::string& key) {
        return values_.count(key) != 0;
    });
}

void StoreState::serve(int connection, int rank, FrameReader& frame, Time now) {
    PendingCall call{connection, rank, frame.u64(), {}, kEntryBytes + frame.rest().size()};
    const auto kind = static_cast<StoreCall>(frame.u8());
    const auto member = members_.find(rank);
    if (member != members_.end()) member->second.last_heard = now;
    if (const auto revoked = revoked_.find(connection); revoked != revoked_.end())
        return reply(
            call, StoreAnswer::failed, "rank 0 continues without this rank: " + revoked->second);
    if (is_full(kind, call.bytes)) return reply(call, StoreAnswer::refused, "the store is full");
    switch (kind) {
        case StoreCall::set: {
            const std::string key = frame.text();
            store_value(key, frame.text());
            return answer(call);
        }
        case StoreCall::get:
            return answer(call, encode_values(read_keys(frame)));
        case StoreCall::wait:
            call.keys = read_keys(frame);
            if (all_exist(call.keys)) return answer(call);
            if (cause_) return answer_failure(call);
            pending_bytes_ += call.bytes;
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
        case StoreCall::rendezvous:
            return join_rendezvous(call, frame);
        case StoreCall::missing_ranks:
            return answer(call, encode_missing_ranks(frame));
        case StoreCall::heartbeat:
            if (member != members_.end()) check_progress(rank, member->second, frame, now);
            return cause_ ? answer_failure(call) : answer(call);
        case StoreCall::fail:
            lose(rank, make_printable(frame.text(), 4000));
            return answer(call);
        case StoreCall::close:
            if (member != members_.end()) {
                member->second.closed = true;
                clear_open(member->second);
            } else {
                departed_.insert(rank);
            }
            return answer(call);
        case StoreCall::work:
            if (work_ == nullptr)
                return reply(call, StoreAnswer::refused, "rank 0 hands out no work");
            if (cause_) return answer_failure(call);
            return answer(call, work_->serve(rank, frame.rest()));
        case StoreCall::authenticate:
            break;
    }
    throw TransportError("the call is unknown");
}

/// Loses the rank if it works and has made no progress for its patience.
void StoreState::check_progress(int rank, Member& member, FrameReader& frame, Time now) {
    const std::string phase = make_printable(frame.text(), 100);
    const std::uint64_t progress = frame.u64(), patience = frame.u64();
    const auto since = std::chrono::duration_cast<milliseconds>(now - member.last_beat);
    member.last_beat = now;
    if (phase.empty() || phase != member.phase || progress != member.progress)
        member.idle = milliseconds(0);
    else
        member.idle += std::min(since, kMaxIdlePerHeartbeat);
    member.phase = phase;
    member.progress = progress;
    if (phase.empty() || member.closed || member.idle.count() < 0 ||
        static_cast<std::uint64_t>(member.idle.count()) < patience)
        return;
    lose(rank,
         member.name + " hangs: " + phase + " has made no progress for " +
             format_seconds(member.idle) +
             ", although its process is alive (it waits for a device, a file system or a lock)");
}

std::string StoreState::encode_values(const std::vector<std::string>& keys) const {
    FrameWriter values;
    for (const std::string& key : keys) {
        const auto found = values_.find(key);
        values.u8(found != values_.end());
        if (found != values_.end()) values.text(found->second);
    }
    return values.body();
}

void StoreState::compare_set(const PendingCall& call, FrameReader& frame) {
    const std::string key = frame.text(), expected = frame.text(), desired = frame.text();
    const auto found = values_.find(key);
    if (found == values_.end() ? expected.empty() : found->second == expected)
        store_value(key, desired);
    const auto now = values_.find(key);
    answer(call, now != values_.end() ? now->second : expected);
}

void StoreState::add(const PendingCall& call, FrameReader& frame) {
    const std::string key = frame.text();
    const std::uint64_t amount = frame.u64();
    const auto found = values_.find(key);
    const std::int64_t before =
        found == values_.end() ? 0 : std::strtoll(found->second.c_str(), nullptr, 10);
    // Add unsigned numbers, because overflow of signed ones is undefined behaviour.
    const std::string sum =
        std::to_string(static_cast<std::int64_t>(static_cast<std::uint64_t>(before) + amount));
    store_value(key, sum);
    answer(call, sum);
}

bool StoreState::erase(const std::string& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return false;
    stored_bytes_ -= kEntryBytes + found->first.size() + found->second.size();
    values_.erase(found);
    return true;
}

std::string StoreState::encode_missing_ranks(FrameReader& frame) const {
    const std::string name = frame.text();
    const std::uint32_t ranks = std::min(frame.u32(), ranks_);
    const auto found = rendezvous_.find(name);
    FrameWriter missing;
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
        if (found == rendezvous_.end() || found->second.joined.count(rank) == 0) missing.u32(rank);
    return missing.body();
}

void StoreState::join_rendezvous(const PendingCall& call, FrameReader& frame) {
    const std::string name = frame.text();
    const std::uint32_t ranks = frame.u32(), rank = frame.u32();
    std::string text = frame.text();
    if (rank >= ranks || ranks > ranks_)
        throw TransportError("the rank or number of ranks of a rendezvous is out of range");
    if (cause_) return answer_failure(call);
    Rendezvous& rendezvous = rendezvous_[name];
    pending_bytes_ += call.bytes;
    rendezvous.bytes += call.bytes;
    rendezvous.joined.insert(rank);
    rendezvous.ranks_by_text[std::move(text)].push_back(rank);
    rendezvous.waiting.push_back(call);
    if (rendezvous.joined.size() == ranks) answer_rendezvous(name);
}

/// Answers all ranks of a complete rendezvous: with an empty body if their texts are equal, else
/// with each text and its ranks.
void StoreState::answer_rendezvous(const std::string& name) {
    const Rendezvous rendezvous = std::move(rendezvous_.at(name));
    rendezvous_.erase(name);
    pending_bytes_ -= rendezvous.bytes;
    FrameWriter differences;
    if (rendezvous.ranks_by_text.size() > 1) {
        for (const auto& [text, ranks] : rendezvous.ranks_by_text) {
            differences.text(text).u32(static_cast<std::uint32_t>(ranks.size()));
            for (const std::uint32_t rank : ranks) differences.u32(rank);
        }
    }
    const auto body = share(differences.body());
    for (const PendingCall& call : rendezvous.waiting)
        answers_.push_back({call.connection, call.id, StoreAnswer::done, body});
}

void StoreState::remove_connection(int connection) {
    const auto is_from_connection = [connection](const PendingCall& call) {
        return call.connection == connection;
    };
    for (const PendingCall& wait : waits_)
        if (is_from_connection(wait)) pending_bytes_ -= wait.bytes;
    std::erase_if(waits_, is_from_connection);
    for (auto& [name, rendezvous] : rendezvous_)
        std::erase_if(rendezvous.waiting, is_from_connection);
    if (revoked_.erase(connection) != 0) {
        connections_.erase(connection);
        return;
    }
    const auto member = std::find_if(members_.begin(), members_.end(), [&](const auto& entry) {
        return entry.second.connection == connection;
    });
    const auto own = connections_.extract(connection);
    if (member == members_.end() && !own.empty()) {
        const auto& [rank, name] = own.mapped();
        const bool has_others =
            std::any_of(connections_.begin(), connections_.end(), [&](const auto& other) {
                return other.second.first == rank;
            });
        if (!has_member(rank) && departed_.count(rank) == 0 && !has_others)
            lose(rank, name + " is gone: its process ended before the ranks were connected");
    }
    if (member == members_.end()) return;
    if (!member->second.closed) {
        const int rank = member->first;
        lose(rank,
             member->second.name +
                 " is gone: its process ended unexpectedly (killed, crashed, or out of memory), or "
                 "its connection broke");
        if (!has_member(rank)) return;
    }
    member->second.closed = true;
    clear_open(member->second);
    member->second.connection = -1;  // the system may reuse the number
}

/// Fails the run because of a rank, unless the run continues without it.
void StoreState::lose(int rank, const std::string& cause) {
    if (work_ == nullptr || rank == 0) return fail(cause);
    for (const auto& [connection, owner] : connections_)
        if (owner.first == rank) revoked_.emplace(connection, cause);
    if (const auto member = members_.find(rank); member != members_.end()) {
        clear_open(member->second);
        members_.erase(member);
    }
    work_->lose(rank, cause);
}

void StoreState::fail(const std::string& cause) {
    if (cause_) return;
    cause_ = cause;
    std::vector<PendingCall> waits = std::exchange(waits_, {});
    for (const auto& [name, rendezvous] : rendezvous_)
        waits.insert(waits.end(), rendezvous.waiting.begin(), rendezvous.waiting.end());
    rendezvous_.clear();
    pending_bytes_ = 0;
    for (const PendingCall& wait : waits) answer_failure(wait);
}

void StoreState::check_heartbeats(Time now) {
    if (now - last_check_ < kCheckInterval) return;
    // This process may have been stopped itself. It could not receive heartbeats then, so extend
    // the deadlines by this time.
    const auto suspended = now - last_check_ - kCheckInterval;
    last_check_ = now;
    for (auto next = members_.begin(); next != members_.end();) {
        auto& [rank, member] = *next++;
        if (suspended > heartbeat_timeout_ / 2) member.last_heard += suspended;
        if (member.closed || cause_ || now - member.last_heard < heartbeat_timeout_) continue;
        clear_open(member);
        lose(rank,
             member.name + " hangs: it has sent no heartbeat for " +
                 format_seconds(heartbeat_timeout_) +
                 " (it was stopped, or its machine or network fails)");
    }
}

}  // namespace helioray::detail
