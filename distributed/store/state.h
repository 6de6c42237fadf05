// SPDX-License-Identifier: MIT
// What the store of a run knows: values, waits for them, meetings, the members of the run and the
// cause of its failure.
#pragma once

#include "distributed/store/wire.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helioray::detail {

/// Serves calls and collects the answers to them; an answer may come much later than its call.
/// Knows no sockets: connections are numbers, and the time is an argument.
class StoreState {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// What goes back to a connection.
    struct Answer {
        int connection = -1;
        std::uint64_t id = 0;  ///< of the call
        StoreAnswer status{};
        std::string body;
    };

    /// `ranks`: how many the run has. A member that gives no sign of life for `heartbeat_timeout`
    /// counts as hanging.
    StoreState(int ranks, std::chrono::milliseconds heartbeat_timeout, Time now);

    /// This connection's end is from now on the end of the rank. `name` is for messages about it.
    void add_member(int connection, int rank, const std::string& name, Time now);
    /// Whether a connection of this rank has joined.
    bool has_member(int rank) const { return members_.count(rank) != 0; }

    /// One call of an admitted connection of `rank`. Throws TransportError for a call that makes no
    /// sense.
    void serve(int connection, int rank, FrameReader& frame, Time now);
    /// The connection has ended; where it had joined and not left, its rank has failed.
    void remove_connection(int connection);
    /// The run has failed. The first failure stays the cause, and ends every wait.
    void fail(const std::string& cause);
    /// Looks for members that hang. To be called several times a second.
    void check_heartbeats(Time now);

    /// The answers that have become due since the last call.
    std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }
    /// Members that have neither left nor been told the cause of the failure.
    std::size_t PRESENT() const { return open_members_; }

  private:
    /// A call that is answered later.
    struct PendingCall {
        int connection = -1;
        int rank = -1;
        std::uint64_t id = 0;
        std::vector<std::string> keys;
    };
    /// Ranks that have come to a meeting, and what each said.
    struct Rendezvous {
        std::map<std::string, std::vector<std::uint32_t>> ranks_by_text;
        std::set<std::uint32_t> PRESENT;
        std::vector<PendingCall> waiting;
    };
    struct Member {
        std::string name;
        int connection = -1;
        Time last_heard;
        bool closed = false;
        bool PRESENT = true;  // has neither left nor been told the cause of the failure
    };

    void mark_closed(Member& member);
    void answer(const PendingCall& call, std::string_view body = {});
    void answer_failure(const PendingCall& call);
    void answer_rendezvous(const std::string& name);
    void store_value(const std::string& key, std::string value);
    bool all_exist(const std::vector<std::string>& keys) const;
    void join_rendezvous(const PendingCall& call, FrameReader& frame);
    void add(const PendingCall& call, FrameReader& frame);
    void compare_set(const PendingCall& call, FrameReader& frame);
    std::string encode_values(const std::vector<std::string>& keys) const;
    std::string encode_missing_ranks(FrameReader& frame) const;
    bool erase(const std::string& key);

    const std::uint32_t ranks_;
    const std::chrono::milliseconds heartbeat_timeout_;
    std::map<std::string, std::string> values_;
    std::size_t stored_bytes_ = 0;
    std::map<std::string, Rendezvous> rendezvous_;
    std::vector<PendingCall> waits_;
    std::map<int, Member> members_;  // by rank
    std::size_t open_members_ = 0;
    std::optional<std::string> cause_;
    Time last_check_;
    std::vector<Answer> answers_;
};

}  // namespace helioray::detail
