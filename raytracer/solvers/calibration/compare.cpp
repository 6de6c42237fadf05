// SPDX-License-Identifier: MIT
// Compares predicted spots with measured ones.
#include "raytracer/solvers/calibration/stages.h"

#include <cmath>

namespace helioray::calibration {

namespace {

/// Returns a comparison with the record's data only.
Comparison measured_part(const SpotRecord& record) {
    Comparison result;
    result.record = record.id;
    result.to_sun = record.to_sun;
    result.target = record.target;
    result.measured = record.spot;
    return result;
}

/// Returns the displacement on the target (right, up) in metres per radian of a residual (its two
/// axes), row by row. A ray turns by twice the residual.
std::array<double, 4> residual_on_target(const SpotRecord& record, const Vec3& origin) {
    const ResidualAxes axes = residual_axes(record, origin);
    const Vec3 way = subtract(record.spot, origin);
    const double distance = norm(way);
    const Vec3 direction = scaled(1.0 / distance, way);
    std::array<double, 4> map{};
    for (size_t k = 0; k < 2; ++k) {
        const Vec3& axis = k == 0 ? axes.first : axes.second;
        const double along = dot(axis, record.plane.outward) / dot(direction, record.plane.outward);
        const Vec3 step = scaled(2.0 * distance, add_scaled(axis, -along, direction));
        map[k] = dot(step, record.plane.right);
        map[2 + k] = dot(step, record.plane.up);
    }
    return map;
}

}  // namespace

Comparison make_comparison(const SpotRecord& record,
                           const Vec3& origin,
                           const std::array<double, 2>& residual) {
    Comparison result = measured_part(record);
    const std::array<double, 4> map = residual_on_target(record, origin);
    result.offset_m = {map[0] * residual[0] + map[1] * residual[1],
                       map[2] * residual[0] + map[3] * residual[1]};
    result.error_m = std::hypot(result.offset_m[0], result.offset_m[1]);
    result.error = std::hypot(residual[0], residual[1]);
    result.predicted = add_scaled(add_scaled(record.spot, result.offset_m[0], record.plane.right),
                                  result.offset_m[1],
                                  record.plane.up);
    return result;
}

Comparison compare(const SpotModel& model, const SpotRecord& record) {
    Comparison result = measured_part(record);
    const auto ray = model.ray(record.motor_positions, record.to_sun);
    if (!ray) return result;
    result.predicted = hit(*ray, record.plane);
    result.error = half_angle(ray->origin, record.spot, add(ray->origin, ray->direction));
    if (result.predicted) {
        const Vec3 offset = subtract(*result.predicted, record.spot);
        result.offset_m = {dot(offset, record.plane.right), dot(offset, record.plane.up)};
        result.error_m = norm(offset);
    }
    return result;
}

void add_variance(Comparison& result,
                  const SpotRecord& record,
                  const Vec3& origin,
                  const LeftOutResidual& predicted,
                  double noise) {
    std::array<double, 4> variance = predicted.covariance;
    variance[0] += noise * noise;
    variance[3] += noise * noise;
    const double determinant = variance[0] * variance[3] - variance[1] * variance[2];
    const auto& v = predicted.value;
    result.mahalanobis =
        (v[0] * v[0] * variance[3] - 2.0 * v[0] * v[1] * variance[1] + v[1] * v[1] * variance[0]) /
        determinant;
    const std::array<double, 4> map = residual_on_target(record, origin);
    for (size_t i = 0; i < 2; ++i) {
        for (size_t j = 0; j < 2; ++j) {
            for (size_t k = 0; k < 2; ++k) {
                for (size_t l = 0; l < 2; ++l) {
                    result.covariance[2 * i + j] +=
                        map[2 * i + k] * variance[2 * k + l] * map[2 * j + l];
                }
            }
        }
    }
}

Comparison compare(const SpotFitter& fitter,
                   const SpotRecord& record,
                   size_t epoch,
                   const std::vector<double>& unknowns,
                   const SquareMatrix* covariance,
                   double noise) {
    const SpotModel model(fitter.kinematics(unknowns, epoch));
    Comparison result = compare(model, record);
    if (!covariance) return result;
    const auto linear = fitter.linear(record, epoch, model);
    const auto ray = model.ray(record.motor_positions, record.to_sun);
    if (!linear || !ray) return result;
    const LeftOutResidual predicted{linear->value, predicted_variance(*linear, *covariance)};
    add_variance(result, record, ray->origin, predicted, noise);
    return result;
}

}  // namespace helioray::calibration
