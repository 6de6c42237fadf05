// SPDX-License-Identifier: MIT
// Traced work as integers, and integers that are none.
#include "raytracer/run/stored/work_numbers.h"
#include "tests/support/catch2.h"

#include <stdexcept>

using namespace helioray::run;

namespace {

/// Sums with values in the first, the third and the last block.
std::vector<int64_t> some_sums() {
    std::vector<int64_t> sums(3000, 0);
    sums[3] = 5;
    sums[1200] = -7;
    sums[2999] = int64_t{1} << 60;
    return sums;
}

UnitSet some_units() {
    UnitSet units;
    units.add({0, 4});
    units.add({6, 7});
    return units;
}

}  // namespace

TEST_CASE("work is the same after encoding and adding, without blocks of zeros") {
    const std::vector<int64_t> sums = some_sums();
    const std::vector<int64_t> numbers = encode_work(some_units(), sums);
    CHECK(numbers.size() < sums.size());
    CHECK(decode_units(numbers, 7, 3000).ranges() == some_units().ranges());
    std::vector<int64_t> twice(3000, 0);
    add_sums(numbers, twice);
    CHECK(twice == sums);
    add_sums(numbers, twice);
    CHECK(twice[1200] == -14);
    std::vector<int64_t> cleared = sums;
    clear_sums(numbers, cleared);
    CHECK(cleared == std::vector<int64_t>(3000, 0));
    CHECK(decode_units(encode_work({}, {}), 0, 0).ranges().empty());
}

TEST_CASE("numbers that do not fit the run are refused") {
    const std::vector<int64_t> numbers = encode_work(some_units(), some_sums());
    CHECK_THROWS_AS(decode_units(numbers, 6, 3000), std::invalid_argument);
    CHECK_THROWS_AS(decode_units(numbers, 7, 2999), std::invalid_argument);
    CHECK_THROWS_AS(decode_units({}, 7, 3000), std::invalid_argument);
    const auto changed = [&](size_t index, int64_t value) {
        std::vector<int64_t> other = numbers;
        other[index] = value;
        return other;
    };
    // Numbers of ranges and runs, a range, a run.
    for (const size_t index : {0, 1, 2, 3, 4, 6, 7}) {
        for (const int64_t value : {int64_t{-1}, int64_t{1} << 62}) {
            CAPTURE(index, value);
            CHECK_THROWS_AS(decode_units(changed(index, value), 7, 3000), std::invalid_argument);
        }
    }
    std::vector<int64_t> shorter = numbers;
    shorter.pop_back();
    CHECK_THROWS_AS(decode_units(shorter, 7, 3000), std::invalid_argument);
}
