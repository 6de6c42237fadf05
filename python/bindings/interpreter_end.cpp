// SPDX-License-Identifier: MIT
// Counts the calls in progress; Python's atexit waits for the last one.
#include "python/bindings/interpreter_end.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace helioray::python {

namespace nb = nanobind;

namespace {

std::atomic<int> calls{0};
/// Thread that ends the interpreter; none while it runs.
std::atomic<std::thread::id> ending{};

}  // namespace

bool UnderWay::must_end() {
    const std::thread::id thread = ending;
    // Functions that run at the end may still call.
    return thread != std::thread::id() && thread != std::this_thread::get_id();
}

bool must_end_or_throws() {
    if (UnderWay::must_end()) return true;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    return false;
}

UnderWay::UnderWay() {
    if (must_end()) {
        PyErr_SetNone(PyExc_SystemExit);
        nb::raise_python_error();
    }
    ++calls;
}

UnderWay::~UnderWay() {
    --calls;
}

void wait_for_calls_at_exit() {
    const auto wait = [process = getpid()] {
        // A fork does not contain the threads of its parent.
        if (getpid() != process) return;
        ending = std::this_thread::get_id();
        const nb::gil_scoped_release release;
        while (calls > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(wait));
}

}  // namespace helioray::python
