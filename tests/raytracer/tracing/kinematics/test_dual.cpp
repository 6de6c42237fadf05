// SPDX-License-Identifier: MIT
// Numbers with derivatives: every operation against central differences, first and second.
#include "tests/raytracer/tracing/kinematics/kinematics_support.h"

using namespace helioray;
using namespace helioray::test;

namespace {

// Every operation at least once; its terms differ.
template <typename T>
std::array<T, 8> everything(const std::array<T, 3>& v) {
    using std::sqrt, std::sin, std::cos, std::acos, std::atan2, std::abs;
    const auto& [x, y, z] = v;
    return {x * y - z / y,
            2.0 * x + y * 3.0 - 1.0,
            1.0 - x + (y - 0.5) + (2.0 + z),
            sqrt(x * x + y * y) / 4.0,
            sin(x * z) + cos(y - z),
            acos(0.3 * x * y),
            atan2(y, -x) * z,
            abs(-x) + abs(y)};
}

}  // namespace

TEST_CASE("Dual numbers have the values of double and the derivatives of central differences") {
    for (const std::array<double, 3>& x : uniform_rows<3>(20, 0.3, 1.5, 1)) {
        const auto values = everything(x);
        const auto duals = everything(variables(x));
        for (size_t i = 0; i < values.size(); ++i) {
            CHECK(value_of(duals[i]) == Approx(values[i]).epsilon(1e-15));
        }
        check_derivatives([](const auto& v) { return everything(v); }, x, 1e-8, 1e-6);
    }
}

TEST_CASE("Dual numbers of dual numbers have second derivatives") {
    using Inner = Dual<3>;
    using Outer = Dual<3, Inner>;
    const std::array<double, 3> x{0.7, 0.9, 1.1};
    std::array<Outer, 3> numbers;
    for (size_t i = 0; i < 3; ++i) {
        numbers[i].value = variables(x)[i];
        numbers[i].slope[i] = 1.0;
    }
    const auto found = everything(numbers);
    for (size_t k = 0; k < 3; ++k) {
        // The derivatives by variable k, as functions.
        const auto slopes = [k](const std::array<double, 3>& v) {
            std::array<double, 8> result;
            const auto duals = everything(variables(v));
            for (size_t i = 0; i < result.size(); ++i) result[i] = duals[i].slope[k];
            return result;
        };
        for (size_t m = 0; m < 3; ++m) {
            const auto expected = central_difference(slopes, x, m, 1e-5);
            for (size_t i = 0; i < expected.size(); ++i) {
                INFO("result " << i << " by " << k << " and " << m);
                CHECK(found[i].slope[k].slope[m] == Approx(expected[i]).margin(1e-8));
            }
        }
    }
    static_assert(kOrder<double> == 0 && kOrder<Inner> == 1 && kOrder<Outer> == 2);
}
