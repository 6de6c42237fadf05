// SPDX-License-Identifier: MIT
// Serialises and restores calibrations.
#include "raytracer/solvers/calibration/result_bytes.h"

#include "scenario/files/byte_archive.h"

namespace helioray {

template <typename Archive>
static void members(Archive& archive, Archived<Archive, SquareMatrix>& matrix) {
    if constexpr (Archive::kReads) {
        size_t size = 0;
        std::vector<double> values;
        archive(size, values);
        matrix = SquareMatrix(size, std::move(values));
    } else {
        archive(matrix.size(), matrix.values());
    }
}

}  // namespace helioray

namespace helioray::calibration {

template <typename Archive>
static void members(Archive& archive, Archived<Archive, CalibratedField>& field) {
    auto& [scenario, states, heliostats, updates, remarks] = field;
    archive(heliostats, updates, remarks);
}

std::string bytes_of(const std::vector<HeliostatCalibration>& field) {
    return helioray::bytes_of(field);
}

std::vector<HeliostatCalibration> restore_calibrations(const std::string& bytes) {
    return value_of<std::vector<HeliostatCalibration>>(bytes);
}

std::string bytes_of(const CalibratedField& field) {
    return helioray::bytes_of(field);
}

CalibratedField restore_calibrated_field(const std::string& bytes) {
    return value_of<CalibratedField>(bytes);
}

}  // namespace helioray::calibration
