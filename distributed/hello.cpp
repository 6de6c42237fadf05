// SPDX-License-Identifier: MIT
// Exchange card of a rank, and the comparison of all cards.
#include "distributed/hello.h"

#include "distributed/placement.h"
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

constexpr const char* kFormat = "helioray-hello-3";

std::string link_target(const char* path) {
    std::array<char, 256> buffer{};
    const auto length = ::readlink(path, buffer.data(), buffer.size() - 1);
    return length > 0 ? std::string(buffer.data(), length) : std::string();
}

/// Values of one field that differ.
template <typename Field>
std::string differences_of(const std::vector<Hello>& hellos, Field field) {
    std::map<int, std::string> values;
    for (std::size_t rank = 0; rank < hellos.size(); ++rank)
        values[static_cast<int>(rank)] = hellos[rank].*field;
    return differences(values);
}

constexpr std::string Hello::*kTexts[] = {&Hello::version,
                                          &Hello::configuration,
                                          &Hello::backend,
                                          &Hello::device,
                                          &Hello::problem,
                                          &Hello::host,
                                          &Hello::boot,
                                          &Hello::network,
                                          &Hello::address,
                                          &Hello::server};

}  // namespace

void fill_in_process(Hello& hello) {
    std::array<char, HOST_NAME_MAX + 1> name{};
    ::gethostname(name.data(), name.size() - 1);
    hello.host = name.data();
    std::ifstream("/proc/sys/kernel/random/boot_id") >> hello.boot;
    // A namespace identifies a container on its machine.
    hello.network = hello.boot + " " + link_target("/proc/self/ns/net");
    hello.pid = static_cast<int>(::getpid());
    hello.cores = kernels::processor_cores();
}

std::string to_text(const Hello& hello) {
    FrameWriter card;
    for (const auto text : kTexts) card.text(hello.*text);
    card.u32(static_cast<std::uint32_t>(hello.gpus.size()));
    for (const std::string& gpu : hello.gpus) card.text(gpu);
    card.u32(static_cast<std::uint32_t>(hello.wanted_gpu.value_or(-1)));
    card.u32(static_cast<std::uint32_t>(hello.pid));
    card.u32(static_cast<std::uint32_t>(hello.cores.allowed.size()));
    for (const int core : hello.cores.allowed) card.u32(static_cast<std::uint32_t>(core));
    card.u64(std::bit_cast<std::uint64_t>(hello.cores.quota));
    card.text(hello.cores.quota_group);
    return std::string(kFormat).append(1, '\n').append(card.body());
}

Hello parse_hello(const std::string& text) {
    const std::string format = text.substr(0, text.find('\n'));
    if (format != kFormat || format.size() == text.size())
        throw std::invalid_argument(
            "the ranks run different versions of the program (one starts with '" +
            printable(format, 40) + "')");
    FrameReader card(std::string_view(text).substr(format.size() + 1));
    const auto length = [&] { return std::min<std::size_t>(card.u32(), card.rest().size() / 4); };
    Hello hello;
    for (const auto one : kTexts) hello.*one = card.text();
    hello.gpus.resize(length());
    for (std::string& gpu : hello.gpus) gpu = card.text();
    const int wanted = static_cast<int>(card.u32());
    if (wanted >= 0) hello.wanted_gpu = wanted;
    hello.pid = static_cast<int>(card.u32());
    hello.cores.allowed.resize(length());
    for (int& core : hello.cores.allowed) core = static_cast<int>(card.u32());
    hello.cores.quota = std::bit_cast<double>(card.u64());
    hello.cores.quota_group = card.text();
    // What other machines say is shown in messages; problems keep their lines.
    for (char& c : hello.problem)
        if (c != '\n') c = printable(std::string(1, c)).front();
    for (std::string* shown : {&hello.version, &hello.backend, &hello.device, &hello.host})
        *shown = printable(*shown);
    return hello;
}

std::string name_of(int rank, const Hello& hello) {
    return "rank " + std::to_string(rank) + " on host " + hello.host + " (pid " +
           std::to_string(hello.pid) + ")";
}

std::string differences(const std::map<int, std::string>& values) {
    std::map<std::string, std::vector<int>> ranks_by_value;
    for (const auto& [rank, value] : values) ranks_by_value[value].push_back(rank);
    if (ranks_by_value.size() < 2) return {};
    // The value of the lowest rank comes first.
    std::map<int, std::string> by_first_rank;
    for (const auto& [value, ranks] : ranks_by_value)
        by_first_rank[ranks.front()] = (value.empty() ? "nothing" : fmt::format("'{}'", value)) +
                                       (ranks.size() > 1 ? " on ranks " : " on rank ") +
                                       list_ranks(ranks);
    std::string text;
    for (const auto& [rank, value] : by_first_rank) text += (text.empty() ? "" : ", ") + value;
    return text;
}

std::string version_difference(const std::vector<Hello>& hellos) {
    const std::string version = differences_of(hellos, &Hello::version);
    if (version.empty()) return {};
    return "the ranks run different versions of the program: " + version +
           "; start the same build on every rank";
}

std::string setting_difference(const std::vector<Hello>& hellos) {
    const std::string backend = differences_of(hellos, &Hello::backend);
    if (!backend.empty())
        return "the ranks ask for different backends: " + backend +
               "; start every rank with the same options";
    const std::string device = differences_of(hellos, &Hello::device);
    if (!device.empty())
        return "the ranks compute on different kinds of device: " + device +
               "; choose the device explicitly, the same for every rank";
    const std::string shared = shared_gpu(hellos);
    if (!shared.empty() && hellos.front().backend == "nccl")
        return shared +
               " use the same GPU, which NCCL refuses; give every rank a GPU of its own, or choose "
               "gloo";
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
