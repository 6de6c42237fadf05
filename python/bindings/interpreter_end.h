// SPDX-License-Identifier: MIT
// Calls without the interpreter's lock, and the end of the interpreter, which destroys threads that
// ask for the lock afterwards: the destructors of such a thread's C++ frames would abort the
// process.
#pragma once

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

/// Gives the lock to other threads as long as it exists.
class Unlocked {
  private:
    UnderWay call_;
    nanobind::gil_scoped_release release_;
};

/// Makes the interpreter wait for calls that daemon threads have under way, which must_end() asks
/// to stop.
void wait_for_calls_at_exit();

}  // namespace helioray::python
