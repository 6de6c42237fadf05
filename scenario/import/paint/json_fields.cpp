// SPDX-License-Identifier: MIT
// Checked access to JSON files.
#include "scenario/files/error.h"
#include "scenario/files/text_file.h"
#include "scenario/import/paint/conversion.h"

#include <fmt/format.h>

#include <cmath>

namespace helioray {

using nlohmann::json;

JsonField::JsonField(const json& value, std::string file, std::string path)
    : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

JsonField JsonField::parse_file(const std::filesystem::path& path, json& storage) {
    const std::string text = read_text_file(path, "its keys are read");
    try {
        storage = json::parse(text);
    } catch (const json::exception& error) {
        // Remove the library's name of the error.
        const std::string reason = error.what();
        const size_t name = reason.find("] ");
        throw InputError(Problem{path.string(),
                                 "is not valid JSON",
                                 name == std::string::npos ? reason : reason.substr(name + 2),
                                 "repair it, or take it out"});
    }
    if (!storage.is_object())
        throw InputError(Problem{path.string(), "is not a JSON object", "its keys are read", ""});
    return JsonField(storage, path.string(), "");
}

std::string JsonField::where() const {
    return path_.empty() ? file_ : file_ + ": " + path_;
}

void JsonField::fail(const std::string& what, const std::string& why) const {
    throw InputError(Problem{where(), what, why, ""});
}

bool JsonField::contains(const std::string& key) const {
    return value_->is_object() && value_->contains(key);
}

JsonField JsonField::at(std::initializer_list<std::string> keys) const {
    if (!value_->is_object()) fail("is not an object");
    const auto child = [this](const std::string& key) {
        return path_.empty() ? key : path_ + "." + key;
    };
    for (const std::string& key : keys) {
        if (const auto it = value_->find(key); it != value_->end()) {
            return JsonField(*it, file_, child(key));
        }
    }
    throw InputError(Problem{file_ + ": " + child(*keys.begin()), "is missing", "", ""});
}

std::vector<std::string> JsonField::keys() const {
    if (!value_->is_object()) fail("is not an object");
    std::vector<std::string> keys;
    for (const auto& [key, value] : value_->items()) keys.push_back(key);
    return keys;
}

std::vector<JsonField> JsonField::elements() const {
    if (!value_->is_array()) fail("is not an array");
    std::vector<JsonField> elements;
    for (size_t i = 0; i < value_->size(); ++i) {
        elements.push_back(JsonField((*value_)[i], file_, fmt::format("{}[{}]", path_, i)));
    }
    return elements;
}

double JsonField::number() const {
    if (!value_->is_number()) fail(fmt::format("{} is not a number", value_->dump()));
    const double value = value_->get<double>();
    if (!std::isfinite(value)) fail("is not finite");
    return value;
}

double JsonField::positive() const {
    const double value = number();
    if (value <= 0.0) fail(fmt::format("is {}", value), "it must be greater than 0");
    return value;
}

bool JsonField::boolean() const {
    if (value_->is_boolean()) return value_->get<bool>();
    const double value = number();
    if (value != 0.0 && value != 1.0) fail(fmt::format("is {}, not 0 or 1", value));
    return value == 1.0;
}

std::string JsonField::text() const {
    if (!value_->is_string()) fail(fmt::format("{} is not a text", value_->dump()));
    return value_->get<std::string>();
}

Vec3 JsonField::vector() const {
    const std::vector<JsonField> parts = elements();
    if (parts.size() != 3) fail(fmt::format("has {} elements, expected 3", parts.size()));
    return {parts[0].number(), parts[1].number(), parts[2].number()};
}

GeodeticPosition JsonField::position() const {
    const Vec3 v = vector();
    if (std::abs(v[0]) > 90.0 || std::abs(v[1]) > 360.0) {
        fail(fmt::format("({}, {}) is no latitude and longitude in degrees", v[0], v[1]));
    }
    return {v[0], v[1], v[2]};
}

}  // namespace helioray
