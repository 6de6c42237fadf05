// SPDX-License-Identifier: MIT
// Receivers of any shape, and contradictions between their sizes.
#include "scenario/receivers/shapes.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kThird = 2.0 * std::numbers::pi / 3.0;

/// Checks the number of flat panels around an axis.
std::optional<SizeFault> find_panels_fault(const ReceiverConfig& config) {
    const double arc = panel_arc(config);
    if (arc <= kThird * static_cast<double>(config.panels) * (1.0 + 1e-9)) return std::nullopt;
    return SizeFault{"panels",
                     "is too small for the arc",
                     "a flat panel takes at most 120 degrees",
                     fmt::format("give at least {}", std::ceil(arc / kThird - 1e-9))};
}

std::optional<SizeFault> find_star_fault(const ReceiverConfig& config) {
    if (config.inner_radius < config.radius) return std::nullopt;
    return SizeFault{"inner_radius_m",
                     "is not below radius_m",
                     "panels go from the inner edges to the tips",
                     "give a smaller one"};
}

/// Checks the aperture of a cavity.
std::optional<SizeFault> find_aperture_fault(const ReceiverConfig& config) {
    const double arc = panel_arc(config);
    if (arc > 2.75 * kThird * (1.0 + 1e-9))
        return SizeFault{"arc_deg",
                         "leaves no room for the aperture",
                         "the aperture closes the rest of the circle",
                         "give at most 330"};
    if (config.lip_top + config.lip_bottom >= config.height)
        return SizeFault{"height_m",
                         "is not above lip_top_m and lip_bottom_m together",
                         "the aperture lies between them",
                         "give a larger one"};
    const double span = 2.0 * config.radius * std::sin(0.5 * arc);
    if (config.aperture_width && *config.aperture_width > span * (1.0 + 1e-9))
        return SizeFault{"aperture_width_m",
                         fmt::format("is above {:.6g} m", span),
                         "the ends of the wall are that far apart",
                         "give a smaller one, or a larger radius_m"};
    return std::nullopt;
}

}  // namespace

double panel_arc(const ReceiverConfig& config) {
    if (config.arc) return *config.arc;
    return config.type == ReceiverConfig::Type::cavity ? std::numbers::pi : 2.0 * std::numbers::pi;
}

std::optional<SurfaceAbsorption> make_absorption(const ReceiverConfig& config) {
    if (!config.absorptance && config.absorptance_table.empty()) return std::nullopt;
    SurfaceAbsorption surface;
    surface.absorptance = config.absorptance.value_or(surface.absorptance);
    surface.law = config.absorptance_law;
    surface.martin_ruiz_coefficient =
        config.martin_ruiz_coefficient.value_or(surface.martin_ruiz_coefficient);
    surface.table = config.absorptance_table;
    surface.specular_fraction = config.specular_fraction;
    surface.bounces = config.bounces;
    return surface;
}

std::optional<SizeFault> find_absorption_fault(const ReceiverConfig& config) {
    const bool has_table = !config.absorptance_table.empty();
    const bool has_law = config.absorptance_law != AbsorptanceLaw::constant;
    if (has_table && (config.absorptance || has_law))
        return SizeFault{
            "absorptance_table",
            config.absorptance ? "is given beside absorptance" : "is given beside absorptance_law",
            "the table has the absorptance at every angle",
            "give one of them"};
    if (config.martin_ruiz_coefficient && config.absorptance_law != AbsorptanceLaw::martin_ruiz)
        return SizeFault{"martin_ruiz_coefficient",
                         "is given, but absorptance_law is not martin_ruiz",
                         "it is the coefficient of this law",
                         "set absorptance_law: martin_ruiz"};
    const char* needs_absorptance = config.bounces > 0               ? "bounces"
                                    : config.specular_fraction > 0.0 ? "specular_fraction"
                                    : has_law                        ? "absorptance_law"
                                                                     : nullptr;
    const auto absorption = make_absorption(config);
    if (needs_absorptance && !absorption)
        return SizeFault{needs_absorptance,
                         "is given without an absorptance",
                         "surfaces without one absorb all light",
                         "add for example absorptance: 0.94"};
    if (!absorption) return std::nullopt;
    const auto fault = find_absorption_fault(*absorption);
    if (!fault) return std::nullopt;
    return SizeFault{fault->member, fault->what, fault->why, fault->advice};
}

ReceiverSurfaces make_receiver(const std::string& name, const ReceiverConfig& config) {
    using Type = ReceiverConfig::Type;
    ReceiverSurfaces made;
    switch (config.type) {
        case Type::polygon:
            made = make_polygon(name, config);
            break;
        case Type::billboard:
            made = make_billboard(name, config);
            break;
        case Type::star:
            made = make_star(name, config);
            break;
        case Type::cavity:
            made = make_cavity(name, config);
            break;
        case Type::cylinder:
            made = make_cylinder(name, config);
            break;
        case Type::surfaces:
            made = make_surfaces(name, config);
            break;
        case Type::beam_down:
            made = make_beam_down(name, config);
            break;
        case Type::concentrator:
            made = make_concentrator(name, config);
            break;
    }
    if (config.aim_point) made.aim_point = config.aim_point;
    const auto absorption = make_absorption(config);
    for (Target& target : made.targets)
        if (target.use == SurfaceUse::absorber && !target.absorption)
            target.absorption = absorption;
    return made;
}

std::optional<SizeFault> find_size_fault(const ReceiverConfig& config) {
    using Type = ReceiverConfig::Type;
    if (const auto fault = find_absorption_fault(config)) return fault;
    switch (config.type) {
        case Type::polygon:
            return find_panels_fault(config);
        case Type::cavity: {
            const auto fault = find_panels_fault(config);
            return fault ? fault : find_aperture_fault(config);
        }
        case Type::star:
            return find_star_fault(config);
        case Type::beam_down:
        case Type::concentrator:
            return find_concentration_fault(config);
        case Type::billboard:
        case Type::cylinder:
        case Type::surfaces:
            break;
    }
    return std::nullopt;
}

}  // namespace helioray
