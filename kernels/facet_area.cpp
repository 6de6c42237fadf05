// SPDX-License-Identifier: MIT
// Areas and sampling tables of facets.
#include "kernels/facet_area.h"

#include "kernels/surface/bspline.h"

#include <algorithm>
#include <vector>

namespace helioray::kernels {

namespace {

// Gauss-Legendre on [-1, 1] with five nodes: exact to degree 9 within a span.
constexpr int kNodes = 5;
constexpr double kNode[kNodes] = {
    -0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640};
constexpr double kWeight[kNodes] = {0.2369268850561891,
                                    0.4786286704968665,
                                    0.5688888888888889,
                                    0.4786286704968665,
                                    0.2369268850561891};

/// Quadrature nodes of a direction with this many equal pieces.
struct Nodes {
    std::vector<double> position;
    std::vector<double> weight;
};

Nodes quadrature_nodes(int pieces) {
    Nodes nodes;
    for (int i = 0; i < pieces; ++i) {
        for (int k = 0; k < kNodes; ++k) {
            nodes.position.push_back((i + 0.5 * (1.0 + kNode[k])) / pieces);
            nodes.weight.push_back(0.5 * kWeight[k] / pieces);
        }
    }
    return nodes;
}

/// Each of the spans divided so that every interval of a sampling table is resolved.
int resolving_pieces(int spans) {
    return spans * std::max(1, 16 / spans);
}

/// Inverse of the cumulative distribution whose increments are given at the nodes:
/// kSamplingTableSize + 1 parameters.
void invert_marginal(const Nodes& nodes,
                     const std::vector<double>& increments,
                     double total,
                     float* table) {
    // Cumulative values at borders half way between nodes; linear between them.
    std::vector<double> border{0.0};
    std::vector<double> cumulative{0.0};
    double sum = 0.0;
    double position = 0.0;
    for (size_t i = 0; i < increments.size(); ++i) {
        sum += increments[i];
        position += nodes.weight[i];
        border.push_back(position);
        cumulative.push_back(sum);
    }
    size_t i = 0;
    for (int k = 0; k <= kSamplingTableSize; ++k) {
        const double wanted = total * k / kSamplingTableSize;
        while (i + 2 < cumulative.size() && cumulative[i + 1] < wanted) ++i;
        const double share = (wanted - cumulative[i]) / (cumulative[i + 1] - cumulative[i]);
        table[k] = static_cast<float>(
            std::clamp(border[i] + share * (border[i + 1] - border[i]), 0.0, 1.0));
    }
    table[0] = 0.0f;
    table[kSamplingTableSize] = 1.0f;
}

}  // namespace

namespace {

/// Basis functions at all nodes of a direction.
std::vector<BasisValues<double>> basis_at(const Nodes& nodes, int n, int degree) {
    std::vector<BasisValues<double>> basis;
    for (const double t : nodes.position) bspline_basis<0>(t, n, degree, basis.emplace_back());
    return basis;
}

/// sum += factor * v, without fma: it is a call of the library where the processor is not known.
void add_multiple(Vec<double>& sum, double factor, const Vec<double>& v) {
    sum.x += factor * v.x;
    sum.y += factor * v.y;
    sum.z += factor * v.z;
}

/// A row of control points summed over the first index with the values or derivatives of a node.
void sum_rows(const double* control_points,
              int num_v,
              int degree,
              const BasisValues<double>& basis,
              std::vector<Vec<double>>& values,
              std::vector<Vec<double>>& derivatives) {
    for (int j = 0; j < num_v; ++j) {
        values[static_cast<size_t>(j)] = derivatives[static_cast<size_t>(j)] = {0.0, 0.0, 0.0};
        for (int i = 0; i <= degree; ++i) {
            const double* c =
                control_points + 3 * (static_cast<int64_t>(basis.first + i) * num_v + j);
            const Vec<double> point{c[0], c[1], c[2]};
            add_multiple(values[static_cast<size_t>(j)], basis.value[i], point);
            add_multiple(derivatives[static_cast<size_t>(j)], basis.derivative[i], point);
        }
    }
}

}  // namespace

double bspline_area_and_tables(
    const double* control_points, int num_u, int num_v, int degree_u, int degree_v, float* tables) {
    const Nodes u = quadrature_nodes(resolving_pieces(num_u - degree_u));
    const Nodes v = quadrature_nodes(resolving_pieces(num_v - degree_v));
    const auto basis_u = basis_at(u, num_u, degree_u);
    const auto basis_v = basis_at(v, num_v, degree_v);
    std::vector<double> by_u(u.position.size(), 0.0);
    std::vector<double> by_v(v.position.size(), 0.0);
    std::vector<Vec<double>> values(static_cast<size_t>(num_v));
    std::vector<Vec<double>> derivatives(static_cast<size_t>(num_v));
    double area = 0.0;
    for (size_t i = 0; i < u.position.size(); ++i) {
        // One direction after the other: a quarter of the work of both at once.
        sum_rows(control_points, num_v, degree_u, basis_u[i], values, derivatives);
        for (size_t j = 0; j < v.position.size(); ++j) {
            const BasisValues<double>& basis = basis_v[j];
            Vec<double> tangent_u{0.0, 0.0, 0.0};
            Vec<double> tangent_v{0.0, 0.0, 0.0};
            for (int k = 0; k <= degree_v; ++k) {
                const size_t column = static_cast<size_t>(basis.first) + static_cast<size_t>(k);
                add_multiple(tangent_u, basis.value[k], derivatives[column]);
                add_multiple(tangent_v, basis.derivative[k], values[column]);
            }
            const double x = tangent_u.y * tangent_v.z - tangent_u.z * tangent_v.y;
            const double y = tangent_u.z * tangent_v.x - tangent_u.x * tangent_v.z;
            const double z = tangent_u.x * tangent_v.y - tangent_u.y * tangent_v.x;
            const double element = u.weight[i] * v.weight[j] * sqrt_(x * x + y * y + z * z);
            by_u[i] += element;
            by_v[j] += element;
            area += element;
        }
    }
    if (!(area > 0.0)) return area;
    invert_marginal(u, by_u, area, tables);
    invert_marginal(v, by_v, area, tables + kSamplingTableSize + 1);
    return area;
}

double analytic_area(FacetKind kind, const double (&half_extent)[2], double focal_length) {
    if (kind == FacetKind::flat) return 4.0 * half_extent[0] * half_extent[1];
    // Smooth over the whole facet: two pieces give all digits.
    const Nodes nodes = quadrature_nodes(2);
    double mean = 0.0;
    for (size_t i = 0; i < nodes.position.size(); ++i) {
        for (size_t j = 0; j < nodes.position.size(); ++j) {
            const double x = (2.0 * nodes.position[i] - 1.0) * half_extent[0];
            const double y = (2.0 * nodes.position[j] - 1.0) * half_extent[1];
            const double r2 = x * x + y * y;
            const double radius = 2.0 * focal_length;
            // Area element over the rectangle: sqrt(1 + (r / 2f)^2), or R / sqrt(R^2 - r^2).
            const double element = kind == FacetKind::paraboloid
                                       ? sqrt_(1.0 + r2 / (radius * radius))
                                       : radius / sqrt_(radius * radius - r2);
            mean += nodes.weight[i] * nodes.weight[j] * element;
        }
    }
    return mean * 4.0 * half_extent[0] * half_extent[1];
}

}  // namespace helioray::kernels
