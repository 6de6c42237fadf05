// SPDX-License-Identifier: MIT
// Kinematics "rigid_body", forward and inverse.
#include "raytracer/kinematics/rigid_body.h"

#include "raytracer/kinematics/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>

namespace helioray {

namespace {

at::Tensor first_tilts(const KinematicsParameters& parameters) {
    return at::matmul(rotate_n(parameters.rotations.select(1, 0)),
                      rotate_u(parameters.rotations.select(1, 1)));
}

at::Tensor second_tilts(const KinematicsParameters& parameters) {
    return at::matmul(rotate_e(parameters.rotations.select(1, 2)),
                      rotate_n(parameters.rotations.select(1, 3)));
}

// The exact rotation by pi/2 about east: mirror frame (normal up) to the joints' frame (normal
// south).
at::Tensor mirror_to_joint_frame(const at::Tensor& like) {
    return at::tensor({1., 0., 0., 0., 0., 0., -1., 0., 0., 1., 0., 0., 0., 0., 0., 1.},
                      like.options().requires_grad(false))
        .view({4, 4});
}

at::Tensor rotate_vectors(const at::Tensor& matrices, const at::Tensor& vectors) {
    const at::Tensor rotation = matrices.narrow(-2, 0, 3).narrow(-1, 0, 3);
    return at::matmul(rotation, vectors.unsqueeze(-1)).squeeze(-1);
}

}  // namespace

at::Tensor rigid_body_orientation(const KinematicsParameters& parameters,
                                  const at::Tensor& joint_angles) {
    const at::Tensor& t = parameters.translations;
    at::Tensor joint = at::matmul(translate(parameters.positions), first_tilts(parameters));
    joint = at::matmul(joint, translate(t.narrow(1, 0, 3)));
    joint = at::matmul(joint, rotate_e(joint_angles.select(1, 0)));
    joint = at::matmul(joint, second_tilts(parameters));
    joint = at::matmul(joint, translate(t.narrow(1, 3, 3)));
    joint = at::matmul(joint, rotate_u(joint_angles.select(1, 1)));
    joint = at::matmul(joint, translate(t.narrow(1, 6, 3)));
    return at::matmul(joint, mirror_to_joint_frame(joint));
}

NormalSolution rigid_body_joint_angles(const KinematicsParameters& parameters,
                                       const at::Tensor& normals,
                                       Branch branch) {
    // m: the wanted normal behind the first joint's tilts.
    const at::Tensor m = rotate_vectors(first_tilts(parameters).transpose(-2, -1), normals);
    const at::Tensor m_e = m.select(1, 0), m_n = m.select(1, 1), m_u = m.select(1, 2);

    // Axis 2: turning axis 1 cannot change the east component, cos(tilt) sin(angle 2) = m_e. The
    // cosine comes from the other two components, which stays accurate near east and west.
    const at::Tensor tilt = parameters.rotations.select(1, 3);
    const at::Tensor tilt_cosine = tilt.cos(), tilt_sine = tilt.sin();
    const at::Tensor rest = m_n * m_n + m_u * m_u - tilt_sine * tilt_sine;
    constexpr double kRoundOff = 1e-15;
    const at::Tensor positive = rest > 1e-30;
    const at::Tensor root =
        at::where(positive, at::where(positive, rest, at::full_like(rest, 1)).sqrt(), 0.0);
    const at::Tensor cosine = branch == Branch::natural ? root : -root;
    const at::Tensor angle_2 =
        angle_of(m_e * tilt_cosine.detach().sign(), cosine, /*undefined=*/0.0);

    // Axis 1: what is left is a rotation about east.
    const at::Tensor south =
        at::tensor({0., -1., 0.}, normals.options().requires_grad(false)).expand_as(normals);
    const at::Tensor v =
        rotate_vectors(at::matmul(second_tilts(parameters), rotate_u(angle_2)), south);
    const at::Tensor v_n = v.select(1, 1), v_u = v.select(1, 2);
    const at::Tensor angle_1 =
        angle_of(v_n * m_u - v_u * m_n, v_n * m_n + v_u * m_u, /*undefined=*/0.0);

    return {at::stack({angle_1, angle_2}, 1), rest >= -kRoundOff};
}

}  // namespace helioray
