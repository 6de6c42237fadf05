// SPDX-License-Identifier: MIT
// Reads sections output and distributed, and the device.
#include "scenario/config/bound_key.h"

#include <fmt/format.h>

#include <charconv>

namespace helioray {

namespace {

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
    read_members(output, config.output);
    if (config.output.per_heliostat && !keeps_result && !output.has("file")) {
        output.fail("per_heliostat",
                    "is true, but there is no output.file",
                    "the flux maps of heliostats are stored in the result file",
                    "add output.file");
    }
    read_device(root, config.device);

    const Section distributed = root.section("distributed");
    read_members(distributed, config.distributed);
    if (config.distributed.backend == Backend::nccl &&
        config.device.kind == DeviceConfig::Kind::cpu) {
        distributed.fail("backend",
                         "is nccl, but the device is cpu",
                         "NCCL moves data between GPUs only",
                         "choose gloo or auto");
    }
    if (config.distributed.schedule == Schedule::master_worker &&
        config.distributed.backend != Backend::automatic) {
        distributed.fail("backend",
                         "is set, but the schedule is master_worker",
                         "rank 0 then receives sums through its store, not through a backend",
                         "leave backend out");
    }
}

}  // namespace helioray
