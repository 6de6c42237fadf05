// SPDX-License-Identifier: MIT
// Alignment from aim points by a fixed-point iteration over the mirror's origin, and from motor
// positions.
#include "raytracer/kinematics/alignment.h"

#include "raytracer/kinematics/actuators.h"
#include "raytracer/kinematics/alignment_issues.h"
#include "raytracer/kinematics/joints.h"
#include "raytracer/kinematics/transforms.h"
#include "scenario/error.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

namespace helioray {

namespace {

constexpr int kMaxPasses = 50;
constexpr double kNormalTolerance = 1e-12;  // of the components of the unit normal, while iterating
constexpr double kPointingTolerance = 1e-9;  // the same, for the verdict
// Every pass multiplies the error of the gradient by about (origin's distance from the pivot) /
// (distance to the aim point), which is below 0.01 in any field.
constexpr int kGradientPasses = 8;
constexpr double kShortestRay = 1e-6;  // metres from the mirror to its aim point
constexpr double kShortestBisector =
    1e-9;  // sum of the unit vectors to the sun and to the aim point

struct Rays {
    at::Tensor to_sun;  // [N, 3] unit
    at::Tensor aim;     // [N, 3]
};

struct Normals {
    at::Tensor wanted;   // [N, 3] unit
    at::Tensor defined;  // [N] bool
};

struct Solution {
    at::Tensor joint_angles;      // [N, 2]
    at::Tensor reachable_normal;  // [N] bool
    at::Tensor motor_positions;   // [N, 2]
    at::Tensor reachable_angle;   // [N, 2] bool
    at::Tensor within_limits;     // [N, 2] bool
};

void check_input(const char* name, const at::Tensor& tensor) {
    TORCH_CHECK(tensor.scalar_type() == at::kDouble, name, " must be float64");
    if (tensor.detach().isfinite().all().item<bool>()) return;
    throw InputError({name, "holds a value that is not finite", "mirrors cannot be aligned", ""});
}

at::Tensor normal_of(const at::Tensor& orientation) {
    return orientation.narrow(1, 0, 3).select(2, 2);
}

at::Tensor origin_of(const at::Tensor& orientation) {
    return orientation.narrow(1, 0, 3).select(2, 3);
}

at::Tensor up_like(const at::Tensor& vectors) {
    return at::tensor({0., 0., 1.}, vectors.options().requires_grad(false));
}

Rays rays_towards(const at::Tensor& incident_direction,
                  const at::Tensor& aim_points,
                  int64_t num_heliostats) {
    check_input("incident direction", incident_direction);
    check_input("aim points", aim_points);
    TORCH_CHECK(
        aim_points.dim() == 2 && aim_points.size(0) == num_heliostats && aim_points.size(1) == 3,
        "aim_points must be [",
        num_heliostats,
        ", 3], found ",
        aim_points.sizes());
    const UnitVectors sun = normalise_or(-incident_direction, up_like(aim_points), 1e-12);
    if (!sun.valid.all().item<bool>()) {
        throw InputError({"incident direction",
                          "a direction has no length",
                          "it says where sunlight goes",
                          "give a vector such as [0, 0.7, -0.7]"});
    }
    return {sun.vectors.expand({num_heliostats, 3}), aim_points};
}

// Normals that reflect the sun from where the mirrors are now to their aim points.
Normals bisectors(const Rays& rays, const at::Tensor& orientation) {
    const at::Tensor up = up_like(rays.aim);
    const UnitVectors ray = normalise_or(rays.aim - origin_of(orientation), up, kShortestRay);
    const UnitVectors normal = normalise_or(rays.to_sun + ray.vectors, up, kShortestBisector);
    return {normal.vectors, ray.valid & normal.valid};
}

// Finds consistent joint angles of one branch. Every heliostat stops by itself, so that none
// depends on the others.
at::Tensor find_joint_angles(const KinematicsParameters& parameters,
                             const Rays& rays,
                             Branch branch) {
    const c10::NoGradGuard no_grad;
    at::Tensor angles = at::zeros({parameters.size(), 2}, rays.aim.options().requires_grad(false));
    at::Tensor done = at::zeros({parameters.size(), 1}, angles.options().dtype(at::kBool));
    for (int pass = 0; pass < kMaxPasses; ++pass) {
        // The branch is chosen by the inverse, so the first pass never counts as done.
        const at::Tensor orientation = mirror_orientation(parameters, angles);
        const at::Tensor wanted = bisectors(rays, orientation).wanted;
        const at::Tensor error = (wanted - normal_of(orientation)).abs().amax(1, true);
        if (pass > 0) done = done | (error <= kNormalTolerance);
        if (done.all().item<bool>()) break;
        angles = at::where(
            done, angles, joint_angles_for_normals(parameters, wanted, branch).joint_angles);
    }
    return angles;
}

Solution solve(const KinematicsParameters& parameters, const Rays& rays, Branch branch) {
    // At the fixed point further passes change nothing but attach the gradient.
    Solution solution;
    solution.joint_angles = find_joint_angles(parameters, rays, branch);
    for (int pass = 0; pass < kGradientPasses; ++pass) {
        const at::Tensor orientation = mirror_orientation(parameters, solution.joint_angles);
        const NormalSolution next =
            joint_angles_for_normals(parameters, bisectors(rays, orientation).wanted, branch);
        solution.joint_angles = next.joint_angles;
        solution.reachable_normal = next.reachable;
    }

    const MotorPositions motor =
        motor_positions_from_joint_angles(parameters.actuators, solution.joint_angles);
    solution.motor_positions = motor.positions;
    solution.reachable_angle = motor.reachable;
    solution.within_limits =
        motor.reachable & within_motor_limits(parameters.actuators, motor.positions);
    return solution;
}

// Replaces the natural branch where meaningful limits exclude it and admit the rolled one.
Solution choose_branch(const KinematicsParameters& parameters, const Rays& rays, Solution natural) {
    const at::Tensor meaningful = limits_are_meaningful(parameters.actuators).all(1);
    const at::Tensor excluded = natural.within_limits.all(1).logical_not() & meaningful;
    if (!excluded.any().item<bool>()) return natural;

    const Solution rolled = solve(parameters, rays, Branch::rolled);
    const at::Tensor take = excluded & rolled.within_limits.all(1) & rolled.reachable_normal;
    const at::Tensor take_2 = take.unsqueeze(1);
    const auto pick = [](const at::Tensor& mask, const at::Tensor& a, const at::Tensor& b) {
        return at::where(mask, a, b);
    };
    return {pick(take_2, rolled.joint_angles, natural.joint_angles),
            pick(take, rolled.reachable_normal, natural.reachable_normal),
            pick(take_2, rolled.motor_positions, natural.motor_positions),
            pick(take_2, rolled.reachable_angle, natural.reachable_angle),
            pick(take_2, rolled.within_limits, natural.within_limits)};
}

}  // namespace

Alignment align_to_aim_points(const KinematicsParameters& parameters,
                              const at::Tensor& incident_direction,
                              const at::Tensor& aim_points) {
    const Rays rays = rays_towards(incident_direction, aim_points, parameters.size());
    const Solution solution =
        choose_branch(parameters, rays, solve(parameters, rays, Branch::natural));

    // A drive that ends before the wanted angle holds the mirror at its end.
    const at::Tensor nearest =
        joint_angles_from_motor_positions(parameters.actuators, solution.motor_positions.detach())
            .angles.detach();
    Alignment result;
    result.joint_angles = at::where(solution.reachable_angle, solution.joint_angles, nearest);
    result.orientation = mirror_orientation(parameters, result.joint_angles);
    result.motor_positions = solution.motor_positions;
    result.within_limits = solution.within_limits;

    // The verdict: does the mirror reflect the light to its aim point?
    const Normals normals = bisectors(rays, result.orientation.detach());
    const at::Tensor error =
        (normals.wanted - normal_of(result.orientation)).detach().abs().amax(1);
    result.converged = (error <= kPointingTolerance) & normals.defined;

    AlignmentMarks marks;
    marks.reachable_angle = solution.reachable_angle;
    marks.reachable_normal = solution.reachable_normal;
    marks.defined_normal = normals.defined;
    marks.converged = result.converged;
    result.issues = alignment_issues(
        parameters.actuators, result.motor_positions, solution.joint_angles, marks);
    return result;
}

Alignment align_to_motor_positions(const KinematicsParameters& parameters,
                                   const at::Tensor& motor_positions) {
    check_input("motor positions", motor_positions);
    const JointAngles joints =
        joint_angles_from_motor_positions(parameters.actuators, motor_positions);
    Alignment result;
    result.joint_angles = joints.angles;
    result.orientation = mirror_orientation(parameters, joints.angles);
    result.motor_positions = motor_positions;
    result.within_limits =
        joints.reachable & within_motor_limits(parameters.actuators, motor_positions);
    result.converged = at::ones({parameters.size()}, motor_positions.options().dtype(at::kBool));

    AlignmentMarks marks;
    marks.reachable_stroke = joints.reachable;
    result.issues = alignment_issues(parameters.actuators, motor_positions, joints.angles, marks);
    return result;
}

Alignment with_axis_errors(const KinematicsParameters& parameters,
                           const Alignment& alignment,
                           const at::Tensor& errors) {
    check_input("axis errors", errors);
    Alignment result = alignment;
    result.joint_angles = alignment.joint_angles + errors;
    result.orientation = mirror_orientation(parameters, result.joint_angles);
    return result;
}

}  // namespace helioray
