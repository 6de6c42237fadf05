// SPDX-License-Identifier: MIT
// Words, numbers and polygons of mesh files.
#include "scenario/mesh/mesh_text.h"

#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace helioray::mesh {

void fail_at_line(const std::string& name,
                  std::size_t line,
                  const std::string& what,
                  const std::string& advice) {
    throw InputError(Problem{fmt::format("{}:{}", name, line), what, "", advice});
}

void fail_at_byte(const std::string& name,
                  std::size_t byte,
                  const std::string& what,
                  const std::string& advice) {
    throw InputError(Problem{fmt::format("{}: byte {}", name, byte), what, "", advice});
}

bool Lines::next(bool continued) {
    words_.clear();
    bool goes_on = false;
    while (position_ < text_.size() && (words_.empty() || goes_on)) {
        ++number_;
        const std::size_t line_end = std::min(text_.find('\n', position_), text_.size());
        std::string_view line = text_.substr(position_, line_end - position_);
        position_ = std::min(line_end + 1, text_.size());
        const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
        while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
        goes_on = continued && !line.empty() && line.back() == '\\';
        if (goes_on) line.remove_suffix(1);
        while (!line.empty()) {
            const auto begin = std::find_if_not(line.begin(), line.end(), is_space);
            const auto end = std::find_if(begin, line.end(), is_space);
            if (begin != end) words_.emplace_back(&*begin, static_cast<std::size_t>(end - begin));
            line.remove_prefix(static_cast<std::size_t>(end - line.begin()));
        }
    }
    return !words_.empty();
}

double Lines::real(std::size_t word) const {
    if (word >= words_.size()) fail("ends early, a number is missing");
    std::string_view text = words_[word];
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
        fail(fmt::format("'{}' is not a finite number", words_[word]));
    return number;
}

Vec3 Lines::point(std::size_t first) const {
    return {real(first), real(first + 1), real(first + 2)};
}

std::int64_t Lines::whole(std::string_view text) const {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        fail(fmt::format("'{}' is not a whole number", text));
    return number;
}

bool equal_words(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) {
        return lower(x) == lower(y);
    });
}

namespace {

/// Returns the corner from which the fan of a polygon covers it and nothing else: the first one of
/// a convex polygon. Returns nothing if there is none.
std::optional<std::size_t> fan_start(const std::vector<Vec3>& polygon) {
    const std::size_t count = polygon.size();
    const auto area = [&](std::size_t start, std::size_t i) {
        const Vec3& first = polygon[start];
        return cross(subtract(polygon[(start + i) % count], first),
                     subtract(polygon[(start + i + 1) % count], first));
    };
    Vec3 whole{};
    for (std::size_t i = 1; i + 1 < count; ++i) whole = add(whole, area(0, i));
    // Corners that lie on one line turn by rounding errors only.
    const double tolerance = -1e-6 * dot(whole, whole);
    for (std::size_t start = 0; start < count; ++start) {
        bool covers = true;
        for (std::size_t i = 1; covers && i + 1 < count; ++i)
            covers = dot(area(start, i), whole) >= tolerance;
        if (covers) return start;
    }
    return std::nullopt;
}

}  // namespace

Fan append_fan(const std::vector<std::int64_t>& corners,
               const std::vector<Vec3>& vertices,
               std::vector<MeshTriangle>& triangles) {
    const auto is_vertex = [&](std::int64_t corner) {
        return corner >= 0 && corner < static_cast<std::int64_t>(vertices.size());
    };
    if (corners.size() < 3 || !std::all_of(corners.begin(), corners.end(), is_vertex))
        return Fan::no_polygon;
    std::vector<Vec3> polygon;
    for (const std::int64_t corner : corners)
        polygon.push_back(vertices[static_cast<std::size_t>(corner)]);
    const std::size_t count = polygon.size();
    const std::optional<std::size_t> start = count == 3 ? 0 : fan_start(polygon);
    if (!start) return Fan::not_possible;
    const auto at = [&](std::size_t i) { return polygon[(*start + i) % count]; };
    for (std::size_t i = 2; i < count; ++i) triangles.push_back({at(0), at(i - 1), at(i)});
    return Fan::appended;
}

}  // namespace helioray::mesh
