// SPDX-License-Identifier: MIT
// Facets of all surfaces one after the other; a surface counts its facets, a facet its control
// points.
#include "scenario/columns/surface_columns.h"

#include "scenario/columns/facet_extensions.h"
#include "scenario/columns/table.h"
#include "scenario/types/components/component_rules.h"
#include "scenario/types/type_names.h"

#include <algorithm>
#include <string>

namespace helioray::columns {

namespace {

constexpr const char* kSurface = "surface";
constexpr const char* kFacet = "facet";
constexpr auto kCells = static_cast<std::size_t>(Facet::kDeviationsAlongEdge);
constexpr std::size_t kDeviations = kCells * kCells * 2;
// Rows are read in blocks, so that a field of millions of facets is not twice in memory.
constexpr std::size_t kFacetsOfBlock = 32768;
constexpr std::size_t kPointsOfBlock = std::size_t{1} << 20;

void append(std::vector<double>& values, const Vec3& vector) {
    values.insert(values.end(), vector.begin(), vector.end());
}

bool has_focal_length(FacetShape shape) {
    return shape == FacetShape::paraboloid || shape == FacetShape::sphere;
}

/// Names of facets ascend, as HDF5 lists groups. Those of each row of a bent mirror follow.
std::vector<const Facet*> sorted_facets(const Surface& surface) {
    std::vector<const Facet*> facets;
    const auto append = [&](const std::vector<Facet>& added) {
        const std::ptrdiff_t first = std::ssize(facets);
        for (const Facet& facet : added) facets.push_back(&facet);
        std::stable_sort(facets.begin() + first, facets.end(), [](const Facet* a, const Facet* b) {
            return a->name < b->name;
        });
    };
    append(surface.facets);
    for (const BentFacets& row : surface.bent) append(row.facets);
    return facets;
}

/// The facets of a field, opened for reading.
class FacetReader {
  public:
    explicit FacetReader(const hdf5::Group& group)
        : table_(group, kFacet, "position"),
          names_(table_.words("name")),
          shape_rows_(read_shapes()),
          degrees_(table_.integers("degrees", {2})),
          num_points_(table_.integers("num_control_points", {2})),
          points_(group, kFacet, table_.contains("control_points") ? "control_points" : "position"),
          has_deviations_(table_.contains("has_slope_deviation") ||
                          table_.contains("slope_deviation")),
          deviations_(group, kFacet, has_deviations_ ? "slope_deviation" : "position"),
          outlines_(group, kFacet, table_) {
        check_degrees();
        check_points();
        check_deviations();
    }

    std::size_t rows() const { return table_.rows(); }
    std::size_t points_before(std::size_t facet) const { return point_offsets_[facet]; }
    const Table& table() const { return table_; }

    /// Facets `first` to `first + count - 1`.
    std::vector<Facet> read(std::size_t first, std::size_t count) const {
        const std::vector<double> positions = table_.numbers("position", {3}, first, count);
        const std::vector<double> canting = table_.numbers("canting", {2, 3}, first, count);
        const std::vector<double> lengths = table_.numbers("focal_length", {}, first, count);
        const std::vector<double> points = read_points(first, count);
        const std::vector<double> deviations = read_deviations(first, count);
        std::vector<Facet> facets(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t row = first + i;
            Facet& facet = facets[i];
            facet.name = name(row);
            facet.shape = shapes_[static_cast<std::size_t>(shape_rows_[row])];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                facet.translation[axis] = positions[3 * i + axis];
                facet.canting_e[axis] = canting[6 * i + axis];
                facet.canting_n[axis] = canting[6 * i + 3 + axis];
            }
            facet.degrees = {degrees_[2 * row], degrees_[2 * row + 1]};
            facet.num_control_points = {num_points_[2 * row], num_points_[2 * row + 1]};
            take(facet.control_points, points, point_offsets_, 3, first, row);
            take(facet.slope_deviation, deviations, deviation_offsets_, kDeviations, first, row);
            if (has_focal_length(facet.shape)) facet.focal_length = lengths[i];
            facet.outline = outlines_.read(row);
        }
        check(facets, first);
        return facets;
    }

    const std::string& name(std::size_t row) const {
        return names_.words[static_cast<std::size_t>(names_.rows[row])];
    }

  private:
    static void take(std::vector<double>& out,
                     const std::vector<double>& values,
                     const std::vector<std::size_t>& offsets,
                     std::size_t width,
                     std::size_t first,
                     std::size_t row) {
        if (offsets[row] == offsets[row + 1]) return;
        const auto at = [&](std::size_t index) {
            return values.begin() +
                   static_cast<std::ptrdiff_t>(width * (offsets[index] - offsets[first]));
        };
        out.assign(at(row), at(row + 1));
    }

    std::vector<std::int64_t> read_shapes() {
        Words words = table_.words("shape");
        for (const std::string& word : words.words) {
            const auto shape = from_string<FacetShape>(word);
            if (!shape) {
                throw InputError(Problem{table_.where("shape_words"),
                                         fmt::format("'{}' is unknown", word),
                                         "",
                                         "use " + all_names<FacetShape>()});
            }
            shapes_.push_back(*shape);
        }
        return std::move(words.rows);
    }

    bool is_spline(std::size_t row) const {
        return shapes_[static_cast<std::size_t>(shape_rows_[row])] == FacetShape::bspline;
    }

    void check_degrees() const {
        table_.require(
            "degrees",
            0,
            rows(),
            [&](std::size_t row) {
                return is_spline_degree(static_cast<double>(degrees_[2 * row])) &&
                       is_spline_degree(static_cast<double>(degrees_[2 * row + 1]));
            },
            "is not a spline degree",
            "degrees are integers from 1 to 100");
    }

    void check_points() {
        constexpr std::int64_t kMost = 1'000'000;
        std::vector<std::size_t> counts(rows());
        table_.require(
            "num_control_points",
            0,
            rows(),
            [&](std::size_t row) {
                const std::int64_t u = num_points_[2 * row], v = num_points_[2 * row + 1];
                if (u < 0 || v < 0 || u > kMost || v > kMost) return false;
                counts[row] = static_cast<std::size_t>(u * v);
                if (u == 0 && v == 0 && !is_spline(row)) return true;
                return u > degrees_[2 * row] && v > degrees_[2 * row + 1];
            },
            "does not suit the degrees",
            "a spline needs more points than its degree, along both axes");
        const bool has_points = table_.contains("control_points");
        point_offsets_ = read_offsets(table_,
                                      "num_control_points",
                                      counts,
                                      has_points ? points_.rows() : 0,
                                      "control points");
    }

    void check_deviations() {
        std::vector<std::size_t> counts(rows(), 0);
        std::size_t expected = 0;
        if (has_deviations_) {
            const std::vector<std::int64_t> has = table_.indices("has_slope_deviation", 2);
            std::transform(has.begin(), has.end(), counts.begin(), [](std::int64_t value) {
                return static_cast<std::size_t>(value);
            });
            expected = deviations_.rows();
        }
        deviation_offsets_ =
            read_offsets(table_, "has_slope_deviation", counts, expected, "slope deviations");
    }

    std::vector<double> read_points(std::size_t first, std::size_t count) const {
        const std::size_t begin = point_offsets_[first], end = point_offsets_[first + count];
        if (begin == end) return {};
        return points_.numbers("control_points", {3}, begin, end - begin);
    }

    std::vector<double> read_deviations(std::size_t first, std::size_t count) const {
        const std::size_t begin = deviation_offsets_[first];
        const std::size_t end = deviation_offsets_[first + count];
        if (begin == end) return {};
        return deviations_.numbers("slope_deviation", {kCells, kCells, 2}, begin, end - begin);
    }

    void check(const std::vector<Facet>& facets, std::size_t first) const {
        const auto of_row = [&](std::size_t row) -> const Facet& { return facets[row - first]; };
        table_.require(
            "canting",
            first,
            facets.size(),
            [&](std::size_t row) { return spans_area(of_row(row)); },
            "has two vectors that are zero or parallel",
            "they are the half extents of the facet along its edges");
        table_.require(
            "focal_length",
            first,
            facets.size(),
            [&](std::size_t row) {
                const Facet& facet = of_row(row);
                return !has_focal_length(facet.shape) || facet.focal_length > 0.0;
            },
            "is not greater than 0",
            "paraboloids and spheres have a focal length in metres");
        table_.require(
            "focal_length",
            first,
            facets.size(),
            [&](std::size_t row) { return fits_its_sphere(of_row(row)); },
            "is too small for its facet",
            "the facet's half diagonal is larger than the radius of the sphere, twice the focal "
            "length");
    }

    Table table_;
    Words names_;
    std::vector<FacetShape> shapes_;
    std::vector<std::int64_t> shape_rows_;
    std::vector<std::int64_t> degrees_;
    std::vector<std::int64_t> num_points_;
    Table points_;  // control points, the facets' where there are none
    bool has_deviations_;
    Table deviations_;  // slope deviations, the facets' where there are none
    OutlineReader outlines_;
    std::vector<std::size_t> point_offsets_;
    std::vector<std::size_t> deviation_offsets_;
};

/// The facets of each surface: the rows from one number to the next.
std::vector<std::size_t> facet_offsets(const Table& surfaces, const FacetReader& facets) {
    const std::vector<std::int64_t> numbers = surfaces.integers("num_facets", {});
    std::vector<std::size_t> counts(numbers.size());
    surfaces.require(
        "num_facets",
        0,
        numbers.size(),
        [&](std::size_t row) {
            counts[row] = static_cast<std::size_t>(std::max<std::int64_t>(0, numbers[row]));
            return numbers[row] > 0;
        },
        "is not greater than 0",
        "a surface has one facet or more");
    return read_offsets(surfaces, "num_facets", counts, facets.rows(), "facets");
}

/// Throws for a facet whose numbers do not fill their shapes.
void require_shapes(const Facet& facet, const hdf5::Group& group) {
    const auto points =
        static_cast<std::size_t>(3 * facet.num_control_points[0] * facet.num_control_points[1]);
    const bool has_shape = (facet.control_points.empty() && facet.shape != FacetShape::bspline) ||
                           facet.control_points.size() == points;
    if (has_shape && (facet.slope_deviation.empty() || facet.slope_deviation.size() == kDeviations))
        return;
    throw InputError(
        Problem{group.where_of(kFacet),
                fmt::format("the numbers of facet '{}' do not fill their shape", facet.name),
                "control points are an array of [nu, nv, 3], slope deviations of "
                "[8, 8, 2]",
                ""});
}

void check_names(const FacetReader& facets,
                 const std::vector<std::size_t>& offsets,
                 const BendingRows& bending) {
    std::vector<bool> begins(facets.rows() + 1, false);
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const std::size_t parts = bending.count(i) + 1;
        const std::size_t each = (offsets[i + 1] - offsets[i]) / parts;
        for (std::size_t k = 0; k < parts; ++k) begins[offsets[i] + k * each] = true;
    }
    facets.table().require(
        "name",
        0,
        facets.rows(),
        [&](std::size_t row) { return begins[row] || facets.name(row - 1) < facets.name(row); },
        "is not in order",
        "the names of a surface's facets ascend and occur once");
}

}  // namespace

void write_surfaces(hdf5::Group& group,
                    const std::vector<std::shared_ptr<const Surface>>& surfaces) {
    std::vector<std::int64_t> num_facets, degrees, num_points, has_deviation;
    std::vector<std::string> names, shapes;
    std::vector<double> positions, canting, lengths, points, deviations;
    std::vector<const FacetOutline*> outlines;
    for (const auto& surface : surfaces) {
        const std::vector<const Facet*> written = sorted_facets(*surface);
        num_facets.push_back(std::ssize(written));
        for (const Facet* facet : written) {
            names.push_back(facet->name);
            outlines.push_back(&facet->outline);
            shapes.push_back(to_string(facet->shape));
            append(positions, facet->translation);
            append(canting, facet->canting_e);
            append(canting, facet->canting_n);
            lengths.push_back(has_focal_length(facet->shape) ? facet->focal_length : 0.0);
            degrees.insert(degrees.end(), facet->degrees.begin(), facet->degrees.end());
            const bool has_points = !facet->control_points.empty();
            for (const std::int64_t number : facet->num_control_points)
                num_points.push_back(has_points ? number : 0);
            require_shapes(*facet, group);
            points.insert(points.end(), facet->control_points.begin(), facet->control_points.end());
            has_deviation.push_back(facet->slope_deviation.empty() ? 0 : 1);
            deviations.insert(
                deviations.end(), facet->slope_deviation.begin(), facet->slope_deviation.end());
        }
    }
    TableWriter table(group, kSurface);
    table.integers("num_facets", num_facets, {}, "number of facets, which follow each other");
    write_bending_rows(surfaces, table, group);
    TableWriter facets(group, kFacet);
    facets.words("name", names, "names, ascending within a surface");
    facets.words("shape", shapes, "bspline, flat, paraboloid or sphere");
    facets.numbers("position", positions, {3}, "m", "centre in the mirror frame");
    facets.numbers("canting", canting, {2, 3}, "m", "half extents along the edges e and n");
    facets.numbers("focal_length", lengths, {}, "m", "of paraboloids and spheres, otherwise 0");
    facets.integers("degrees", degrees, {2}, "degrees of the spline along e and n");
    facets.integers("num_control_points",
                    num_points,
                    {2},
                    "control points along e and n; they follow each other in control_points");
    facets.numbers("control_points",
                   points,
                   {3},
                   "m",
                   "control points of all facets, the index along n running fastest");
    write_outlines(outlines, facets);
    if (deviations.empty()) return;
    facets.integers("has_slope_deviation", has_deviation, {}, "1 where slope_deviation has a row");
    facets.numbers("slope_deviation",
                   deviations,
                   {kCells, kCells, 2},
                   "rad",
                   "standard deviations of reconstructed slopes along e and n");
}

std::size_t count_surfaces(const hdf5::Group& group) {
    return Table(group, kSurface, "num_facets").rows();
}

std::vector<std::shared_ptr<const Surface>> read_surfaces(const hdf5::Group& group,
                                                          const std::vector<bool>& needed) {
    const Table table(group, kSurface, "num_facets");
    const FacetReader facets(group);
    const std::vector<std::size_t> offsets = facet_offsets(table, facets);
    const BendingRows bending(group, table);
    check_names(facets, offsets, bending);
    std::vector<std::shared_ptr<const Surface>> surfaces(table.rows());
    for (std::size_t first = 0; first < surfaces.size();) {
        std::size_t end = first;
        const auto is_full = [&] {
            return offsets[end + 1] - offsets[first] > kFacetsOfBlock ||
                   facets.points_before(offsets[end + 1]) - facets.points_before(offsets[first]) >
                       kPointsOfBlock;
        };
        while (end < surfaces.size() && needed[end] && (end == first || !is_full())) ++end;
        if (end == first) {
            ++first;
            continue;
        }
        std::vector<Facet> block = facets.read(offsets[first], offsets[end] - offsets[first]);
        for (auto facet = block.begin(); first < end; ++first) {
            const auto next =
                facet + static_cast<std::ptrdiff_t>(offsets[first + 1] - offsets[first]);
            std::vector<Facet> own(std::make_move_iterator(facet), std::make_move_iterator(next));
            surfaces[first] =
                std::make_shared<const Surface>(bending.make_surface(std::move(own), first, table));
            facet = next;
        }
    }
    return surfaces;
}

}  // namespace helioray::columns
