// SPDX-License-Identifier: MIT
// Checks the operators' arguments.
#include "raytracer/operators/checks.h"

#include "kernels/surface/bspline.h"
#include "raytracer/operators/tensor_field.h"
#include "raytracer/tracing/physical/records/target_rows.h"
#include "scenario/types/run_config.h"
#include "scenario/types/vector_math.h"

#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray::operators {

namespace {

/// Tolerance for deviations of orientations from rigid motions, which allows for rounding and
/// finite differences.
constexpr double kRigid = 0.01;

void check_input(const at::Tensor& tensor,
                 const char* name,
                 const char* shape,
                 int64_t dimensions,
                 at::ScalarType type,
                 const at::Device& device) {
    TORCH_CHECK(tensor.defined() && tensor.layout() == at::kStrided,
                name,
                " must be a dense tensor ",
                shape);
    TORCH_CHECK(tensor.scalar_type() == type,
                name,
                " must be ",
                type,
                ", found ",
                tensor.scalar_type(),
                "; convert it with .to()");
    TORCH_CHECK(tensor.dim() == dimensions,
                name,
                " must be ",
                shape,
                ", found a tensor of shape ",
                tensor.sym_sizes());
    TORCH_CHECK(tensor.device() == device,
                name,
                " is on ",
                tensor.device(),
                ", orientation on ",
                device,
                "; all tensors must be on one device");
}

void check_size(const at::Tensor& tensor, const char* name, int64_t dimension, int64_t size) {
    TORCH_CHECK(tensor.sym_size(dimension) == size,
                name,
                " must have size ",
                size,
                " in dimension ",
                dimension,
                ", found shape ",
                tensor.sym_sizes());
}

void check_range(const std::string& name,
                 double value,
                 const Range& limits,
                 const char* unit = "") {
    TORCH_CHECK(limits.contains(value),
                name,
                " must be ",
                limits.sentence(),
                unit,
                ", found ",
                limit_text(value));
}

void check_degrees(const std::array<int64_t, 2>& degrees) {
    constexpr Range kDegrees{1.0, kernels::kMaxDegree};
    for (const int64_t degree : degrees)
        check_range("degrees", static_cast<double>(degree), kDegrees);
}

void check_settings(const FluxSettings& settings) {
    check_degrees(settings.degrees);
    for (const int64_t size : settings.bitmap)
        check_range("bitmap", static_cast<double>(size), kPixelCounts);
    check_range("rays", static_cast<double>(settings.rays), kRayCounts);
    TORCH_CHECK(settings.sun_shape == "gaussian" || settings.sun_shape == "pillbox" ||
                    settings.sun_shape == "collimated",
                "sun_shape must be \"gaussian\", \"pillbox\" or \"collimated\", found \"",
                settings.sun_shape,
                "\"");
}

/// Returns true if the matrix [4, 4] is a rigid motion.
bool is_rigid(const double* matrix) {
    const auto product = [matrix](int i, int k) {
        double sum = 0.0;
        for (int row = 0; row < 3; ++row) sum += matrix[4 * row + i] * matrix[4 * row + k];
        return sum;
    };
    for (int i = 0; i < 3; ++i)
        for (int k = i; k < 3; ++k)
            if (std::abs(product(i, k) - (i == k ? 1.0 : 0.0)) > 2.0 * kRigid) return false;
    for (int i = 0; i < 4; ++i)
        if (std::abs(matrix[12 + i] - (i == 3 ? 1.0 : 0.0)) > kRigid) return false;
    const auto column = [matrix](int i) { return Vec3{matrix[i], matrix[4 + i], matrix[8 + i]}; };
    return dot(cross(column(0), column(1)), column(2)) >= 0.0;
}

}  // namespace

void check_shapes(const FluxInputs& inputs, const FluxSettings& settings) {
    TORCH_CHECK(inputs.orientation.defined(), "orientation must be a tensor [N, 4, 4]");
    const at::Device device = inputs.orientation.device();
    check_input(inputs.orientation, "orientation", "[N, 4, 4]", 3, at::kDouble, device);
    check_input(
        inputs.control_points, "control_points", "[N, F, nu, nv, 3]", 5, at::kDouble, device);
    check_input(inputs.target_index, "target_index", "[N]", 1, at::kLong, device);
    check_input(inputs.targets, "targets", "[T, 13]", 2, at::kDouble, device);
    check_input(inputs.sun_direction, "sun_direction", "[3]", 1, at::kDouble, device);
    check_input(inputs.optics, "optics", "[5]", 1, at::kDouble, device);
    check_size(inputs.orientation, "orientation", 1, 4);
    check_size(inputs.orientation, "orientation", 2, 4);
    check_size(inputs.control_points, "control_points", 4, 3);
    check_size(inputs.targets, "targets", 1, 13);
    check_size(inputs.sun_direction, "sun_direction", 0, 3);
    check_size(inputs.optics, "optics", 0, 5);
    check_settings(settings);

    const c10::SymInt count = inputs.orientation.sym_size(0);
    TORCH_CHECK(
        count >= 1 && inputs.targets.sym_size(0) >= 1 && inputs.control_points.sym_size(1) >= 1,
        "a heliostat, a facet and a target are needed, found orientation ",
        inputs.orientation.sym_sizes(),
        ", control_points ",
        inputs.control_points.sym_sizes(),
        ", targets ",
        inputs.targets.sym_sizes());
    TORCH_CHECK(inputs.target_index.sym_size(0) == count,
                "target_index must have one entry for each of the ",
                count,
                " heliostats, found ",
                inputs.target_index.sym_size(0));
    TORCH_CHECK(
        inputs.control_points.sym_size(0) == count || inputs.control_points.sym_size(0) == 1,
        "control_points must have a mirror for each of the ",
        count,
        " heliostats or one for all, found ",
        inputs.control_points.sym_size(0));
    check_control_points(inputs.control_points, settings.degrees);
}

void check_flux_gradient(const at::Tensor& grad_flux,
                         const FluxInputs& inputs,
                         const FluxSettings& settings) {
    check_input(grad_flux, "grad_flux", "[T, H, W]", 3, at::kDouble, inputs.orientation.device());
    TORCH_CHECK(grad_flux.sym_size(0) == inputs.targets.sym_size(0),
                "grad_flux must have a map for each target, found shape ",
                grad_flux.sym_sizes());
    check_size(grad_flux, "grad_flux", 1, settings.bitmap[0]);
    check_size(grad_flux, "grad_flux", 2, settings.bitmap[1]);
}

bool has_gradient(const at::Tensor& grad_flux) {
    // Use one pass, because tensors of flags cost more than the sum of a map.
    const at::Tensor given = grad_flux.contiguous();
    const double* values = given.const_data_ptr<double>();
    const int64_t count = given.numel();
    bool finite = true;
    bool any = false;
    for (int64_t i = 0; i < count; ++i) {
        finite &= std::isfinite(values[i]);
        any |= values[i] != 0.0;
    }
    TORCH_CHECK(finite, "grad_flux has NaN or infinite values; rays are added up as integers");
    return any;
}

void check_values(const FluxInputs& inputs) {
    const std::pair<const at::Tensor&, const char*> tensors[] = {
        {inputs.orientation, "orientation"},
        {inputs.targets, "targets"},
        {inputs.sun_direction, "sun_direction"},
        {inputs.optics, "optics"}};
    for (const auto& [tensor, name] : tensors) {
        const at::Tensor given = tensor.contiguous();
        check_finite(given.const_data_ptr<double>(), given.numel(), name);
    }
    check_target_index(inputs.target_index.contiguous(), 0, inputs.targets.size(0));
    TORCH_CHECK(inputs.sun_direction.norm().item<double>() > 0.0, "sun_direction has no length");
    check_rigid(inputs.orientation.contiguous());
    check_targets(inputs.targets.contiguous());
    check_optics(inputs.optics.contiguous().const_data_ptr<double>());
}

void check_tensor(const at::Tensor& tensor,
                  const char* name,
                  at::IntArrayRef sizes,
                  at::ScalarType type) {
    TORCH_CHECK(tensor.defined() && tensor.layout() == at::kStrided && tensor.scalar_type() == type,
                name,
                " must be a dense tensor of type ",
                type);
    bool fits = tensor.dim() == std::ssize(sizes);
    for (size_t i = 0; fits && i < sizes.size(); ++i)
        fits = sizes[i] == -1 || tensor.size(static_cast<int64_t>(i)) == sizes[i];
    TORCH_CHECK(fits, name, " must have shape ", sizes, " (-1: any), found ", tensor.sizes());
}

void check_control_points(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees) {
    check_degrees(degrees);
    TORCH_CHECK(control_points.sym_size(1) >= 1, "control_points has no facets");
    for (int64_t axis = 0; axis < 2; ++axis) {
        TORCH_CHECK(control_points.sym_size(2 + axis) > degrees[static_cast<size_t>(axis)],
                    "a B-spline needs more control points than its degree, found degrees ",
                    at::IntArrayRef(degrees),
                    " and control_points ",
                    control_points.sym_sizes());
    }
}

void check_rigid(const at::Tensor& orientation) {
    for (int64_t row = 0; row < orientation.size(0); ++row) {
        TORCH_CHECK(is_rigid(orientation.const_data_ptr<double>() + 16 * row),
                    "orientation[",
                    row,
                    "] is no rigid motion: columns 0 to 2 must be the orthonormal, right-handed "
                    "axes of the mirror, column 3 its origin, the last row (0, 0, 0, 1)");
    }
}

void check_target_index(const at::Tensor& target_index, int64_t lowest, int64_t num_targets) {
    const int64_t* begin = target_index.const_data_ptr<int64_t>();
    const auto [low, high] = std::minmax_element(begin, begin + target_index.numel());
    TORCH_CHECK(*low >= lowest && *high < num_targets,
                "target_index must be from ",
                lowest,
                " to ",
                num_targets - 1,
                ", found ",
                *low,
                " to ",
                *high);
}

void check_targets(const at::Tensor& targets) {
    check_finite(targets.const_data_ptr<double>(), targets.numel(), "targets");
    for (int64_t i = 0; i < targets.size(0); ++i) {
        const std::string problem = physical::target_row_problem(targets.const_data_ptr<double>() +
                                                                 TargetColumns::count * i);
        TORCH_CHECK(problem.empty(), "targets[", i, "]: ", problem);
    }
}

void check_facets(const at::Tensor& facets) {
    const double* row = facets.const_data_ptr<double>();
    check_finite(row, facets.numel(), "facets");
    TORCH_CHECK(facets.size(1) >= 1, "facets has no facet");
    for (int64_t i = 0; i < facets.size(0) * facets.size(1); ++i, row += facets.size(2)) {
        const double kind = row[FacetColumns::kind];
        const double focal_length = row[FacetColumns::focal_length];
        TORCH_CHECK(kind == 0.0 || kind == 1.0 || kind == 2.0,
                    "facets: kind must be 0 (flat), 1 (paraboloid) or 2 (sphere), found ",
                    kind);
        TORCH_CHECK(kind == 0.0 || focal_length > 0.0,
                    "facets: the focal length must be above 0 m, found ",
                    focal_length);
        const auto vec3 = [row](int64_t first) {
            return Vec3{row[first], row[first + 1], row[first + 2]};
        };
        const Vec3 e = vec3(FacetColumns::canting_e);
        const Vec3 n = vec3(FacetColumns::canting_n);
        TORCH_CHECK(norm(cross(e, n)) > 0.0, "facets: the half extents enclose no area");
    }
}

void check_optics(const double* optics) {
    check_range("optics[0], the DNI,", optics[0], kIrradiances, " W/m2");
    check_range("optics[1], the reflectivity,", optics[1], kReflectivities);
    check_range("optics[2], the sun width,", optics[2], kAngularWidths, " rad");
    check_range("optics[3], the slope error,", optics[3], kAngularWidths, " rad");
    check_range("optics[4], the specularity error,", optics[4], kAngularWidths, " rad");
}

void check_finite(const double* values, int64_t count, const char* name) {
    // The loop has no early exit, so that the compiler can vectorise it.
    bool finite = true;
    for (int64_t i = 0; i < count; ++i) finite &= std::isfinite(values[i]);
    TORCH_CHECK(finite, name, " has NaN or infinite values");
}

}  // namespace helioray::operators
