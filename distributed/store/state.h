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

    /// `ranks`: how many the run has. A member that gives no sign of life for `silence_limit`
    /// counts as hanging.
    StoreState(int ranks, std::chrono::milliseconds silence_limit, Time now);

    /// This connection's end is from now on the end of the rank. `name` is for messages about it.
    void join(int connection, int rank, const std::string& name, Time now);
    /// Whether a connection of this rank has joined.
    bool has_joined(int rank) const { return members_.count(rank) != 0; }

    /// One call of an admitted connection of `rank`. Throws TransportError for a call that makes no
    /// sense.
    void serve(int connection, int rank, FrameReader& frame, Time now);
    /// The connection has ended; where it had joined and not left, its rank has failed.
    void forget(int connection);
    /// The run has failed. The first failure stays the cause, and ends every wait.
    void fail(const std::string& cause);
    /// Looks for members that hang. To be called several times a second.
    void look_at_time(Time now);

    /// The answers that have become due since the last call.
    std::vector<Answer> take_answers() { return std::exchange(answers_, {}); }
    /// Members that have neither left nor been told the cause of the failure.
    std::size_t present() const { return present_; }

  private:
    /// A call that is answered later.
    struct Waiting {
        int connection = -1;
        int rank = -1;
        std::uint64_t id = 0;
        std::vector<std::string> keys;
    };
    /// Ranks that have come to a meeting, and what each said.
    struct Meeting {
        std::map<std::string, std::vector<std::uint32_t>> ranks_by_text;
        std::set<std::uint32_t> present;
        std::vector<Waiting> waiting;
    };
    struct Member {
        std::string name;
        int connection = -1;
        Time heard;
        bool left = false;
        bool present = true;  // has neither left nor been told the cause of the failure
    };

    void count_out(Member& member);
    void answer(const Waiting& call, std::string_view body = {});
    void answer_failure(const Waiting& call);
    void answer_meeting(const std::string& name);
    void store_value(const std::string& key, std::string value);
    bool all_exist(const std::vector<std::string>& keys) const;
    void meet(const Waiting& call, FrameReader& frame);
    void add(const Waiting& call, FrameReader& frame);
    void compare_set(const Waiting& call, FrameReader& frame);
    std::string values_of(const std::vector<std::string>& keys) const;
    std::string missing_from(FrameReader& frame) const;
    bool erase(const std::string& key);

    const std::uint32_t ranks_;
    const std::chrono::milliseconds silence_limit_;
    std::map<std::string, std::string> values_;
    std::size_t stored_bytes_ = 0;
    std::map<std::string, Meeting> meetings_;
    std::vector<Waiting> waits_;
    std::map<int, Member> members_;  // by rank
    std::size_t present_ = 0;
    std::optional<std::string> cause_;
    Time last_look_;
    std::vector<Answer> answers_;
};

}  // namespace helioray::detail
