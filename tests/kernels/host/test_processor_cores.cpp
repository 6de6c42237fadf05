// SPDX-License-Identifier: MIT
// Cores of this process: its real affinity, and control groups made of files.
#include "kernels/host/processor_cores.h"
#include "tests/support/catch2.h"

#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

using namespace helioray::kernels;
namespace fs = std::filesystem;

namespace {

/// A root folder with the files of a kernel.
class Machine {
  public:
    Machine()
        : root_(fs::temp_directory_path() / ("helioray_cores_" + std::to_string(::getpid()))) {
        fs::remove_all(root_);
    }
    ~Machine() { fs::remove_all(root_); }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    void write(const std::string& file, const std::string& text) const {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    ProcessorCores cores() const { return processor_cores(root_.string()); }

  private:
    fs::path root_;
};

constexpr const char* kMount2 =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

}  // namespace

TEST_CASE("affinity counts, not the cores of the machine") {
    cpu_set_t before;
    REQUIRE(::sched_getaffinity(0, sizeof(before), &before) == 0);
    const ProcessorCores all = processor_cores("/nowhere");
    CHECK(all.allowed.size() == static_cast<size_t>(CPU_COUNT(&before)));
    const int last = all.allowed.back();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    // Of a thread of its own, so that this one keeps its cores.
    ProcessorCores found;
    std::thread([&] {
        ::sched_setaffinity(0, sizeof(one), &one);
        found = processor_cores("/nowhere");
    }).join();
    CHECK(found.allowed == std::vector<int>{last});
    CHECK(usable_cores(found) == 1);
    CHECK(found.quota == 0.0);
    CHECK(to_string(found) == "1 (" + std::to_string(last) + ")");
}

TEST_CASE("quotas of version 2, of a group or one above it") {
    const Machine machine;
    machine.write("proc/self/mountinfo", kMount2);
    machine.write("proc/self/cgroup", "0::/batch/job/step\n");
    machine.write("sys/fs/cgroup/batch/job/step/cpu.max", "max 100000\n");
    CHECK(machine.cores().quota == 0.0);
    CHECK(machine.cores().quota_group.empty());
    machine.write("sys/fs/cgroup/batch/job/cpu.max", "250000 100000\n");
    machine.write("sys/fs/cgroup/batch/cpu.max", "400000 100000\n");
    CHECK(machine.cores().quota == 2.5);
    const std::string group = machine.cores().quota_group;
    CHECK_FALSE(group.empty());
    // Another step of the same job shares the quota of the job.
    machine.write("proc/self/cgroup", "0::/batch/job/other\n");
    CHECK(machine.cores().quota_group == group);
    // A container sees itself as the top.
    machine.write("proc/self/cgroup", "0::/\n");
    machine.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
    CHECK(machine.cores().quota == 0.5);
}

TEST_CASE("quotas of version 1, with the names of the host") {
    const Machine machine;
    machine.write("proc/self/mountinfo",
                  "31 23 0:27 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup "
                  "rw,cpu,cpuacct\n32 23 0:28 /docker/abc /sys/fs/cgroup/cpuset ro - cgroup cgroup "
                  "rw,cpuset\n");
    machine.write("proc/self/cgroup", "4:cpuset:/docker/abc\n3:cpu,cpuacct:/docker/abc\n");
    machine.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    machine.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    CHECK(machine.cores().quota == 0.0);
    machine.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n");
    CHECK(machine.cores().quota == 3.0);
}

TEST_CASE("threads for cores and quotas") {
    ProcessorCores cores;
    cores.allowed = {0, 1, 2, 3, 6};
    CHECK(usable_cores(cores) == 5);
    CHECK(to_string(cores) == "5 (0-3, 6)");
    cores.quota = 2.9;
    CHECK(usable_cores(cores) == 2);
    CHECK(to_string(cores) == "5 (0-3, 6), 2.9 by control group");
    cores.quota = 0.2;
    CHECK(usable_cores(cores) == 1);
    cores.quota = 64.0;
    CHECK(usable_cores(cores) == 5);
}
