// SPDX-License-Identifier: MIT
// Tables of names, one per enumeration.
#include "scenario/types/type_names.h"

#include <array>
#include <utility>

namespace helioray {

namespace {

template <typename Enum>
struct Names;

template <>
struct Names<FacetShape> {
    static constexpr std::array<std::pair<FacetShape, std::string_view>, 4> table{{
        {FacetShape::bspline, "bspline"},
        {FacetShape::flat, "flat"},
        {FacetShape::paraboloid, "paraboloid"},
        {FacetShape::sphere, "sphere"},
    }};
};

template <>
struct Names<FacetOutlineKind> {
    static constexpr std::array<std::pair<FacetOutlineKind, std::string_view>, 3> table{{
        {FacetOutlineKind::rectangle, "rectangle"},
        {FacetOutlineKind::round, "round"},
        {FacetOutlineKind::polygon, "polygon"},
    }};
};

template <>
struct Names<BendingAxis> {
    static constexpr std::array<std::pair<BendingAxis, std::string_view>, 2> table{{
        {BendingAxis::elevation, "elevation"},
        {BendingAxis::temperature, "temperature"},
    }};
};

template <>
struct Names<KinematicsType> {
    static constexpr std::array<std::pair<KinematicsType, std::string_view>, 2> table{{
        {KinematicsType::rigid_body, "rigid_body"},
        {KinematicsType::azimuth_elevation, "azimuth_elevation"},
    }};
};

template <>
struct Names<ActuatorType> {
    static constexpr std::array<std::pair<ActuatorType, std::string_view>, 2> table{{
        {ActuatorType::linear, "linear"},
        {ActuatorType::ideal, "ideal"},
    }};
};

template <>
struct Names<CylindricalTarget::Side> {
    static constexpr std::array<std::pair<CylindricalTarget::Side, std::string_view>, 2> table{{
        {CylindricalTarget::Side::outer, "outer"},
        {CylindricalTarget::Side::inner, "inner"},
    }};
};

template <>
struct Names<MeshTarget::Front> {
    static constexpr std::array<std::pair<MeshTarget::Front, std::string_view>, 3> table{{
        {MeshTarget::Front::normals, "normals"},
        {MeshTarget::Front::reversed, "reversed"},
        {MeshTarget::Front::both, "both"},
    }};
};

template <>
struct Names<SurfaceUse> {
    static constexpr std::array<std::pair<SurfaceUse, std::string_view>, 3> table{{
        {SurfaceUse::absorber, "absorber"},
        {SurfaceUse::shield, "shield"},
        {SurfaceUse::mirror, "mirror"},
    }};
};

template <>
struct Names<AbsorptanceLaw> {
    static constexpr std::array<std::pair<AbsorptanceLaw, std::string_view>, 3> table{{
        {AbsorptanceLaw::constant, "constant"},
        {AbsorptanceLaw::duffie_beckman, "duffie_beckman"},
        {AbsorptanceLaw::martin_ruiz, "martin_ruiz"},
    }};
};

template <>
struct Names<BuieCalibration> {
    static constexpr std::array<std::pair<BuieCalibration, std::string_view>, 3> table{{
        {BuieCalibration::exact, "exact"},
        {BuieCalibration::tonatiuh, "tonatiuh"},
        {BuieCalibration::tracer, "tracer"},
    }};
};

template <typename Enum>
std::string find_name(Enum kind) {
    for (const auto& [value, name] : Names<Enum>::table) {
        if (value == kind) return std::string(name);
    }
    return "unknown";
}

}  // namespace

std::string to_string(FacetShape shape) {
    return find_name(shape);
}
std::string to_string(BendingAxis axis) {
    return find_name(axis);
}
std::string to_string(FacetOutlineKind kind) {
    return find_name(kind);
}
std::string to_string(KinematicsType type) {
    return find_name(type);
}
std::string to_string(ActuatorType type) {
    return find_name(type);
}
std::string to_string(CylindricalTarget::Side side) {
    return find_name(side);
}

std::string to_string(MeshTarget::Front front) {
    return find_name(front);
}

std::string to_string(SurfaceUse use) {
    return find_name(use);
}

std::string to_string(AbsorptanceLaw law) {
    return find_name(law);
}

std::string to_string(BuieCalibration calibration) {
    return find_name(calibration);
}

std::string sun_shape_name(const SunShape& shape) {
    return std::visit([](const auto& alternative) { return alternative.kName; }, shape);
}

template <typename Enum>
std::optional<Enum> from_string(std::string_view name) {
    for (const auto& [value, known] : Names<Enum>::table) {
        if (known == name) return value;
    }
    return std::nullopt;
}

template <typename Enum>
std::string all_names() {
    std::string text;
    const auto& table = Names<Enum>::table;
    for (size_t i = 0; i < table.size(); ++i) {
        if (i > 0) text += i + 1 == table.size() ? " or " : ", ";
        text.append("'").append(table[i].second).append("'");
    }
    return text;
}

#define HELIORAY_INSTANTIATE(Enum)                                    \
    template std::optional<Enum> from_string<Enum>(std::string_view); \
    template std::string all_names<Enum>();
HELIORAY_INSTANTIATE(FacetShape)
HELIORAY_INSTANTIATE(FacetOutlineKind)
HELIORAY_INSTANTIATE(BendingAxis)
HELIORAY_INSTANTIATE(KinematicsType)
HELIORAY_INSTANTIATE(ActuatorType)
HELIORAY_INSTANTIATE(CylindricalTarget::Side)
HELIORAY_INSTANTIATE(MeshTarget::Front)
HELIORAY_INSTANTIATE(SurfaceUse)
HELIORAY_INSTANTIATE(AbsorptanceLaw)
HELIORAY_INSTANTIATE(BuieCalibration)
#undef HELIORAY_INSTANTIATE

}  // namespace helioray
