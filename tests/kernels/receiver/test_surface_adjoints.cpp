// SPDX-License-Identifier: MIT
// Derivatives of hits on the surfaces of receivers, and of the normals there, against central
// differences in double precision.
#include "kernels/ray/near_surfaces.h"
#include "kernels/ray/reflection.h"
#include "kernels/receiver/normal_adjoint.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

using namespace helioray::kernels;

namespace {

constexpr float kTurn = 2.0f * std::numbers::pi_v<float>;
using DoubleVector = Vec<double>;

struct Shape {
    std::string name;
    TargetRecord record;
};

/// Every kind of surface but meshes, most of them lit from either side.
std::vector<Shape> all_shapes() {
    const double map[kMapTerms] = {1.0, 0.05, -0.02, 0.01};
    const double part[kMapTerms] = {0.0, 0.7, 0.2, 0.1};
    std::vector<Shape> shapes{{"plane", plane_record(6.0, 5.0)},
                              {"disc", disc_record(3.0)},
                              {"annulus", annulus_record(3.0, 0.5, 2.0 * kTurn / 3.0, 5.0, 4.0)}};
    for (const bool inside : {false, true}) {
        const std::string side = inside ? ", inside" : "";
        shapes.push_back({"cylinder" + side, cylinder_record(3.0, 5.0, 4.0, inside)});
        shapes.push_back({"cone" + side, cone_record(3.0, 2.0, 4.0, 4.0, inside, 8.0, 4.0)});
        shapes.push_back({"sphere" + side, sphere_record(3.0, -2.0, 2.5, 4.0, inside)});
        const auto conic = [&](const char* name, double constant, double top) {
            shapes.push_back(
                {name + side, quadric_record({4.0, constant, 3.0, 0.0, top, 6.0}, inside, map)});
        };
        conic("paraboloid", -1.0, 1.125);
        conic("hyperboloid", -2.5, 1.03);
        conic("ellipsoid", -0.4, 1.2);
    }
    ConcentratorSizes sizes{1.0, 0.5, std::sqrt(0.75), 0.0, 3.0, 0.0, 6.0, 3.0};
    const auto entry = [&] {
        const double p = sizes.exit_radius * (1.0 + sizes.sine);
        const double w = std::sqrt(p * (p + sizes.cosine * sizes.length));
        return (2.0 * w - sizes.sine * sizes.cosine * sizes.length - p * (1.0 + sizes.sine)) /
               (sizes.cosine * sizes.cosine);
    };
    sizes.entry_radius = entry();
    shapes.push_back({"concentrator", concentrator_record(sizes, part)});
    sizes.side_tangent = 0.6;
    shapes.push_back({"face of a concentrator", concentrator_record(sizes, part)});
    return shapes;
}

/// Intersects a surface; false for rays that miss it.
bool meet(const TargetRecord& shape,
          const DoubleVector& o,
          const DoubleVector& r,
          TargetHit<double>& hit) {
    if (has_flat_map(shape.kind)) {
        meet_plane(shape, o, r, hit);
        return hit.mask && std::abs(hit.across) < 0.5 && std::abs(hit.up) < 0.5;
    }
    SurfaceRecord surface{};
    surface.shape = shape;
    surface.rotation[0] = surface.rotation[4] = surface.rotation[8] = 1.0f;
    return meet_unrolled_surface(surface, nullptr, o, r, hit) && hit.mask;
}

/// Rays towards the surface from all sides.
class Rays {
  public:
    bool next(const TargetRecord& shape, DoubleVector& o, DoubleVector& r, TargetHit<double>& hit) {
        const auto draw = [&](double size) { return size * uniform_(random_); };
        for (int i = 0; i < 1000; ++i) {
            o = {draw(20.0), draw(20.0), draw(20.0)};
            const DoubleVector to{draw(2.0), draw(2.0), draw(2.0)};
            r = normalized(to - o);
            if (meet(shape, o, r, hit) && std::abs(hit.across) < 0.48) return true;
        }
        return false;
    }

  private:
    std::mt19937 random_{11};
    std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

/// Calls test(shape, o, r, hit) for rays that meet every kind of surface.
template <typename Test>
void for_each_hit(const Test& test) {
    for (const Shape& shape : all_shapes()) {
        CAPTURE(shape.name);
        Rays rays;
        for (int n = 0; n < 40; ++n) {
            DoubleVector o, r;
            TargetHit<double> hit;
            REQUIRE(rays.next(shape.record, o, r, hit));
            test(shape.record, o, r, hit);
        }
    }
}

double component(const DoubleVector& v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}
DoubleVector moved(DoubleVector v, int i, double step) {
    (i == 0 ? v.x : i == 1 ? v.y : v.z) += step;
    return v;
}

}  // namespace

TEST_CASE("derivatives of hits on every kind of surface agree with central differences") {
    // The kernels compute concentrators and maps with floats among the doubles.
    constexpr double kStep = 1e-4;
    const GradientAtHit<double> gradient{0.0, 0.7, -1.3};
    for_each_hit([&](const TargetRecord& shape,
                     const DoubleVector& o,
                     const DoubleVector& r,
                     const TargetHit<double>& hit) {
        HitAdjoint<double> adjoint =
            surface_adjoint(shape, add_scaled(o, hit.distance, r), gradient);
        // Rays that graze the surface have large derivatives.
        if (std::abs(dot(normalized(adjoint.normal), r)) < 0.2) return;
        constexpr double kPerMetre = 0.4;  // of the loss by the distance
        DoubleVector to_origin, to_direction;
        end_adjoint(adjoint, r, hit.distance, kPerMetre, to_origin, to_direction);
        const auto loss = [&](const DoubleVector& from, const DoubleVector& along) {
            TargetHit<double> other;
            if (!meet(shape, from, along, other)) return std::nan("");
            return gradient.by_across * other.across + gradient.by_up * other.up +
                   kPerMetre * other.distance;
        };
        for (int i = 0; i < 3; ++i) {
            const double by_origin =
                (loss(moved(o, i, kStep), r) - loss(moved(o, i, -kStep), r)) / (2.0 * kStep);
            const double angle = kStep / hit.distance;
            const double by_direction =
                (loss(o, moved(r, i, angle)) - loss(o, moved(r, i, -angle))) / (2.0 * angle);
            if (std::isnan(by_origin) || std::isnan(by_direction)) continue;
            CAPTURE(i, by_origin, by_direction, hit.across, hit.up);
            CHECK(std::abs(component(to_origin, i) - by_origin) <
                  2e-3 + 2e-3 * std::abs(by_origin));
            CHECK(std::abs(component(to_direction, i) - by_direction) <
                  hit.distance * (2e-3 + 2e-3 * std::abs(by_origin)));
        }
    });
}

TEST_CASE("derivatives of normals on every kind of surface agree with central differences") {
    constexpr double kStep = 1e-4;
    const DoubleVector to_normal{0.3, -0.8, 0.5};
    for_each_hit([&](const TargetRecord& shape,
                     const DoubleVector& o,
                     const DoubleVector& r,
                     const TargetHit<double>& hit) {
        const DoubleVector point = add_scaled(o, hit.distance, r);
        DoubleVector settled = point;
        const DoubleVector normal = settle_on_surface(shape, settled);
        const DoubleVector to_point = normal_adjoint(shape, point, normal, to_normal);
        DoubleVector t1, t2;
        tangent_basis(normal, t1, t2);
        for (const DoubleVector& tangent : {t1, t2}) {
            const auto normal_beside = [&](double step) {
                DoubleVector beside = add_scaled(point, step, tangent);
                return settle_on_surface(shape, beside);
            };
            const double difference =
                dot(to_normal, normal_beside(kStep) - normal_beside(-kStep)) / (2.0 * kStep);
            CAPTURE(difference);
            CHECK(std::abs(dot(to_point, tangent) - difference) <
                  2e-3 + 2e-3 * std::abs(difference));
        }
    });
}

TEST_CASE("the derivative of a tabulated absorptance agrees with central differences") {
    std::vector<float> table;
    for (int k = 0; k <= kAbsorptanceTableSize; ++k) {
        const double angle = 2.0 * std::atan(static_cast<double>(k) / kAbsorptanceTableSize);
        table.push_back(static_cast<float>(1.0 - std::exp(-std::cos(angle) / 0.3)));
    }
    SurfaceRecord surface{};
    surface.optics.table = 0.0f;
    FieldView field{};
    field.surfaces = &surface;
    field.num_surfaces = 1;
    field.floats = table.data();
    field.absorptance_tables = 0;
    for (double cosine = 0.05; cosine < 0.97; cosine += 0.04) {
        constexpr double kStep = 5e-3;
        const double difference =
            (absorptance(field, 0, cosine + kStep) - absorptance(field, 0, cosine - kStep)) /
            (2.0 * kStep);
        CAPTURE(cosine, difference);
        CHECK(absorptance_slope(field, 0, cosine) == Approx(difference).epsilon(0.02));
    }
}
