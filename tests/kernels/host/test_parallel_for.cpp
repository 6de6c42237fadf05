// SPDX-License-Identifier: MIT
// Loops on several threads: every index once, and failures that do not depend on the threads.
#include "kernels/host/parallel_for.h"
#include "tests/support/catch2.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace helioray;

TEST_CASE("Every index is called once for any number of threads") {
    for (const int threads : {-1, 0, 1, 2, 3, 50}) {
        for (const size_t count : {0U, 1U, 2U, 1000U}) {
            std::vector<std::atomic<int>> calls(count);
            parallel_for(count, threads, [&](size_t i) { ++calls[i]; });
            for (const std::atomic<int>& one : calls) CHECK(one == 1);
        }
    }
}

TEST_CASE("Calls run at the same time") {
    // Each call waits for the other one to begin.
    std::atomic<int> begun{0};
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    parallel_for(2, 2, [&](size_t) {
        ++begun;
        while (begun < 2 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
        if (begun < 2) throw std::runtime_error("the other call did not begin");
    });
    CHECK(begun == 2);
}

TEST_CASE("The exception of the lowest index reaches the caller") {
    for (const int threads : {1, 2, 5}) {
        for (int repeat = 0; repeat < 20; ++repeat) {
            std::atomic<int> running{0};
            std::string message;
            try {
                parallel_for(100, threads, [&](size_t i) {
                    ++running;
                    // The lowest failure comes late.
                    if (i == 7) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    --running;
                    if (i >= 7) throw std::runtime_error("index " + std::to_string(i));
                });
            } catch (const std::runtime_error& error) {
                message = error.what();
            }
            CHECK(message == "index 7");
            CHECK(running == 0);
        }
    }
}
