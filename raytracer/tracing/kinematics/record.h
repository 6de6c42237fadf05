// SPDX-License-Identifier: MIT
// The parameters of a heliostat's kinematics as plain numbers.
#pragma once

#include "scenario/types/types.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace helioray {

/// Parameters of the drive of one axis. T is double or a Dual. Ideal drives ignore the entries that
/// only linear drives have.
template <typename T>
struct BasicDrive {
    bool is_linear = false;     ///< false: ideal, the motor position is the joint angle in radians
    bool clockwise = false;     ///< linear only, see Actuator
    T increment{};              ///< steps per metre of stroke; linear only
    T offset{};                 ///< metres; linear only
    T pivot_radius{};           ///< metres; linear only
    T initial_stroke{};         ///< metres, stroke at motor position 0; linear only
    T initial_angle{};          ///< radians, joint angle at motor position 0; linear only
    double min_position = 0.0;  ///< steps (linear) or radians (ideal)
    double max_position = 0.0;  ///< steps (linear) or radians (ideal)
};

/// Kinematics of one heliostat. T is double or a Dual.
template <typename T>
struct BasicRecord {
    KinematicsType type = KinematicsType::rigid_body;  ///< meaning of the two axes
    std::array<T, 3> position{};                       ///< metres, ENU
    /// Translations, metres: first joint e n u, second joint e n u, concentrator e n u.
    std::array<T, 9> translations{};
    /// Tilts, radians: first joint n, u; second joint e, n.
    std::array<T, 4> rotations{};
    std::array<BasicDrive<T>, 2> drives{};  ///< drives of axis 1 and axis 2
};

/// Drive of one axis with plain numbers.
using DriveRecord = BasicDrive<double>;
/// Kinematics of one heliostat with plain numbers.
using KinematicsRecord = BasicRecord<double>;

/// Indices of the variable numbers of a record in a list of all its numbers.
struct RecordColumns {
    static constexpr size_t position = 0;      ///< 3 numbers
    static constexpr size_t translations = 3;  ///< 9 numbers
    static constexpr size_t rotations = 12;    ///< 4 numbers
    /// 5 numbers per axis: increment, offset, pivot radius, initial stroke, initial angle.
    static constexpr size_t drives = 16;
    static constexpr size_t count = 26;  ///< number of columns
};

/// Returns the record with numbers of another type: number(column, value) for each of
/// RecordColumns.
template <typename T, typename Number>
BasicRecord<T> converted_record(const KinematicsRecord& record, const Number& number) {
    BasicRecord<T> result;
    result.type = record.type;
    const auto convert = [&](size_t first, const auto& from, auto& to) {
        for (size_t i = 0; i < from.size(); ++i) to[i] = number(first + i, from[i]);
    };
    convert(RecordColumns::position, record.position, result.position);
    convert(RecordColumns::translations, record.translations, result.translations);
    convert(RecordColumns::rotations, record.rotations, result.rotations);
    for (size_t axis = 0; axis < 2; ++axis) {
        const DriveRecord& from = record.drives[axis];
        const size_t column = RecordColumns::drives + 5 * axis;
        result.drives[axis] = {from.is_linear,
                               from.clockwise,
                               number(column, from.increment),
                               number(column + 1, from.offset),
                               number(column + 2, from.pivot_radius),
                               number(column + 3, from.initial_stroke),
                               number(column + 4, from.initial_angle),
                               from.min_position,
                               from.max_position};
    }
    return result;
}

/// Returns the records of the given heliostats of a scenario, in the order of `heliostats` (indices
/// may repeat).
///
/// The initial angle of axis 1 of linear drives of rigid bodies is reduced by pi/2, because files
/// give it relative to a mirror that lies flat, while the joint angles are zero for a mirror that
/// faces south.
///
/// Throws InputError, listing every problem: linear drives whose triangle does not exist, and
/// azimuth-elevation kinematics with joint deviations (this type only has the concentrator
/// translation).
std::vector<KinematicsRecord> kinematics_records(const Scenario& scenario,
                                                 std::span<const size_t> heliostats);

}  // namespace helioray
