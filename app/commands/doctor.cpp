// SPDX-License-Identifier: MIT
// The doctor command: what this program is, what this machine has, and what a run would use and
// why.
#include "app/commands/commands.h"
#include "distributed/launcher.h"
#include "kernels/core/instruction_set.h"
#include "kernels/cuda_devices.h"
#include "kernels/module.h"
#include "raytracer/run/device.h"
#include "raytracer/run/options.h"

#include <CLI/CLI.hpp>
#include <H5public.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "helioray/version.h"
#include <string>
#include <thread>
#include <vector>

namespace helioray::app {

namespace {

void line(const char* name, const std::string& value) {
    fmt::print("  {:<22}{}\n", name, value);
}

void module_line(const char* use, const std::string& name) {
    const std::string problem = module_problem(name);
    line(use, problem.empty() ? "ready" : "not available: " + problem);
}

/// The instruction set in use and where it comes from: "avx2 (HELIORAY_INSTRUCTION_SET; this
/// processor has portable, avx2, avx512)".
std::string describe_instruction_set() {
    const kernels::InstructionSet used = kernels::resolve_instruction_set();
    std::vector<std::string> names;
    for (const kernels::InstructionSet set : kernels::processor_instruction_sets())
        names.emplace_back(kernels::to_string(set));
    const bool is_best = kernels::to_string(used) == names.back();
    return fmt::format("{} ({}; this processor has {})",
                       kernels::to_string(used),
                       is_best ? "the best" : kernels::kInstructionSetVariable,
                       fmt::join(names, ", "));
}

int describe_installation() {
    fmt::print("Program\n");
    line("helioray", fmt::format("{} ({})", kVersion, kGitCommit));
    line("LibTorch", kTorchVersion);
    line("HDF5", fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE));

    fmt::print("\nModules, loaded when they are used\n");
    module_line("several ranks", "helioray_ranks");
    module_line("model artist", "helioray_artist");
    module_line("CUDA devices", "helioray_cuda");
    module_line("NCCL between them", "helioray_nccl");

    fmt::print("\nMachine\n");
    line("processor cores", fmt::format("{}", std::thread::hardware_concurrency()));
    line("instruction set", describe_instruction_set());
    line("CUDA devices", fmt::format("{}", kernels::num_cuda_devices()));

    const LaunchInfo launch = detect_launcher(EnvironmentView::from_process());
    fmt::print("\nLauncher\n{}", describe(launch));

    const run::DeviceChoice device = run::choose_device({}, Model::physical);
    fmt::print("\nA run with 'device: auto' here\n");
    line("device", fmt::format("{} ({})", device.use_cuda ? "cuda" : "cpu", device.reason));
    line("threads per process", fmt::format("{}", run::threads_of_rank(launch)));
    line("backend",
         launch.world_size == 1 ? "none (one process)"
                                : (device.use_cuda ? "nccl (CUDA devices)" : "gloo (CPU)"));
    return 0;
}

}  // namespace

void add_doctor(CLI::App& parent, Action& action) {
    CLI::App& command =
        *parent.add_subcommand("doctor",
                               "Print versions, devices, backends and the launcher, and what a run "
                               "would use and why");
    command.footer(
        "Examples:\n"
        "  helioray doctor\n"
        "  torchrun --no-python --nproc-per-node 2 helioray doctor");
    command.callback([&action] { action = describe_installation; });
}

}  // namespace helioray::app
