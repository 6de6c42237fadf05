// SPDX-License-Identifier: MIT
// Parts of the PAINT conversion, one per subject: checked access to JSON files, targets,
// heliostats. Internal to this folder.
//
// Remarks for the report go to the log as warnings; problems are thrown or put into the log.
#pragma once

#include "scenario/reader/read_log.h"
#include "scenario/types.h"

#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A value of a JSON file with its place: "tower.json: receiver.coordinates.center".
/// Every member throws InputError when the value is not what it asks for.
class JsonField {
  public:
    /// Parses a file; syntax errors carry line and column.
    static JsonField parse_file(const std::filesystem::path& path, nlohmann::json& storage);

    std::string where() const;  ///< "FILE: key.key[0]"
    const std::string& path() const { return path_; }

    bool contains(const std::string& key) const;
    /// Member under the first of `keys` that exists; older files use other names.
    JsonField at(std::initializer_list<std::string> keys) const;
    JsonField at(const std::string& key) const { return at({key}); }
    std::vector<std::string> keys() const;    ///< of an object, sorted
    std::vector<JsonField> elements() const;  ///< of an array

    double number() const;    ///< finite
    double positive() const;  ///< > 0
    bool boolean() const;     ///< true, false, 0 or 1
    std::string text() const;
    Vec3 vector() const;                ///< array of three numbers
    GeodeticPosition position() const;  ///< [latitude, longitude, altitude]

    [[noreturn]] void fail(const std::string& what, const std::string& why = {}) const;

  private:
    JsonField(const nlohmann::json& value, std::string file, std::string path);

    const nlohmann::json* value_;
    std::string file_;
    std::string path_;
};

}  // namespace helioray

namespace helioray::paint {

/// WGS84 to the plant's east-north-up frame.
using ToLocal = std::function<Vec3(const GeodeticPosition&)>;

/// All target areas of a tower file: planes by name, then cylinders by name.
std::vector<Target> convert_targets(const JsonField& tower, const ToLocal& to_local, ReadLog& log);

/// One heliostat; name and id are the caller's. called_ideal: type of drives that the file
/// calls ideal, see PaintInputs.
Heliostat convert_heliostat(const JsonField& properties,
                            const ToLocal& to_local,
                            const std::array<int64_t, 2>& control_points,
                            const std::optional<ActuatorType>& called_ideal,
                            ReadLog& log);

/// Control points of a flat facet: a regular grid over -|canting| to +|canting| along both axes,
/// height 0.
std::vector<double> flat_control_points(const Vec3& canting_e,
                                        const Vec3& canting_n,
                                        const std::array<int64_t, 2>& count);

}  // namespace helioray::paint
