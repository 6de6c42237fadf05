// SPDX-License-Identifier: MIT
// Serialises and restores calibrations with one list of members for both directions.
#include "raytracer/solvers/calibration/result_bytes.h"

#include "scenario/files/byte_archive.h"

namespace helioray {

template <typename Archive>
static void members(Archive& archive, Archived<Archive, DriveRecord>& d) {
    archive(d.is_linear,
            d.clockwise,
            d.increment,
            d.offset,
            d.pivot_radius,
            d.initial_stroke,
            d.initial_angle,
            d.min_position,
            d.max_position);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, KinematicsRecord>& k) {
    archive(k.type, k.position, k.translations, k.rotations, k.drives[0], k.drives[1]);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, SquareMatrix>& matrix) {
    if constexpr (Archive::kReads) {
        std::vector<double> values;
        archive(values);
        size_t size = 0;
        while (size * size < values.size()) ++size;
        matrix = SquareMatrix(size);
        matrix.values() = std::move(values);
    } else {
        archive(matrix.values());
    }
}

}  // namespace helioray

namespace helioray::calibration {

template <typename Archive>
static void members(Archive& archive, Archived<Archive, Rejection>& r) {
    archive(r.record, r.reason);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, CountedRecord>& c) {
    archive(c.identity, c.epoch, c.day, c.to_sun);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, EpochStart>& e) {
    archive(e.record, e.last_before, e.stroke_m, e.tilt);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, Comparison>& c) {
    archive(c.record,
            c.to_sun,
            c.target,
            c.predicted,
            c.measured,
            c.offset_m,
            c.error_m,
            c.error,
            c.covariance,
            c.mahalanobis,
            c.sun_distance);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, NextMeasurement>& n) {
    archive(n.sun_azimuth, n.sun_elevation, n.target, n.aim_error);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, HeliostatCalibration>& h) {
    archive(h.name,
            h.records,
            h.used,
            h.counted,
            h.rejected,
            h.epochs,
            h.nominal,
            h.kinematics,
            h.unknowns,
            h.covariance,
            h.prior_sigmas,
            h.column_covariance,
            h.scale,
            h.residual_square,
            h.residual_numbers,
            h.bending,
            h.error_likelihood,
            h.last_day,
            h.level_weights,
            h.before,
            h.fitted,
            h.left_out,
            h.test,
            h.aim_error,
            h.next,
            h.remarks);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, Update>& u) {
    archive(u.predicted, u.rejected);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, UpdatedRecord>& r) {
    archive(r.heliostat, r.record, r.update, r.seconds, r.is_test);
}

template <typename Archive>
static void members(Archive& archive, Archived<Archive, CalibratedField>& f) {
    archive(f.heliostats, f.updates, f.remarks);
}

std::string bytes_of(const std::vector<HeliostatCalibration>& field) {
    return helioray::bytes_of(field);
}

std::vector<HeliostatCalibration> calibrations_of(const std::string& bytes) {
    return value_of<std::vector<HeliostatCalibration>>(bytes);
}

std::string bytes_of(const CalibratedField& field) {
    return helioray::bytes_of(field);
}

CalibratedField calibrated_field_of(const std::string& bytes) {
    return value_of<CalibratedField>(bytes);
}

}  // namespace helioray::calibration
