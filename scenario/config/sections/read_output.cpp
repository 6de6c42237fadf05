// SPDX-License-Identifier: MIT
// Reads sections output and distributed, and the device.
#include "scenario/config/bound_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace helioray {

namespace {

/// Returns the indices of a list such as "0,2"; empty if it is not a list of different indices.
std::vector<int> read_indices(const std::string& text) {
    std::vector<int> indices;
    const char* next = text.data();
    const char* const end = next + text.size();
    while (true) {
        int index = -1;
        const auto [parsed, error] = std::from_chars(next, end, index);
        if (error != std::errc() || index < 0 || std::ranges::count(indices, index) > 0) return {};
        indices.push_back(index);
        if (parsed == end) return indices;
        if (*parsed != ',') return {};
        next = parsed + 1;
    }
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
    if (text->starts_with("cuda:")) {
        config.indices = read_indices(text->substr(5));
        if (!config.indices.empty()) {
            config.kind = DeviceConfig::Kind::cuda;
            return;
        }
    }
    root.fail("device",
              fmt::format("'{}' is not a device", *text),
              "",
              "choose auto, cpu, cuda, cuda:N or cuda:N,M with different numbers from 0");
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
