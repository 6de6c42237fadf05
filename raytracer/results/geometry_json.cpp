// SPDX-License-Identifier: MIT
// Converts geometry to JSON and back.
#include "raytracer/results/geometry_json.h"

#include "scenario/files/error.h"
#include "scenario/types/type_names.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <type_traits>
#include <vector>

namespace helioray {

using nlohmann::json;

namespace {

constexpr const char* kOwnFile = "use a file that HelioRay wrote";

/// Adds members to an object.
struct MemberWriter {
    nlohmann::ordered_json& out;

    void operator()(const TargetMember& member, const auto& value) const {
        if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
            out[member.name] = to_string(value);
        } else {
            out[member.name] = value;
        }
    }
};

/// Reads members from an object.
struct MemberReader {
    const json& in;
    const std::string& where;

    template <typename Value>
    void operator()(const TargetMember& member, Value& value) const {
        if constexpr (std::is_enum_v<Value>) {
            const auto known = from_string<Value>(in.at(member.name).get<std::string>());
            if (!known) {
                throw InputError(Problem{where,
                                         "the geometry's " + std::string(member.name) + " " +
                                             in.at(member.name).dump() + " is unknown",
                                         "",
                                         kOwnFile});
            }
            value = *known;
        } else {
            value = in.at(member.name).get<Value>();
        }
    }
};

/// Returns the list "'planar', 'cylindrical' or ...".
std::string known_kinds() {
    std::vector<std::string> kinds;
    for_each_target_shape(
        [&](const auto& shape) { kinds.push_back("'" + std::string(shape.kKind) + "'"); });
    std::string text = kinds.front();
    for (size_t i = 1; i < kinds.size(); ++i)
        text += (i + 1 == kinds.size() ? " or " : ", ") + kinds[i];
    return text;
}

}  // namespace

std::string target_kind(const Target& target) {
    return std::visit([](const auto& shape) { return shape.kKind; }, target.geometry);
}

std::string geometry_to_json(const Target& target) {
    nlohmann::ordered_json out;
    std::visit([&](const auto& shape) { shape.members(shape, MemberWriter{out}); },
               target.geometry);
    return out.dump();
}

TargetShape geometry_from_json(const std::string& kind,
                               const std::string& text,
                               const std::string& where) {
    std::optional<TargetShape> geometry;
    try {
        const json in = json::parse(text);
        for_each_target_shape([&](auto shape) {
            if (kind != shape.kKind) return;
            shape.members(shape, MemberReader{in, where});
            geometry = shape;
        });
    } catch (const json::exception& error) {
        throw InputError(
            Problem{where, "the target's geometry cannot be understood", error.what(), kOwnFile});
    }
    if (geometry) return *geometry;
    throw InputError(Problem{
        where, "the target's kind '" + kind + "' is unknown", "", "it must be " + known_kinds()});
}

}  // namespace helioray
