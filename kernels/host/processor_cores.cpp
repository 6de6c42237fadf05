// SPDX-License-Identifier: MIT
// Affinity of this process, and quotas of its control groups.
#include "kernels/host/processor_cores.h"

#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

namespace helioray::kernels {
namespace {

std::vector<int> allowed_cores() {
    // The operating system refuses a set that is smaller than its own.
    for (int most = 1024; most <= 1 << 20; most *= 2) {
        cpu_set_t* set = CPU_ALLOC(most);
        const size_t bytes = CPU_ALLOC_SIZE(most);
        CPU_ZERO_S(bytes, set);
        const bool known = ::sched_getaffinity(0, bytes, set) == 0;
        std::vector<int> cores;
        for (int core = 0; known && core < most; ++core)
            if (CPU_ISSET_S(core, bytes, set)) cores.push_back(core);
        CPU_FREE(set);
        if (!cores.empty()) return cores;
    }
    std::vector<int> cores(std::max(1u, std::thread::hardware_concurrency()));
    for (size_t i = 0; i < cores.size(); ++i) cores[i] = static_cast<int>(i);
    return cores;
}

/// A mounted hierarchy of control groups, with the group of this process.
struct Hierarchy {
    bool v2 = false;
    std::string mounted;  // folder of `top`
    std::string top;      // group that is mounted there
    std::string own;      // group of this process
};

bool has_word(const std::string& list, const std::string& word) {
    std::istringstream words(list);
    for (std::string item; std::getline(words, item, ',');)
        if (item == word) return true;
    return false;
}

/// Returns the hierarchies that can limit processor time.
std::vector<Hierarchy> hierarchies(const std::string& root) {
    std::vector<Hierarchy> found;
    // A line has the form: id parent major:minor top mounted options [optional fields] - type
    // source options
    std::ifstream mounts(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);) {
        const size_t dash = line.find(" - ");
        if (dash == std::string::npos) continue;
        std::istringstream before(line.substr(0, dash)), after(line.substr(dash + 3));
        std::string skipped, type, source, options;
        Hierarchy hierarchy;
        before >> skipped >> skipped >> skipped >> hierarchy.top >> hierarchy.mounted;
        after >> type >> source >> options;
        hierarchy.v2 = type == "cgroup2";
        if (hierarchy.v2 || (type == "cgroup" && has_word(options, "cpu")))
            found.push_back(hierarchy);
    }
    // A line has the form: number:controllers:group; version 2 has neither number nor controllers.
    std::ifstream groups(root + "/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const size_t first = line.find(':');
        const size_t second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        for (Hierarchy& hierarchy : found)
            if (hierarchy.v2 ? controllers.empty() : has_word(controllers, "cpu"))
                hierarchy.own = line.substr(second + 1);
    }
    return found;
}

/// Returns the limit of one group in cores; 0 for no limit.
double read_limit(const std::string& folder, bool v2) {
    std::string quota;
    double period = 0.0;
    if (v2) {
        std::ifstream(folder + "/cpu.max") >> quota >> period;
    } else {
        std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
        std::ifstream(folder + "/cpu.cfs_period_us") >> period;
    }
    double time = 0.0;
    std::istringstream(quota) >> time;  // "max" and -1 mean no limit
    return time > 0.0 && period > 0.0 ? time / period : 0.0;
}

/// Applies the tightest limit of a process's group and the groups above it.
void apply(const Hierarchy& hierarchy, const std::string& root, ProcessorCores& cores) {
    // A container sees its own group as the top; remove that prefix if the container uses the names
    // of its host.
    std::string below = hierarchy.own;
    const std::string& top = hierarchy.top;
    if (top != "/" && below.rfind(top, 0) == 0) below.erase(0, top.size());
    if (below.find("..") != std::string::npos) below.clear();
    while (true) {
        const std::string folder = root + hierarchy.mounted + below;
        const double limit = read_limit(folder, hierarchy.v2);
        if (limit > 0.0 && (cores.quota == 0.0 || limit < cores.quota)) {
            cores.quota = limit;
            struct stat status {};
            // A group has one inode in all containers that see it.
            if (::stat(folder.c_str(), &status) == 0)
                cores.quota_group =
                    std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
        }
        if (below.empty() || below == "/") break;
        below.erase(below.rfind('/') == std::string::npos ? 0 : below.rfind('/'));
    }
}

/// Returns the quota alone, without the allowed cores.
ProcessorCores read_quota(const std::string& root) {
    ProcessorCores cores;
    for (const Hierarchy& hierarchy : hierarchies(root)) apply(hierarchy, root, cores);
    return cores;
}

}  // namespace

ProcessorCores processor_cores(const std::string& root) {
    // Reading the files can take longer than tracing a small field.
    static const ProcessorCores own = read_quota({});
    ProcessorCores cores = root.empty() ? own : read_quota(root);
    cores.allowed = allowed_cores();
    return cores;
}

int usable_cores(const ProcessorCores& cores) {
    const int allowed = static_cast<int>(cores.allowed.size());
    if (cores.quota <= 0.0) return std::max(1, allowed);
    return std::max(1, std::min(allowed, static_cast<int>(std::floor(cores.quota))));
}

std::string to_string(const ProcessorCores& cores) {
    std::ostringstream text;
    text << cores.allowed.size() << " (";
    for (size_t i = 0; i < cores.allowed.size();) {
        size_t last = i;
        while (last + 1 < cores.allowed.size() &&
               cores.allowed[last + 1] == cores.allowed[last] + 1)
            ++last;
        text << (i > 0 ? ", " : "") << cores.allowed[i];
        if (last > i) text << '-' << cores.allowed[last];
        i = last + 1;
    }
    text << ')';
    if (cores.quota > 0.0) text << ", " << cores.quota << " by control group";
    return text.str();
}

}  // namespace helioray::kernels
