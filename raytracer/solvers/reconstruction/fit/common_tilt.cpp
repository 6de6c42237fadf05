// SPDX-License-Identifier: MIT
// Compares the light of the mirror as its motors turned it with the measured light.
#include "raytracer/solvers/reconstruction/fit/common_tilt.h"

#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace helioray::reconstruction {

namespace {

using Pair = std::array<double, 2>;
using Rows = std::array<std::vector<double>, 2>;

// Largest scatter of the records. With nominal kinematics those of AA39 and AA31 scatter by 1.5 to
// 7 mrad, about 12 and 6 mrad.
constexpr double kMostScatter = 0.5e-3;
constexpr double kMostTilt = 3e-3;
constexpr size_t kFewestRecords = 2;
// Error that all records of a mirror share, due to surveyed targets and mirrors: 4 cm at 200 m.
constexpr double kSurvey = 0.1e-3;
// Expected tilt of a mirror as a whole. The prior of single facets, of which the tilt is the mean,
// expects less the more facets there are.
constexpr double kMounting = 1e-3;

/// Returns the derivatives of the mirror's mean slopes along its east and north with respect to the
/// unknowns.
Rows mean_slopes(const MirrorShape& shape) {
    const size_t count = shape.num_coefficients();
    Rows rows;
    rows.fill(std::vector<double>(shape.num_unknowns(), 0.0));
    double area = 0.0;
    for (size_t f = 0; f < shape.num_facets(); ++f) {
        const auto& [e, n, u] = shape.axes(f);
        for (const ShapePoint& point : shape.points(f)) {
            area += shape.point_area(f);
            for (size_t k = 0; k < count; ++k)
                for (size_t axis = 0; axis < 2; ++axis)
                    rows[axis][f * count + k] +=
                        shape.point_area(f) *
                        (point.effect[k][1] * e[axis] + point.effect[k][2] * n[axis]);
        }
    }
    for (std::vector<double>& row : rows)
        for (double& value : row) value /= area;
    return rows;
}

/// Returns the unknowns with an additional tilt of all facets; slopes along the mirror's east and
/// north.
std::vector<double> tilted(const MirrorShape& shape, std::vector<double> unknowns, Pair slope) {
    for (size_t f = 0; f < shape.num_facets(); ++f) {
        // The first two coefficients are tilts along the facet's e and n.
        for (size_t axis = 0; axis < 2; ++axis) {
            const Vec3& along = shape.axes(f)[axis];
            unknowns[f * shape.num_coefficients() + axis] +=
                slope[0] * along[0] + slope[1] * along[1];
        }
    }
    return unknowns;
}

/// Returns x with A x = b, where A is given by columns; empty if A is singular.
std::optional<Pair> solve(const std::array<Pair, 2>& a, const Pair& b) {
    const double determinant = a[0][0] * a[1][1] - a[1][0] * a[0][1];
    if (determinant == 0.0) return std::nullopt;
    return Pair{(b[0] * a[1][1] - a[1][0] * b[1]) / determinant,
                (a[0][0] * b[1] - b[0] * a[0][1]) / determinant};
}

/// Returns the tilt that would move the light to its recorded position; empty if the motors point
/// the mirror elsewhere.
std::optional<Pair> lacking_tilt(const MirrorShape& shape,
                                 const std::vector<double>& unknowns,
                                 const Pair& shift,
                                 const FluxRecord& record) {
    if (!record.by_motors) return std::nullopt;
    ImageGeometry turned = record.geometry;
    turned.orientation = *record.by_motors;
    const ImageModel model(turned);
    // The fit's shift has moved the model to the measured light.
    const auto wanted = ImageModel(record.geometry).centroid(shape, unknowns);
    const auto found = model.centroid(shape, unknowns);
    if (!wanted || !found) return std::nullopt;
    constexpr double kStep = 1e-4;
    std::array<Pair, 2> moved{};
    for (size_t axis = 0; axis < 2; ++axis) {
        Pair slope{};
        slope[axis] = kStep;
        const auto at = model.centroid(shape, tilted(shape, unknowns, slope));
        if (!at) return std::nullopt;
        moved[axis] = {((*at)[0] - (*found)[0]) / kStep, ((*at)[1] - (*found)[1]) / kStep};
    }
    return solve(moved,
                 {(*wanted)[0] + shift[0] - (*found)[0], (*wanted)[1] + shift[1] - (*found)[1]});
}

}  // namespace

std::optional<CommonTilt> shown_tilt(const MirrorShape& shape,
                                     const MirrorFit& fit,
                                     std::span<const FluxRecord> records) {
    std::vector<Pair> tilts;
    for (size_t i = 0; i < records.size(); ++i) {
        const auto tilt = lacking_tilt(shape, fit.unknowns, fit.own[i].shift, records[i]);
        if (tilt) tilts.push_back(*tilt);
        // Motors that point the mirror elsewhere belong to other kinematics.
        if (!tilt && records[i].by_motors) return std::nullopt;
    }
    if (tilts.size() < kFewestRecords) return std::nullopt;
    const auto count = static_cast<double>(tilts.size());
    CommonTilt result;
    for (size_t axis = 0; axis < 2; ++axis) {
        for (const Pair& tilt : tilts) result.slope[axis] += tilt[axis] / count;
        double square = 0.0;
        for (const Pair& tilt : tilts) square += std::pow(tilt[axis] - result.slope[axis], 2);
        const double variance = square / (count - 1.0);
        if (variance > kMostScatter * kMostScatter) return std::nullopt;
        result.variance[axis] = variance / count + kSurvey * kSurvey;
    }
    if (std::hypot(result.slope[0], result.slope[1]) > kMostTilt) return std::nullopt;
    return result;
}

void take_tilt(const MirrorShape& shape, const CommonTilt& tilt, MirrorFit& fit) {
    const size_t count = shape.num_unknowns();
    for (size_t axis = 0; axis < 2; ++axis) {
        Pair slope{};
        slope[axis] = kMounting;
        const std::vector<double> mounting = tilted(shape, std::vector<double>(count, 0.0), slope);
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < count; ++j)
                fit.covariance[i * count + j] += mounting[i] * mounting[j];
    }
    const Rows rows = mean_slopes(shape);
    Rows products;  // product of covariance and rows
    for (size_t axis = 0; axis < 2; ++axis) {
        for (size_t i = 0; i < count; ++i) {
            double sum = 0.0;
            for (size_t j = 0; j < count; ++j) sum += fit.covariance[i * count + j] * rows[axis][j];
            products[axis].push_back(sum);
        }
    }
    std::array<Pair, 2> innovation{};
    for (size_t a = 0; a < 2; ++a) {
        for (size_t b = 0; b < 2; ++b)
            for (size_t i = 0; i < count; ++i) innovation[a][b] += rows[a][i] * products[b][i];
        innovation[a][a] += tilt.variance[a];
    }
    // Variances are positive, so that the matrix is not singular.
    const Pair along = solve(innovation, tilt.slope).value();
    for (size_t i = 0; i < count; ++i) {
        fit.unknowns[i] += products[0][i] * along[0] + products[1][i] * along[1];
        const Pair gain = solve(innovation, {products[0][i], products[1][i]}).value();
        for (size_t j = 0; j < count; ++j)
            fit.covariance[i * count + j] -= gain[0] * products[0][j] + gain[1] * products[1][j];
    }
}

}  // namespace helioray::reconstruction
