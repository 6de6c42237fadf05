// SPDX-License-Identifier: MIT
// Columns of facets that ARTIST's mirrors do not need: outlines, and the rows of bent mirrors.
#pragma once

#include "scenario/columns/table.h"
#include "scenario/types/bent_surface.h"
#include "scenario/types/types.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace helioray::columns {

/// Returns the sums before each row, and the total at the end. Throws InputError unless the total
/// is `expected`. what: the items that are counted.
std::vector<std::size_t> read_offsets(const Table& table,
                                      const std::string& column,
                                      const std::vector<std::size_t>& counts,
                                      std::size_t expected,
                                      const std::string& what);

/// Outlines of facets; rectangles where a table has none.
class OutlineReader {
  public:
    /// name: name of the table of facets. Throws InputError for columns that do not fit together.
    OutlineReader(const hdf5::Group& group, const char* name, const Table& facets);

    /// Returns the outline of a facet. Throws InputError for one that is not valid.
    FacetOutline read(std::size_t row) const;

  private:
    const Table& facets_;
    Table corners_;  ///< corners, the facets' table where there are none
    std::vector<std::int64_t> rows_;
    std::vector<FacetOutlineKind> kinds_;
    std::vector<double> holes_;
    std::vector<std::size_t> offsets_;
};

/// Writes the outlines of all facets; nothing if all are rectangles.
void write_outlines(const std::vector<const FacetOutline*>& outlines, TableWriter& facets);

/// The values at which bent mirrors have facets, on the axis of each.
class BendingRows {
  public:
    /// Throws InputError for columns that do not fit together.
    BendingRows(const hdf5::Group& group, const Table& surfaces);

    /// Returns the number of rows of a surface.
    std::size_t count(std::size_t surface) const;

    /// Divides facets over a mirror and its rows. Throws InputError if they do not fit.
    Surface make_surface(std::vector<Facet> facets,
                         std::size_t surface,
                         const Table& surfaces) const;

  private:
    /// The values on one axis, surface by surface.
    struct Values {
        std::vector<double> values;        ///< values of all surfaces
        std::vector<std::size_t> offsets;  ///< first value of each surface, and the end
        /// Returns the number of values of a surface.
        std::size_t count(std::size_t surface) const {
            return offsets[surface + 1] - offsets[surface];
        }
    };
    std::array<Values, kBendingAxes.size()> axes_;  ///< in the order of kBendingAxes
};

/// Writes the rows of bent mirrors without their facets; nothing if all are rigid. table: the table
/// of surfaces in the group.
void write_bending_rows(const std::vector<std::shared_ptr<const Surface>>& surfaces,
                        TableWriter& table,
                        hdf5::Group& group);

}  // namespace helioray::columns
