// SPDX-License-Identifier: MIT
// Checked access to JSON files; problems name file and key.
#pragma once

#include "scenario/types.h"

#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <initializer_list>
#include <string>

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
