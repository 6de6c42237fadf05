// SPDX-License-Identifier: MIT
// The parameters of a heliostat's kinematics as plain numbers.
#pragma once

#include "scenario/types.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace helioray {

/// The drive of one axis. T is double or a Dual. Entries that only linear drives have are ignored
/// for ideal ones.
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
    /// Metres: first joint e n u, second joint e n u, concentrator e n u
    std::array<T, 9> translations{};
    /// Radians: first joint tilt n, u; second joint tilt e, n
    std::array<T, 4> rotations{};
    std::array<BasicDrive<T>, 2> drives{};  ///< of axis 1 and axis 2
};

/// The drive of one axis.
using DriveRecord = BasicDrive<double>;
/// Kinematics of one heliostat.
using KinematicsRecord = BasicRecord<double>;

/// Numbers of a record that may vary, and their indices in a list of all numbers.
struct RecordColumns {
    static constexpr size_t position = 0;      ///< 3
    static constexpr size_t translations = 3;  ///< 9
    static constexpr size_t rotations = 12;    ///< 4
    /// 5 for each axis: increment, offset, pivot radius, initial stroke, initial angle
    static constexpr size_t drives = 16;
    static constexpr size_t count = 26;  ///< how many there are
};

/// The same record with numbers of another type: number(column, value) for each of RecordColumns.
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

/// Records of the given heliostats of a scenario, in the order of `heliostats` (indices may
/// repeat).
///
/// The initial angle of axis 1 of linear drives of rigid bodies is reduced by pi/2, because files
/// state it for a mirror that lies flat at angle 0 while the joint angles are zero for a mirror
/// that faces south.
///
/// Throws InputError, listing every problem: linear drives whose triangle does not exist, and
/// azimuth-elevation kinematics with joint deviations (they have none besides the concentrator
/// translation).
std::vector<KinematicsRecord> kinematics_records(const Scenario& scenario,
                                                 std::span<const size_t> heliostats);

}  // namespace helioray
