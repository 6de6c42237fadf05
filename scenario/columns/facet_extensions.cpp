// SPDX-License-Identifier: MIT
// Columns of facets that ARTIST's mirrors do not need: outlines, and the rows of bent mirrors.
#include "scenario/columns/facet_extensions.h"

#include "scenario/types/type_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace helioray::columns {

namespace {

/// Returns the name of the column with the number of rows of each surface.
std::string number_column(const std::string& axis) {
    return "num_" + axis + "s";
}

/// Reads a column of counts; negative ones are 0.
std::vector<std::size_t> read_counts(const Table& table, const std::string& column) {
    std::vector<std::size_t> counts;
    for (const std::int64_t count : table.integers(column, {}))
        counts.push_back(static_cast<std::size_t>(std::max<std::int64_t>(0, count)));
    return counts;
}

}  // namespace

std::vector<std::size_t> read_offsets(const Table& table,
                                      const std::string& column,
                                      const std::vector<std::size_t>& counts,
                                      std::size_t expected,
                                      const std::string& what) {
    std::vector<std::size_t> offsets{0};
    offsets.reserve(counts.size() + 1);
    for (const std::size_t count : counts) {
        // Beyond the total no sum can be right; it stays there, so that it cannot overflow.
        const std::size_t left = expected - std::min(expected, offsets.back());
        offsets.push_back(count > left ? expected + 1 : offsets.back() + count);
    }
    if (offsets.back() != expected) {
        throw InputError(Problem{table.where(column),
                                 fmt::format("does not add up to the {} {}", expected, what),
                                 "every row takes its part of another column",
                                 "make the scenario again"});
    }
    return offsets;
}

OutlineReader::OutlineReader(const hdf5::Group& group, const char* name, const Table& facets)
    : facets_(facets),
      corners_(group, name, facets.contains("outline_corners") ? "outline_corners" : "position") {
    if (!facets.contains("outline")) return;
    Words words = facets.words("outline");
    for (const std::string& word : words.words) {
        const auto kind = from_string<FacetOutlineKind>(word);
        if (!kind) {
            throw InputError(Problem{facets.where("outline_words"),
                                     fmt::format("'{}' is unknown", word),
                                     "",
                                     "use " + all_names<FacetOutlineKind>()});
        }
        kinds_.push_back(*kind);
    }
    rows_ = std::move(words.rows);
    holes_ = facets.numbers("outline_hole", {});
    const bool has_corners = facets.contains("outline_corners");
    offsets_ = read_offsets(facets,
                            "num_outline_corners",
                            read_counts(facets, "num_outline_corners"),
                            has_corners ? corners_.rows() : 0,
                            "corners of outlines");
}

FacetOutline OutlineReader::read(std::size_t row) const {
    FacetOutline outline;
    if (rows_.empty()) return outline;
    outline.kind = kinds_[static_cast<std::size_t>(rows_[row])];
    if (outline.kind == FacetOutlineKind::round) outline.hole = holes_[row];
    const std::size_t begin = offsets_[row], count = offsets_[row + 1] - begin;
    if (outline.kind == FacetOutlineKind::polygon && count > 0) {
        const std::vector<double> numbers = corners_.numbers("outline_corners", {2}, begin, count);
        for (std::size_t i = 0; i < count; ++i)
            outline.corners.push_back({numbers[2 * i], numbers[2 * i + 1]});
    }
    if (const auto fault = make_valid(outline)) {
        throw InputError(Problem{fmt::format("{}[{}]", facets_.where("outline"), row),
                                 fault->what,
                                 fault->why,
                                 fault->advice});
    }
    return outline;
}

void write_outlines(const std::vector<const FacetOutline*>& outlines, TableWriter& facets) {
    const bool has_any = std::ranges::any_of(outlines, [](const FacetOutline* outline) {
        return outline->kind != FacetOutlineKind::rectangle;
    });
    if (!has_any) return;
    std::vector<std::string> kinds;
    std::vector<double> holes, corners;
    std::vector<std::int64_t> counts;
    for (const FacetOutline* outline : outlines) {
        kinds.push_back(to_string(outline->kind));
        holes.push_back(outline->hole);
        counts.push_back(std::ssize(outline->corners));
        for (const auto& corner : outline->corners)
            corners.insert(corners.end(), corner.begin(), corner.end());
    }
    facets.words("outline", kinds, "rectangle, round or polygon, within the half extents");
    facets.numbers("outline_hole", holes, {}, "1", "hole of round facets, in half extents");
    facets.integers("num_outline_corners", counts, {}, "corners; they follow each other");
    facets.numbers("outline_corners", corners, {2}, "1", "corners in half extents along e and n");
}

BendingRows::BendingRows(const hdf5::Group& group, const Table& surfaces) {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const std::string axis = to_string(kBendingAxes[i]), number = number_column(axis);
        axes_[i].offsets.assign(surfaces.rows() + 1, 0);
        if (!surfaces.contains(number)) continue;
        axes_[i].values = Table(group, axis, axis).numbers(axis, {});
        axes_[i].offsets = read_offsets(
            surfaces, number, read_counts(surfaces, number), axes_[i].values.size(), (axis + "s"));
    }
}

std::size_t BendingRows::count(std::size_t surface) const {
    std::size_t rows = 0;
    for (const Values& axis : axes_) rows += axis.count(surface);
    return rows;
}

Surface BendingRows::make_surface(std::vector<Facet> facets,
                                  std::size_t surface,
                                  const Table& surfaces) const {
    const std::size_t rows = count(surface);
    const std::size_t each = facets.size() / (rows + 1);
    Surface made;
    auto next = facets.begin();
    const auto take = [&] {
        const auto first = next;
        next += static_cast<std::ptrdiff_t>(each);
        return std::vector<Facet>(std::make_move_iterator(first), std::make_move_iterator(next));
    };
    made.facets = take();
    std::string problem;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const Values& axis = axes_[i];
        if (axis.count(surface) == 0) continue;
        if (made.is_bent()) problem = "the mirror has elevations and temperatures";
        made.bending_axis = kBendingAxes[i];
        for (std::size_t row = 0; row < axis.count(surface); ++row)
            made.bent.push_back({axis.values[axis.offsets[surface] + row], take()});
    }
    if (problem.empty()) problem = find_bending_problem(made);
    if (!problem.empty() || each * (rows + 1) != facets.size()) {
        const std::string number = number_column(to_string(made.bending_axis));
        throw InputError(Problem{fmt::format("{}[{}]", surfaces.where(number), surface),
                                 problem.empty() ? "does not divide the facets" : problem,
                                 fmt::format("the facets of a mirror are followed by those of "
                                             "each {}",
                                             to_string(made.bending_axis)),
                                 "make the scenario again"});
    }
    return made;
}

void write_bending_rows(const std::vector<std::shared_ptr<const Surface>>& surfaces,
                        TableWriter& table,
                        hdf5::Group& group) {
    for (const BendingAxis axis : kBendingAxes) {
        std::vector<std::int64_t> counts;
        std::vector<double> values;
        for (const auto& surface : surfaces) {
            const bool has_rows = surface->is_bent_by(axis);
            counts.push_back(has_rows ? std::ssize(surface->bent) : 0);
            if (!has_rows) continue;
            for (const BentFacets& row : surface->bent) values.push_back(row.at);
        }
        if (values.empty()) continue;
        const std::string name = to_string(axis);
        const bool is_elevation = axis == BendingAxis::elevation;
        table.integers(number_column(name),
                       counts,
                       {},
                       is_elevation
                           ? "elevations of bent mirrors, whose facets follow the others"
                           : "temperatures of bent mirrors, whose facets follow the others");
        TableWriter(group, name)
            .numbers(name,
                     values,
                     {},
                     is_elevation ? "rad" : "degC",
                     is_elevation ? "elevations of normals, surface by surface"
                                  : "temperatures of the air, surface by surface");
    }
}

}  // namespace helioray::columns
