// SPDX-License-Identifier: MIT
// Sums over columns of light against their formulas, the same bit for bit on every instruction set.
#include "kernels/core/column_sums.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace helioray::kernels;

namespace {

constexpr int kMost = 40;

/// Light above edges at three shifts, factors and weights.
struct Column {
    std::vector<uint16_t> light[3];
    std::vector<double> factors;
    std::vector<float> single_light, single_factors;
    double weights[3] = {0.125, 0.75, 0.125};
    double last = 0.7;

    Column() {
        std::mt19937 generator(5);
        std::uniform_int_distribution<int> step(0, kLightSteps);
        std::uniform_real_distribution<double> factor(-1.0, 1.0);
        for (auto& one : light)
            for (int i = 0; i < kMost + 2 * kColumnLanes; ++i)
                one.push_back(static_cast<uint16_t>(step(generator)));
        for (int i = 0; i < kMost + kColumnLanes; ++i) factors.push_back(factor(generator));
        for (int i = 0; i < 3 * kMost; ++i)
            single_light.push_back(static_cast<float>(factor(generator)));
        for (int i = 0; i < kMost; ++i)
            single_factors.push_back(i % 3 == 0 ? 0.0f : static_cast<float>(factor(generator)));
    }
    ColumnTaps taps() const { return {{light[0].data(), light[1].data(), light[2].data()}}; }
};

/// What a set makes of a column of this many cells: cells, then sums of shifts, then correlations.
std::vector<double> found_by(InstructionSet set, const Column& column, int num_cells) {
    const ColumnSums sums = column_sums(set);
    const auto count = static_cast<size_t>(num_cells);
    // What stands behind the last cell must stay.
    std::vector<double> result(count + 1, 0.25);
    sums.add(column.taps(), column.weights, num_cells, result.data());
    std::vector<double> parts(size_t{3} * kColumnLanes, 0.0);
    sums.dot(column.taps(), column.factors.data(), column.last, num_cells + 1, 0.5, parts.data());
    result.insert(result.end(), parts.begin(), parts.end());
    std::vector<float> correlated(size_t{2} * kMost, 0.5f);
    sums.correlate(column.single_light.data(),
                   column.single_factors.data(),
                   num_cells,
                   num_cells,
                   correlated.data());
    result.insert(result.end(), correlated.begin(), correlated.begin() + num_cells);
    return result;
}

}  // namespace

TEST_CASE("sums over columns of any length are those of their formulas") {
    const Column column;
    const auto [w0, w1, w2] = column.weights;
    for (int num_cells = 1; num_cells < kMost; ++num_cells) {
        CAPTURE(num_cells);
        const auto count = static_cast<size_t>(num_cells);
        const std::vector<double> found = found_by(InstructionSet::automatic, column, num_cells);
        const auto mixed = [&](size_t i) {
            return w0 * column.light[0][i] + w1 * column.light[1][i] + w2 * column.light[2][i];
        };
        for (size_t i = 0; i < count; ++i)
            CHECK(found[i] == Approx(0.25 + mixed(i + 1) - mixed(i)).margin(1e-9));
        CHECK(found[count] == 0.25);
        for (size_t k = 0; k < 3; ++k) {
            double sum = 0.0, wanted = column.last * column.light[k][count];
            for (size_t i = 0; i < count; ++i) wanted += column.factors[i] * column.light[k][i];
            for (size_t lane = 0; lane < kColumnLanes; ++lane)
                sum += found[count + 1 + k * kColumnLanes + lane];
            CHECK(sum == Approx(0.5 * wanted).margin(1e-8));
        }
        for (size_t q = 0; q < count; ++q) {
            double wanted = 0.5;
            for (size_t r = 0; r < count; ++r)
                wanted += static_cast<double>(column.single_factors[r]) *
                          static_cast<double>(column.single_light[q + r]);
            CHECK(found[count + 1 + size_t{3} * kColumnLanes + q] == Approx(wanted).margin(1e-5));
        }
    }
}

TEST_CASE("every instruction set sums columns alike, bit for bit") {
    const Column column;
    for (int num_cells = 1; num_cells < kMost; ++num_cells) {
        const auto wanted = found_by(InstructionSet::portable, column, num_cells);
        for (const InstructionSet set : usable_instruction_sets()) {
            CAPTURE(num_cells, to_string(set));
            const auto found = found_by(set, column, num_cells);
            CHECK(std::memcmp(found.data(), wanted.data(), wanted.size() * sizeof(double)) == 0);
        }
    }
}
