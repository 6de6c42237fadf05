// SPDX-License-Identifier: MIT
// Exchange card of a rank, and the comparison of all cards.
#include "distributed/hello.h"

#include <limits.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace helioray::detail {
namespace {

constexpr const char* kFormat = "helioray-hello-2";

std::string link_target(const char* path) {
    std::array<char, 256> buffer{};
    const auto length = ::readlink(path, buffer.data(), buffer.size() - 1);
    return length > 0 ? std::string(buffer.data(), length) : std::string();
}

/// One "value: ranks" list per distinct value when there is more than one.
template <typename Field>
std::string differences(const std::vector<Hello>& hellos, Field field) {
    std::map<std::string, std::vector<int>> ranks_by_value;
    for (std::size_t rank = 0; rank < hellos.size(); ++rank)
        ranks_by_value[field(hellos[rank])].push_back(static_cast<int>(rank));
    if (ranks_by_value.size() < 2) return {};
    std::string text;
    for (const auto& [value, ranks] : ranks_by_value) {
        text += text.empty() ? "" : ", ";
        text += (value.empty() ? std::string("nothing") : "'" + value + "'");
        text += (ranks.size() > 1 ? " on ranks " : " on rank ") + list_ranks(ranks);
    }
    return text;
}

}  // namespace

void fill_in_process(Hello& hello) {
    std::array<char, HOST_NAME_MAX + 1> name{};
    ::gethostname(name.data(), name.size() - 1);
    hello.host = name.data();
    // A boot id identifies a machine, a namespace identifies a container on it.
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    hello.network = boot + " " + link_target("/proc/self/ns/net");
    hello.processes = boot + " " + link_target("/proc/self/ns/pid");
    hello.pid = static_cast<int>(::getpid());
}

std::string to_text(const Hello& hello) {
    std::ostringstream text;
    text << kFormat << '\n' << hello.world_size << '\n' << hello.pid;
    for (const auto* field : {&hello.version,
                              &hello.configuration_hash,
                              &hello.backend,
                              &hello.device,
                              &hello.gpu,
                              &hello.host,
                              &hello.network,
                              &hello.processes,
                              &hello.address,
                              &hello.server}) {
        // One line per field, whatever it holds.
        for (text << '\n'; const char c : *field) text << (c == '\n' ? ' ' : c);
    }
    return text.str();
}

Hello parse_hello(const std::string& text) {
    std::istringstream lines(text);
    std::string format, world_size, pid;
    Hello hello;
    std::getline(lines, format);
    if (format != kFormat)
        throw std::invalid_argument(
            "the ranks run different versions of the program (one starts with '" +
            format.substr(0, 40) + "')");
    std::getline(lines, world_size);
    std::getline(lines, pid);
    hello.world_size = std::stoi(world_size);
    hello.pid = std::stoi(pid);
    for (auto* field : {&hello.version,
                        &hello.configuration_hash,
                        &hello.backend,
                        &hello.device,
                        &hello.gpu,
                        &hello.host,
                        &hello.network,
                        &hello.processes,
                        &hello.address,
                        &hello.server})
        std::getline(lines, *field);
    return hello;
}

std::string name_of(int rank, const Hello& hello) {
    return "rank " + std::to_string(rank) + " on host " + hello.host + " (pid " +
           std::to_string(hello.pid) + ")";
}

std::string disagreement(const std::vector<Hello>& hellos) {
    const auto version = differences(hellos, [](const Hello& h) { return h.version; });
    if (!version.empty())
        return "the ranks run different versions of the program: " + version +
               "; start the same build on every rank";
    const auto configuration =
        differences(hellos, [](const Hello& h) { return h.configuration_hash; });
    if (!configuration.empty())
        return "the ranks do not have the same configuration: hash " + configuration +
               "; start every rank with the same files and options";
    const auto backend = differences(hellos, [](const Hello& h) { return h.backend; });
    if (!backend.empty())
        return "the ranks ask for different backends: " + backend +
               "; start every rank with the same options";
    const auto device = differences(hellos, [](const Hello& h) { return h.device; });
    if (!device.empty())
        return "the ranks compute on different kinds of device: " + device +
               "; choose the device explicitly, the same for every rank";
    return {};
}

std::string shared_gpu(const std::vector<Hello>& hellos) {
    std::map<std::string, std::vector<int>> ranks_by_gpu;
    for (std::size_t rank = 0; rank < hellos.size(); ++rank)
        if (!hellos[rank].gpu.empty())
            ranks_by_gpu[hellos[rank].gpu].push_back(static_cast<int>(rank));
    for (const auto& [gpu, ranks] : ranks_by_gpu)
        if (ranks.size() > 1)
            return "ranks " + list_ranks(ranks) + " on host " + hellos[ranks.front()].host;
    return {};
}

bool on_one_machine(const std::vector<Hello>& hellos) {
    for (const auto& hello : hellos)
        if (hello.network != hellos.front().network || hello.host != hellos.front().host)
            return false;
    return true;
}

std::string seconds_text(std::chrono::milliseconds time) {
    std::ostringstream text;
    text << static_cast<double>(time.count()) / 1000.0 << " s";
    return text.str();
}

std::string list_ranks(const std::vector<int>& ranks) {
    constexpr std::size_t kShown = 8;
    std::string text;
    for (std::size_t i = 0; i < ranks.size() && i < kShown; ++i) {
        if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
        text += std::to_string(ranks[i]);
    }
    if (ranks.size() > kShown) text += " and " + std::to_string(ranks.size() - kShown) + " more";
    return text;
}

}  // namespace helioray::detail
