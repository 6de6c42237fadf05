// SPDX-License-Identifier: MIT
// Reads the numbers of a section, which must be finite and in range, and whole numbers where they
// count.
#include "scenario/config/section.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace helioray {

std::optional<double> Section::finite(const YamlNode& node, const std::string& path) const {
    const auto value = parse_number(node.text);
    if (!value) {
        const bool has_comma = node.text.find(',') != std::string::npos;
        fail_at(node,
                path,
                fmt::format("'{}' is not a number", node.text),
                "",
                has_comma ? "write a decimal point, not a comma"
                          : "write digits alone, such as 12.5 or 1e6; the unit is part of the key");
        return std::nullopt;
    }
    if (!std::isfinite(*value)) {
        fail_at(node,
                path,
                fmt::format("'{}' is not a finite number", node.text),
                "nothing can be computed from it",
                "give a finite number");
        return std::nullopt;
    }
    return value;
}

std::optional<double> Section::number(const std::string& key) const {
    return number(key, declaration(key).limits);
}

std::optional<double> Section::si_number(const std::string& key) const {
    std::optional<double> value = number(key);
    if (value) *value *= unit_factor(declaration(key).unit);
    return value;
}

std::optional<double> Section::number(const std::string& key, const Range& limits) const {
    const YamlNode* node = scalar(key, "a number");
    if (!node) return std::nullopt;
    const auto value = finite(*node, key_path(key));
    if (!value) return value;
    if (limits.contains(*value)) {
        if (const auto warning = warn_of_unit(declaration(key), *value))
            warn(fmt::format("{}: {}", place(key), *warning));
        return value;
    }
    fail(key,
         fmt::format("{} is outside of its range", node->text),
         limits.why,
         fmt::format("give a value {}", limits.sentence()));
    return std::nullopt;
}

std::optional<std::vector<double>> Section::numbers(const std::string& key, size_t count) const {
    const YamlNode* node = list(key, count, fmt::format("a list of {} numbers", count));
    if (!node) return std::nullopt;
    std::vector<double> values;
    for (size_t i = 0; i < node->items.size(); ++i) {
        const auto value = finite(node->items[i], fmt::format("{}[{}]", key_path(key), i));
        if (value) values.push_back(*value);
    }
    if (values.size() != count) return std::nullopt;
    return values;
}

std::optional<std::vector<double>> Section::numbers_up_to(const std::string& key,
                                                          size_t most) const {
    const YamlNode* node = list(key, 0, fmt::format("a list of at most {} numbers", most));
    if (!node) return std::nullopt;
    if (node->items.empty() || node->items.size() > most) {
        fail(key,
             fmt::format("has {} numbers", node->items.size()),
             "",
             fmt::format("give 1 to {} numbers", most));
        return std::nullopt;
    }
    return numbers(key, node->items.size());
}

std::optional<std::vector<std::array<double, 2>>> Section::pairs(const std::string& key) const {
    const YamlNode* node = find(key);
    if (!node) return std::nullopt;
    constexpr const char* kAdvice = "write pairs of numbers: [[0, 0], [1, 0], [1, 1]]";
    if (node->kind != YamlNode::Kind::sequence) {
        fail(key, "is not a list of pairs of numbers", "", kAdvice);
        return std::nullopt;
    }
    std::vector<std::array<double, 2>> pairs;
    for (size_t i = 0; i < node->items.size(); ++i) {
        const YamlNode& item = node->items[i];
        if (item.items.size() != 2) {
            fail_item(key, i, "is not a pair of numbers", "", kAdvice);
            continue;
        }
        std::array<std::optional<double>, 2> values;
        for (size_t k = 0; k < 2; ++k) {
            values[k] = finite(item.items[k], fmt::format("{}[{}][{}]", key_path(key), i, k));
        }
        if (values[0] && values[1]) pairs.push_back({*values[0], *values[1]});
    }
    if (pairs.size() != node->items.size()) return std::nullopt;
    return pairs;
}

namespace {

/// Doubles represent all whole numbers up to this one exactly.
constexpr double kLargestExact = 9007199254740992.0;

template <typename Integer>
std::optional<Integer> parse_whole(const std::string& text) {
    Integer value = 0;
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && parsed == end && !text.empty()) return value;
    const auto number = parse_number(text);
    if (!number || *number != std::floor(*number) || std::abs(*number) > kLargestExact) {
        return std::nullopt;
    }
    if (std::is_unsigned_v<Integer> && *number < 0.0) return std::nullopt;
    return static_cast<Integer>(*number);
}

}  // namespace

std::optional<int64_t> Section::whole(const YamlNode& node,
                                      const std::string& path,
                                      const Range& limits) const {
    const auto number = finite(node, path);
    if (!number) return std::nullopt;
    const std::string range = fmt::format("a whole number {}", limits.sentence());
    const auto value = parse_whole<int64_t>(node.text);
    if (!value && *number != std::floor(*number)) {
        fail_at(node,
                path,
                fmt::format("'{}' is not a whole number", node.text),
                "it counts something",
                "give " + range);
        return std::nullopt;
    }
    if (!value || !limits.contains(static_cast<double>(*value))) {
        fail_at(node, path, node.text + " is outside of its range", "", "give " + range);
        return std::nullopt;
    }
    return value;
}

std::optional<int64_t> Section::integer(const std::string& key) const {
    const YamlNode* node = scalar(key, "a whole number");
    if (!node) return std::nullopt;
    return whole(*node, key_path(key), declaration(key).limits);
}

std::optional<std::vector<int64_t>> Section::integers(const std::string& key, size_t count) const {
    const YamlNode* node = list(key, count, fmt::format("a list of {} whole numbers", count));
    if (!node) return std::nullopt;
    std::vector<int64_t> values;
    for (size_t i = 0; i < node->items.size(); ++i) {
        const std::string path = fmt::format("{}[{}]", key_path(key), i);
        const auto value = whole(node->items[i], path, declaration(key).limits);
        if (value) values.push_back(*value);
    }
    if (values.size() != count) return std::nullopt;
    return values;
}

std::optional<uint64_t> Section::natural(const std::string& key) const {
    const YamlNode* node = scalar(key, "a whole number");
    if (!node || !finite(*node, key_path(key))) return std::nullopt;
    const auto value = parse_whole<uint64_t>(node->text);
    if (!value) {
        fail(key,
             fmt::format("'{}' is not a whole number from 0 to 18446744073709551615", node->text),
             "",
             "give one of them; write those above 9007199254740992 (2^53) with all digits and "
             "without an exponent");
    }
    return value;
}

}  // namespace helioray
