// SPDX-License-Identifier: MIT
// Reads variations and enumerates their combinations.
#include "raytracer/studies/sweep/variants.h"

#include "scenario/files/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <set>
#include <system_error>

namespace helioray::sweep {

namespace {

constexpr const char* kOption = "--vary";
constexpr const char* kForm = "use key=a,b,c or key=from:to:n";

[[noreturn]] void refuse(const std::string& text, const std::string& what) {
    throw InputError(Problem{kOption, fmt::format("'{}' {}", text, what), "", kForm});
}

/// Splits a text at separators outside brackets, braces and quotes.
std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts{""};
    int depth = 0;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == separator && depth == 0) {
            parts.emplace_back();
            continue;
        }
        parts.back() += c;
    }
    return parts;
}

/// Returns the numbers of "from:to:n", or an empty list for other texts, for example a time of day.
std::vector<std::string> parse_range(const std::string& text, const std::string& whole) {
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() != 3) return {};
    const auto from = number_of(parts[0]), to = number_of(parts[1]), count = number_of(parts[2]);
    if (!from || !to || !count) return {};
    if (!std::isfinite(*from) || !std::isfinite(*to)) refuse(whole, "has no finite ends");
    if (!(*count >= 2.0) || *count != std::floor(*count) || *count > Variants::kMostVariants)
        refuse(whole,
               fmt::format("does not have between 2 and {} whole steps", Variants::kMostVariants));
    std::vector<std::string> values;
    for (int i = 0; i < static_cast<int>(*count); ++i) {
        const double share = i / (*count - 1.0);
        // Format with twelve digits, to get 0.1 instead of 0.30000000000000004.
        values.push_back(fmt::format("{:.12g}", *from + (*to - *from) * share));
    }
    return values;
}

/// Throws InputError for equal values, whose variants would be traced twice.
void check_different(const std::vector<std::string>& values, const std::string& whole) {
    std::set<std::string> known;
    for (const std::string& value : values) {
        const size_t first = value.find_first_not_of(' ');
        const std::string bare = value.substr(first, value.find_last_not_of(' ') + 1 - first);
        const auto number = number_of(bare);
        if (!known.insert(number ? fmt::format("{}", *number) : bare).second)
            refuse(whole, "has the value " + bare + " twice");
    }
}

}  // namespace

std::optional<double> number_of(const std::string& value) {
    double number = 0.0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
    return number;
}

Variation parse_variation(const std::string& text) {
    const size_t sign = text.find('=');
    if (sign == std::string::npos) refuse(text, "has no values");
    if (sign == 0) refuse(text, "has no key");
    Variation variation{text.substr(0, sign), {}};
    const std::string values = text.substr(sign + 1);
    variation.values = parse_range(values, text);
    if (variation.values.empty()) variation.values = split(values, ',');
    for (const std::string& value : variation.values)
        if (value.find_first_not_of(' ') == std::string::npos) refuse(text, "has an empty value");
    check_different(variation.values, text);
    return variation;
}

Variants::Variants(std::vector<Variation> variations) : variations_(std::move(variations)) {
    for (size_t i = 0; i < variations_.size(); ++i) {
        const std::string& key = variations_[i].key;
        for (size_t k = 0; k < i; ++k) {
            if (variations_[k].key == key)
                throw InputError(Problem{kOption,
                                         fmt::format("'{}' is named twice", key),
                                         "each key has one list of values",
                                         "put all values into one list"});
            if (variations_[k].key.starts_with(key + "."))
                throw InputError(Problem{
                    kOption,
                    fmt::format("'{}' replaces '{}', which is part of it", key, variations_[k].key),
                    "variants would be labelled with values that they do not have",
                    fmt::format("put '{}' first, or all values into one list", key)});
        }
        if (variations_[i].values.size() > kMostVariants / size_)
            throw InputError(Problem{kOption,
                                     fmt::format("there are more than {} variants", kMostVariants),
                                     "every combination of the values is one",
                                     "vary fewer keys at a time"});
        size_ *= variations_[i].values.size();
    }
}

std::vector<std::string> Variants::values(std::size_t variant) const {
    std::vector<std::string> values(variations_.size());
    for (size_t i = variations_.size(); i-- > 0;) {
        const std::vector<std::string>& all = variations_[i].values;
        values[i] = all[variant % all.size()];
        variant /= all.size();
    }
    return values;
}

std::vector<std::string> Variants::settings(std::size_t variant) const {
    std::vector<std::string> settings = values(variant);
    for (size_t i = 0; i < settings.size(); ++i)
        settings[i] = variations_[i].key + "=" + settings[i];
    return settings;
}

std::string Variants::text(std::size_t variant) const {
    return fmt::format("{}", fmt::join(settings(variant), ", "));
}

}  // namespace helioray::sweep
