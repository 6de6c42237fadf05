// SPDX-License-Identifier: MIT
// Parts of the PAINT conversion, one per subject: checked access to JSON files, targets,
// heliostats. Internal to this folder.
//
// Remarks for the report go to the log as warnings; problems are thrown or added to the log.
#pragma once

#include "scenario/reader/read_log.h"
#include "scenario/types/types.h"

#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A value of a JSON file with its place: "tower.json: receiver.coordinates.center". Every member
/// throws InputError if the value does not have the requested type.
class JsonField {
  public:
    /// Parses a file; syntax errors carry line and column.
    static JsonField parse_file(const std::filesystem::path& path, nlohmann::json& storage);

    std::string where() const;  ///< "FILE: key.key[0]"
    const std::string& path() const { return path_; }

    bool contains(const std::string& key) const;
    /// Returns the member under the first of `keys` that exists; older files use other names.
    JsonField at(std::initializer_list<std::string> keys) const;
    JsonField at(const std::string& key) const { return at({key}); }
    std::vector<std::string> keys() const;    ///< sorted keys of an object
    std::vector<JsonField> elements() const;  ///< elements of an array

    double number() const;    ///< a finite number
    double positive() const;  ///< a positive number
    bool boolean() const;     ///< true, false, 0 or 1
    std::string text() const;
    Vec3 vector() const;                ///< an array of three numbers
    GeodeticPosition position() const;  ///< an array [latitude, longitude, altitude]

    [[noreturn]] void fail(const std::string& what, const std::string& why = {}) const;

  private:
    JsonField(const nlohmann::json& value, std::string file, std::string path);

    const nlohmann::json* value_;
    std::string file_;
    std::string path_;
};

}  // namespace helioray

namespace helioray::paint {

/// Converts WGS84 to the plant's east-north-up frame.
using ToLocal = std::function<Vec3(const GeodeticPosition&)>;

/// Returns all target areas of a tower file: planes by name, then cylinders by name.
std::vector<Target> convert_targets(const JsonField& tower, const ToLocal& to_local, ReadLog& log);

/// Converts one heliostat; the caller sets name and id. called_ideal: type of drives that the file
/// calls ideal, see PaintInputs.
Heliostat convert_heliostat(const JsonField& properties,
                            const ToLocal& to_local,
                            const std::array<int64_t, 2>& control_points,
                            const std::optional<ActuatorType>& called_ideal,
                            ReadLog& log);

/// Returns the control points of a flat facet: a regular grid over -|canting| to +|canting| along
/// both axes, with height 0.
std::vector<double> flat_control_points(const Vec3& canting_e,
                                        const Vec3& canting_n,
                                        const std::array<int64_t, 2>& count);

}  // namespace helioray::paint
