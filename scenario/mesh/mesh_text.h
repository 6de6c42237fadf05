// SPDX-License-Identifier: MIT
// Words and numbers of mesh files, with errors that name the place. Part of the mesh readers.
#pragma once

#include "scenario/mesh/mesh_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helioray::mesh {

/// Throws an InputError for a line of a file.
[[noreturn]] void fail_at_line(const std::string& name,
                               std::size_t line,
                               const std::string& what,
                               const std::string& advice);
/// Throws an InputError for a byte of a file.
[[noreturn]] void fail_at_byte(const std::string& name,
                               std::size_t byte,
                               const std::string& what,
                               const std::string& advice);

/// Lines of a text with their words, one after the other.
class Lines {
  public:
    Lines(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    /// Goes to the next line that has words. Returns false at the end. A backslash at the end of a
    /// line continues it, if `continued`.
    bool next(bool continued = false);
    /// Returns the words of the line.
    const std::vector<std::string_view>& words() const { return words_; }
    /// Returns the number of the line, from 1.
    std::size_t number() const { return number_; }
    /// Returns the position of the first byte after the line.
    std::size_t end() const { return position_; }
    /// Throws an InputError for this line.
    [[noreturn]] void fail(const std::string& what, const std::string& advice = "") const {
        fail_at_line(name_, number_, what, advice);
    }
    /// Returns a word of the line as a finite number.
    double real(std::size_t word) const;
    /// Returns words [first, first + 3) as a point.
    Vec3 point(std::size_t first) const;
    /// Returns text as a whole number.
    std::int64_t whole(std::string_view text) const;

  private:
    std::string_view text_;
    const std::string& name_;
    std::size_t position_ = 0;
    std::size_t number_ = 0;
    std::vector<std::string_view> words_;
};

/// Returns true if words are equal, whatever their case.
bool equal_words(std::string_view a, std::string_view b);

/// Outcome of append_fan(). no_polygon: an index is not below the number of vertices, or the
/// polygon has fewer than three corners. not_possible: a fan from any of its corners reaches beyond
/// it.
enum class Fan { appended, no_polygon, not_possible };

/// Appends the fan of triangles of a polygon, from its first corner if it is convex, else from one
/// from which the fan does not reach beyond the polygon.
Fan append_fan(const std::vector<std::int64_t>& corners,
               const std::vector<Vec3>& vertices,
               std::vector<MeshTriangle>& triangles);

constexpr const char* kNoFan = "is too concave for a fan of triangles";
constexpr const char* kNoFanAdvice = "export the mesh with triangles";

}  // namespace helioray::mesh
