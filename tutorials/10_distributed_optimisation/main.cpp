// SPDX-License-Identifier: MIT
// Tutorial 10: gradient descent over ranks, with the same bits for any number of them.
#include "distributed/differentiable/collectives.h"
#include "distributed/differentiable/gradients.h"
#include "distributed/launch/launcher.h"
#include "distributed/ranks/environment.h"
#include "distributed/ranks/groups.h"
#include "distributed/tensors/collectives.h"
#include "raytracer/operators/pose/align.h"
#include "raytracer/operators/trace_flux.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/meshgrid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

using namespace helioray;

namespace {

constexpr int kHeliostatGroups = 2;
constexpr std::int64_t kHeliostats = 6;  // of each group
constexpr std::int64_t kPixels = 64;     // along each edge of the receiver
constexpr double kReceiver = 6.0;        // m, edge
constexpr double kReceiverHeight = 30.0;
constexpr double kWantedWidth = 1.0;  // m, standard deviation of the wanted spot
constexpr double kUnit = 1e4;         // W/m2, of the loss
constexpr int kSteps = 40;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One of ARTIST's heliostat groups: one kind of kinematics, and parameters of its own.
struct HeliostatGroup {
    int index = 0;
    KinematicsType kinematics = KinematicsType::azimuth_elevation;
    at::Tensor positions;           // [kHeliostats, 16]
    at::Tensor aims;                // [kHeliostats, 2], m east and up of the centre: unknown
    std::vector<std::int64_t> own;  // heliostats that this rank traces
};

/// Heliostats on an arc; the second group behind the first.
HeliostatGroup make_group(int index) {
    HeliostatGroup group;
    group.index = index;
    group.kinematics = index == 0 ? KinematicsType::azimuth_elevation : KinematicsType::rigid_body;
    const at::Tensor angle = at::linspace(-0.5, 0.5, kHeliostats, at::kDouble);
    const double radius = 50.0 + 10.0 * index;
    group.positions = at::zeros({kHeliostats, 16}, at::kDouble);
    group.positions.select(1, 0).copy_(radius * angle.sin());
    group.positions.select(1, 1).copy_(radius * angle.cos());
    // All aim near the centre.
    const at::Tensor east = at::linspace(-0.3, 0.3, kHeliostats, at::kDouble);
    group.aims = at::stack({east, at::zeros_like(east)}, 1).set_requires_grad(true);
    return group;
}

/// The heliostat groups of this rank, and its heliostats in them.
std::vector<HeliostatGroup> own_groups(const Groups& groups, int rank, int ranks) {
    std::vector<HeliostatGroup> own;
    for (const int index : heliostat_groups_of_rank(rank, ranks, kHeliostatGroups)) {
        HeliostatGroup group = make_group(index);
        // Where several ranks share the group they divide its heliostats, else the rank is alone.
        group.own = heliostat_samples_of_rank(kHeliostats,
                                              kHeliostats,
                                              groups.rank("heliostat_group"),
                                              groups.size("heliostat_group"));
        own.push_back(group);
    }
    return own;
}

/// Flux [1, kPixels, kPixels] of one heliostat. curvature: [1], 1/m.
at::Tensor flux_of(const HeliostatGroup& group,
                   std::int64_t heliostat,
                   const at::Tensor& curvature,
                   std::int64_t rays) {
    const at::Tensor edge = at::linspace(-1.5, 1.5, 6, at::kDouble);
    const auto grid = at::meshgrid({edge, edge}, "ij");
    const at::Tensor heights = (grid[0].square() + grid[1].square()) * curvature / 2.0;
    const at::Tensor aim = group.aims.narrow(0, heliostat, 1);
    const at::Tensor north = at::zeros({1}, at::kDouble);

    operators::FluxInputs inputs;
    inputs.sun_direction = at::tensor({0.0, -0.7, 0.7}, at::kDouble);
    inputs.orientation = operators::align(
        group.positions.narrow(0, heliostat, 1),
        inputs.sun_direction,
        at::stack({aim.select(1, 0), north, aim.select(1, 1) + kReceiverHeight}, 1),
        group.kinematics);
    inputs.control_points = at::stack({grid[0], grid[1], heights}, -1).view({1, 1, 6, 6, 3});
    inputs.target_index = at::zeros({1}, at::kLong);
    inputs.targets =
        at::tensor({0., 0., 0., kReceiverHeight, 0., 1., 0., 0., 0., 0., kReceiver, kReceiver, 0.},
                   at::kDouble)
            .view({1, 13});
    inputs.optics = at::tensor({900.0, 0.93, 2.1e-3, 1e-3, 0.0}, at::kDouble);
    operators::FluxSettings settings;
    settings.bitmap = {kPixels, kPixels};
    settings.rays = rays;
    // Random numbers of its own for every heliostat, whichever rank traces it.
    settings.seed = group.index * kHeliostats + heliostat;
    return operators::trace_flux(inputs, settings);
}

/// The wanted flux: a round spot with the power of all heliostats.
at::Tensor wanted_flux(double power) {
    const at::Tensor centre =
        ((at::arange(kPixels, at::kDouble) + 0.5) / static_cast<double>(kPixels) - 0.5) * kReceiver;
    const at::Tensor along = (centre.square() / (-2.0 * kWantedWidth * kWantedWidth)).exp();
    return along.unsqueeze(0) * along.unsqueeze(1) *
           (power / (2.0 * M_PI * kWantedWidth * kWantedWidth));
}

void optimise(DistributedEnvironment& environment, std::int64_t rays) {
    // 2. ARTIST's heliostat groups. Two ranks take a group each; of four ranks two share each.
    Groups groups(environment);
    groups.add_heliostat_groups(kHeliostatGroups);
    std::vector<HeliostatGroup> own =
        own_groups(groups, environment.rank(), environment.world_size());
    if (environment.is_root()) std::fprintf(stderr, "%s", groups.describe().c_str());

    // The unknowns of all groups: one curvature for all mirrors, and each group's aim points.
    // Every mirror has its own copy of the curvature, and all ranks have all copies: from now on
    // each backward pass ends with their gradients added up over the ranks.
    at::Tensor curvatures = at::full({kHeliostatGroups * kHeliostats}, 1.0 / 160.0, at::kDouble)
                                .set_requires_grad(true);
    share_parameter(environment.world(), curvatures, "curvatures");
    std::vector<at::Tensor> aims;
    for (const HeliostatGroup& group : own) aims.push_back(group.aims);
    at::Tensor wanted;
    double traced_s = 0.0;
    const auto start = Clock::now();

    for (int step = 0; step <= kSteps; ++step) {
        // 3. This rank's heliostats. The empty map lets a rank without any reach the curvatures.
        const auto tracing = Clock::now();
        std::vector<at::Tensor> maps{
            curvatures.narrow(0, 0, 0).view({0, 1, 1}).expand({0, kPixels, kPixels})};
        for (const HeliostatGroup& group : own)
            for (const std::int64_t heliostat : group.own)
                maps.push_back(
                    flux_of(group,
                            heliostat,
                            curvatures.narrow(0, group.index * kHeliostats + heliostat, 1),
                            rays));
        const at::Tensor contributions = at::cat(maps);
        traced_s += seconds_since(tracing);

        // 4. The flux of all heliostats of all ranks, on every rank, exact.
        const at::Tensor flux = differentiable::exact_sum(environment.world(),
                                                          contributions,
                                                          fixed_point_bits(1e9),
                                                          differentiable::Loss::replicated);
        const double pixel_area = std::pow(kReceiver / static_cast<double>(kPixels), 2);
        const double power = flux.sum().item<double>() * pixel_area;
        if (!wanted.defined()) wanted = wanted_flux(power);
        const at::Tensor loss = ((flux - wanted) / kUnit).square().mean();
        if (environment.is_root() && step % 10 == 0)
            std::printf(
                "step %2d: loss %.4f, peak %6.2f kW/m2, power %6.2f kW, focal length %.1f m\n",
                step,
                loss.item<double>(),
                flux.max().item<double>() / 1e3,
                power / 1e3,
                0.5 / curvatures[0].item<double>());

        // A quarter of the bytes is enough for a loss that tolerates 0.4 %: bfloat16 has eight
        // bits.
        if (step == kSteps) {
            const at::Tensor rough =
                differentiable::sum(environment.world(),
                                    (contributions.sum(0) / kUnit).to(at::kBFloat16),
                                    differentiable::Loss::replicated);
            const double error = (rough.to(at::kDouble) * kUnit - flux).abs().max().item<double>();
            if (environment.is_root())
                std::fprintf(stderr,
                             "a sum of bfloat16 differs by up to %.2f %% of the peak\n",
                             error / flux.max().item<double>() * 100.0);
        }

        // 5. Every rank goes back through its own rays. The gradient of a heliostat comes from the
        // one rank that traced it; the others add zeros, so the sum is exact in any order.
        const auto going_back = Clock::now();
        loss.backward();
        traced_s += seconds_since(going_back);
        synchronise_gradients(groups.group("heliostat_group"), aims, 1.0, GradientScale::sum);

        // 6. The same step on every rank that has the parameter.
        for (const at::Tensor& aim : aims) {
            aim.detach().sub_(0.4 * aim.grad());
            aim.mutable_grad().zero_();
        }
        curvatures.detach().sub_(1e-6 * curvatures.grad().sum());
        curvatures.mutable_grad().zero_();
    }

    // 7. All aim points on every rank: the first rank of each group fills in its rows.
    at::Tensor all = at::zeros({kHeliostatGroups * kHeliostats, 2}, at::kDouble);
    for (const HeliostatGroup& group : own)
        if (groups.rank("heliostat_group") == 0)
            all.narrow(0, group.index * kHeliostats, kHeliostats).copy_(group.aims.detach());
    all_reduce(environment.world(), all);
    const double step_ms = seconds_since(start) / (kSteps + 1) * 1e3;
    if (!environment.is_root()) return;
    const at::Tensor bits = at::cat({all.view({-1}), curvatures.detach()}).view(at::kLong).sum();
    std::printf("spread of the aim points: %.3f m east, %.3f m up\n",
                all.select(1, 0).std().item<double>(),
                all.select(1, 1).std().item<double>());
    std::printf("bits of the result: %016llx\n",
                static_cast<unsigned long long>(bits.item<std::int64_t>()));
    std::fprintf(stderr,
                 "%d rank(s): %.1f ms for a step, of which rank 0 traces %.1f ms\n",
                 environment.world_size(),
                 step_ms,
                 traced_s / (kSteps + 1) * 1e3);
}

}  // namespace

int main(int argc, char** argv) try {
    // 1. The launcher's variables identify this rank; the environment connects all ranks.
    DistributedOptions options;
    options.launch = detect_launcher(EnvironmentView::from_process());
    DistributedEnvironment environment(options);
    optimise(environment, argc > 1 ? std::atoll(argv[1]) : 20'000);
    environment.close();
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
