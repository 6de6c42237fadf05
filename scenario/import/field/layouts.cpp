// SPDX-License-Identifier: MIT
// Distances of rings, rings and grids, and neighbours in a grid of cells.
#include "scenario/import/field/layouts.h"

#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace helioray {

std::optional<double> radius_behind(double radius, const RingSizes& sizes) {
    const double half = 0.5 * sizes.height;
    const double slant = std::hypot(radius, sizes.aim_height);
    if (slant <= half) return std::nullopt;
    const double upper_edge = std::atan2(sizes.aim_height, radius) - std::asin(half / slant);
    if (upper_edge <= 0.0) return std::nullopt;
    return (half + sizes.aim_height * std::cos(upper_edge)) / std::sin(upper_edge);
}

double staggered_radius(double radius, double slot, const RingSizes& sizes) {
    // Solve d^2 = R^2 + r^2 - 2 R r cos(slot / 2) for R.
    const double across = radius * std::sin(0.5 * slot);
    const double rest = sizes.min_distance * sizes.min_distance - across * across;
    if (rest <= 0.0) return radius;
    return std::max(radius, radius * std::cos(0.5 * slot) + std::sqrt(rest));
}

std::optional<DelsolSpacing> delsol_spacing(double radius, const RingSizes& sizes) {
    constexpr double kLowestElevation = 0.06;  // radians; the azimuthal formula has a pole at 0.049
    const double a = std::atan2(sizes.aim_height, radius);
    if (a < kLowestElevation) return std::nullopt;
    const double rows = 1.1442399 / std::tan(a) - 1.093519 + 3.0683558 * a - 1.1255617 * a * a;
    const double crowding = 1.0 - 0.5 * rows * sizes.width / radius;
    if (rows <= 0.0 || crowding <= 0.0) return std::nullopt;
    const double neighbours = 1.7490871 + 0.63964099 * a + 0.028726279 / (a - 0.049023315);
    return DelsolSpacing{0.5 * rows * sizes.height, neighbours * sizes.width / crowding};
}

double min_distance(const FieldTemplate& field) {
    return field.layout.min_distance.value_or(turning_diameter(field.heliostat));
}

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
// More heliostats indicate a wrong unit: they would need rings of 300 km.
constexpr size_t kMostHeliostats = 2'000'000;

/// Tolerance for rounding at bounds.
constexpr double kHair = 1e-9;

double sector_width(const LayoutTemplate& layout) {
    return layout.azimuth_to - layout.azimuth_from;
}

double sector_middle(const LayoutTemplate& layout) {
    return layout.azimuth_from + 0.5 * sector_width(layout);
}

size_t wanted(const LayoutTemplate& layout) {
    return layout.heliostats ? static_cast<size_t>(*layout.heliostats) : kMostHeliostats;
}

/// Builds rings of radially staggered heliostats, zone by zone.
class Rings {
  public:
    Rings(const FieldTemplate& field, std::vector<std::string>& report)
        : layout_(field.layout),
          sizes_{field.heliostat.width,
                 field.heliostat.height,
                 field.tower.optical_height - field.heliostat.pivot_height,
                 min_distance(field)},
          report_(report) {}

    std::vector<PlanPosition> make() {
        double radius = *layout_.min_radius;
        begin_zone(radius);
        while (positions_.size() < wanted(layout_) &&
               radius <= layout_.max_radius * (1.0 + kHair)) {
            add_ring(radius);
            const auto next = next_radius();
            if (!next) break;
            radius = *next;
        }
        report_.push_back(fmt::format("layout: {} rings in {} zones, radii from {:.1f} to {:.1f} m",
                                      radii_.size(),
                                      zones_,
                                      radii_.front(),
                                      radii_.back()));
        return std::move(positions_);
    }

  private:
    bool delsol() const { return layout_.radial_spacing == RadialSpacing::delsol; }

    /// Returns the distance between neighbours at the start of a zone, metres.
    double neighbour_distance(double radius) const {
        double distance = layout_.azimuthal_spacing * sizes_.width;
        if (delsol()) {
            const auto spacing = delsol_spacing(radius, sizes_);
            distance = spacing ? spacing->azimuthal : 0.0;
        }
        return std::max(distance, sizes_.min_distance);
    }

    void begin_zone(double radius) {
        ++zones_;
        rings_in_zone_ = 0;
        first_distance_ = neighbour_distance(radius);
        // Use the straight distance on a circle of that radius, with a whole number of slots in a
        // full turn.
        const double slot =
            2.0 * std::asin(std::min(1.0, 0.5 * first_distance_ / std::max(radius, 1e-9)));
        slot_ = kTurn / std::max(1.0, std::floor(kTurn / slot + kHair));
    }

    void add_ring(double radius) {
        // Slots are counted from the middle of the sector; every other ring is shifted by half a
        // slot.
        const double shift = rings_in_zone_ % 2 == 0 ? 0.0 : 0.5;
        const double half = 0.5 * sector_width(layout_);
        std::vector<double> angles;
        const auto slots = static_cast<int64_t>(std::round(kTurn / slot_));
        for (int64_t k = -slots; k <= slots; ++k) {
            const double angle = (static_cast<double>(k) + shift) * slot_;
            // A full turn has no ends, so it contains each slot once.
            const bool inside = half >= 0.5 * kTurn - kHair
                                    ? angle > -0.5 * kTurn + kHair && angle <= 0.5 * kTurn + kHair
                                    : std::abs(angle) <= half + kHair;
            if (inside) angles.push_back(angle);
        }
        // An incomplete last ring is filled from the middle.
        std::stable_sort(angles.begin(), angles.end(), [](double a, double b) {
            return std::abs(a) < std::abs(b) - kHair;
        });
        for (const double angle : angles) {
            if (positions_.size() >= wanted(layout_)) break;
            const double azimuth = sector_middle(layout_) + angle;
            positions_.push_back({radius * std::sin(azimuth), radius * std::cos(azimuth)});
        }
        radii_.push_back(radius);
        ++rings_in_zone_;
        if (positions_.size() >= kMostHeliostats) {
            throw InputError(Problem{"layout",
                                     fmt::format("more than {} heliostats", kMostHeliostats),
                                     "bounds and sizes do not fit together",
                                     "check their units"});
        }
    }

    /// Returns the radius by the rule of the layout alone; no value where the rule ends.
    std::optional<double> ruled_radius(bool new_zone) const {
        const double last = radii_.back();
        if (delsol()) {
            const auto spacing = delsol_spacing(last, sizes_);
            if (!spacing) return std::nullopt;
            return last + spacing->radial;
        }
        // The first ring of a zone is behind the last ring of the previous zone. The second ring
        // looks through the gaps of the first. From the third on, each ring looks above the ring
        // before the previous one.
        if (new_zone) return radius_behind(last, sizes_);
        if (rings_in_zone_ < 2) return last;
        return radius_behind(radii_[radii_.size() - 2], sizes_);
    }

    std::optional<double> next_radius() {
        const double last = radii_.back();
        const auto ruled = ruled_radius(false);
        if (!ruled) return end_of_rule();
        double next = std::max(*ruled, staggered_radius(last, slot_, sizes_));
        if (rings_in_zone_ > 1)
            next = std::max(next, radii_[radii_.size() - 2] + sizes_.min_distance);
        const double grown = 2.0 * next * std::sin(0.5 * slot_);
        if (grown <= layout_.spacing_reset * first_distance_) return next;
        const auto behind = ruled_radius(true);
        if (!behind) return end_of_rule();
        next = std::max(*behind, last + sizes_.min_distance);
        begin_zone(next);
        return next;
    }

    std::optional<double> end_of_rule() {
        report_.push_back(fmt::format(
            "layout: no ring can stand behind {:.1f} m, the receiver is too low", radii_.back()));
        return std::nullopt;
    }

    const LayoutTemplate& layout_;
    RingSizes sizes_;
    std::vector<std::string>& report_;
    std::vector<PlanPosition> positions_;
    std::vector<double> radii_;
    double slot_ = 0.0;            // radians
    double first_distance_ = 0.0;  // metres
    int rings_in_zone_ = 0;
    int zones_ = 0;
};

bool in_sector(const LayoutTemplate& layout, const PlanPosition& at) {
    const double half = 0.5 * sector_width(layout);
    if (half >= 0.5 * kTurn - kHair) return true;
    const double off = std::remainder(std::atan2(at[0], at[1]) - sector_middle(layout), kTurn);
    return std::abs(off) <= half + kHair;
}

/// Returns rows from west to east; in a cornfield every other one is shifted by half a spacing.
std::vector<PlanPosition> make_grid(const FieldTemplate& field, std::vector<std::string>& report) {
    const LayoutTemplate& layout = field.layout;
    const bool staggered = layout.type == LayoutType::cornfield;
    const double apart = min_distance(field);
    const double dx = layout.spacing_x.value_or(apart);
    // Staggered rows may be closer.
    const double closest =
        staggered ? std::sqrt(std::max(apart * apart - 0.25 * dx * dx, 0.25 * apart * apart))
                  : apart;
    const double dy = layout.spacing_y.value_or(closest);
    report.push_back(
        fmt::format("layout: {:.3f} m between neighbours of a row, {:.3f} m between rows", dx, dy));

    const bool bounded = std::isfinite(layout.max_radius);
    const double share = sector_width(layout) / kTurn;
    double reach = layout.max_radius;
    std::vector<PlanPosition> positions;
    // Without a largest radius, the grid grows until a circle contains enough heliostats.
    if (!bounded)
        reach = std::hypot(
            *layout.min_radius,
            std::sqrt(static_cast<double>(wanted(layout)) * dx * dy / (share * std::numbers::pi)));
    while (true) {
        positions.clear();
        const double cells = kTurn * 0.5 * reach * reach * share / (dx * dy);
        if (cells > 2.0 * static_cast<double>(kMostHeliostats)) {
            throw InputError(Problem{"layout",
                                     fmt::format("more than {} heliostats", kMostHeliostats),
                                     "bounds and distances do not fit together",
                                     "check their units"});
        }
        const auto rows = static_cast<int64_t>(reach / dy) + 1;
        const auto columns = static_cast<int64_t>(reach / dx) + 1;
        for (int64_t i = -rows; i <= rows; ++i) {
            const double shift = staggered && i % 2 != 0 ? 0.5 : 0.0;
            for (int64_t k = -columns; k <= columns; ++k) {
                const PlanPosition at{(static_cast<double>(k) + shift) * dx,
                                      static_cast<double>(i) * dy};
                const double radius = std::hypot(at[0], at[1]);
                if (radius >= *layout.min_radius - kHair && radius <= reach + kHair &&
                    in_sector(layout, at))
                    positions.push_back(at);
            }
        }
        if (bounded || positions.size() >= wanted(layout)) break;
        reach += 2.0 * std::max(dx, dy);
    }
    // Select the nearest heliostats, regardless of rounding of equal distances.
    std::stable_sort(
        positions.begin(), positions.end(), [](const PlanPosition& a, const PlanPosition& b) {
            return std::hypot(a[0], a[1]) < std::hypot(b[0], b[1]) - kHair;
        });
    if (positions.size() > wanted(layout)) positions.resize(wanted(layout));
    return positions;
}

}  // namespace

std::vector<PlanPosition> make_layout(const FieldTemplate& field,
                                      std::vector<std::string>& report) {
    const LayoutTemplate& layout = field.layout;
    if (field.tower.optical_height <= field.heliostat.pivot_height) {
        throw InputError(
            Problem{"tower.optical_height_m",
                    fmt::format("the receiver's centre at {} m is not above the pivots at {} m",
                                field.tower.optical_height,
                                field.heliostat.pivot_height),
                    "heliostats could not see it over each other",
                    "raise tower.optical_height_m or lower heliostat.pivot_height_m"});
    }
    std::vector<PlanPosition> positions = layout.type == LayoutType::radial_stagger
                                              ? Rings(field, report).make()
                                              : make_grid(field, report);
    if (positions.empty()) {
        throw InputError(Problem{"layout", "no heliostat fits into the bounds", "", "widen them"});
    }
    if (layout.heliostats && positions.size() < static_cast<size_t>(*layout.heliostats)) {
        throw InputError(
            Problem{"layout.heliostats",
                    fmt::format("only {} of {} heliostats fit into the bounds",
                                positions.size(),
                                *layout.heliostats),
                    "",
                    "raise max_radius_m, widen the sector, raise the tower or ask for fewer"});
    }
    return positions;
}

std::vector<TooClose> too_close(const std::vector<Vec3>& positions, double distance, size_t most) {
    // Heliostats closer than the distance are in the same cell or in neighbouring cells.
    using Cell = std::pair<int64_t, int64_t>;
    std::vector<TooClose> pairs;
    if (!(distance > 0.0)) return pairs;
    std::map<Cell, std::vector<size_t>> cells;
    for (size_t i = 0; i < positions.size() && pairs.size() < most; ++i) {
        const Cell own{static_cast<int64_t>(std::floor(positions[i][0] / distance)),
                       static_cast<int64_t>(std::floor(positions[i][1] / distance))};
        for (int64_t de = -1; de <= 1; ++de) {
            for (int64_t dn = -1; dn <= 1; ++dn) {
                const auto cell = cells.find({own.first + de, own.second + dn});
                if (cell == cells.end()) continue;
                for (const size_t other : cell->second) {
                    const double apart = norm(subtract(positions[i], positions[other]));
                    if (apart < distance) pairs.push_back({other, i, apart});
                }
            }
        }
        cells[own].push_back(i);
    }
    std::sort(pairs.begin(), pairs.end(), [](const TooClose& a, const TooClose& b) {
        return std::pair{a.first, a.second} < std::pair{b.first, b.second};
    });
    return pairs;
}

}  // namespace helioray
