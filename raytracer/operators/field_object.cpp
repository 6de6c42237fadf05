// SPDX-License-Identifier: MIT
// Changes, traces and differentiates the field of a user.
#include "raytracer/operators/field_object.h"

#include "raytracer/operators/checks.h"
#include "raytracer/operators/field_trace.h"
#include "raytracer/operators/operator_node.h"
#include "raytracer/tracing/job/result.h"
#include "raytracer/tracing/physical/sums.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray::operators {

namespace {

/// Returns the tensor without gradient on the CPU.
at::Tensor on_cpu(const at::Tensor& tensor) {
    return tensor.detach().to(at::kCPU);
}

/// Returns a copy of the tensor without gradient on the CPU.
at::Tensor own(const at::Tensor& tensor) {
    return tensor.detach().to(at::kCPU, tensor.scalar_type(), false, true).contiguous();
}

void add_extras(const RunConfig& config, std::vector<physical::FieldTarget>& targets) {
    for (const auto& [name, extras] : config.targets) {
        const auto found = std::find_if(targets.begin(), targets.end(), [&](const auto& target) {
            return target.target.name == name;
        });
        TORCH_CHECK(found != targets.end(),
                    "targets.",
                    name,
                    ": targets are named by their rows, 0 to ",
                    targets.size() - 1);
        TORCH_CHECK(extras.outline.empty() || is_flat(found->target),
                    "targets.",
                    name,
                    ".outline_m: only flat targets have outlines");
        found->extras = extras;
    }
}

std::vector<Vec3> get_positions(const at::Tensor& orientation) {
    std::vector<Vec3> positions;
    const double* matrix = orientation.const_data_ptr<double>();
    for (int64_t i = 0; i < orientation.size(0); ++i, matrix += 16)
        positions.push_back({matrix[3], matrix[7], matrix[11]});
    return positions;
}

at::Tensor make_optics(const RunConfig& config) {
    return at::tensor(std::vector<double>{config.sun.dni,
                                          config.optics.reflectivity,
                                          get_width(*config.sun.shape),
                                          get_width(config.optics.slope_error),
                                          get_width(config.optics.specularity_error)},
                      at::kDouble);
}

at::Tensor checked_orientation(const at::Tensor& orientation) {
    check_tensor(orientation, "orientation", {-1, 4, 4}, at::kDouble);
    at::Tensor given = own(orientation);
    check_finite(given.const_data_ptr<double>(), given.numel(), "orientation");
    check_rigid(given);
    return given;
}

at::Tensor checked_targets(const at::Tensor& targets) {
    check_tensor(targets, "targets", {-1, 13}, at::kDouble);
    at::Tensor given = own(targets);
    check_targets(given);
    return given;
}

at::Tensor checked_sun(const at::Tensor& direction) {
    check_tensor(direction, "sun_direction", {3}, at::kDouble);
    at::Tensor given = own(direction);
    check_finite(given.const_data_ptr<double>(), 3, "sun_direction");
    TORCH_CHECK(given.norm().item<double>() > 0.0, "sun_direction has no length");
    return given;
}

at::Tensor checked_optics(const at::Tensor& optics) {
    check_tensor(optics, "optics", {5}, at::kDouble);
    at::Tensor given = own(optics);
    check_finite(given.const_data_ptr<double>(), 5, "optics");
    check_optics(given.const_data_ptr<double>());
    return given;
}

at::Tensor checked_target_index(const at::Tensor& target_index,
                                int64_t count,
                                int64_t num_targets) {
    check_tensor(target_index, "target_index", {count}, at::kLong);
    at::Tensor given = own(target_index);
    check_target_index(given, -1, num_targets);
    TORCH_CHECK(given.max().item<int64_t>() >= 0, "target_index: no heliostat serves a target");
    return given;
}

}  // namespace

FieldObject::FieldObject(const std::string& config,
                         const at::Tensor& targets,
                         const at::Tensor& target_index,
                         const at::Tensor& orientation,
                         bool per_heliostat)
    : place_{orientation.device()}, per_heliostat_(per_heliostat) {
    orientation_ = checked_orientation(orientation);
    const at::Tensor rows = checked_targets(targets);
    with_torch_errors([&] {
        const RunConfig run = read_field_config(config);
        optics_ = make_optics(run);
        is_bilinear_ = run.bitmap.filter == Filter::bilinear;
        FieldSetup setup = make_setup(run, rows, get_positions(orientation_));
        add_extras(run, setup.targets);
        add_surfaces(run, setup);
        TORCH_CHECK(!setup.targets.empty(),
                    "targets must have a row, or the configuration a section receivers");
        setup.settings.rays.separate_heliostats = per_heliostat;
        field_.emplace(std::move(setup));
    });
    TORCH_CHECK(!per_heliostat || !field_->has_receivers(),
                "per_heliostat: a heliostat lights all surfaces of receivers, so that it has no "
                "map; make the Field with per_heliostat=False");
    target_index_ = checked_target_index(target_index, orientation_.size(0), field_->num_targets());
    field_->set_orientation(orientation_, target_index_);
}

void FieldObject::set_devices(at::IntArrayRef devices) {
    const int present = kernels::num_cuda_devices();
    std::vector<int> indices;
    for (const int64_t device : devices) {
        TORCH_CHECK(device >= 0 && device < present,
                    "devices names cuda:",
                    device,
                    ", and there are ",
                    present,
                    " CUDA devices, counted from 0");
        const auto index = static_cast<int>(device);
        TORCH_CHECK(std::find(indices.begin(), indices.end(), index) == indices.end(),
                    "devices names cuda:",
                    device,
                    " twice");
        indices.push_back(index);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    place_.cuda_devices = std::move(indices);
}

// The following functions set tensors.

std::vector<size_t> FieldObject::selected(const std::optional<at::Tensor>& heliostats,
                                          int64_t count) const {
    if (!heliostats) {
        TORCH_CHECK(count == 1 || count == std::ssize(field_->everyone()),
                    "there are ",
                    field_->everyone().size(),
                    " heliostats, found rows for ",
                    count,
                    "; say for which of them");
        return field_->everyone();
    }
    check_tensor(*heliostats, "heliostats", {-1}, at::kLong);
    const at::Tensor given = own(*heliostats);
    const int64_t* values = given.const_data_ptr<int64_t>();
    TORCH_CHECK(given.numel() >= 1 && (count == 1 || count == given.numel()),
                "heliostats has ",
                given.numel(),
                " entries for ",
                count,
                " rows");
    std::vector<size_t> result;
    std::vector<bool> seen(field_->everyone().size(), false);
    for (int64_t i = 0; i < given.numel(); ++i) {
        TORCH_CHECK(values[i] >= 0 && values[i] < std::ssize(seen),
                    "heliostats must be from 0 to ",
                    seen.size() - 1,
                    ", found ",
                    values[i]);
        const auto heliostat = static_cast<size_t>(values[i]);
        TORCH_CHECK(!seen[heliostat], "heliostats names ", heliostat, " twice");
        seen[heliostat] = true;
        result.push_back(heliostat);
    }
    return result;
}

void FieldObject::take_mirrors(const MirrorTensor& mirrors, const std::vector<size_t>& heliostats) {
    with_torch_errors([&] {
        if (field_->set_mirrors(mirrors, heliostats)) ++state_.mirrors;
    });
}

void FieldObject::set_control_points(const at::Tensor& points,
                                     at::IntArrayRef degrees,
                                     const std::optional<at::Tensor>& heliostats) {
    const std::lock_guard<std::mutex> lock(mutex_);
    check_tensor(points, "control_points", {-1, -1, -1, -1, 3}, at::kDouble);
    TORCH_CHECK(degrees.size() == 2, "degrees must be [u, v], found ", degrees);
    check_control_points(points, {degrees[0], degrees[1]});
    std::vector<size_t> chosen = selected(heliostats, points.size(0));
    take_mirrors(MirrorPoints(on_cpu(points), {degrees[0], degrees[1]}), chosen);
    degrees_ = {degrees[0], degrees[1]};
    mirrors_ = std::move(chosen);
    std::copy_n(points.sizes().begin(), points_shape_.size(), points_shape_.begin());
}

void FieldObject::set_facets(const at::Tensor& facets,
                             const std::optional<at::Tensor>& heliostats) {
    const std::lock_guard<std::mutex> lock(mutex_);
    check_tensor(facets, "facets", {-1, -1, FacetColumns::count}, at::kDouble);
    const at::Tensor given = own(facets);
    check_facets(given);
    const std::vector<size_t> chosen = selected(heliostats, given.size(0));
    take_mirrors(MirrorFormulas(given), chosen);
    // Heliostats with formulas no longer have control points.
    const auto has_formulas = [&](size_t heliostat) {
        return std::find(chosen.begin(), chosen.end(), heliostat) != chosen.end();
    };
    if (std::any_of(mirrors_.begin(), mirrors_.end(), has_formulas)) mirrors_.clear();
}

void FieldObject::set_orientation(const at::Tensor& orientation,
                                  const std::optional<at::Tensor>& heliostats) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const at::Tensor given = checked_orientation(orientation);
    if (heliostats) {
        const std::vector<size_t> chosen = selected(heliostats, given.size(0));
        TORCH_CHECK(std::ssize(chosen) == given.size(0),
                    "orientation must have a row for each of ",
                    chosen.size(),
                    " heliostats");
        for (size_t i = 0; i < chosen.size(); ++i)
            std::copy_n(given.const_data_ptr<double>() + 16 * i,
                        16,
                        orientation_.mutable_data_ptr<double>() + 16 * chosen[i]);
    } else {
        check_tensor(orientation, "orientation", {orientation_.size(0), 4, 4}, at::kDouble);
        orientation_ = given;
    }
    field_->set_orientation(orientation_, target_index_);
}

void FieldObject::set_target_index(const at::Tensor& target_index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    target_index_ = checked_target_index(target_index, orientation_.size(0), field_->num_targets());
    field_->set_orientation(orientation_, target_index_);
    ++state_.settings;
}

void FieldObject::set_sun(const at::Tensor& direction) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sun_direction_ = checked_sun(direction);
}

void FieldObject::set_optics(const at::Tensor& optics) {
    const std::lock_guard<std::mutex> lock(mutex_);
    optics_ = checked_optics(optics);
}

void FieldObject::set_seed(int64_t seed) {
    const std::lock_guard<std::mutex> lock(mutex_);
    field_->set_seed(static_cast<uint64_t>(seed));
    ++state_.settings;
}

void FieldObject::take(const GivenTensors& given) {
    const at::Tensor orientation = checked_orientation(given.orientation);
    TORCH_CHECK(orientation.size(0) == orientation_.size(0),
                "orientation must have a row for each of ",
                orientation_.size(0),
                " heliostats, found ",
                orientation.size(0));
    if (given.sun_direction) sun_direction_ = checked_sun(*given.sun_direction);
    if (given.optics) optics_ = checked_optics(*given.optics);
    if (given.control_points) {
        const at::Tensor& points = *given.control_points;
        TORCH_CHECK(!mirrors_.empty(),
                    "set_control_points() says first which heliostats have control points, and of "
                    "which degrees");
        check_tensor(points, "control_points", points_shape_, at::kDouble);
        take_mirrors(MirrorPoints(on_cpu(points), degrees_), mirrors_);
    }
    orientation_ = orientation;
    field_->set_orientation(orientation_, target_index_);
}

void FieldObject::update() {
    TORCH_CHECK(sun_direction_.defined(), "set_sun() says first where the sun stands");
    for (size_t i = 0; i < field_->mirrors().records().size(); ++i) {
        TORCH_CHECK(field_->mirrors().records()[i],
                    "heliostat ",
                    i,
                    " has no mirror yet: set_control_points() or set_facets()");
    }
    with_torch_errors([&] {
        field_->set_light(sun_direction_, optics_);
        field_->update();
    });
}

// The following functions trace the field.

FluxSums FieldObject::traced(at::IntArrayRef part, bool per_heliostat) {
    const std::array<int64_t, 2> share = checked_part(part);
    update();
    return with_torch_errors([&] { return traced_sums(*field_, share, place_, per_heliostat); });
}

std::vector<EnergyTermInfo> FieldObject::make_energy_terms() const {
    const auto is_mirror = [](const physical::FieldTarget& target) {
        return target.target.use == SurfaceUse::mirror;
    };
    const bool has_mirrors = std::ranges::any_of(field_->targets(), is_mirror);
    return energy_terms_of(field_->has_receivers(), field_->reflects(), has_mirrors);
}

std::vector<std::string> FieldObject::energy_terms() const {
    std::vector<std::string> names;
    for (const EnergyTermInfo& info : make_energy_terms()) names.emplace_back(info.name);
    return names;
}

std::vector<std::string> FieldObject::map_names() const {
    std::vector<std::string> names;
    for (const size_t target : field_->maps()) {
        const std::string& name = field_->targets()[target].target.name;
        const bool is_incident = std::ssize(names) >= field_->num_targets();
        names.push_back(is_incident ? name + ", incident" : name);
    }
    return names;
}

at::Tensor FieldObject::compute_energy(const FluxSums& sums,
                                       const std::array<int64_t, 2>& part) const {
    const physical::Field& prepared = field_->field();
    std::vector<int64_t> rays(prepared.aimed().size(), 0);
    for (const kernels::WorkUnit& unit : field_->units_of_part(part))
        for (int32_t i = 0; i < unit.num_heliostats; ++i)
            rays[static_cast<size_t>(unit.first_heliostat) + static_cast<size_t>(i)] +=
                2 * unit.rays_per_block;

    const std::vector<EnergyTermInfo> infos = make_energy_terms();
    const auto num_terms = std::ssize(infos);
    at::Tensor energy = at::zeros({orientation_.size(0), num_terms}, at::kDouble);
    const kernels::SumsView view =
        sums.layout.view(const_cast<int64_t*>(sums.values.const_data_ptr<int64_t>()));
    const double watts_per_quantum = 1.0 / prepared.quanta_per_watt();
    for (size_t row = 0; row < rays.size(); ++row) {
        const auto solar = static_cast<int64_t>(
            std::llround(static_cast<double>(prepared.heliostats()[row].ray_power) *
                         static_cast<double>(rays[row])));
        const EnergyTerms terms = physical::energy_terms(
            view.energy + row * kernels::kNumEnergySums,
            view.shielded != nullptr ? view.shielded[row] : 0,
            view.reflected != nullptr ? view.reflected + row * kernels::kNumReflectedSums : nullptr,
            solar,
            watts_per_quantum);
        double* own_row = energy.mutable_data_ptr<double>() +
                          static_cast<int64_t>(prepared.aimed()[row].heliostat) * num_terms;
        for (const EnergyTermInfo& info : infos) *own_row++ = terms.*info.member;
    }
    return energy;
}

std::tuple<at::Tensor, at::Tensor> FieldObject::trace(at::IntArrayRef part) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const FluxSums sums = traced(part, false);
    return {compute_flux(*field_, sums).to(place_.device),
            compute_energy(sums, checked_part(part)).to(place_.device)};
}

std::tuple<at::Tensor, at::Tensor> FieldObject::trace_given(const GivenTensors& given,
                                                            at::IntArrayRef part,
                                                            State& state) {
    const std::lock_guard<std::mutex> lock(mutex_);
    take(given);
    const FluxSums sums = traced(part, false);
    state = state_;
    return {compute_flux(*field_, sums).to(place_.device),
            compute_energy(sums, checked_part(part)).to(place_.device)};
}

at::Tensor FieldObject::trace_heliostats(at::IntArrayRef part) {
    const std::lock_guard<std::mutex> lock(mutex_);
    TORCH_CHECK(per_heliostat_, "make the Field with per_heliostat=True for maps of heliostats");
    const FluxSums sums = traced(part, true);
    const kernels::SumsLayout& layout = sums.layout;
    const physical::Field& prepared = field_->field();
    const int64_t pixels = layout.height * layout.width;
    const std::vector<double> factors = field_->flux_per_quantum();
    at::Tensor maps = at::zeros({orientation_.size(0), layout.height, layout.width}, at::kDouble);
    const int64_t* quanta = sums.values.const_data_ptr<int64_t>() + layout.rays_index() + 1;
    for (const physical::AimedHeliostat& aimed : prepared.aimed()) {
        double* map =
            maps.mutable_data_ptr<double>() + static_cast<int64_t>(aimed.heliostat) * pixels;
        const double factor = factors[aimed.target];
        for (int64_t p = 0; p < pixels; ++p) map[p] = static_cast<double>(*quanta++) * factor;
    }
    return maps.to(place_.device);
}

void FieldObject::check_edge_reach(double edge_reach) const {
    TORCH_CHECK(edge_reach == 0.0 || !field_->has_receivers(),
                "edge_reach is ",
                edge_reach,
                ", but derivatives of the light on receivers of several surfaces exclude their "
                "edges; leave edge_reach out");
    TORCH_CHECK(std::isfinite(edge_reach) && (edge_reach == 0.0 || edge_reach >= 1e-6),
                "edge_reach must be 0 or at least 1e-6 m, found ",
                edge_reach);
    TORCH_CHECK(edge_reach == 0.0 || !place_.is_cuda(),
                "edge_reach is ",
                edge_reach,
                ", but the backward pass on CUDA devices excludes light that crosses edges; make "
                "the field with orientations on the CPU, or leave edge_reach out");
}

void FieldObject::check_differentiable() const {
    TORCH_CHECK(
        is_bilinear_,
        "gradients need maps that are smooth in where rays hit: bitmap: {filter: bilinear}");
    for (const physical::FieldTarget& target : field_->targets()) {
        const Target& surface = target.target;
        TORCH_CHECK(surface.use != SurfaceUse::absorber || !surface.absorption ||
                        surface.absorption->bounces == 0,
                    "surface '",
                    surface.name,
                    "' reflects light ",
                    surface.absorption ? surface.absorption->bounces : 0,
                    " times, of which there are no gradients: they exist for light that meets an "
                    "absorber first, or after mirrors; set bounces: 0");
    }
}

Gradients FieldObject::backward(const at::Tensor& grad_flux,
                                const GivenTensors& given,
                                at::IntArrayRef part,
                                double edge_reach,
                                const State& state) {
    const std::lock_guard<std::mutex> lock(mutex_);
    check_differentiable();
    TORCH_CHECK(state.settings == state_.settings,
                "the field was given other targets or another seed since the trace that is "
                "differentiated");
    TORCH_CHECK(given.control_points || state.mirrors == state_.mirrors,
                "the field was given other mirrors since the trace that is differentiated");
    take(given);
    update();
    check_tensor(grad_flux, "grad_flux", flux_shape(), at::kDouble);
    const at::Tensor per_flux = on_cpu(grad_flux);
    const bool is_zero = !has_gradient(per_flux);
    TORCH_CHECK(optics_[OpticsColumns::reflectivity].item<double>() > 0.0,
                "optics[1], the reflectivity, must be above 0 for gradients");
    GradientRequest request{{}, mirrors_, sun_direction_, optics_, static_cast<float>(edge_reach)};
    if (given.control_points) request.points_shape = points_shape_;
    if (is_zero) {
        const auto zeros = [](at::IntArrayRef sizes) { return at::zeros(sizes, at::kDouble); };
        return {zeros(orientation_.sizes()).to(place_.device),
                given.control_points ? zeros(points_shape_).to(place_.device) : at::Tensor(),
                zeros({3}).to(place_.device),
                zeros({5}).to(place_.device)};
    }
    auto [by_orientation, by_points, by_sun, by_optics] = with_torch_errors(
        [&] { return flux_gradients(*field_, per_flux, request, checked_part(part), place_); });
    return {by_orientation.to(place_.device),
            by_points.defined() ? by_points.to(place_.device) : by_points,
            by_sun.to(place_.device),
            by_optics.to(place_.device)};
}

at::Tensor FieldObject::sun_direction() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    TORCH_CHECK(sun_direction_.defined(), "set_sun() says first where the sun stands");
    return sun_direction_;
}

at::Tensor FieldObject::optics() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return optics_;
}

at::Tensor FieldObject::flux_per_quantum() {
    const std::lock_guard<std::mutex> lock(mutex_);
    update();
    return at::tensor(field_->flux_per_quantum(), at::kDouble);
}

at::Tensor FieldObject::pixel_areas() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return at::tensor(field_->pixel_areas(), at::kDouble);
}

std::vector<int64_t> FieldObject::flux_shape() const {
    const BitmapConfig& bitmap = field_->bitmap();
    return {std::ssize(field_->maps()), bitmap.height, bitmap.width};
}

}  // namespace helioray::operators
