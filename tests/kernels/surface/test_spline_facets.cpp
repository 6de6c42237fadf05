// SPDX-License-Identifier: MIT
// Facets computed beside each other in the lanes of vectors against the formulas for one of them.
#include "kernels/core/quadrature.h"
#include "kernels/facet_area.h"
#include "kernels/spline_facets.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace helioray::kernels;

namespace {

constexpr size_t kTableFloats = size_t{2} * (kSamplingTableSize + 1);

/// Number of control points and degree of each direction.
struct Kind {
    int num[2];
    int degree[2];
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> list = {{{10, 10}, {3, 3}},
                                           {{4, 4}, {3, 3}},
                                           {{6, 21}, {3, 3}},
                                           {{2, 2}, {1, 1}},
                                           {{7, 5}, {3, 2}},
                                           {{5, 9}, {4, 3}},
                                           {{9, 8}, {5, 7}},
                                           {{8, 30}, {7, 6}}};
    return list;
}

using ControlPoints = std::vector<double>;

/// Uneven nets of control points about a rectangle of 1.6 m x 1.2 m.
std::vector<ControlPoints> random_facets(const Kind& kind, size_t count) {
    std::mt19937 generator(static_cast<unsigned>(kind.num[0] * 100 + kind.num[1]));
    // Below the distance of control points, so that the surface does not fold.
    const double most = 0.1 / std::max(kind.num[0], kind.num[1]);
    std::uniform_real_distribution<double> noise(-most, most);
    std::vector<ControlPoints> facets(count);
    for (ControlPoints& facet : facets) {
        for (int i = 0; i < kind.num[0]; ++i) {
            for (int j = 0; j < kind.num[1]; ++j) {
                facet.push_back(1.6 * i / (kind.num[0] - 1) - 0.8 + noise(generator));
                facet.push_back(1.2 * j / (kind.num[1] - 1) - 0.6 + noise(generator));
                facet.push_back(noise(generator));
            }
        }
    }
    return facets;
}

SplineFacets basis_of(const Kind& kind) {
    return {kind.num[0], kind.num[1], kind.degree[0], kind.degree[1]};
}

std::vector<const double*> pointers(const std::vector<ControlPoints>& facets) {
    std::vector<const double*> list;
    for (const ControlPoints& facet : facets) list.push_back(facet.data());
    return list;
}

SurfacePatch<double> patch_at(const Kind& kind, const ControlPoints& facet, double u, double v) {
    SurfacePatch<double> patch;
    evaluate_bspline(facet.data(), 0, kind.num, kind.degree, u, v, patch);
    return patch;
}

/// Knot spans are divided so that there are 9 to 16 pieces or more.
int pieces_per_span(const Kind& kind, int axis) {
    return std::max(1, 16 / (kind.num[axis] - kind.degree[axis]));
}

/// Areas and tables of facets, one after the other.
struct Areas {
    std::vector<double> areas;
    std::vector<float> tables;

    bool same_bits(const Areas& other) const {
        return areas == other.areas && tables == other.tables;
    }
};

Areas areas_of(const Kind& kind, const std::vector<ControlPoints>& facets, InstructionSet set) {
    Areas result{std::vector<double>(facets.size()),
                 std::vector<float>(facets.size() * kTableFloats, -1.0f)};
    std::vector<float*> tables;
    for (size_t i = 0; i < facets.size(); ++i)
        tables.push_back(result.tables.data() + i * kTableFloats);
    basis_of(kind).areas_and_tables(pointers(facets), result.areas.data(), tables.data(), set);
    return result;
}

/// Area of the part of a facet up to u and v, node by node with the evaluation of single points;
/// every knot span in this many pieces.
double area_up_to(
    const Kind& kind, const ControlPoints& facet, double u, double v, const int (&pieces)[2]) {
    const QuadratureNodes along_u = quadrature_nodes(pieces[0] * (kind.num[0] - kind.degree[0]));
    const QuadratureNodes along_v = quadrature_nodes(pieces[1] * (kind.num[1] - kind.degree[1]));
    double area = 0.0;
    for (size_t i = 0; i < along_u.position.size(); ++i) {
        for (size_t j = 0; j < along_v.position.size(); ++j) {
            const SurfacePatch<double> patch =
                patch_at(kind, facet, u * along_u.position[i], v * along_v.position[j]);
            const Vec<double> normal = cross(patch.tangent_u, patch.tangent_v);
            area += u * along_u.weight[i] * v * along_v.weight[j] * sqrt_(dot(normal, normal));
        }
    }
    return area;
}

std::vector<FacetGrid> grids_of(const Kind& kind,
                                const std::vector<ControlPoints>& facets,
                                InstructionSet set) {
    std::vector<FacetGrid> grids(facets.size());
    std::vector<FacetGrid*> places;
    for (FacetGrid& grid : grids) places.push_back(&grid);
    basis_of(kind).sample(pointers(facets), places.data(), set);
    return grids;
}

std::vector<BentPatch> patches_of(const std::vector<FacetGrid>& grids, InstructionSet set) {
    std::vector<BentPatch> patches(grids.size());
    fit_patches(grids, patches.data(), set);
    return patches;
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

double grid_value(int i) {
    return 2.0 * i / (kGridSize - 1) - 1.0;
}

/// Points of a patch on the grid of a facet; X and Y are perpendicular to `normal`.
FacetGrid grid_of(const BentPatch& patch, const double (&normal)[3]) {
    FacetGrid grid{};
    for (int i = 0; i < kGridSamples; ++i) {
        const double x = grid_value(i / kGridSize);
        const double y = grid_value(i % kGridSize);
        const double height =
            patch.bending[0] * x * x + patch.bending[1] * x * y + patch.bending[2] * y * y;
        for (int k = 0; k < 3; ++k) {
            grid.point[k][i] =
                patch.center[k] + x * patch.half_x[k] + y * patch.half_y[k] + height * normal[k];
        }
    }
    return grid;
}

}  // namespace

TEST_CASE("The area of a B-spline facet is that of its surface elements") {
    for (const Kind& kind : kinds()) {
        const auto facets = random_facets(kind, 9);
        const Areas found = areas_of(kind, facets, InstructionSet::automatic);
        // At the same nodes only rounding differs; at more of them the error of the quadrature,
        // which is largest (4e-8) for the roughest nets.
        const int same[2] = {pieces_per_span(kind, 0), pieces_per_span(kind, 1)};
        const int more[2] = {2 * same[0], 2 * same[1]};
        for (size_t i = 0; i < facets.size(); ++i) {
            const double at_same = area_up_to(kind, facets[i], 1.0, 1.0, same);
            CHECK(found.areas[i] == Approx(at_same).epsilon(1e-14));
            if (i < 2) {
                const double at_more = area_up_to(kind, facets[i], 1.0, 1.0, more);
                CHECK(found.areas[i] == Approx(at_more).epsilon(1e-7));
            }
        }
    }
}

TEST_CASE("Sampling tables divide the area of a facet evenly") {
    const Kind kind{{10, 7}, {3, 2}};
    const auto facets = random_facets(kind, 3);
    const Areas found = areas_of(kind, facets, InstructionSet::automatic);
    for (size_t i = 0; i < facets.size(); ++i) {
        const float* table_u = found.tables.data() + i * kTableFloats;
        const float* table_v = table_u + kSamplingTableSize + 1;
        CHECK(table_u[0] == 0.0f);
        CHECK(table_u[kSamplingTableSize] == 1.0f);
        CHECK(std::is_sorted(table_u, table_v));
        CHECK(std::is_sorted(table_v, table_v + kSamplingTableSize + 1));
        for (int k = 0; k <= kSamplingTableSize; k += 8) {
            const double share = static_cast<double>(k) / kSamplingTableSize;
            const double u = static_cast<double>(table_u[k]);
            const double v = static_cast<double>(table_v[k]);
            CHECK(std::abs(area_up_to(kind, facets[i], u, 1.0, {4, 4}) / found.areas[i] - share) <
                  2e-3);
            CHECK(std::abs(area_up_to(kind, facets[i], 1.0, v, {4, 4}) / found.areas[i] - share) <
                  2e-3);
        }
    }
}

TEST_CASE("Every point of a facet's grid is that of the single evaluation, bit by bit") {
    for (const Kind& kind : kinds()) {
        const auto facets = random_facets(kind, 11);
        for (const InstructionSet set : usable_instruction_sets()) {
            const std::vector<FacetGrid> grids = grids_of(kind, facets, set);
            int differing_points = 0;
            double largest_tilt = 0.0;
            for (size_t f = 0; f < facets.size(); ++f) {
                for (int i = 0; i < kGridSamples; ++i) {
                    const SurfacePatch<double> patch =
                        patch_at(kind,
                                 facets[f],
                                 0.5 * (grid_value(i / kGridSize) + 1.0),
                                 0.5 * (grid_value(i % kGridSize) + 1.0));
                    const auto& point = grids[f].point;
                    differing_points += point[0][i] != patch.point.x ||
                                        point[1][i] != patch.point.y ||
                                        point[2][i] != patch.point.z;
                    const auto& found = grids[f].normal;
                    const Vec<double> tilt = Vec<double>{found[0][i], found[1][i], found[2][i]} -
                                             normalized(cross(patch.tangent_u, patch.tangent_v));
                    largest_tilt = std::max(largest_tilt, std::sqrt(dot(tilt, tilt)));
                }
            }
            CHECK(differing_points == 0);
            CHECK(largest_tilt < 1e-14);
        }
    }
}

TEST_CASE("Facets have the same bits with every instruction set, alone and beside others") {
    for (const Kind& kind : kinds()) {
        const auto facets = random_facets(kind, 19);
        const Areas areas = areas_of(kind, facets, InstructionSet::portable);
        const auto grids = grids_of(kind, facets, InstructionSet::portable);
        const auto patches = patches_of(grids, InstructionSet::portable);
        for (const InstructionSet set : usable_instruction_sets()) {
            CHECK(areas_of(kind, facets, set).same_bits(areas));
            CHECK(same_bits(grids_of(kind, facets, set), grids));
            CHECK(same_bits(patches_of(grids, set), patches));
        }
        for (const size_t f : {size_t{0}, size_t{7}, size_t{18}}) {
            std::vector<float> tables(kTableFloats);
            CHECK(bspline_area_and_tables(facets[f].data(),
                                          kind.num[0],
                                          kind.num[1],
                                          kind.degree[0],
                                          kind.degree[1],
                                          tables.data()) == areas.areas[f]);
            CHECK(std::equal(tables.begin(), tables.end(), areas.tables.data() + f * kTableFloats));
            CHECK(same_bits(grids_of(kind, {facets[f]}, InstructionSet::automatic), {grids[f]}));
            CHECK(same_bits(patches_of({grids[f]}, InstructionSet::automatic), {patches[f]}));
        }
    }
}

TEST_CASE("A facet without area gets no tables and leaves those beside it alone") {
    const Kind kind{{4, 4}, {3, 3}};
    auto facets = random_facets(kind, 3);
    const Areas before = areas_of(kind, facets, InstructionSet::automatic);
    std::fill(facets[1].begin(), facets[1].end(), 0.5);
    const Areas after = areas_of(kind, facets, InstructionSet::automatic);
    CHECK(after.areas[1] == 0.0);
    CHECK(after.tables[kTableFloats] == -1.0f);
    for (const size_t f : {size_t{0}, size_t{2}}) {
        CHECK(after.areas[f] == before.areas[f]);
        CHECK(after.tables[f * kTableFloats + 9] == before.tables[f * kTableFloats + 9]);
    }
}

TEST_CASE("The patch of a bent parallelogram is itself") {
    // A skew parallelogram in a tilted plane.
    const double normal[3] = {0.0, -0.6, 0.8};
    std::vector<BentPatch> expected;
    std::vector<FacetGrid> grids;
    for (int i = 0; i < 5; ++i) {
        expected.push_back({{1.0, -2.0 + i, 0.3},
                            {0.8, 0.08, 0.06},
                            {0.1 * i, 0.48, 0.36},
                            {0.004, -0.003 * i, 0.007},
                            0.0});
        grids.push_back(grid_of(expected.back(), normal));
    }
    for (const InstructionSet set : usable_instruction_sets()) {
        const std::vector<BentPatch> found = patches_of(grids, set);
        for (size_t f = 0; f < found.size(); ++f) {
            double farthest = 0.0;
            for (int i = 0; i < kGridSamples; ++i) {
                double square = 0.0;
                for (int k = 0; k < 3; ++k)
                    square += std::pow(grids[f].point[k][i] - expected[f].center[k], 2);
                farthest = std::max(farthest, std::sqrt(square));
            }
            CHECK(found[f].radius > farthest);
            CHECK(found[f].radius < 1.1 * farthest);
            for (int k = 0; k < 3; ++k) {
                CHECK(std::abs(found[f].center[k] - expected[f].center[k]) < 1e-13);
                CHECK(std::abs(found[f].half_x[k] - expected[f].half_x[k]) < 1e-13);
                CHECK(std::abs(found[f].half_y[k] - expected[f].half_y[k]) < 1e-13);
                CHECK(std::abs(found[f].bending[k] - expected[f].bending[k]) < 1e-13);
            }
        }
    }
}

TEST_CASE("the quadrature integrates powers up to the ninth exactly") {
    for (const int pieces : {1, 2, 7}) {
        const QuadratureNodes nodes = quadrature_nodes(pieces);
        for (int power = 0; power <= 9; ++power) {
            double sum = 0.0;
            for (size_t i = 0; i < nodes.position.size(); ++i)
                sum += nodes.weight[i] * std::pow(nodes.position[i], power);
            CHECK(sum == Approx(1.0 / (power + 1)).epsilon(1e-14));
        }
    }
}
