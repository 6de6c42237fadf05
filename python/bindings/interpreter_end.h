// SPDX-License-Identifier: MIT
// Calls without the interpreter's lock at the end of the interpreter. The interpreter then destroys
// threads that request the lock, and the destructors of such a thread's C++ frames would abort the
// process.
#pragma once

#include "scenario/files/text_file.h"

#include <nanobind/nanobind.h>

namespace helioray::python {

/// Marks a call in progress; the interpreter ends only after the last one. Create and destroy it
/// with the lock.
class UnderWay {
  public:
    /// Throws SystemExit in threads that begin a call while the interpreter ends.
    UnderWay();
    ~UnderWay();
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

    /// Returns true if this call has to stop because the interpreter ends.
    static bool must_end();
};

/// Returns true if the thread of a call without the lock has to end. Handles Python's signals, and
/// throws the exceptions of their handlers.
bool must_end_or_throws();

/// Releases the lock for other threads while it exists. Pipes are read meanwhile until a signal
/// ends the call.
class Unlocked {
  private:
    UnderWay call_;
    nanobind::gil_scoped_release release_;
    StreamStop obey_{must_end_or_throws};
};

/// Makes the interpreter wait for calls of daemon threads, which stop when must_end() returns true.
void wait_for_calls_at_exit();

}  // namespace helioray::python
