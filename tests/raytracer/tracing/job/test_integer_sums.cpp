// SPDX-License-Identifier: MIT
// Sums in pages of the system.
#include "kernels/core/out_of_memory.h"
#include "raytracer/tracing/job/integer_sums.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <numeric>

using namespace helioray;

TEST_CASE("sums are zero at first and after a reset") {
    for (const std::int64_t size : {0, 1, 1000, 3 << 20}) {
        IntegerSums sums(size);
        REQUIRE(std::ssize(sums.all()) == size);
        const auto is_zero = [](std::int64_t value) { return value == 0; };
        CHECK(std::all_of(sums.all().begin(), sums.all().end(), is_zero));
        std::fill(sums.all().begin(), sums.all().end(), 7);
        sums.reset(size);
        CHECK(std::all_of(sums.all().begin(), sums.all().end(), is_zero));
        sums.reset(5);
        CHECK(sums.all().size() == 5);
        CHECK(std::all_of(sums.all().begin(), sums.all().end(), is_zero));
    }
}

TEST_CASE("sums that are given back are zero page by page, the others stay") {
    constexpr std::int64_t kSize = 100'000, kBegin = 30'001, kEnd = 60'001, kPage = 64 << 10;
    IntegerSums sums(kSize);
    std::iota(sums.all().begin(), sums.all().end(), 1);
    sums.give_back(kBegin, kEnd);
    std::int64_t zeros = 0;
    for (std::int64_t i = 0; i < kSize; ++i) {
        const std::int64_t value = sums.all()[static_cast<std::size_t>(i)];
        if (i < kBegin || i >= kEnd) REQUIRE(value == i + 1);
        REQUIRE((value == 0 || value == i + 1));
        zeros += value == 0 ? 1 : 0;
    }
    // Pages have 4 to 64 KiB.
    CHECK(zeros >= kEnd - kBegin - 2 * kPage / 8);
    sums.give_back(5, 6);
    CHECK(sums.all()[5] == 6);
}

TEST_CASE("sums that no machine has room for are refused with their size") {
    CHECK_THROWS_AS(IntegerSums(std::int64_t{1} << 58), kernels::OutOfMemory);
    CHECK_THROWS_WITH(IntegerSums(std::int64_t{1} << 58),
                      ContainsSubstring("MB more were asked for"));
}
