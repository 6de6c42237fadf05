// SPDX-License-Identifier: MIT
// Work units that rank 0 hands out, and the results that ranks deliver for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helioray {

/// A half-open range of work units.
using WorkRange = std::pair<std::int64_t, std::int64_t>;

/// A delivery of a rank: the result of all units that it had drawn.
struct WorkPortion {
    int rank = 0;                  ///< rank that has worked
    std::vector<WorkRange> units;  ///< units of the result
    std::string result;            ///< the result, in a form that the pool does not know
};

/// The units of one task after the other. Every unit is free, drawn by a rank, delivered, or done;
/// it becomes done once. Units that a lost rank has drawn and not delivered become free again. Uses
/// neither threads nor sockets.
class WorkPool {
  public:
    /// `ranks`: number of ranks for which the first draws leave work.
    explicit WorkPool(int ranks) : ranks_(ranks) {}

    /// Begins a task with these units; the one before must be complete. `text` describes the task
    /// to the ranks; `cost` returns the cost of a unit, at least 0.
    void open(std::string text,
              const std::vector<WorkRange>& units,
              std::function<double(std::int64_t)> cost);
    /// Ends the task although it is not complete, and forgets its units.
    void abandon();
    /// Returns the number of the task, from 1; 0 before the first.
    std::int64_t task() const { return task_; }
    /// Returns the description of the task.
    const std::string& text() const { return text_; }
    /// Returns true if all units of the task are done.
    bool is_complete() const;

    /// Takes free units for a rank: units of about the cost `wanted`, but no more than a part of
    /// what is left, so that all ranks end together, and at least `smallest` units. Returns nothing
    /// if none is free.
    std::optional<WorkRange> draw(int rank, double wanted, std::int64_t smallest);
    /// Marks units that rank 0 has drawn as done.
    void complete(WorkRange units);

    /// Receives a part of a result; `total` is its size, `offset` the place of `bytes` in it. The
    /// result is delivered when it is complete. Returns false while other results fill the memory:
    /// try again later. Throws std::invalid_argument for parts that do not belong together, another
    /// task, or a rank that has drawn nothing.
    bool receive(
        int rank, std::int64_t task, std::size_t total, std::size_t offset, std::string_view bytes);
    /// Returns true if take_portions() would return something.
    bool has_portions() const { return !portions_.empty(); }
    /// Returns the delivered results; call accept() or reject() for each of them.
    std::vector<WorkPortion> take_portions();
    /// Marks the units of a result as done.
    void accept(const WorkPortion& portion);
    /// Makes the units of a damaged result free again.
    void reject(const WorkPortion& portion);

    /// Makes the units free that a rank has drawn and not delivered. Returns their number.
    std::int64_t lose(int rank);

  private:
    /// A result that a rank is sending.
    struct Incoming {
        std::string bytes;
        std::size_t total = 0;
    };

    const int ranks_;
    std::int64_t task_ = 0;
    std::string text_;
    std::function<double(std::int64_t)> cost_;
    std::map<std::int64_t, std::int64_t> free_;    // ranges: begin, end
    double free_cost_ = 0.0;                       // cost of the free units
    std::map<int, std::vector<WorkRange>> drawn_;  // by rank
    std::map<int, Incoming> incoming_;             // by rank
    std::vector<WorkPortion> portions_;
    std::size_t taken_ = 0;         // number of portions that are taken, not accepted or rejected
    std::size_t stored_bytes_ = 0;  // bytes in incoming_ (in full) and portions_

    void release(WorkRange units);
};

}  // namespace helioray
