// SPDX-License-Identifier: MIT
// Registers torch.classes.helioray.Field, and helioray::trace_field, which differentiates it.
#include "raytracer/operators/field_object.h"
#include "raytracer/operators/operator_node.h"

#include <torch/library.h>

#include <memory>

namespace helioray::operators {

namespace {

using FieldPointer = c10::intrusive_ptr<FieldObject>;
using Optional = std::optional<at::Tensor>;
using Traced = std::tuple<at::Tensor, at::Tensor>;

Traced trace_field(const FieldPointer& field,
                   const at::Tensor& orientation,
                   const Optional& control_points,
                   const Optional& sun_direction,
                   const Optional& optics,
                   at::IntArrayRef part,
                   double edge_reach) {
    field->check_edge_reach(edge_reach);
    FieldObject::State state;
    return field->trace_given({orientation, control_points, sun_direction, optics}, part, state);
}

/// Returns the gradients with respect to orientation, control points, sun and optics, in this
/// order.
Tensors differentiate_field(const FieldPointer& field,
                            const Tensors& gradients,
                            const FieldObject::GivenTensors& given,
                            const std::vector<int64_t>& part,
                            double edge_reach,
                            const FieldObject::State& state) {
    TORCH_CHECK_NOT_IMPLEMENTED(!gradients[1].defined(),
                                "trace_field: energy has no gradient; make the loss of flux, and "
                                "use energy.detach() where it is only looked at");
    Tensors all{gradients[0], given.orientation, *given.sun_direction, *given.optics};
    if (given.control_points) all.push_back(*given.control_points);
    Tensors result;
    const Tensors by = without_second_derivative(
        "the backward of trace_field", "flux has first derivatives only", all, [&] {
            auto [by_orientation, by_points, by_sun, by_optics] =
                field->backward(gradients[0], given, part, edge_reach, state);
            Tensors found{by_orientation, by_sun, by_optics};
            if (given.control_points) found.push_back(by_points);
            return found;
        });
    return {by[0], given.control_points ? by[3] : at::Tensor(), by[1], by[2]};
}

Traced trace_with_gradient(const FieldPointer& field,
                           const at::Tensor& orientation,
                           const Optional& control_points,
                           const Optional& sun_direction,
                           const Optional& optics,
                           at::IntArrayRef part,
                           double edge_reach) {
    field->check_edge_reach(edge_reach);
    // The field supplies omitted tensors, which are differentiated as well.
    const at::Tensor sun = sun_direction ? *sun_direction : field->sun_direction();
    const at::Tensor numbers = optics ? *optics : field->optics();
    Tensors inputs{orientation, sun, numbers};
    if (control_points) inputs.push_back(*control_points);
    TORCH_CHECK_NOT_IMPLEMENTED(are_plain(inputs),
                                "trace_field works on plain tensors; inside torch.func and "
                                "torch.compile use trace_flux");
    auto state = std::make_shared<FieldObject::State>();
    const std::vector<int64_t> share = part.vec();
    const bool has_points = control_points.has_value();
    const Tensors outputs = with_backward(
        "trace_field",
        inputs,
        [&] {
            auto [flux, energy] =
                field->trace_given({orientation, control_points, sun, numbers}, share, *state);
            return Tensors{flux, energy};
        },
        [field, state, share, has_points, edge_reach](const Tensors& gradients,
                                                      const Tensors& saved) -> Tensors {
            FieldObject::GivenTensors given{saved[0], std::nullopt, saved[1], saved[2]};
            if (has_points) given.control_points = saved[3];
            const Tensors by =
                differentiate_field(field, gradients, given, share, edge_reach, *state);
            Tensors result{by[0], by[2], by[3]};
            if (has_points) result.push_back(by[1]);
            return result;
        });
    return {outputs[0], outputs[1]};
}

const c10::List<int64_t> kWhole({0, 1});

}  // namespace

TORCH_LIBRARY_FRAGMENT(helioray, m) {
    m.class_<FieldObject>("Field")
        .def(torch::init([](const std::string& config,
                            const at::Tensor& targets,
                            const at::Tensor& target_index,
                            const at::Tensor& orientation,
                            bool per_heliostat) {
                 return c10::make_intrusive<FieldObject>(
                     config, targets, target_index, orientation, per_heliostat);
             }),
             "",
             {torch::arg("config"),
              torch::arg("targets"),
              torch::arg("target_index"),
              torch::arg("orientation"),
              torch::arg("per_heliostat") = false})
        .def("set_devices",
             [](const FieldPointer& self, const std::vector<int64_t>& devices) {
                 self->set_devices(devices);
             })
        .def("set_control_points",
             [](const FieldPointer& self,
                const at::Tensor& points,
                const std::vector<int64_t>& degrees,
                const Optional& heliostats) {
                 self->set_control_points(points, degrees, heliostats);
             },
             "",
             {torch::arg("points"),
              torch::arg("degrees") = c10::List<int64_t>({3, 3}),
              torch::arg("heliostats") = torch::arg::none()})
        .def("set_facets",
             &FieldObject::set_facets,
             "",
             {torch::arg("facets"), torch::arg("heliostats") = torch::arg::none()})
        .def("set_orientation",
             &FieldObject::set_orientation,
             "",
             {torch::arg("orientation"), torch::arg("heliostats") = torch::arg::none()})
        .def("set_target_index", &FieldObject::set_target_index)
        .def("set_sun", &FieldObject::set_sun)
        .def("set_optics", &FieldObject::set_optics)
        .def("set_seed", &FieldObject::set_seed)
        .def("optics", &FieldObject::optics)
        .def("flux_per_quantum", &FieldObject::flux_per_quantum)
        .def("pixel_areas", &FieldObject::pixel_areas)
        .def("flux_shape", &FieldObject::flux_shape)
        .def("trace",
             [](const FieldPointer& self, const std::vector<int64_t>& part) {
                 return self->trace(part);
             },
             "",
             {torch::arg("part") = kWhole})
        .def("trace_heliostats",
             [](const FieldPointer& self, const std::vector<int64_t>& part) {
                 return self->trace_heliostats(part);
             },
             "",
             {torch::arg("part") = kWhole})
        .def("map_names", &FieldObject::map_names)
        .def("energy_terms", &FieldObject::energy_terms);
    m.def(
        "trace_field(__torch__.torch.classes.helioray.Field field, Tensor orientation, "
        "Tensor? control_points=None, Tensor? sun_direction=None, Tensor? optics=None, "
        "int[] part=[0, 1], float edge_reach=0.0) -> (Tensor flux, Tensor energy)");
}

TORCH_LIBRARY_IMPL(helioray, CPU, m) {
    m.impl("trace_field", trace_field);
}

TORCH_LIBRARY_IMPL(helioray, CUDA, m) {
    m.impl("trace_field", trace_field);
}

TORCH_LIBRARY_IMPL(helioray, Autograd, m) {
    m.impl("trace_field", trace_with_gradient);
}

}  // namespace helioray::operators
