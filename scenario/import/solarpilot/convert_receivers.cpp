// SPDX-License-Identifier: MIT
// Converts receivers to ready-made shapes.
#include "scenario/files/units.h"
#include "scenario/import/solarpilot/conversion.h"
#include "scenario/receivers/panels.h"
#include "scenario/receivers/shapes.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace helioray::solarpilot {

namespace {

constexpr int kMostPanels = 1000;

enum class Geometry { external, cavity, plate };

/// Refuses a receiver whose axis or aperture leans, where the shape stands upright.
void refuse_lean(const Instance& from, const std::string& shape) {
    const double lean = from.number("rec_elevation", "deg", 0.0);
    if (lean != 0.0)
        from.refuse("rec_elevation",
                    fmt::format("{} that leans by {} degrees", shape, lean),
                    "set it to 0 in SolarPILOT; flat plates may lean");
}

/// An arc about a vertical axis, radians; bearings clockwise from north.
struct Arc {
    double middle = 0.0;
    double width = 2.0 * std::numbers::pi;
};

/// Returns the arc that an open receiver covers. Its span counts from the receiver's azimuth.
Arc open_arc(const Instance& from, double azimuth) {
    if (!from.has("span_min") || !from.has("span_max")) {
        from.refuse("is_open_geom",
                    "an open arc without span_min and span_max",
                    "save the project with a version of SolarPILOT that writes them, or write the "
                    "receiver as a section receivers of the run configuration");
        return {};
    }
    const double begin = from.number("span_min", "deg", -180.0, -360.0, 360.0);
    const double end = from.number("span_max", "deg", 180.0, -360.0, 360.0);
    if (end <= begin || end - begin > 360.0) {
        from.refuse("span_max",
                    fmt::format("a span from {} to {} degrees", begin, end),
                    "it ends above its beginning, by 360 degrees at most");
        return {};
    }
    return {azimuth + 0.5 * (begin + end) * kRadiansPerDegree, (end - begin) * kRadiansPerDegree};
}

void convert_external(const Instance& from, ReceiverConfig& receiver) {
    receiver.type = ReceiverConfig::Type::cylinder;
    receiver.radius = 0.5 * from.length("rec_diameter", 17.65);
    receiver.azimuth = from.number("rec_azimuth", "deg", 0.0) * kRadiansPerDegree;
    refuse_lean(from, "an external receiver");
    const bool is_open = from.flag("is_open_geom", false);
    if (!from.flag("is_polygon", false)) {
        if (!is_open) return;
        const Arc arc = open_arc(from, receiver.azimuth);
        receiver.azimuth = arc.middle;
        receiver.arc = arc.width;
        return;
    }
    receiver.type = ReceiverConfig::Type::polygon;
    receiver.panels = from.count("n_panels", 4, 1, kMostPanels);
    // The diameter is that of the circle around all panels.
    receiver.radius_of = ReceiverConfig::RadiusOf::vertices;
    const double rotation = from.number("panel_rotation", "deg", 0.0) * kRadiansPerDegree;
    const auto panels = static_cast<double>(receiver.panels);
    if (!is_open) {
        // The normal of a panel has the bearing of the rotation. The middle of an even number of
        // panels is an edge, half a panel further.
        const bool is_even = receiver.panels % 2 == 0;
        receiver.azimuth = rotation + (is_even ? std::numbers::pi / panels : 0.0);
        return;
    }
    if (receiver.panels < 2) {
        from.refuse("n_panels", "an open polygon of one panel", "use a flat plate");
        return;
    }
    // The span ends at the middles of the outermost panels.
    const Arc arc = open_arc(from, rotation);
    receiver.azimuth = arc.middle;
    receiver.arc = arc.width * panels / (panels - 1.0);
    if (*receiver.arc > 2.0 * std::numbers::pi * (1.0 + 1e-9))
        from.refuse("span_max",
                    fmt::format("{} panels whose middles span {:.6g} degrees overlap",
                                receiver.panels,
                                arc.width / kRadiansPerDegree),
                    "close the polygon or lower the span");
}

void convert_cavity(const Instance& from, ReceiverConfig& receiver) {
    receiver.type = ReceiverConfig::Type::cavity;
    receiver.azimuth = from.number("rec_azimuth", "deg", 0.0) * kRadiansPerDegree;
    refuse_lean(from, "a cavity");
    receiver.radius = from.length("rec_cav_rad", 8.0);
    receiver.panels = from.count("n_panels", 4, 1, kMostPanels);
    const double depth = from.number("rec_cav_cdepth", "none", -0.25, -0.999, 0.999);
    receiver.arc = std::numbers::pi + 2.0 * std::asin(depth);
    const double share = from.number("rec_cav_apwfrac", "none", 1.0, 1e-3, 1.0);
    receiver.aperture_width = share * 2.0 * receiver.radius * std::sqrt(1.0 - depth * depth);
    receiver.lip_bottom = receiver.height * from.number("rec_cav_blip", "none", 0.0, 0.0, 1.0);
    receiver.lip_top = receiver.height * from.number("rec_cav_tlip", "none", 0.0, 0.0, 1.0);
    if (receiver.lip_top > 0.0)
        from.remark("rec_cav_tlip",
                    "the aperture ends below the top lip; SolarPILOT adds the lip to the "
                    "aperture's height");
    // The offset places the middle of the wall, the aperture lies between the lips.
    receiver.center[2] += 0.5 * (receiver.lip_bottom - receiver.lip_top);
}

void convert_plate(const Instance& from, ReceiverConfig& receiver) {
    receiver.type = ReceiverConfig::Type::billboard;
    if (from.has("aperture_type") && from.text("aperture_type", "Rectangular") != "Rectangular")
        from.refuse("aperture_type",
                    fmt::format("'{}'", from.text("aperture_type", "")),
                    "rectangular plates can be represented");
    receiver.width = from.length("rec_width", 17.0);
    receiver.azimuth = from.number("rec_azimuth", "deg", 0.0) * kRadiansPerDegree;
    receiver.tilt = -from.number("rec_elevation", "deg", 0.0, -90.0, 90.0) * kRadiansPerDegree;
}

/// Returns the offset of a receiver from the tower's axis at the optical height, with those of the
/// receivers that it refers to.
Vec3 total_offset(const Source& source, const std::vector<int>& enabled, int number) {
    Vec3 sum{};
    for (size_t steps = 0; steps <= enabled.size(); ++steps) {
        const Instance from = source.of("receiver", number);
        sum = add(sum,
                  {from.number("rec_offset_x", "m", 0.0),
                   from.number("rec_offset_y", "m", 0.0),
                   from.number("rec_offset_z", "m", 0.0)});
        const std::string reference = from.text("rec_offset_reference", "Tower");
        if (reference == "Tower") return sum;
        const auto next = std::ranges::find_if(enabled, [&](int other) {
            return source.of("receiver", other).text("rec_name", "") == reference;
        });
        if (next == enabled.end()) {
            from.refuse("rec_offset_reference",
                        fmt::format("'{}' is no enabled receiver", reference),
                        "refer to the tower or an enabled receiver");
            return sum;
        }
        number = *next;
    }
    source.of("receiver", number)
        .refuse("rec_offset_reference",
                "receivers refer to each other in a circle",
                "let one of them refer to the tower");
    return sum;
}

/// Returns a name that HDF5 accepts and that no other receiver has.
std::string unique_name(const Instance& from, std::set<std::string>& names) {
    std::string name =
        from.text("rec_name", fmt::format("Receiver {}", from.instance_number() + 1));
    std::ranges::replace(name, '/', '_');
    if (name.empty() || name == ".") name = fmt::format("Receiver {}", from.instance_number() + 1);
    if (!names.insert(name).second)
        from.refuse("rec_name", fmt::format("'{}' is given twice", name), "names must differ");
    return name;
}

}  // namespace

std::vector<double> convert_receivers(const Source& source, FieldTemplate& field) {
    std::vector<int> enabled;
    for (const int number : source.project.instances("receiver")) {
        const Instance from = source.of("receiver", number);
        if (from.flag("is_enabled", true)) {
            enabled.push_back(number);
        } else {
            from.remark("is_enabled", "the receiver is not enabled, left out");
        }
    }
    if (enabled.empty())
        source.log.problem(source.project.file,
                           "has no enabled receiver",
                           "light has nowhere to go",
                           "enable one in SolarPILOT");
    std::vector<double> limits;
    std::set<std::string> names;
    for (const int number : enabled) {
        const Instance from = source.of("receiver", number);
        GivenReceiver given;
        given.name = unique_name(from, names);
        ReceiverConfig& receiver = given.receiver;
        receiver.center =
            add({field.tower.position[0], field.tower.position[1], field.tower.optical_height},
                total_offset(source, enabled, number));
        receiver.height = from.length("rec_height", 21.6);
        receiver.absorptance = from.number("absorptance", "none", 0.94, 0.0, 1.0);
        const auto geometry = from.choice<Geometry>("rec_type",
                                                    {{"External cylindrical", Geometry::external},
                                                     {"Cavity", Geometry::cavity},
                                                     {"Flat plate", Geometry::plate}});
        if (geometry == Geometry::external) convert_external(from, receiver);
        if (geometry == Geometry::cavity) convert_cavity(from, receiver);
        if (geometry == Geometry::plate) convert_plate(from, receiver);
        given.is_flat = geometry != Geometry::external;
        if (const auto fault = find_size_fault(receiver))
            from.refuse("rec_type",
                        fmt::format("{} of '{}' {}", fault->key, given.name, fault->what),
                        fault->advice);
        limits.push_back(1e3 * from.number("peak_flux", "kW/m2", 1000.0, 1e-3, 1e6));
        field.receivers.push_back(std::move(given));
    }
    return limits;
}

}  // namespace helioray::solarpilot
