// SPDX-License-Identifier: MIT
// Reads sections output and distributed, and the device.
#include "scenario/config/section.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace helioray {

namespace {

/// Reads an output path and checks that it has one of the given extensions, in upper or lower case.
std::optional<std::filesystem::path> read_output_path(const Section& output,
                                                      const std::string& key,
                                                      const std::vector<std::string>& extensions) {
    const auto text = output.text(key);
    if (!text) return std::nullopt;
    std::filesystem::path path(*text);
    if (std::find(extensions.begin(), extensions.end(), lower_extension(path)) ==
        extensions.end()) {
        output.fail(key,
                    fmt::format("'{}' does not end in {}", *text, fmt::join(extensions, ", ")),
                    "the ending chooses the format",
                    fmt::format("write for example flux{}", extensions.front()));
        return std::nullopt;
    }
    return path;
}

void read_device(const Section& root, DeviceConfig& config) {
    const auto text = root.text("device");
    if (!text) return;
    if (*text == "auto") return;
    if (*text == "cpu") {
        config.kind = DeviceConfig::Kind::cpu;
        return;
    }
    if (*text == "cuda") {
        config.kind = DeviceConfig::Kind::cuda;
        return;
    }
    int index = -1;
    if (text->starts_with("cuda:")) {
        const char* end = text->data() + text->size();
        const auto [parsed, error] = std::from_chars(text->data() + 5, end, index);
        if (error == std::errc() && parsed == end && index >= 0) {
            config.kind = DeviceConfig::Kind::cuda;
            config.index = index;
            return;
        }
    }
    root.fail("device",
              fmt::format("'{}' is no device", *text),
              "",
              "choose auto, cpu, cuda or cuda:N with N from 0");
}

}  // namespace

void read_output(const Section& root, bool keeps_result, RunConfig& config) {
    const Section output = root.section("output");
    config.output.file = read_output_path(output, "file", kResultEndings);
    config.output.image = read_output_path(output, "image", kImageEndings);
    assign(config.output.per_heliostat, output.boolean("per_heliostat"));
    if (config.output.per_heliostat && !keeps_result && !output.has("file")) {
        output.fail("per_heliostat",
                    "is true, but there is no output.file",
                    "the flux maps of heliostats are stored in the result file",
                    "add output.file");
    }

    assign(config.output.checkpoint_minutes, output.number("checkpoint_minutes"));

    read_device(root, config.device);

    const Section distributed = root.section("distributed");
    assign(config.distributed.backend, distributed.choice("backend", kBackends));
    if (config.distributed.backend == Backend::nccl &&
        config.device.kind == DeviceConfig::Kind::cpu) {
        distributed.fail("backend",
                         "is nccl, but the device is cpu",
                         "NCCL moves data between GPUs only",
                         "choose gloo or auto");
    }
    assign(config.distributed.timeout_s, distributed.number("timeout_s"));
    assign(config.distributed.schedule, distributed.choice("schedule", kSchedules));
}

}  // namespace helioray
