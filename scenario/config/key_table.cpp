// SPDX-License-Identifier: MIT
// Declarations of keys.
#include "scenario/config/key_table.h"

#include "scenario/files/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace helioray {

KeyInfo KeyInfo::number(const std::string& path,
                        const std::string& meaning,
                        const std::string& unit,
                        const Range& limits,
                        const std::string& default_value,
                        const std::string& example,
                        const std::string& wording) {
    return {path,
            meaning,
            unit,
            fmt::format(fmt::runtime(wording), limits.text()),
            default_value,
            example,
            limits};
}

KeyInfo KeyInfo::whole(const std::string& path,
                       const std::string& meaning,
                       const Range& limits,
                       const std::string& default_value,
                       const std::string& example,
                       const std::string& wording) {
    return number(path, meaning, "-", limits, default_value, example, wording);
}

KeyInfo KeyInfo::choice(const std::string& path,
                        const std::string& meaning,
                        const std::vector<std::string>& words,
                        const std::string& default_value,
                        const std::string& example) {
    const std::string range = fmt::format("{}", fmt::join(words, ", "));
    return other(path, meaning, "-", range, default_value, example);
}

KeyInfo KeyInfo::other(const std::string& path,
                       const std::string& meaning,
                       const std::string& unit,
                       const std::string& range,
                       const std::string& default_value,
                       const std::string& example) {
    return {path, meaning, unit, range, default_value, example, {}};
}

KeyInfo KeyInfo::input_file(const std::string& path,
                            const std::string& meaning,
                            const std::string& default_value,
                            const std::string& example) {
    KeyInfo info = other(path, meaning, "-", "existing file", default_value, example);
    info.is_input_file = true;
    return info;
}

KeyInfo KeyInfo::only(Model only_model) const {
    KeyInfo info = *this;
    info.model = only_model;
    if (only_model == Model::artist)
        info.meaning = "`artist`: " + meaning;
    else
        info.meaning += "; `artist` ignores it";
    return info;
}

KeyInfo KeyInfo::position() const {
    KeyInfo info = *this;
    info.is_position = true;
    return info;
}

KeyInfo KeyInfo::without_flux() const {
    KeyInfo info = *this;
    info.determines_flux = false;
    return info;
}

KeyInfo KeyInfo::always_written() const {
    KeyInfo info = *this;
    info.is_always_written = true;
    return info;
}

KeyInfo KeyInfo::unusual(double least, const std::string& confused) const {
    KeyInfo info = *this;
    info.unusual_below = least;
    info.confused_unit = confused;
    return info;
}

std::optional<std::string> warn_of_unit(const KeyInfo& info, double value) {
    if (!(value > 0.0) || value >= info.unusual_below) return std::nullopt;
    const double converted = value * unit_factor(info.confused_unit) / unit_factor(info.unit);
    return fmt::format("{} {} is unusually small; if it is in {}, give {:.6g}",
                       value,
                       info.unit,
                       info.confused_unit,
                       converted);
}

const KeyInfo& find_declaration(const std::string& path, const std::vector<KeyInfo>& table) {
    for (const KeyInfo& info : table)
        if (info.path == path) return info;
    throw std::logic_error("no key is declared as " + path);
}

double unit_factor(const std::string& unit) {
    if (unit == "deg") return kRadiansPerDegree;
    if (unit == "mrad") return 1e-3;
    if (unit == "kW/m2") return 1e3;
    return 1.0;
}

std::vector<std::string> position_keys() {
    constexpr std::string_view kSection = "sun.";
    std::vector<std::string> keys;
    for (const KeyInfo& info : known_keys()) {
        if (!info.is_position) continue;
        std::string key = info.path.substr(kSection.size());
        key.resize(std::min(key.size(), key.find_first_of(".[")));
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    return keys;
}

}  // namespace helioray
