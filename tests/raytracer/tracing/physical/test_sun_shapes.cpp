// SPDX-License-Identifier: MIT
// Sampled sun shapes follow their densities (chi-square), as the kernels draw them.
#include "kernels/random/angular.h"
#include "kernels/random/sequence.h"
#include "raytracer/tracing/physical/records/records.h"
#include "scenario/sun/radial_profile.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>

using namespace helioray;

namespace {

constexpr kernels::SequenceTables kTables = kernels::make_sequence_tables();
constexpr int kSamples = 400'000;
constexpr int kRings = 60;

struct Sampled {
    double chi_square = 0.0;      ///< of kRings equally likely rings
    double mean_square = 0.0;     ///< of the angle
    double quarter_excess = 0.0;  ///< largest deviation of a quadrant's share from 1/4
};

Sampled sample(const SunShape& shape, kernels::SamplingKind kind) {
    std::vector<float> floats{0.0f};  // tables need not start at 0
    const kernels::AngularShape record = physical::sun_record(shape, floats);
    const auto profile = radial_profile(shape);
    kernels::BundleSequence sequence(kTables, kind, 5, 1, 0, kSamples);
    std::vector<int> ring(kRings, 0);
    int quadrant[4] = {};
    Sampled result;
    for (int i = 0; i < kSamples; ++i, sequence.advance()) {
        const auto numbers = sequence.ray_numbers<float>(0, false);
        const auto& u = numbers.sun_and_slope;
        float a, b;
        kernels::sample_angles(record, record.width, floats.data(), u[0], u[1], a, b);
        const double theta = std::hypot(a, b);
        const auto index = static_cast<int>(profile->power_within(theta) * kRings);
        ++ring[static_cast<size_t>(std::clamp(index, 0, kRings - 1))];
        ++quadrant[(a > 0.0f ? 1 : 0) + (b > 0.0f ? 2 : 0)];
        result.mean_square += theta * theta / kSamples;
    }
    const double expected = static_cast<double>(kSamples) / kRings;
    for (const int count : ring) result.chi_square += std::pow(count - expected, 2) / expected;
    for (const int count : quadrant)
        result.quarter_excess =
            std::max(result.quarter_excess, std::abs(count / double(kSamples) - 0.25));
    return result;
}

static_assert(std::variant_size_v<SunShape> == 7, "add the new kind of sun below");
const SunShape kShapes[] = {GaussianShape{2.35e-3},
                            PillboxShape{4.65e-3},
                            LimbDarkenedShape{},
                            BuieShape{0.02},
                            BuieShape{0.1},
                            BuieShape{0.4},
                            TableShape{{0.0, 2e-3, 4e-3, 5e-3, 2e-2}, {1.0, 0.9, 0.7, 0.02, 0.0}},
                            GaussSumShape{{1.9e-3, 6e-3}, {0.9, 0.1}}};

}  // namespace

TEST_CASE("every sun shape is drawn with its density") {
    for (const SunShape& shape : kShapes) {
        const Sampled sampled = sample(shape, kernels::SamplingKind::random);
        CAPTURE(shape.index());
        // 59 degrees of freedom: 99.9 % lie below 98.3.
        CHECK(sampled.chi_square < 98.3);
        CHECK(sampled.mean_square ==
              Approx(radial_profile(shape)->mean_square_angle()).epsilon(0.02));
        CHECK(sampled.quarter_excess < 4.0 * std::sqrt(0.1875 / kSamples));
    }
}

TEST_CASE("Sobol numbers fill the rings more evenly than chance") {
    for (const SunShape& shape : kShapes) {
        CAPTURE(shape.index());
        CHECK(sample(shape, kernels::SamplingKind::sobol).chi_square < 10.0);
    }
}

TEST_CASE("no angle exceeds the largest one, which culling relies on") {
    for (const SunShape& shape : kShapes) {
        std::vector<float> floats;
        const kernels::AngularShape record = physical::sun_record(shape, floats);
        float largest = 0.0f;
        for (const float u : {0x1p-24f, 1.0f - 0x1p-24f, 0.5f}) {
            float a, b;
            kernels::sample_angles(record, record.width, floats.data(), u, 0.125f, a, b);
            largest = std::max(largest, std::hypot(a, b));
        }
        CHECK(largest <= physical::largest_angle(record));
        CHECK(largest > 0.95 * physical::largest_angle(record));
    }
}
