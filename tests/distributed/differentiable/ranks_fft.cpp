// SPDX-License-Identifier: MIT
// Compares distributed Fourier transforms with those of the whole array.
#include "distributed/differentiable/fft.h"
#include "distributed/ranks/groups.h"
#include "kernels/host/partition.h"
#include "tests/distributed/differentiable/gradient_check.h"
#include "tests/distributed/rank_scenarios.h"

#include <ATen/ops/fft_irfft2.h>
#include <ATen/ops/fft_rfft2.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

namespace helioray::test {
namespace {

at::Tensor share(const ProcessGroup& group, const at::Tensor& whole, std::int64_t dim) {
    const auto [begin, end] = partition_range(whole.size(dim), group.rank(), group.size());
    return whole.narrow(dim, begin, end - begin).contiguous();
}

void expect_near(const at::Tensor& found, const at::Tensor& expected, const std::string& what) {
    expect(found.sizes() == expected.sizes() && found.allclose(expected, 1e-12, 1e-12), what);
}

/// Checks values, gradients and adjoints of both transforms for one size and norm.
void transforms(const ProcessGroup& group,
                std::int64_t height,
                std::int64_t width,
                FftNorm norm,
                const char* norm_name) {
    const std::string what =
        std::to_string(height) + " x " + std::to_string(width) + ", " + norm_name;
    const OperatorCase forward{
        "rfft2 " + what,
        [&](const at::Tensor& x) { return distributed_rfft2(group, x, norm); },
        share(group, random_like(at::zeros({2, height, width}, at::kDouble), 5), -1)};
    const at::Tensor image = random_like(at::zeros({2, height, width}, at::kDouble), 5);
    const at::Tensor spectrum =
        random_like(at::zeros({2, height, width / 2 + 1}, at::kComplexDouble), 6);
    const OperatorCase inverse{
        "irfft2 " + what,
        [&](const at::Tensor& y) { return distributed_irfft2(group, y, width, norm); },
        share(group, spectrum, -2)};

    const at::Tensor whole = at::fft_rfft2(image, {}, {-2, -1}, norm_name);
    expect_near(forward.apply(forward.input), share(group, whole, -2), forward.name);
    const std::vector<std::int64_t> shape{height, width};
    const at::Tensor back = at::fft_irfft2(spectrum, shape, {-2, -1}, norm_name);
    expect_near(inverse.apply(inverse.input), share(group, back, -1), inverse.name);
    expect_near(
        inverse.apply(forward.apply(forward.input)), forward.input, "there and back " + what);

    // Compare with the gradients of the transform of the whole array for the same loss.
    const at::Tensor whole_input = image.clone().requires_grad_(true);
    const at::Tensor u = random_like(whole, 8);
    const at::Tensor expected = torch::autograd::grad(
        {at::fft_rfft2(whole_input, {}, {-2, -1}, norm_name)}, {whole_input}, {u})[0];
    const at::Tensor part = forward.input.clone().requires_grad_(true);
    const at::Tensor found =
        torch::autograd::grad({forward.apply(part)}, {part}, {share(group, u, -2)})[0];
    expect_near(found, share(group, expected, -1), "gradient of " + forward.name);

    check_adjoint(group, forward);
    check_adjoint(group, inverse);
    check_gradient(group, forward);
    check_gradient(group, inverse);
}

void all_norms(const ProcessGroup& group, std::int64_t height, std::int64_t width) {
    transforms(group, height, width, FftNorm::backward, "backward");
    transforms(group, height, width, FftNorm::ortho, "ortho");
    transforms(group, height, width, FftNorm::forward, "forward");
}

void fft() {
    DistributedEnvironment environment(make_test_options());
    const ProcessGroup& world = environment.world();
    all_norms(world, 6, 8);
    all_norms(world, 5, 9);
    // Test arrays with fewer rows and columns than ranks.
    transforms(world, 1, 2, FftNorm::backward, "backward");
    transforms(world, 3, 1, FftNorm::ortho, "ortho");
    const at::Tensor single = random_like(at::zeros({4, 6}, at::kDouble), 3).to(at::kFloat);
    const at::Tensor spectrum = distributed_rfft2(world, share(world, single, 1));
    expect(spectrum.scalar_type() == at::kComplexFloat, "single precision stays");
    catch_message<std::invalid_argument>([&] { distributed_irfft2(world, spectrum, 8); },
                                         "a width that does not fit");

    if (environment.world_size() < 4) return;
    // Two groups of a mesh transform different images at the same time.
    Groups groups(environment);
    groups.add_mesh({2, 2}, {"image", "space"});
    all_norms(groups.group("space"), 6, 8);
    transforms(groups.group("image"), 5, 9, FftNorm::ortho, "ortho");
}

}  // namespace

Scenarios fft_scenarios() {
    return {{"fft", fft}};
}

}  // namespace helioray::test
