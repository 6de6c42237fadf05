// SPDX-License-Identifier: MIT
// Named groups: their members, and collectives in several groups at the same time.
#include "distributed/ranks/groups.h"
#include "distributed/tensors/collectives.h"
#include "distributed/tensors/point_to_point.h"
#include "tests/distributed/rank_scenarios.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <sys/stat.h>

#include <algorithm>
#include <numeric>

namespace helioray::test {
namespace {

/// Checks a sum, a broadcast and a message within this rank's group of that name.
void check_group(const Groups& groups, const std::string& name, int world_rank) {
    const ProcessGroup& group = groups.group(name);
    const auto& ranks = group.ranks();
    expect(ranks.at(group.rank()) == world_rank, "place in " + name);
    at::Tensor sum = at::full({3}, world_rank, at::kLong), copy = sum.clone();
    all_reduce(group, sum);
    expect(sum[0].item<int>() == std::accumulate(ranks.begin(), ranks.end(), 0), "sum in " + name);
    broadcast(group, copy, group.size() - 1);
    expect(copy[2].item<int>() == ranks.back(), "copy in " + name);
    if (group.size() > 1 && group.rank() == 0) send(group, sum, 1);
    if (group.size() > 1 && group.rank() == 1)
        expect(receive(group, 0).equal(sum), "message in " + name);
    barrier(group);
}

/// Returns the number of open sockets of this process.
int open_sockets() {
    int count = 0;
    for (int file = 0; file < 1024; ++file) {
        struct stat status {};
        if (::fstat(file, &status) == 0 && S_ISSOCK(status.st_mode)) ++count;
    }
    return count;
}

void groups_of_ranks() {
    DistributedEnvironment environment(make_test_options());
    const int rank = environment.rank(), size = environment.world_size();
    Groups groups(environment);
    groups.add_contiguous("single", 1);
    groups.add_orthogonal("across_single", "single");
    if (size % 2 == 0) {
        groups.add_contiguous("pairs", 2);
        groups.add_orthogonal("across_pairs", "pairs");
        groups.add_contiguous("within_pairs", 1, "across_pairs");
    }
    groups.add_heliostat_groups(2);
    expect(groups.size("heliostat_group") == (size > 2 ? (size - rank % 2 + 1) / 2 : 1),
           "ranks that share a heliostat group");
    for (const auto& name : groups.names()) check_group(groups, name, rank);

    // Test a group in reverse order without the last rank.
    RankList ranks(std::max(size - 1, 1));
    std::iota(ranks.rbegin(), ranks.rend(), 0);
    groups.add("some", ranks);
    const bool member = rank < static_cast<int>(ranks.size());
    expect(groups.is_member("some") == member, "membership");
    if (member) check_group(groups, "some", rank);
    if (!member)
        catch_message<std::invalid_argument>([&] { groups.group("some"); }, "a foreign group");
    const auto unknown =
        catch_message<std::invalid_argument>([&] { groups.group("pair"); }, "an unknown group");
    expect(unknown.find("single") != std::string::npos, "known names in: " + unknown);
    catch_message<std::invalid_argument>([&] { groups.add("some", ranks); }, "a name twice");
    expect(groups.describe().find("some: ") != std::string::npos, "table of groups");
    environment.barrier();
}

void lone_groups() {
    DistributedEnvironment environment(make_test_options());
    Groups groups(environment);
    environment.barrier();
    const int before = open_sockets();
    environment.barrier();
    for (int i = 0; i < 5; ++i) groups.add_contiguous("single" + std::to_string(i), 1);
    environment.barrier();
    expect(open_sockets() == before, "groups of one rank open no connection");
    groups.add("all", all_ranks(environment.world_size()));
    environment.barrier();
    expect(open_sockets() > before, "groups of several ranks open connections");
}

}  // namespace

Scenarios group_scenarios() {
    return {{"groups", groups_of_ranks}, {"lone_groups", lone_groups}};
}

}  // namespace helioray::test
