// SPDX-License-Identifier: MIT
// Panels side by side and walls of convex cavities, which are found without comparing all of them,
// against the same surfaces compared one by one.
#include "kernels/ray/reflection.h"
#include "kernels/receiver/plane.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

using namespace helioray::kernels;

namespace {

/// Receivers of rectangles around a vertical axis.
struct Panels {
    std::vector<SurfaceRecord> surfaces;
    std::vector<float> floats{0.0f, 0.0f, 1.0f};  ///< an edge that leaves every rectangle whole

    void add(Vec<float> center, Vec<float> right, Vec<float> up, float width, float height) {
        SurfaceRecord record{};
        record.shape = plane_record(width, height);
        const Vec<float> normal = cross(right, up);
        const Vec<float> rows[3] = {right, up, normal};
        for (int k = 0; k < 3; ++k) {
            record.rotation[3 * k] = rows[k].x;
            record.rotation[3 * k + 1] = rows[k].y;
            record.rotation[3 * k + 2] = rows[k].z;
        }
        record.origin[0] = center.x;
        record.origin[1] = center.y;
        record.origin[2] = center.z;
        record.radius = 0.5f * std::hypot(width, height) + 1e-3f;
        record.is_absorber = 1;
        surfaces.push_back(record);
    }

    /// Adds panels from one angle to another, seen from the axis, from left to right for an
    /// observer before their fronts.
    void add_ring(
        int count, double radius, double height, double middle, bool inwards, double arc) {
        for (int i = 0; i < count; ++i) {
            const double step = arc / count;
            const double turn = 0.5 * (std::numbers::pi - arc) + (i + 0.5) * step;
            const double angle = inwards ? std::numbers::pi - turn + std::numbers::pi : turn;
            const double apothem = radius * std::cos(0.5 * step);
            const auto f = [](double x) { return static_cast<float>(x); };
            const Vec<float> out{f(std::cos(angle)), f(std::sin(angle)), 0.0f};
            const Vec<float> up{0.0f, 0.0f, 1.0f};
            const Vec<float> right = cross(up, inwards ? scaled(-1.0f, out) : out);
            add({f(apothem) * out.x, f(apothem) * out.y, f(middle)},
                right,
                up,
                f(2.0 * radius * std::sin(0.5 * step)),
                f(height));
        }
    }

    FieldView view() const {
        FieldView view{};
        view.surfaces = surfaces.data();
        view.num_surfaces = static_cast<int32_t>(surfaces.size());
        view.floats = floats.data();
        view.absorptance_tables = -1;
        return view;
    }

    /// Returns the same surfaces with outlines, which no group contains.
    Panels one_by_one() const {
        Panels result = *this;
        for (SurfaceRecord& surface : result.surfaces) {
            if (surface.shape.num_edges == 0) surface.shape.num_edges = 1;
        }
        return result;
    }
};

Panels polygon() {
    Panels panels;
    panels.add_ring(24, 8.0, 18.0, 0.0, false, 2.0 * std::numbers::pi);
    return panels;
}

Panels shielded_polygon() {
    Panels panels = polygon();
    for (const double middle : {-10.0, 10.0}) {
        panels.add_ring(24, 8.0, 2.0, middle, false, 2.0 * std::numbers::pi);
        for (size_t i = panels.surfaces.size() - 24; i < panels.surfaces.size(); ++i)
            panels.surfaces[i].is_absorber = 0;
    }
    return panels;
}

/// A half of a polygon from inside, open to the north (y), with floor, ceiling and lips.
Panels cavity() {
    Panels panels;
    panels.add_ring(20, 5.0, 8.0, 0.0, true, std::numbers::pi);
    panels.add({0, -2.5f, -4}, {-1, 0, 0}, {0, -1, 0}, 10, 5);
    panels.add({0, -2.5f, 4}, {1, 0, 0}, {0, -1, 0}, 10, 5);
    // Floor and ceiling end at the wall, whose edges they have, and at the aperture.
    for (const size_t index : {20, 21}) {
        SurfaceRecord& surface = panels.surfaces[index];
        surface.shape.num_edges = 21;
        surface.shape.edges = std::ssize(panels.floats);
        for (int i = 0; i < 20; ++i) {
            // Outwards; up points to the south, against y.
            const double turn = (i + 0.5) * std::numbers::pi / 20.0;
            const double x = std::cos(turn), y = std::sin(turn);
            panels.floats.push_back(static_cast<float>(10.0 * x));
            panels.floats.push_back(static_cast<float>(5.0 * y));
            panels.floats.push_back(
                static_cast<float>(5.0 * std::cos(std::numbers::pi / 40.0) - 2.5 * y));
        }
        panels.floats.insert(panels.floats.end(), {0.0f, -5.0f, 2.5f});
    }
    for (const float z : {-3.5f, 3.5f}) {
        panels.add({0, 0, z}, {-1, 0, 0}, {0, 0, 1}, 10, 1);
        panels.surfaces.back().is_absorber = 0;
    }
    return panels;
}

Vec<float> unit(const Vec<double>& v) {
    const double length = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    return {static_cast<float>(v.x / length),
            static_cast<float>(v.y / length),
            static_cast<float>(v.z / length)};
}

/// Returns true if hits are on the same surface, or both on one of the edges, which overlap.
bool agree(const SurfaceHit<float>& a, const SurfaceHit<float>& b) {
    if (a.meets != b.meets) return false;
    if (!a.meets) return true;
    if (a.surface != b.surface)
        return std::abs(a.distance - b.distance) < 2e-3f &&
               (std::abs(std::abs(a.across) - 0.5f) < 1e-3f ||
                std::abs(std::abs(a.up) - 0.5f) < 1e-3f);
    return a.mask == b.mask && a.front == b.front && std::abs(a.distance - b.distance) < 5e-3f &&
           std::abs(a.across - b.across) < 2e-3f && std::abs(a.up - b.up) < 2e-3f;
}

}  // namespace

TEST_CASE("rays meet the same panels whether their edges or all panels are compared") {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (const Panels& panels : {polygon(), shielded_polygon(), cavity()}) {
        const FieldView view = panels.view();
        const Panels single = panels.one_by_one();
        const FieldView single_view = single.view();
        NearSurfaces<float> fast(view);
        NearSurfaces<float> slow(single_view);
        int hits = 0;
        for (int point = 0; point < 2000; ++point) {
            // All around the receiver, from above and from below.
            const double angle = std::numbers::pi * uniform(random);
            const double distance = 20.0 + 200.0 * std::abs(uniform(random));
            const Vec<double> from{distance * std::sin(angle),
                                   distance * std::cos(angle),
                                   0.5 * distance * uniform(random)};
            const Vec<float> origin{
                static_cast<float>(from.x), static_cast<float>(from.y), static_cast<float>(from.z)};
            // Rays go to points within 19.3 m; only narrow cones leave panels out.
            const double range = std::hypot(from.x, from.y, from.z);
            const double tangent = range > 40.0 ? 19.3 / (range - 19.3) : 1.5;
            const RayCone cone{
                origin, unit({-from.x, -from.y, -from.z}), static_cast<float>(tangent)};
            fast.find(cone);
            slow.find(cone);
            for (int ray = 0; ray < 50; ++ray) {
                const Vec<float> r = unit({10.0 * uniform(random) - from.x,
                                           10.0 * uniform(random) - from.y,
                                           13.0 * uniform(random) - from.z});
                SurfaceHit<float> a, b;
                fast.meet(r, a);
                slow.meet(r, b);
                hits += b.meets ? 1 : 0;
                if (agree(a, b)) continue;
                INFO("from " << from.x << " " << from.y << " " << from.z << " along " << r.x << " "
                             << r.y << " " << r.z);
                INFO("surfaces " << a.surface << " " << b.surface << " meets " << a.meets << " "
                                 << b.meets << " distances " << a.distance << " " << b.distance);
                REQUIRE(agree(a, b));
            }
        }
        CHECK(hits > 10'000);
    }
}

TEST_CASE("reflected rays meet the same walls whether planes or all outlines are compared") {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (const Panels& panels : {cavity(), shielded_polygon()}) {
        const FieldView view = panels.view();
        Panels single = panels.one_by_one();
        // Light from outermost surfaces is not followed; these lie before each of them.
        for (int i = 0; i < 4; ++i) {
            const auto x = static_cast<float>(400 * (i - 1) % 800),
                       y = static_cast<float>(400 * (i - 2) % 800);
            single.add({x, y, 0}, {-1, 0, 0}, {0, 0, 1}, 0.001f, 0.001f);
        }
        const FieldView single_view = single.view();
        const SurfaceGroups groups(view);
        const SurfaceGroups single_groups(single_view);
        const ReflectingTables tables(view, groups);
        const ReflectingSurfaces fast(view, groups, tables);
        const ReflectingTables single_tables(single_view, single_groups);
        const ReflectingSurfaces slow(single_view, single_groups, single_tables);
        // Next to the edges of a polygon, the overlap of the next panel is before the start.
        const double reach = panels.surfaces.size() == 24 ? 0.4999 : 0.45;
        int hits = 0;
        for (int ray = 0; ray < 100'000; ++ray) {
            const auto start = static_cast<int32_t>(
                std::abs(uniform(random)) * static_cast<double>(panels.surfaces.size() - 2));
            const SurfaceRecord& surface = panels.surfaces[static_cast<size_t>(start)];
            const float* m = surface.rotation;
            const auto x = static_cast<float>(reach * uniform(random)) * surface.shape.width;
            const auto y = static_cast<float>(reach * uniform(random)) * surface.shape.height;
            Vec<float> point = to_vec(surface.origin);
            point = add_scaled(point, x, Vec<float>{m[0], m[1], m[2]});
            point = add_scaled(point, y, Vec<float>{m[3], m[4], m[5]});
            Vec<float> same = point;
            // Only meshes read the pixel and the direction.
            const int32_t pixel = 0;
            const Vec<float> down{0.0f, 0.0f, -1.0f};
            const Vec<float> normal = fast.settle<float>(start, pixel, down, point);
            CHECK(std::abs(dot(normal, slow.settle<float>(start, pixel, down, same)) - 1.0f) <
                  1e-6f);
            Vec<float> r = unit({uniform(random), uniform(random), uniform(random)});
            const float along = dot(r, normal);
            if (std::abs(along) < 1e-3f) continue;
            if (along < 0.0f) r = scaled(-1.0f, r);
            SurfaceHit<float> a, b;
            fast.meet(point, r, start, pixel, a);
            slow.meet(point, r, start, pixel, b);
            hits += b.meets ? 1 : 0;
            if (agree(a, b)) continue;
            INFO("from " << start << " at " << point.x << " " << point.y << " " << point.z
                         << " along " << r.x << " " << r.y << " " << r.z);
            INFO("surfaces " << a.surface << " " << b.surface << " meets " << a.meets << " "
                             << b.meets << " distances " << a.distance << " " << b.distance);
            REQUIRE(agree(a, b));
        }
        if (panels.surfaces.size() == 24) CHECK(hits > 50'000);
    }
}

TEST_CASE("a convex cavity consists of its walls, and a polygon is outermost") {
    const Panels inside = cavity();
    const SurfaceGroups walls(inside.view());
    CHECK(walls.num_cavities() == 1);
    for (int32_t i = 0; i < 24; ++i) {
        CHECK(walls.cavity(i) == (i < 22 ? 1 : 0));
        CHECK(walls.is_outermost(i) == (i >= 22));  // the lips
    }
    const Panels outside = shielded_polygon();
    const SurfaceGroups panels(outside.view());
    CHECK(panels.num_cavities() == 0);
    for (int32_t i = 0; i < 72; ++i) CHECK(panels.is_outermost(i));
}
