// SPDX-License-Identifier: MIT
// Joins the declaration of each key with the member of the run configuration that holds its value.
// The reader, the writer and the table of keys follow from the same rows.
#pragma once

#include "scenario/config/section.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace helioray {

/// Returns the text plain if YAML reads it unchanged, otherwise in double quotes.
std::string quoted(const std::string& text);

/// Conversion of values between YAML text and the types of members. Values of members are in SI
/// units, those of keys in the unit that the key declares.
namespace key_values {

template <typename T>
struct IsOptional : std::false_type {
    using Value = T;
};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {
    using Value = T;
};

/// Reads a value; returns nothing if the key is absent or wrong.
template <typename T>
std::optional<T> read(const Section& section, const std::string& key) {
    if constexpr (std::is_same_v<T, bool>) {
        return section.boolean(key);
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
        return section.natural(key);
    } else if constexpr (std::is_integral_v<T>) {
        return section.integer(key);
    } else if constexpr (std::is_floating_point_v<T>) {
        return section.si_number(key);
    } else if constexpr (std::is_same_v<T, std::string>) {
        return section.text(key);
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
        return existing_file(section, key);
    } else {
        // Arrays of numbers, in the unit of the key.
        T values{};
        const auto found = [&] {
            if constexpr (std::is_integral_v<typename T::value_type>)
                return section.integers(key, values.size());
            else
                return section.numbers(key, values.size());
        }();
        if (!found) return std::nullopt;
        std::copy(found->begin(), found->end(), values.begin());
        return values;
    }
}

/// Returns the YAML text of a number of a key. Angles omit the last, rounded digits; the reader
/// converts them back to the same radians.
std::string number_text(const KeyInfo& info, double value);
std::string list_text(const std::vector<std::string>& items);

/// Returns the YAML text of a value.
template <typename T>
std::string text(const KeyInfo& info, const T& value) {
    if constexpr (IsOptional<T>::value) {
        return value ? text(info, *value) : "";
    } else if constexpr (std::is_same_v<T, bool>) {
        return find_word(kYesOrNo, value);
    } else if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else if constexpr (std::is_floating_point_v<T>) {
        return number_text(info, value);
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
        return quoted(value.generic_string());
    } else if constexpr (std::is_convertible_v<T, std::string>) {
        return quoted(value);
    } else {
        std::vector<std::string> items;
        for (const auto& item : value) items.push_back(text(info, item));
        return list_text(items);
    }
}

/// Returns the default of a key as the table shows it; "none" for a member without a value.
template <typename T>
std::string default_text(const KeyInfo& info, const T& value) {
    if constexpr (IsOptional<T>::value)
        return "none";
    else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
        return limit_text(static_cast<double>(value) / unit_factor(info.unit));
    else
        return text(info, value);
}

}  // namespace key_values

/// A key of a section that fills `Struct`.
template <typename Struct>
struct BoundKey {
    KeyInfo info;         ///< declaration
    std::string section;  ///< path of the section that contains the key
    std::string name;     ///< key in its section
    /// Reads the key into its member. Not set: the section's reader reads the key in a form of its
    /// own.
    std::function<void(const Section&, Struct&)> read;
    /// Returns the member's value as YAML text. Not set: see `read`.
    std::function<std::string(const Struct&)> text;
    /// Returns true if the member has its default. Not set: see `read`.
    std::function<bool(const Struct&)> is_usual;

    /// Declares a key with a reader of its own.
    static BoundKey own(const KeyInfo& info) {
        const size_t dot = info.path.rfind('.');
        return {info, info.path.substr(0, dot), info.path.substr(dot + 1), {}, {}, {}};
    }

    /// Binds a key to a member, whose type decides how it is read and written. An empty default in
    /// `info` is replaced by that of the member.
    template <typename Member>
    static BoundKey bind(KeyInfo info, Member Struct::*member) {
        if (info.default_value.empty())
            info.default_value = key_values::default_text(info, Struct{}.*member);
        using Value = typename key_values::IsOptional<Member>::Value;
        return bind(info, member, key_values::read<Value>, [info](const Member& value) {
            return key_values::text(info, value);
        });
    }
    /// Binds a key with one of several words.
    template <typename Value>
    static BoundKey choice(const std::string& path,
                           const std::string& meaning,
                           const Choices<Value>& choices,
                           Value Struct::*member,
                           const std::string& example) {
        const std::string usual = find_word(choices, Struct{}.*member);
        const KeyInfo info = KeyInfo::choice(path, meaning, list_words(choices), usual, example);
        if constexpr (std::is_same_v<Value, bool>)
            return bind(info, member);
        else
            return bind(
                info,
                member,
                [&choices](const Section& section, const std::string& key) {
                    return section.choice(key, choices);
                },
                [&choices](Value value) { return find_word(choices, value); });
    }
    /// Binds the name of a file to write, which has one of the extensions.
    static BoundKey output_file(const std::string& path,
                                const std::string& meaning,
                                const std::vector<std::string>& endings,
                                std::optional<std::filesystem::path> Struct::*member,
                                const std::string& example,
                                const std::string& default_words) {
        const KeyInfo info = KeyInfo::choice(path, meaning, endings, default_words, example);
        return bind(
            info,
            member,
            [&endings](const Section& section, const std::string& key) {
                return output_path(section, key, endings);
            },
            [info](const auto& file) { return key_values::text(info, file); });
    }

    /// The following functions return the key with a property of KeyInfo.
    BoundKey only(Model model) const { return with(info.only(model)); }
    BoundKey without_flux() const { return with(info.without_flux()); }

  private:
    template <typename Member, typename Read, typename Text>
    static BoundKey bind(const KeyInfo& info,
                         Member Struct::*member,
                         const Read& read,
                         const Text& text) {
        BoundKey key = own(info);
        key.read = [read, member, name = key.name](const Section& section, Struct& config) {
            assign(config.*member, read(section, name));
        };
        key.text = [text, member](const Struct& config) { return text(config.*member); };
        key.is_usual = [member](const Struct& config) {
            return config.*member == Struct{}.*member;
        };
        return key;
    }
    BoundKey with(const KeyInfo& changed) const {
        BoundKey key = *this;
        key.info = changed;
        return key;
    }
};

/// Returns the names of the keys of receivers and their surfaces that describe the absorption.
const std::vector<std::string>& absorption_keys();

/// Returns the keys of the sections that fill a struct, in the order of the documentation.
const std::vector<BoundKey<SunConfig>>& bound_keys(const SunConfig& config);
const std::vector<BoundKey<AimConfig>>& bound_keys(const AimConfig& config);
const std::vector<BoundKey<HeliostatAim>>& bound_keys(const HeliostatAim& config);
const std::vector<BoundKey<OpticsConfig>>& bound_keys(const OpticsConfig& config);
const std::vector<BoundKey<ReceiverConfig>>& bound_keys(const ReceiverConfig& config);
const std::vector<BoundKey<StateConfig>>& bound_keys(const StateConfig& config);
const std::vector<BoundKey<AimingConfig>>& bound_keys(const AimingConfig& config);
const std::vector<BoundKey<TerrainConfig>>& bound_keys(const TerrainConfig& config);
const std::vector<BoundKey<TracingConfig>>& bound_keys(const TracingConfig& config);
const std::vector<BoundKey<ArtistConfig>>& bound_keys(const ArtistConfig& config);
const std::vector<BoundKey<BitmapConfig>>& bound_keys(const BitmapConfig& config);
const std::vector<BoundKey<OutputConfig>>& bound_keys(const OutputConfig& config);
const std::vector<BoundKey<DistributedConfig>>& bound_keys(const DistributedConfig& config);

/// Reads the bound keys of one section into their members.
template <typename Struct>
void read_members(const Section& section, Struct& config) {
    for (const BoundKey<Struct>& key : bound_keys(config))
        if (key.read && key.section == section.pattern()) key.read(section, config);
}

}  // namespace helioray
