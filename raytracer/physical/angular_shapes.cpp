// SPDX-License-Identifier: MIT
// Angular distributions as the kernels sample them.
#include "raytracer/physical/angular_shapes.h"

#include "scenario/sun/radial_profile.h"

#include <cmath>

namespace helioray::physical {

namespace {

using Kind = kernels::AngularShape::Kind;

static_assert(helioray::kRadialTableSize == kernels::kRadialTableSize);

kernels::AngularShape plain(Kind kind, double width) {
    return {width > 0.0 ? kind : Kind::none, static_cast<float>(width), 0.0f, 0};
}

// Shapes that the kernels sample by a closed form.
kernels::AngularShape closed_form(const GaussianShape& shape) {
    return plain(Kind::gaussian, shape.sigma);
}
kernels::AngularShape closed_form(const PillboxShape& shape) {
    return plain(Kind::pillbox, shape.half_angle);
}
kernels::AngularShape closed_form(const CollimatedShape&) {
    return plain(Kind::none, 0.0);
}
kernels::AngularShape closed_form(const NoError&) {
    return plain(Kind::none, 0.0);
}

kernels::AngularShape tabulated(const SunShape& shape, std::vector<float>& floats) {
    const RadialTable table = radial_table(shape);
    kernels::AngularShape record{Kind::table,
                                 std::sqrt(table.tail.back()),
                                 table.split,
                                 static_cast<int64_t>(floats.size())};
    floats.insert(floats.end(), table.core.begin(), table.core.end());
    floats.insert(floats.end(), table.tail.begin(), table.tail.end());
    return record;
}

}  // namespace

kernels::AngularShape sun_record(const SunShape& shape, std::vector<float>& floats) {
    return std::visit(
        [&](const auto& one) {
            if constexpr (requires { closed_form(one); })
                return closed_form(one);
            else
                return tabulated(shape, floats);
        },
        shape);
}

kernels::AngularShape error_record(const ErrorShape& shape) {
    return std::visit([](const auto& one) { return closed_form(one); }, shape);
}

double largest_angle(const kernels::AngularShape& shape) {
    // sigma sqrt(-2 ln u) with the smallest uniform number 2^-24.
    constexpr double kWidestGaussian = 5.77;
    constexpr double kRounding = 1.0 + 1e-5;
    if (shape.kind == Kind::none) return 0.0;
    const double factor = shape.kind == Kind::gaussian ? kWidestGaussian : 1.0;
    return factor * kRounding * static_cast<double>(shape.width);
}

}  // namespace helioray::physical
