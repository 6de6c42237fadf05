// SPDX-License-Identifier: MIT
// The bench command: measures rays per second, compares with published cases, and studies sampling
// errors.
#include "app/output/summary/text_table.h"
#include "app/program/commands/commands.h"
#include "app/program/common/signals.h"
#include "app/program/common/standard_streams.h"
#include "app/validation/sampling_study.h"
#include "app/validation/speed_fields.h"
#include "app/validation/validate.h"
#include "kernels/cuda_devices.h"
#include "kernels/host/processor_cores.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/device.h"
#include "raytracer/run/make_job.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "scenario/config/checks/checks.h"
#include "scenario/files/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>

namespace helioray::app {

namespace {

struct BenchOptions {
    bool validate = false;
    bool sampling = false;
    bool full = false;
    std::string only;
    std::optional<double> rays;  ///< number per scene; may be written 1e6
    int threads = 0;             ///< 0: all cores
    bool json = false;
};

using nlohmann::json;

constexpr int64_t kFastRays = 1'000'000;
constexpr int64_t kFullRays = 20'000'000;
constexpr int64_t kSpeedRays = 20'000'000;
constexpr int kRepeats = 3;
// Short runs are repeated until they have taken kLeastSeconds in total, or kMostRepeats times.
constexpr double kLeastSeconds = 0.3;
constexpr int kMostRepeats = 12;

/// Returns the number of rays from the command line, or a default.
int64_t choose_rays(const BenchOptions& options, int64_t usual) {
    return options.rays ? static_cast<int64_t>(*options.rays) : usual;
}

int all_threads(const BenchOptions& options) {
    if (options.threads > 0) return options.threads;
    return kernels::usable_cores();
}

/// Returns the highest speed of a few runs, since other work on the machine can only slow a run
/// down.
double rays_per_second(const validation::Scene& scene, const TraceControl& control) {
    check_supported(scene.config);
    double best = 0.0;
    double total = 0.0;
    for (int repeat = 0; repeat < kRepeats || (repeat < kMostRepeats && total < kLeastSeconds);
         ++repeat) {
        check_interrupt();
        const auto job = make_job(scene.config, scene.scenario);
        const auto start = Clock::now();
        job->trace(0, job->num_units(), control);
        const double seconds = seconds_since(start);
        best = std::max(best, static_cast<double>(job->num_rays()) / seconds);
        total += seconds;
    }
    return best;
}

/// Returns the speed of derivatives of the flux; 0 on a device, where this is not measured.
double backward_rays_per_second(const validation::Scene& scene, const TraceControl& control) {
    if (control.use_cuda()) return 0.0;
    const physical::PreparedField prepared(scene.config, scene.scenario);
    double best = 0.0;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        check_interrupt();
        const auto start = Clock::now();
        validation::run_backward(prepared.field(), control.num_threads);
        const double seconds = seconds_since(start);
        best = std::max(best, static_cast<double>(prepared.field().num_rays()) / seconds);
    }
    return best;
}

int run_speed(const BenchOptions& options) {
    const int64_t rays = choose_rays(options, kSpeedRays);
    const int threads = all_threads(options);
    json list = json::array();
    TextTable table({{"field", Align::left},
                     {"device", Align::left},
                     {"threads", Align::right},
                     {"forward", Align::right},
                     {"backward", Align::right}});
    const auto rate = [](double speed) {
        return speed > 0.0 ? fmt::format("{:.1f}", 1e-6 * speed) : std::string("-");
    };
    const auto measure = [&](const validation::NamedScene& scene, TraceControl control) {
        const std::string device = kernels::device_names(control.cuda_devices);
        const std::string count = control.use_cuda() ? "" : fmt::format("{}", control.num_threads);
        try {
            const double speed = rays_per_second(scene.scene, control);
            const double backward = backward_rays_per_second(scene.scene, control);
            list.push_back({{"field", scene.name},
                            {"device", device},
                            {"threads", control.num_threads},
                            {"rays_per_second", speed},
                            {"backward_rays_per_second", backward}});
            table.add_row({scene.name, device, count, rate(speed), rate(backward)});
        } catch (const InputError& error) {
            list.push_back({{"field", scene.name}, {"device", device}, {"note", error.what()}});
            table.add_row({scene.name, device, count, "not available", "-"});
        }
    };
    for (validation::NamedScene& scene : validation::speed_fields()) {
        const auto heliostats = std::ssize(scene.scene.scenario.heliostats);
        scene.scene.config.tracing.rays_per_heliostat =
            scene.rays_per_heliostat > 0 ? scene.rays_per_heliostat
                                         : std::max<int64_t>(1, rays / heliostats);
        scene.scene.config.bitmap.width = scene.scene.config.bitmap.height = 256;
        TraceControl control;
        measure(scene, control);
        control.num_threads = threads;
        if (threads > 1) measure(scene, control);
        control.cuda_devices = run::choose_device({}, Model::physical).cuda_devices;
        if (control.use_cuda()) measure(scene, control);
    }
    const char* set = kernels::to_string(kernels::resolve_instruction_set());
    if (options.json) {
        print_json(json{{"instruction_set", set}, {"speed", list}});
    } else {
        fmt::print(
            "Million rays per second; 57 heliostats unless noted otherwise, 256 x 256 pixels, "
            "{}\n\n{}",
            set,
            table.str());
    }
    return 0;
}

int run_validation(const BenchOptions& options) {
    validation::Effort effort;
    effort.full = options.full;
    effort.rays = choose_rays(options, options.full ? kFullRays : kFastRays);
    effort.control.num_threads = all_threads(options);
    effort.control.cuda_devices = run::choose_device({}, Model::physical).cuda_devices;
    const bool progress = isatty(STDERR_FILENO) != 0 && !options.json;
    const auto rows =
        validation::validate(effort, options.only, [&](const validation::Case& validation_case) {
            check_interrupt();
            if (progress)
                fmt::print(stderr, "\r\033[K{} {}", validation_case.id, validation_case.title);
        });
    if (progress) fmt::print(stderr, "\r\033[K");
    if (options.json) {
        json object = validation::rows_json(rows);
        object["rays"] = effort.rays;
        object["full"] = effort.full;
        print_json(object);
    } else {
        fmt::print("{}", validation::rows_table(rows));
    }
    return validation::all_pass(rows) ? 0 : 1;
}

int run_sampling(const BenchOptions& options) {
    validation::SamplingPlan plan;
    if (options.rays) plan.rays = {choose_rays(options, 0)};
    plan.control.num_threads = all_threads(options);
    std::vector<validation::SamplingError> errors;
    std::string missing;
    for (const validation::NamedScene& scene : validation::small_fields()) {
        check_interrupt();
        try {
            for (auto& error : validation::sampling_errors(scene.name, scene.scene, plan))
                errors.push_back(std::move(error));
        } catch (const InputError& error) {
            missing += fmt::format("{}: {}\n", scene.name, error.what());
        }
    }
    if (options.json) {
        print_json(validation::sampling_json(errors));
    } else {
        fmt::print("Root mean square error over {} seeds: power, and flux of 16 x 16 pixels\n\n{}",
                   plan.num_seeds,
                   validation::sampling_table(errors));
    }
    if (!missing.empty()) fmt::print(stderr, "{}", missing);
    return missing.empty() ? 0 : 1;
}

int run(const BenchOptions& options) {
    if (options.validate) return run_validation(options);
    if (options.sampling) return run_sampling(options);
    return run_speed(options);
}

}  // namespace

void add_bench(Command parent, Action& action) {
    const auto options = std::make_shared<BenchOptions>();
    const Command command =
        parent.add_subcommand("bench",
                              "Measure rays per second, compare with published cases, or measure "
                              "errors of sampling");
    const Option validate =
        command.add_flag("--validate",
                         options->validate,
                         "Compare with closed-form and published cases; exit code 1 if one does "
                         "not pass");
    command
        .add_flag("--sampling",
                  options->sampling,
                  "Measure how errors fall with the number of rays, for Sobol's sequence "
                  "and random sampling")
        .excludes(validate);
    command
        .add_option(
            "--only", options->only, "Run only the cases whose id or title contains this text")
        .type_name("TEXT")
        .needs(validate);
    command
        .add_flag("--full",
                  options->full,
                  "Use 20 million rays per scene and narrow tolerances, and add the "
                  "field of 522 heliostats")
        .needs(validate);
    command
        .add_option("--rays",
                    options->rays,
                    "Rays per scene (default: 20 million; --validate without --full: 1 million)")
        .type_name("N")
        .range(1e3, 1e12);
    command.add_option("--threads", options->threads, "Threads on the CPU (default: all cores)")
        .type_name("N")
        .range(1, 4096);
    command.add_flag("--json", options->json, "Print one JSON object on stdout and nothing else");
    command.footer(
        "Examples:\n"
        "  helioray bench\n"
        "  helioray bench --validate\n"
        "  helioray bench --validate --full --only C1\n"
        "  helioray bench --sampling\n"
        "Exit codes: 0 done, all rows pass; 1 a row does not pass; 2 bad input.");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app
