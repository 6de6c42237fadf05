// SPDX-License-Identifier: MIT
// Elementary transforms against ARTIST's numbers and their own laws.
#include "raytracer/tracing/kinematics/transforms.h"
#include "tests/raytracer/tracing/kinematics/kinematics_support.h"

#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

enum class Axis { e, n, u };

template <typename T>
void turn(Frame<T>& frame, Axis axis, const T& angle) {
    const Turn<T> by(angle);
    switch (axis) {
        case Axis::e:
            return frame.turn_e(by);
        case Axis::n:
            return frame.turn_n(by);
        case Axis::u:
            return frame.turn_u(by);
    }
}

template <typename T>
std::array<T, 16> rotation(Axis axis, const T& angle) {
    Frame<T> frame;
    turn(frame, axis, angle);
    return frame.matrix();
}

constexpr Axis kAxes[] = {Axis::e, Axis::n, Axis::u};
const std::array<double, 16> kIdentity = Frame<double>().matrix();

}  // namespace

TEST_CASE("Rotations and translations equal ARTIST's") {
    const nlohmann::json vectors = read_vectors("transforms.json");
    const char* const names[] = {"rotate_e", "rotate_n", "rotate_u"};
    for (size_t axis = 0; axis < 3; ++axis) {
        for (size_t i = 0; i < vectors["angles"].size(); ++i) {
            const auto found = rotation(kAxes[axis], vectors["angles"][i].get<double>());
            CHECK(largest_difference(found, json_matrix(vectors[names[axis]][i])) < 1e-7);
        }
    }

    const nlohmann::json& shift = vectors["translate"];
    const Vec3 offset{shift["e"][0], shift["n"][0], shift["u"][0]};
    Frame<double> moved;
    moved.move(offset.data());
    CHECK(largest_difference(moved.matrix(), json_matrix(shift["matrix"][0])) < 1e-7);

    const nlohmann::json& distortions = vectors["rotate_distortions"];
    for (size_t i = 0; i < 2; ++i) {
        Frame<double> both;
        turn(both, Axis::e, distortions["e"][0][0][i].get<double>());
        turn(both, Axis::u, distortions["u"][0][0][i].get<double>());
        const nlohmann::json& expected = distortions["matrices"][0][0][i];
        CHECK(largest_difference(both.matrix(), json_matrix(expected)) < 1e-7);
    }
}

TEST_CASE("Rotations are orthonormal and turn the stated way") {
    for (const auto& [angle] : uniform_rows<1>(5, -3, 3, 4)) {
        for (const Axis axis : kAxes) {
            Frame<double> frame;
            turn(frame, axis, angle);
            const std::array<double, 9> products{dot_product(frame.e, frame.e),
                                                 dot_product(frame.n, frame.n),
                                                 dot_product(frame.u, frame.u),
                                                 dot_product(frame.e, frame.n),
                                                 dot_product(frame.n, frame.u),
                                                 dot_product(frame.u, frame.e)};
            CHECK(largest_difference(products, {1, 1, 1}) < 1e-15);
            turn(frame, axis, -angle);
            CHECK(largest_difference(frame.matrix(), kIdentity) < 1e-15);
        }
    }
    // A quarter turn about east takes north to up, about up east to north: right-handed. About
    // north it takes up to west, where a right-handed one would take it to east.
    const double quarter = std::numbers::pi / 2;
    CHECK(rotation(Axis::e, quarter)[9] == Approx(1));
    CHECK(rotation(Axis::u, quarter)[4] == Approx(1));
    CHECK(rotation(Axis::n, quarter)[2] == Approx(-1));
}

TEST_CASE("A frame's matrix has its axes and origin as columns") {
    const auto rows = uniform_rows<3>(4, -1, 1, 1);
    const Frame<double> frame{rows[0], rows[1], rows[2], rows[3]};
    const std::array<double, 16> matrix = frame.matrix();
    for (size_t i = 0; i < 4; ++i) CHECK(column(matrix, i) == rows[i]);
    CHECK(std::array{matrix[12], matrix[13], matrix[14], matrix[15]} ==
          std::array{0.0, 0.0, 0.0, 1.0});
}

TEST_CASE("Directions go out of a frame and back in") {
    Frame<double> frame;
    turn(frame, Axis::e, 0.4);
    turn(frame, Axis::n, -1.1);
    turn(frame, Axis::u, 2.0);
    const Vec3 v{0.3, -0.5, 0.7};
    CHECK(largest_difference(frame.inwards(frame.outwards(v)), v) < 1e-15);
    CHECK(largest_difference(frame.outwards({1, 0, 0}), frame.e) == 0);
}

TEST_CASE("Normalising and angles keep finite derivatives where they are undefined") {
    const auto variable = variables(std::array<double, 3>{3, 0, 4});
    const auto unit = normalise_or_up<Dual<3>>(variable, 1e-9);
    CHECK(unit.valid);
    CHECK(unit.vector[0].value == Approx(0.6));
    CHECK(unit.vector[2].value == Approx(0.8));
    CHECK(unit.vector[0].slope[0] == Approx(0.64 / 5));
    const auto none = normalise_or_up<Dual<3>>(variables(std::array<double, 3>{}), 1e-9);
    CHECK_FALSE(none.valid);
    CHECK(none.vector[2].value == 1);
    for (const auto& component : none.vector) CHECK(component.slope == std::array{0.0, 0.0, 0.0});

    using Plane = std::array<double, 2>;
    const auto angle = [](const Plane& yx) {
        const auto [y, x] = variables(yx);
        return atan2_or(y, x, 2.5);
    };
    CHECK(angle({0, 0}).value == 2.5);
    CHECK(angle({0, 0}).slope == Plane{0, 0});
    CHECK(angle({1, -1}).value == Approx(0.75 * std::numbers::pi));
    CHECK(largest_difference(angle({1, -1}).slope, {-0.5, -0.5}) < 1e-15);
}

TEST_CASE("Transforms have the derivatives of central differences") {
    for (const auto& angle : uniform_rows<1>(3, -2, 2, 8)) {
        for (const Axis axis : kAxes) {
            check_derivatives([axis](const auto& x) { return rotation(axis, x[0]); }, angle, 1e-8);
        }
    }
    for (const auto& offset : uniform_rows<3>(2, -1, 1, 5)) {
        check_derivatives(
            [](const auto& x) {
                Frame<std::decay_t<decltype(x[0])>> frame;
                frame.move(x.data());
                return frame.matrix();
            },
            offset);
    }
}
