// SPDX-License-Identifier: MIT
// Random numbers: known answers, nets, distributions, elementary functions.
#include "kernels/random/angular.h"
#include "kernels/random/sequence.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

using namespace helioray::kernels;

TEST_CASE("Philox 4x32-10 gives the published known answers") {
    const auto words = [](PhiloxWords<float> counter, uint32_t k0, uint32_t k1) {
        const auto w = philox<float, 10>(counter, k0, k1);
        return std::vector<uint32_t>(w.word, w.word + 4);
    };
    CHECK(words({{0, 0, 0, 0}}, 0, 0) ==
          std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    CHECK(words({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u) ==
          std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(words({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0) ==
          std::vector<uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("Sobol points: first ones as published, and every elementary interval once") {
    static constexpr SobolTable table = make_sobol_table();
    const auto value = [&](int d, uint32_t i) { return sobol(table, d, i) * 0x1p-32; };
    const double second[] = {0.0, 0.5, 0.25, 0.75};
    for (uint32_t i = 0; i < 4; ++i) CHECK(value(0, i) == second[i]);
    for (int d = 0; d < kSobolDimensions; ++d) {
        // Each dimension alone is a permutation of the grid.
        std::set<uint32_t> cells;
        for (uint32_t i = 0; i < 256; ++i) cells.insert(sobol(table, d, i) >> 24);
        CHECK(cells.size() == 256);
    }
    // Dimensions 1 and 2 form a (0, m, 2) net: 16 points, one in each box of volume 1/16.
    for (int k = 0; k <= 4; ++k) {
        std::set<std::pair<uint32_t, uint32_t>> boxes;
        for (uint32_t i = 0; i < 16; ++i) {
            const auto x = static_cast<uint64_t>(sobol(table, 0, i)) << k >> 32;
            const auto y = static_cast<uint64_t>(sobol(table, 1, i)) << (4 - k) >> 32;
            boxes.insert({static_cast<uint32_t>(x), static_cast<uint32_t>(y)});
        }
        CHECK(boxes.size() == 16);
    }
}

TEST_CASE("walking and seeking give the same bundles") {
    static constexpr SequenceTables tables = make_sequence_tables();
    for (const auto kind : {SamplingKind::random, SamplingKind::sobol}) {
        BundleSequence walking(tables, kind, 42, 3, 5, 1000);
        for (uint32_t i = 0; i < 100; ++i) {
            BundleSequence seeking(tables, kind, 42, 3, 5, 1000);
            seeking.seek(i);
            float a[2], b[2];
            walking.point(a[0], a[1]);
            seeking.point(b[0], b[1]);
            CHECK(a[0] == b[0]);
            CHECK(a[1] == b[1]);
            const auto walked = walking.ray_numbers<float>(7, true);
            const auto sought = seeking.ray_numbers<float>(7, true);
            const auto& u = walked.sun_and_slope;
            const auto& v = sought.sun_and_slope;
            CHECK(walked.specularity[1] == sought.specularity[1]);
            for (int d = 0; d < 4; ++d) CHECK(u[d] == v[d]);
            walking.advance();
        }
    }
}

TEST_CASE("the lanes of a bundle stratify every ray dimension") {
    static constexpr SequenceTables tables = make_sequence_tables();
    BundleSequence sequence(tables, SamplingKind::sobol, 1, 0, 0, 100);
    for (int bundle = 0; bundle < 20; ++bundle, sequence.advance()) {
        for (int d = 0; d < 4; ++d) {
            std::set<int> strata;
            for (int lane = 0; lane < kRaysPerPoint; ++lane) {
                const auto numbers = sequence.ray_numbers<float>(lane, false);
                const auto& u = numbers.sun_and_slope;
                strata.insert(static_cast<int>(u[d] * 32.0f));
            }
            CHECK(strata.size() == 32);
        }
    }
}

TEST_CASE("logarithm, sine, cosine and arc tangent are accurate") {
    for (int i = 1; i < 20000; ++i) {
        const float u = (static_cast<float>(i) - 0.5f) / 20000.0f;
        CHECK(std::abs(log_positive(u) - std::log(static_cast<double>(u))) <
              3e-7 * (1.0 + std::abs(std::log(static_cast<double>(u)))));
        float s, c;
        sincos_turn(u, s, c);
        CHECK(std::abs(s - std::sin(2.0 * std::numbers::pi * u)) < 4e-7);
        CHECK(std::abs(c - std::cos(2.0 * std::numbers::pi * u)) < 4e-7);
    }
    CHECK(log_positive(0x1p-24f) == Approx(-24.0 * std::numbers::ln2));
}

TEST_CASE("angular samples follow their distributions") {
    // Chi-square of 50 equally likely rings over 1e5 stratified-free random samples: 99.9 %
    // below 86.
    static constexpr SequenceTables tables = make_sequence_tables();
    for (const auto kind : {AngularShape::Kind::gaussian, AngularShape::Kind::pillbox}) {
        const AngularShape shape{kind, 2e-3f};
        BundleSequence sequence(tables, SamplingKind::random, 9, 0, 0, 1 << 20);
        std::vector<int> ring(50, 0);
        double sum_a = 0.0, sum_b = 0.0, square_a = 0.0, square_b = 0.0;
        const int n = 100000;
        for (int i = 0; i < n; ++i, sequence.advance()) {
            const auto numbers = sequence.ray_numbers<float>(0, false);
            const auto& u = numbers.sun_and_slope;
            float a, b;
            sample_angles(shape, shape.width, nullptr, u[0], u[1], a, b);
            const double x =
                (static_cast<double>(a) * a + static_cast<double>(b) * b) / (2e-3 * 2e-3);
            const double cdf = kind == AngularShape::Kind::gaussian ? 1.0 - std::exp(-0.5 * x) : x;
            ++ring[static_cast<size_t>(std::min(49.0, cdf * 50.0))];
            sum_a += a;
            sum_b += b;
            square_a += static_cast<double>(a) * a;
            square_b += static_cast<double>(b) * b;
        }
        double chi_square = 0.0;
        for (const int count : ring) chi_square += std::pow(count - n / 50.0, 2) / (n / 50.0);
        CHECK(chi_square < 86.0);
        const double variance =
            kind == AngularShape::Kind::gaussian ? 4e-6 : 1e-6;  // pillbox: w^2 / 4 per axis
        CHECK(std::abs(sum_a / n) < 4.0 * std::sqrt(variance / n));
        CHECK(std::abs(sum_b / n) < 4.0 * std::sqrt(variance / n));
        CHECK(square_a / n == Approx(variance).epsilon(0.02));
        CHECK(square_b / n == Approx(variance).epsilon(0.02));
    }
}
