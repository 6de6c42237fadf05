// SPDX-License-Identifier: MIT
// The doctor command: describes this program and this machine, and explains which devices and
// processes a run would use.
#include "app/program/commands/commands.h"
#include "app/program/common/signals.h"
#include "distributed/launch/launcher.h"
#include "distributed/launch/message_text.h"
#include "distributed/ranks/environment.h"
#include "kernels/core/instruction_set.h"
#include "kernels/cuda_devices.h"
#include "kernels/host/module.h"
#include "kernels/host/processor_cores.h"
#include "raytracer/run/device.h"
#include "raytracer/run/options.h"

#include <H5public.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "helioray/version.h"
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
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

/// Returns the instruction set in use and its origin: "avx2 (HELIORAY_INSTRUCTION_SET; this
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

/// Describes the backend that would add up the sums of the ranks of this launch.
std::string describe_backend(const LaunchInfo& launch, const run::DeviceChoice& device) {
    if (launch.world_size == 1) return "none (one process)";
    if (!device.use_cuda()) return "gloo (sums in the memory of the CPU)";
    if (launch.local_world_size > kernels::num_cuda_devices())
        return fmt::format(
            "gloo ({} ranks on this machine share {} CUDA device(s); sums are added "
            "on the host)",
            launch.local_world_size,
            kernels::num_cuda_devices());
    return "nccl (sums are added on the CUDA devices; gloo where ranks elsewhere share one)";
}

int describe_installation() {
    fmt::print("Program\n");
    line("helioray", fmt::format("{} ({})", kVersion, kGitCommit));
    line("LibTorch", *kTorchVersion != 0 ? kTorchVersion : "none");
    line("HDF5", fmt::format("{}.{}.{}", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE));

    fmt::print("\nModules, loaded when they are used\n");
    module_line("several ranks", "helioray_ranks");
    module_line("model artist", "helioray_artist");
    module_line("CUDA devices", "helioray_cuda");
    module_line("NCCL between them", "helioray_nccl");

    fmt::print("\nMachine\n");
    line("processor cores", kernels::to_string(kernels::processor_cores()));
    line("instruction set", describe_instruction_set());
    line("CUDA devices", fmt::format("{}", kernels::num_cuda_devices()));

    const LaunchInfo launch = detect_launcher(EnvironmentView::from_process());
    fmt::print("\nLauncher\n{}", describe(launch));

    const run::DeviceChoice device = run::choose_device({}, Model::physical);
    fmt::print("\nA run with 'device: auto' here\n");
    line("device",
         fmt::format("{}{} ({})",
                     kernels::device_names(device.cuda_devices),
                     device.use_cuda() && launch.world_size > 1 ? ", one for each rank" : "",
                     device.reason));
    line(
        "threads per process",
        fmt::format("{} ({})",
                    run::threads_of_rank(launch),
                    launch.world_size == 1 ? "the cores that this process may use"
                    : launch.local_world_size > 0
                        ? "cores divided by the ranks of this host"
                        : "at least: cores divided by all ranks; a run knows who shares the host"));
    line("backend", describe_backend(launch, device));
    return 0;
}

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Returns the milliseconds of one of several equal steps.
template <typename Step>
double measure_milliseconds(const Step& step) {
    constexpr int kRounds = 20;
    step();
    const auto start = Clock::now();
    for (int round = 0; round < kRounds; ++round) step();
    return milliseconds_since(start) / kRounds;
}

std::string place_text(const DistributedEnvironment& ranks) {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return fmt::format("host {}, local rank {} of {}, {}, {} thread(s), cores {}",
                       host.data(),
                       ranks.local_rank(),
                       ranks.local_size(),
                       ranks.device_name(),
                       ranks.threads(),
                       kernels::to_string(kernels::processor_cores()));
}

/// Tests the connections between the ranks of this launch and their speed. Rank 0 prints the
/// result.
int connect_ranks(double timeout_s) {
    DistributedOptions options;
    options.launch = detect_launcher(EnvironmentView::from_process());
    const int size = options.launch.world_size;
    if (size == 1) {
        fmt::print(
            "One process: there is nothing to connect. Start this command as you start a run, for "
            "example with torchrun or srun.\n");
        return 0;
    }
    options.use_cuda = run::choose_device({}, Model::physical).use_cuda();
    options.timeout = std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1000.0));
    options.wait_callback = check_interrupt;
    const auto start = Clock::now();
    DistributedEnvironment ranks(options);
    const double connected = milliseconds_since(start);
    const std::vector<std::string> places = ranks.all_gather_strings(place_text(ranks));
    const double barrier = measure_milliseconds([&] { ranks.barrier(); });
    // The array is as large as a map of 256 x 256 pixels with its errors.
    std::vector<std::int64_t> values(1 << 17, 1);
    const double sum = measure_milliseconds([&] { ranks.all_reduce_sum(values); });
    if (ranks.is_root()) {
        fmt::print("Ranks\n");
        line("connected",
             fmt::format(
                 "{} ranks in {:.1f} ms, backend {}", size, connected, ranks.backend_name()));
        for (int rank = 0; rank < size; ++rank)
            line(fmt::format("rank {}", rank).c_str(), detail::make_printable(places[rank]));
        line("barrier", fmt::format("{:.2f} ms", barrier));
        line("sum of 1 MB", fmt::format("{:.2f} ms", sum));
    }
    ranks.close();
    return 0;
}

}  // namespace

void add_doctor(Command parent, Action& action) {
    struct Options {
        bool connect = false;
        double timeout_s = 60.0;
    };
    const auto options = std::make_shared<Options>();
    const Command command =
        parent.add_subcommand("doctor",
                              "Print versions, devices, backends and the launcher, and what a run "
                              "would use and why");
    command.footer(
        "Examples:\n"
        "  helioray doctor\n"
        "  torchrun --no-python --nproc-per-node 2 helioray doctor --connect");
    const Option connect = command.add_flag(
        "--connect",
        options->connect,
        "Test the connections between the ranks of this launch: start it as you start a run");
    command
        .add_option("--timeout-s",
                    options->timeout_s,
                    "Seconds that a rank waits for the others with --connect (default 60)")
        .type_name("SECONDS")
        .range(0.1, 86'400.0)
        .needs(connect);
    command.callback([options, &action] {
        action = [options] {
            return options->connect ? connect_ranks(options->timeout_s) : describe_installation();
        };
    });
}

}  // namespace helioray::app
