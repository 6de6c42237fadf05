// SPDX-License-Identifier: MIT
// Splits a batch by the type of kinematics and puts the results back in order.
#include "raytracer/kinematics/joints.h"

#include "raytracer/kinematics/azimuth_elevation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <c10/util/Exception.h>

namespace helioray {

namespace {

// Row numbers of the rigid bodies and of all others, and where each row ends up in their
// concatenation.
struct Split {
    at::Tensor rigid;
    at::Tensor azimuth_elevation;
    at::Tensor order;

    explicit Split(const at::Tensor& types) {
        const at::Tensor is_rigid = types == static_cast<int64_t>(KinematicsType::rigid_body);
        rigid = is_rigid.nonzero().squeeze(1);
        azimuth_elevation = is_rigid.logical_not().nonzero().squeeze(1);
        order = at::cat({rigid, azimuth_elevation}).argsort();
    }
};

void check_shape(const char* name,
                 const KinematicsParameters& parameters,
                 const at::Tensor& tensor,
                 int64_t columns) {
    TORCH_CHECK(tensor.scalar_type() == at::kDouble && tensor.dim() == 2 &&
                    tensor.size(0) == parameters.size() && tensor.size(1) == columns,
                name,
                " must be float64 [",
                parameters.size(),
                ", ",
                columns,
                "], found ",
                tensor.scalar_type(),
                " ",
                tensor.sizes());
}

}  // namespace

at::Tensor mirror_orientation(const KinematicsParameters& parameters,
                              const at::Tensor& joint_angles) {
    check_shape("joint_angles", parameters, joint_angles, 2);
    const Split split(parameters.types);
    if (split.azimuth_elevation.numel() == 0) {
        return rigid_body_orientation(parameters, joint_angles);
    }
    if (split.rigid.numel() == 0) return azimuth_elevation_orientation(parameters, joint_angles);

    const at::Tensor rigid = rigid_body_orientation(select(parameters, split.rigid),
                                                    joint_angles.index_select(0, split.rigid));
    const at::Tensor others =
        azimuth_elevation_orientation(select(parameters, split.azimuth_elevation),
                                      joint_angles.index_select(0, split.azimuth_elevation));
    return at::cat({rigid, others}).index_select(0, split.order);
}

NormalSolution joint_angles_for_normals(const KinematicsParameters& parameters,
                                        const at::Tensor& normals,
                                        Branch branch) {
    check_shape("normals", parameters, normals, 3);
    const Split split(parameters.types);
    if (split.azimuth_elevation.numel() == 0) {
        return rigid_body_joint_angles(parameters, normals, branch);
    }
    const at::Tensor others =
        azimuth_elevation_joint_angles(normals.index_select(0, split.azimuth_elevation));
    const at::Tensor all = at::ones({others.size(0)}, normals.options().dtype(at::kBool));
    if (split.rigid.numel() == 0) return {others, all};

    const NormalSolution rigid = rigid_body_joint_angles(
        select(parameters, split.rigid), normals.index_select(0, split.rigid), branch);
    return {at::cat({rigid.joint_angles, others}).index_select(0, split.order),
            at::cat({rigid.reachable, all}).index_select(0, split.order)};
}

}  // namespace helioray
