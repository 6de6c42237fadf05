// SPDX-License-Identifier: MIT
// Calls without the interpreter's lock, and the end of the interpreter, which destroys threads that
// ask for the lock afterwards: the destructors of such a thread's C++ frames would abort the
// process.
#pragma once

#include "scenario/files/text_file.h"

#include <nanobind/nanobind.h>

namespace helioray::python {

/// The interpreter ends once no call is under way. Make it and destroy it with the lock.
class UnderWay {
  public:
    /// Throws SystemExit in threads that begin a call while the interpreter ends.
    UnderWay();
    ~UnderWay();
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

    /// Whether this call shall stop, because the interpreter ends.
    static bool must_end();
};

/// Whether the thread of a call shall end, which has given the lock away: Python's signals are
/// looked at, and what their handlers throw is thrown.
bool must_end_or_throws();

/// Gives the lock to other threads as long as it exists. Pipes are read meanwhile as long as no
/// signal ends the call.
class Unlocked {
  private:
    UnderWay call_;
    nanobind::gil_scoped_release release_;
    StreamStop obey_{must_end_or_throws};
};

/// Makes the interpreter wait for calls that daemon threads have under way, which must_end() asks
/// to stop.
void wait_for_calls_at_exit();

}  // namespace helioray::python
