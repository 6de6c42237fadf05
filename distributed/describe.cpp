// SPDX-License-Identifier: MIT
// Table of launcher findings.
#include "distributed/describe.h"

#include <algorithm>

namespace helioray {

std::vector<std::pair<std::string, std::string>> describe_rows(const LaunchInfo& launch) {
    const auto of = [](int part, int whole) {
        return std::to_string(part) + " of " + std::to_string(whole);
    };
    std::vector<std::pair<std::string, std::string>> rows;
    rows.emplace_back("launcher", to_string(launch.launcher) + " (" + launch.reason + ")");
    rows.emplace_back("rank", of(launch.rank, launch.world_size));
    rows.emplace_back("local rank", of(launch.local_rank, launch.local_world_size));
    if (launch.world_size > 1 && !launch.store_file.empty()) {
        rows.emplace_back("store", "file " + launch.store_file);
    } else if (launch.world_size > 1) {
        const bool v6 = launch.master_addr.find(':') != std::string::npos;
        const std::string host = v6 ? "[" + launch.master_addr + "]" : launch.master_addr;
        rows.emplace_back("store",
                          host + ":" + std::to_string(launch.master_port) + " served by " +
                              (launch.launcher_owns_store ? "the launcher" : "rank 0"));
    } else {
        rows.emplace_back("store", "none, no network is used");
    }
    if (!launch.run_id.empty())
        rows.emplace_back("run",
                          launch.run_id + ", restart " + std::to_string(launch.restart_count));
    for (const auto& [name, value] : launch.variables)
        rows.emplace_back("variable", name + "=" + value);
    for (const auto& warning : launch.warnings) rows.emplace_back("warning", warning);
    return rows;
}

std::string describe(const LaunchInfo& launch) {
    const auto rows = describe_rows(launch);
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row.first.size());
    std::string text;
    for (const auto& [label, value] : rows)
        text += label + std::string(width - label.size() + 2, ' ') + value + "\n";
    return text;
}

}  // namespace helioray
