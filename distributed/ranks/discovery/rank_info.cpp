// SPDX-License-Identifier: MIT
// Collects, serialises and compares the descriptions of the ranks.
#include "distributed/ranks/discovery/rank_info.h"

#include "distributed/launch/message_text.h"
#include "distributed/ranks/discovery/placement.h"
#include "distributed/store/wire.h"

#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace helioray::detail {
namespace {

// Limit of a line of a problem.
constexpr std::size_t kMaxLine = 4000;
constexpr const char* kFormat = "helioray-hello-4";

std::string read_link(const char* path) {
    std::array<char, 256> buffer{};
    const auto length = ::readlink(path, buffer.data(), buffer.size() - 1);
    return length > 0 ? std::string(buffer.data(), length) : std::string();
}

/// Describes which ranks have different values of one field; empty if all are equal.
template <typename Field>
std::string describe_field_differences(const std::vector<RankInfo>& infos, Field field) {
    std::map<int, std::string> values;
    for (std::size_t rank = 0; rank < infos.size(); ++rank)
        values[static_cast<int>(rank)] = infos[rank].*field;
    return describe_differences(values);
}

constexpr std::string RankInfo::*kTexts[] = {&RankInfo::version,
                                             &RankInfo::configuration,
                                             &RankInfo::backend,
                                             &RankInfo::device,
                                             &RankInfo::problem,
                                             &RankInfo::host,
                                             &RankInfo::boot,
                                             &RankInfo::network,
                                             &RankInfo::address,
                                             &RankInfo::server};

}  // namespace

void fill_in_process(RankInfo& info) {
    std::array<char, HOST_NAME_MAX + 1> name{};
    ::gethostname(name.data(), name.size() - 1);
    info.host = name.data();
    std::ifstream("/proc/sys/kernel/random/boot_id") >> info.boot;
    // Containers of one machine have different network namespaces.
    info.network = info.boot + " " + read_link("/proc/self/ns/net");
    info.pid = static_cast<int>(::getpid());
    info.cores = kernels::processor_cores();
}

std::string to_text(const RankInfo& info) {
    FrameWriter frame;
    for (const auto text : kTexts) frame.text(info.*text);
    frame.u32(static_cast<std::uint32_t>(info.gpus.size()));
    for (const std::string& gpu : info.gpus) frame.text(gpu);
    frame.u32(static_cast<std::uint32_t>(info.requested_gpus.size()));
    for (const int gpu : info.requested_gpus) frame.u32(static_cast<std::uint32_t>(gpu));
    frame.u32(static_cast<std::uint32_t>(info.pid));
    frame.u32(static_cast<std::uint32_t>(info.cores.allowed.size()));
    for (const int core : info.cores.allowed) frame.u32(static_cast<std::uint32_t>(core));
    frame.u64(std::bit_cast<std::uint64_t>(info.cores.quota));
    frame.text(info.cores.quota_group);
    return std::string(kFormat).append(1, '\n').append(frame.body());
}

RankInfo parse_rank_info(const std::string& text) {
    const std::string format = text.substr(0, text.find('\n'));
    if (format != kFormat || format.size() == text.size())
        throw std::invalid_argument(
            "the ranks run different versions of the program (one starts with '" +
            make_printable(format, 40) + "')");
    FrameReader frame(std::string_view(text).substr(format.size() + 1));
    const auto length = [&] { return std::min<std::size_t>(frame.u32(), frame.rest().size() / 4); };
    RankInfo info;
    for (const auto field : kTexts) info.*field = frame.text();
    info.gpus.resize(length());
    for (std::string& gpu : info.gpus) gpu = frame.text();
    info.requested_gpus.resize(length());
    for (int& gpu : info.requested_gpus) gpu = static_cast<int>(frame.u32());
    info.pid = static_cast<int>(frame.u32());
    info.cores.allowed.resize(length());
    for (int& core : info.cores.allowed) core = static_cast<int>(frame.u32());
    info.cores.quota = std::bit_cast<double>(frame.u64());
    info.cores.quota_group = frame.text();
    // Messages print these texts of other machines, so remove their control characters. Problems
    // may have several lines.
    std::string problem;
    for (std::size_t begin = 0; begin < info.problem.size();) {
        const std::size_t end = std::min(info.problem.find('\n', begin), info.problem.size());
        problem += make_printable(info.problem.substr(begin, end - begin), kMaxLine);
        if (end < info.problem.size()) problem += '\n';
        begin = end + 1;
    }
    info.problem = std::move(problem);
    for (std::string* field : {&info.version, &info.backend, &info.device, &info.host})
        *field = make_printable(*field);
    return info;
}

std::string describe_rank(int rank, const RankInfo& info) {
    return "rank " + std::to_string(rank) + " on host " + info.host + " (pid " +
           std::to_string(info.pid) + ")";
}

std::string describe_differences(const std::map<int, std::string>& values) {
    std::map<std::string, std::vector<int>> ranks_by_value;
    for (const auto& [rank, value] : values) ranks_by_value[value].push_back(rank);
    if (ranks_by_value.size() < 2) return {};
    // List the value of the lowest rank first.
    std::map<int, std::string> by_first_rank;
    for (const auto& [value, ranks] : ranks_by_value)
        by_first_rank[ranks.front()] = (value.empty() ? "nothing" : fmt::format("'{}'", value)) +
                                       (ranks.size() > 1 ? " on ranks " : " on rank ") +
                                       list_ranks(ranks);
    std::string text;
    for (const auto& [rank, value] : by_first_rank) text += (text.empty() ? "" : ", ") + value;
    return text;
}

std::string find_version_difference(const std::vector<RankInfo>& infos) {
    const std::string version = describe_field_differences(infos, &RankInfo::version);
    if (version.empty()) return {};
    return describe_different_versions(version);
}

std::string describe_different_versions(const std::string& differences) {
    return "the ranks run different versions of the program: " + differences +
           "; start the same build on every rank";
}

std::string describe_different_devices(const std::string& differences) {
    return "the ranks compute on different kinds of device: " + differences +
           "; choose the device explicitly, the same for every rank";
}

std::string find_setting_difference(const std::vector<RankInfo>& infos) {
    const std::string backend = describe_field_differences(infos, &RankInfo::backend);
    if (!backend.empty())
        return "the ranks ask for different backends: " + backend +
               "; start every rank with the same options";
    const std::string device = describe_field_differences(infos, &RankInfo::device);
    if (!device.empty()) return describe_different_devices(device);
    const std::string shared = find_shared_gpu(infos);
    if (!shared.empty() && infos.front().backend == "nccl")
        return shared +
               " use the same GPU, which NCCL refuses; give every rank a separate GPU, or choose "
               "distributed.backend: gloo";
    return {};
}

bool are_on_one_machine(const std::vector<RankInfo>& infos) {
    for (const auto& info : infos)
        if (info.network != infos.front().network || info.host != infos.front().host) return false;
    return true;
}

}  // namespace helioray::detail
