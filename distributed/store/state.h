// SPDX-License-Identifier: MIT
// State of the store of a run: values, pending waits, rendezvous, the connected ranks and the cause
// of a failure.
#pragma once

#include "distributed/store/wire.h"
#include "distributed/store/work_service.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helioray::detail {

/// Processes calls and collects their answers; some calls are answered later. The class uses
/// neither sockets nor clocks: connections are numbers, and the time is an argument.
class StoreState {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// An answer to send on a connection.
    struct Answer {
        int connection = -1;                        ///< connection of the call
        std::uint64_t id = 0;                       ///< id of the call
        StoreAnswer status{};                       ///< result of the call
        std::shared_ptr<const std::string> shared;  ///< the body; several answers may share one

        /// Returns the body, which depends on status and call.
        const std::string& body() const { return *shared; }
    };

    /// `ranks` is the number of ranks of the run. A member without a heartbeat for
    /// `heartbeat_timeout` counts as hanging. With `work`, only rank 0 can fail; another rank that
    /// would fail is lost: WorkService::lose() is called, its connections get no service any more,
    /// and another process may become this rank.
    StoreState(int ranks,
               std::chrono::milliseconds heartbeat_timeout,
               Time now,
               WorkService* work = nullptr);

    /// Adds a rank with its heartbeat connection; the rank has failed if this connection breaks.
    /// `name` is used in messages.
    void add_member(int connection, int rank, const std::string& name, Time now);
    /// Adds a connection of a rank. If the last connection of a rank closes before the rank has
    /// been added as a member or has called `close`, the rank has failed.
    void add_connection(int connection, int rank, const std::string& name);
    /// Returns true if the rank has been added.
    bool has_member(int rank) const { return members_.count(rank) != 0; }

    /// Processes a call of an authenticated connection of `rank`. Throws TransportError for a
    /// malformed call.
    void serve(int connection, int rank, FrameReader& frame, Time now);
    /// Removes a closed connection. If it was the heartbeat connection of a rank that has not
    /// called `close`, the rank has failed.
    void remove_connection(int connection);
    /// Records the failure of the run and answers all pending calls with it. Only the first failure
    /// is stored.
    void fail(const std::string& cause);
    /// Detects members without a recent heartbeat. A member whose heartbeats report no progress is
    /// detected by the heartbeat itself. Call it several times a second.
    void check_heartbeats(Time now);

    /// Returns the answers since the last call of this function.
    std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }
    /// Returns the number of members that have neither called `close`, failed nor received the
    /// cause of the failure.
    std::size_t open_members() const { return open_members_; }

  private:
    /// A call that has not been answered yet.
    struct PendingCall {
        int connection = -1;
        int rank = -1;
        std::uint64_t id = 0;
        std::vector<std::string> keys;
        std::size_t bytes = 0;  // memory of the call while it waits
    };
    /// The ranks that have joined a rendezvous, and the text of each.
    struct Rendezvous {
        std::map<std::string, std::vector<std::uint32_t>> ranks_by_text;
        std::set<std::uint32_t> joined;    // ranks
        std::vector<PendingCall> waiting;  // calls of these ranks
        std::size_t bytes = 0;             // memory of name and texts
    };
    struct Member {
        std::string name;
        int connection = -1;
        Time last_heard;                    // time of its last call
        Time last_beat;                     // time of its last heartbeat
        std::string phase;                  // its watched work; empty if there is none
        std::uint64_t progress = 0;         // number that its last heartbeat reported
        std::chrono::milliseconds idle{0};  // time that it worked without progress
        bool closed = false;                // it has called `close` or failed
        bool open = true;  // false once it has closed, failed or received the cause of the failure
    };

    std::shared_ptr<const std::string> share(std::string body);
    void reply(const PendingCall& call, StoreAnswer status, std::string_view body);
    bool is_full(StoreCall call, std::size_t bytes) const;
    void clear_open(Member& member);
    void check_progress(int rank, Member& member, FrameReader& frame, Time now);
    void lose(int rank, const std::string& cause);
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
    WorkService* const work_;
    std::map<std::string, std::string> values_;
    std::size_t stored_bytes_ = 0;   // bytes of the values
    std::size_t pending_bytes_ = 0;  // bytes of calls that wait, and of rendezvous
    /// Bytes of the bodies of answers that have not been sent.
    std::shared_ptr<std::size_t> unsent_bytes_ = std::make_shared<std::size_t>(0);
    std::map<std::string, Rendezvous> rendezvous_;
    std::vector<PendingCall> waits_;
    std::map<int, Member> members_;  // by rank
    /// Ranks and names of the connections.
    std::map<int, std::pair<int, std::string>> connections_;
    std::map<int, std::string> revoked_;  // connections of lost ranks, and the cause
    std::set<int> departed_;              // ranks that have called `close` without being members
    std::size_t open_members_ = 0;
    std::optional<std::string> cause_;
    Time last_check_;
    std::vector<Answer> answers_;
};

}  // namespace helioray::detail
