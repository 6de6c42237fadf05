// SPDX-License-Identifier: MIT
// Readers of the sections of a scenario file, one per subject, and their common checked reading of
// datasets. Internal to read_scenario().
//
// All of them report problems to the log and continue; their results are valid only if the log has
// no problems. They throw nothing for invalid content.
#pragma once

#include "scenario/files/hdf5/file.h"
#include "scenario/reader/read_log.h"
#include "scenario/types/type_names.h"
#include "scenario/types/types.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Reads datasets of a group by name. If a dataset is missing, has a wrong type or shape, or is not
/// finite, the log receives a problem and the result has no value; reading continues, and the file
/// is refused at the end. Accepts any numeric type, and leading extents of 1 ((1, 4) for (4,), (1,)
/// for ()).
class Fields {
  public:
    Fields(const hdf5::Group& group, ReadLog& log) : group_(group), log_(log) {}

    const hdf5::Group& group() const { return group_; }
    ReadLog& log() const { return log_; }
    bool contains(const std::string& name) const {
        note(name);
        return group_.contains(name);
    }
    std::string where(const std::string& name) const { return group_.where_of(name); }

    std::optional<double> number(const std::string& name) const;
    std::optional<double> positive(const std::string& name) const;  ///< a positive number
    /// Reads like number() if the dataset exists; otherwise returns 0 and, with `warn`, adds a
    /// warning.
    double number_or_zero(const std::string& name, bool warn) const;
    std::optional<std::int64_t> integer(const std::string& name) const;
    std::optional<bool> boolean(const std::string& name) const;
    std::optional<std::string> text(const std::string& name) const;

    /// Reads one of the names of an enumeration.
    template <typename Enum>
    std::optional<Enum> choice(const std::string& name) const {
        const std::optional<std::string> word = text(name);
        if (!word) return std::nullopt;
        const std::optional<Enum> kind = from_string<Enum>(*word);
        if (!kind) unknown(name, *word, all_names<Enum>());
        return kind;
    }
    /// Reports an unknown kind.
    void unknown(const std::string& name, const std::string& word, const std::string& known) const;

    /// Reads numbers of the given shape.
    std::optional<std::vector<double>> numbers(const std::string& name,
                                               const hdf5::Shape& shape) const;
    /// Numbers of any shape with `rank` axes, none of them empty.
    struct Array {
        hdf5::Shape shape;
        std::vector<double> values;
    };
    std::optional<Array> array(const std::string& name, std::size_t rank) const;

    /// Reads a vector of shape (3,) or homogeneous (4,), whose fourth component is not used.
    std::optional<Vec3> vector(const std::string& name) const;
    /// Reads a vector of length 1: others are normalised with a warning, zero is a problem.
    std::optional<Vec3> unit_vector(const std::string& name) const;

    /// Warns of everything in the group that no member has asked for, besides `others`.
    void warn_of_unread(const std::vector<std::string>& others = {}) const;

  private:
    std::optional<Array> read(const std::string& name) const;
    hdf5::Dataset dataset(const std::string& name) const;
    /// Remembers a name that the reader knows.
    void note(const std::string& name) const;

    const hdf5::Group& group_;
    ReadLog& log_;
    mutable std::vector<std::string> known_;
};

/// Reads the target areas by shape and name, and /receivers by name. Groups may be missing.
void read_targets(const hdf5::Group& root, ReadLog& log, Scenario& scenario);

/// Reads /lightsources, by name.
std::vector<LightSource> read_light_sources(const hdf5::Group& root, ReadLog& log);

/// Reads a `surface` group.
Surface read_surface(const hdf5::Group& group, ReadLog& log);

/// Reads a `kinematics` group.
Kinematics read_kinematics(const hdf5::Group& group, ReadLog& log);

/// Reads an `actuator` group: exactly two actuators of one type.
ActuatorPair read_actuators(const hdf5::Group& group, ReadLog& log);

}  // namespace helioray
