// SPDX-License-Identifier: MIT
// Tables with the content of a scenario, and tables as aligned plain text.
#include "scenario/types/describe.h"

#include "scenario/types/receivers.h"
#include "scenario/types/type_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace helioray {

namespace {

std::string format_vector(const Vec3& v, int digits) {
    const auto tidy = [digits](double x) {
        // Avoid "-0.00".
        return std::abs(x) < 0.5 * std::pow(10.0, -digits) ? 0.0 : x;
    };
    return fmt::format(
        "({:.{}f}, {:.{}f}, {:.{}f})", tidy(v[0]), digits, tidy(v[1]), digits, tidy(v[2]), digits);
}

Table describe_plant(const Scenario& scenario) {
    const GeodeticPosition& at = scenario.position;
    return {"Plant",
            {},
            {{"latitude, longitude",
              fmt::format("{:.6f}, {:.6f} deg", at.latitude_deg, at.longitude_deg)},
             {"altitude", fmt::format("{:.2f} m", at.altitude_m)},
             {"format version", fmt::format("{:.1f}", scenario.version)}}};
}

std::vector<std::string> describe_target(const Target& target) {
    return std::visit(
        [&](const auto& shape) -> std::vector<std::string> {
            const TargetWords words = describe_shape(shape);
            Vec3 direction{};
            if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, QuadricTarget>) {
                direction = lit_normal(shape, shape.center);
            } else {
                direction = shape.normal;
            }
            return {target.name,
                    words.kind,
                    words.size,
                    format_vector(shape.center, 2),
                    format_vector(direction, 3)};
        },
        target.geometry);
}

/// Returns a surface's absorptance and reflections: "0.94, 5 bounces".
std::string describe_absorption(const std::optional<SurfaceAbsorption>& surface) {
    if (!surface) return "all";
    std::string text = surface->table.empty() ? fmt::format("{}", surface->absorptance) : "table";
    if (surface->table.empty() && surface->law != AbsorptanceLaw::constant)
        text += " (" + to_string(surface->law) + ")";
    if (surface->bounces > 0) text += fmt::format(", {} bounces", surface->bounces);
    if (surface->bounces > 0 && surface->specular_fraction > 0.0)
        text += fmt::format(", {} specular", surface->specular_fraction);
    return text;
}

Table describe_receivers(const Scenario& scenario) {
    // Plants whose surfaces absorb everything do without the column.
    const bool reflects =
        std::any_of(scenario.targets.begin(), scenario.targets.end(), [](const Target& target) {
            return target.absorption.has_value();
        });
    Table table{"Receivers", {"name", "absorbers", "shields", "absorbing [m2]", "aim point"}, {}};
    if (reflects) table.headers.emplace_back("absorptance");
    const bool has_mirrors = std::ranges::any_of(
        scenario.targets, [](const Target& target) { return target.use == SurfaceUse::mirror; });
    if (has_mirrors) table.headers.emplace_back("mirrors");
    for (const Receiver& receiver : scenario.receivers) {
        size_t absorbers = 0;
        double area = 0.0;
        size_t mirrors = 0;
        std::set<std::string> absorptances;
        const std::vector<size_t> surfaces = find_surfaces(scenario.targets, receiver.name);
        for (const size_t index : surfaces) {
            const Target& target = scenario.targets[index];
            mirrors += target.use == SurfaceUse::mirror;
            if (target.use != SurfaceUse::absorber) continue;
            ++absorbers;
            area += surface_area(target);
            absorptances.insert(describe_absorption(target.absorption));
        }
        table.rows.push_back(
            {receiver.name,
             std::to_string(absorbers),
             std::to_string(surfaces.size() - absorbers - mirrors),
             fmt::format("{:.2f}", area),
             receiver.aim_point ? format_vector(*receiver.aim_point, 2) : "facing surface"});
        if (reflects) table.rows.back().push_back(fmt::format("{}", fmt::join(absorptances, "; ")));
        if (has_mirrors) table.rows.back().push_back(std::to_string(mirrors));
    }
    return table;
}

struct ShapeDescriber {
    std::string operator()(const GaussianShape& s) const {
        return fmt::format("sigma {:.4g} mrad per axis", s.sigma * 1e3);
    }
    std::string operator()(const PillboxShape& s) const {
        return fmt::format("half angle {:.4g} mrad", s.half_angle * 1e3);
    }
    std::string operator()(const BuieShape& s) const {
        std::string ratio = fmt::format("circumsolar ratio {:.4g}", s.csr);
        if (s.calibration == BuieCalibration{}) return ratio;
        return fmt::format("{}, calibration {}", ratio, to_string(s.calibration));
    }
    std::string operator()(const LimbDarkenedShape&) const { return ""; }
    std::string operator()(const CollimatedShape&) const { return ""; }
    std::string operator()(const TableShape& s) const {
        return fmt::format("{} angles up to {:.4g} mrad", s.angle.size(), s.angle.back() * 1e3);
    }
    /// Describes shapes that are defined in separate headers.
    std::string operator()(const auto& s) const { return describe_shape(s); }
};

// Formats "3" or "3 to 5".
template <typename Items, typename Value>
std::string format_range(const Items& items, Value value, const char* spec) {
    const auto [low, high] =
        std::minmax_element(items.begin(), items.end(), [&](const auto& a, const auto& b) {
            return value(a) < value(b);
        });
    const std::string first = fmt::format(fmt::runtime(spec), value(*low));
    const std::string last = fmt::format(fmt::runtime(spec), value(*high));
    return first == last ? first : first + " to " + last;
}

// Formats "3 rigid_body, 1 azimuth_elevation".
std::string format_counts(const std::map<std::string, size_t>& counts) {
    std::string text;
    for (const auto& [name, count] : counts) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    }
    return text;
}

template <typename Name>
std::string count_by(const std::vector<Heliostat>& heliostats, Name name) {
    std::map<std::string, size_t> counts;
    for (const Heliostat& heliostat : heliostats) ++counts[name(heliostat)];
    return format_counts(counts);
}

// Returns the mirror area; the canting vectors are half extents.
double mirror_area(const Surface& surface) {
    double area = 0.0;
    for (const Facet& facet : surface.facets) {
        const Vec3& e = facet.canting_e;
        const Vec3& n = facet.canting_n;
        area +=
            4.0 * outline_fraction(facet.outline) *
            std::hypot(
                e[1] * n[2] - e[2] * n[1], e[2] * n[0] - e[0] * n[2], e[0] * n[1] - e[1] * n[0]);
    }
    return area;
}

// Returns "bspline 10 x 10, fitted": the shapes of all facets, each once.
std::string surface_kind(const Surface& surface) {
    std::set<std::string> kinds;
    for (const Facet& facet : surface.facets) {
        std::string kind = to_string(facet.shape);
        if (facet.shape == FacetShape::bspline) {
            kind += fmt::format(" {}x{}", facet.num_control_points[0], facet.num_control_points[1]);
        }
        kinds.insert(kind + describe_outline(facet.outline));
    }
    const bool is_by_gravity = surface.bending_axis == BendingAxis::elevation;
    const std::string bent =
        !surface.is_bent() ? ""
        : is_by_gravity    ? fmt::format(", bent by gravity ({} elevations)", surface.bent.size())
                           : fmt::format(", bent by temperature ({:g} to {:g} °C)",
                                      surface.bent.front().at,
                                      surface.bent.back().at);
    return fmt::format(
        "{}{}{}", fmt::join(kinds, " + "), surface.is_fitted() ? " (fitted)" : "", bent);
}

Table describe_heliostats(const std::vector<Heliostat>& heliostats) {
    Table table{"Heliostats", {}, {{"number", std::to_string(heliostats.size())}}};
    if (heliostats.empty()) return table;
    double area = 0.0;
    std::map<const Surface*, std::string> surface_kinds;
    for (const Heliostat& heliostat : heliostats) {
        area += mirror_area(*heliostat.surface);
        const Surface* surface = heliostat.surface.get();
        if (!surface_kinds.contains(surface)) surface_kinds[surface] = surface_kind(*surface);
    }
    const auto facets = [](const Heliostat& h) { return h.surface->facets.size(); };
    const auto coordinate = [&](size_t axis) {
        return format_range(
            heliostats, [axis](const Heliostat& h) { return h.position[axis]; }, "{:.2f}");
    };
    table.rows.insert(
        table.rows.end(),
        {{"mirror area", fmt::format("{:.2f} m2", area)},
         {"facets each", format_range(heliostats, facets, "{}")},
         {"surfaces",
          count_by(heliostats, [&](const Heliostat& h) { return surface_kinds[h.surface.get()]; })},
         {"different surfaces", std::to_string(surface_kinds.size())},
         {"kinematics",
          count_by(heliostats, [](const Heliostat& h) { return to_string(h.kinematics->type); })},
         {"actuators",
          count_by(heliostats,
                   [](const Heliostat& h) { return to_string((*h.actuators)[0].type); })},
         {"east", coordinate(0) + " m"},
         {"north", coordinate(1) + " m"},
         {"up", coordinate(2) + " m"}});
    return table;
}

}  // namespace

std::vector<Table> describe(const Scenario& scenario) {
    Table targets{"Targets", {"name", "kind", "size [m]", "centre [m]", "normal"}, {}};
    for (const Target& target : scenario.targets) targets.rows.push_back(describe_target(target));

    Table suns{"Light sources", {"name", "distribution", "parameters", "rays per point"}, {}};
    for (const LightSource& source : scenario.light_sources) {
        suns.rows.push_back({source.name,
                             sun_shape_name(source.shape),
                             std::visit(ShapeDescriber{}, source.shape),
                             std::to_string(source.number_of_rays)});
    }

    std::vector<Table> tables{describe_plant(scenario), targets};
    if (!scenario.receivers.empty()) tables.push_back(describe_receivers(scenario));
    tables.push_back(suns);
    tables.push_back(describe_heliostats(scenario.heliostats));
    if (!scenario.warnings.empty()) {
        Table warnings{"Warnings", {}, {}};
        for (const std::string& warning : scenario.warnings) warnings.rows.push_back({warning});
        tables.push_back(std::move(warnings));
    }
    return tables;
}

namespace {

// Returns the number of characters on the screen: bytes that do not continue a UTF-8 sequence.
size_t display_width(const std::string& text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

void append_row(std::string& text,
                const std::vector<std::string>& cells,
                const std::vector<size_t>& widths) {
    text += "  ";
    for (size_t i = 0; i < cells.size(); ++i) {
        text += cells[i];
        if (i + 1 < cells.size()) text.append(widths[i] - display_width(cells[i]) + 2, ' ');
    }
    while (text.back() == ' ') text.pop_back();
    text += '\n';
}

}  // namespace

std::string format_tables(const std::vector<Table>& tables) {
    std::string text;
    for (const Table& table : tables) {
        std::vector<size_t> widths;
        const auto widen = [&](const std::vector<std::string>& cells) {
            widths.resize(std::max(widths.size(), cells.size()), 0);
            for (size_t i = 0; i < cells.size(); ++i) {
                widths[i] = std::max(widths[i], display_width(cells[i]));
            }
        };
        widen(table.headers);
        for (const auto& row : table.rows) widen(row);

        if (!text.empty()) text += '\n';
        text += table.title + '\n';
        if (!table.headers.empty()) {
            append_row(text, table.headers, widths);
            std::vector<std::string> rules;
            for (size_t i = 0; i < table.headers.size(); ++i) rules.emplace_back(widths[i], '-');
            append_row(text, rules, widths);
        }
        for (const auto& row : table.rows) append_row(text, row, widths);
    }
    return text;
}

}  // namespace helioray
