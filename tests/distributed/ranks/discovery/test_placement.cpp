// SPDX-License-Identifier: MIT
// Local ranks, threads and GPUs of ranks on simulated hosts.
#include "distributed/ranks/discovery/placement.h"
#include "tests/support/catch2.h"

#include <numeric>

using namespace helioray::detail;

namespace {

/// Returns a rank on a host that may use the cores [first, first + count).
RankInfo rank_on(const std::string& host, int first, int count) {
    RankInfo info;
    info.host = host;
    info.boot = "boot of " + host;
    info.backend = "auto";
    info.cores.allowed.resize(count);
    std::iota(info.cores.allowed.begin(), info.cores.allowed.end(), first);
    return info;
}

std::vector<int> threads(const std::vector<RankInfo>& infos) {
    std::vector<int> threads;
    for (int rank = 0; rank < std::ssize(infos); ++rank)
        threads.push_back(compute_threads(rank, infos));
    return threads;
}

std::vector<int> gpus(const std::vector<RankInfo>& infos) {
    const auto places = compute_placements(infos);
    std::vector<int> gpus;
    for (std::size_t rank = 0; rank < infos.size(); ++rank)
        gpus.push_back(choose_gpu(infos[rank], places[rank]));
    return gpus;
}

}  // namespace

TEST_CASE("local ranks are counted within hosts, in any order of the ranks") {
    const std::vector<RankInfo> infos = {rank_on("a", 0, 8),
                                         rank_on("b", 0, 8),
                                         rank_on("a", 0, 8),
                                         rank_on("b", 0, 8),
                                         rank_on("a", 0, 8)};
    const auto places = compute_placements(infos);
    std::vector<int> local, sizes;
    for (const Placement& place : places) {
        local.push_back(place.local_rank);
        sizes.push_back(place.local_size);
    }
    CHECK(local == std::vector<int>{0, 0, 1, 1, 2});
    CHECK(sizes == std::vector<int>{3, 2, 3, 2, 3});
}

TEST_CASE("two machines with the same host name are different hosts") {
    auto first = rank_on("localhost", 0, 4), other = first;
    other.boot = "another";
    CHECK(compute_placements({first, other})[1].local_size == 1);
    // Two containers of one machine have different names.
    other = first;
    other.host = "pod-2";
    CHECK(compute_placements({first, other})[1].local_size == 1);
}

TEST_CASE("ranks of a host divide its cores") {
    const auto rank = rank_on("a", 0, 8);
    CHECK(threads({rank}) == std::vector<int>{8});
    CHECK(threads({rank, rank}) == std::vector<int>{4, 4});
    CHECK(threads({rank, rank, rank}) == std::vector<int>{2, 2, 2});
    // Three ranks that share three cores have one each.
    CHECK(threads(std::vector<RankInfo>(3, rank_on("a", 0, 3))) == std::vector<int>{1, 1, 1});
    CHECK(threads(std::vector<RankInfo>(9, rank)) == std::vector<int>(9, 1));
    // Ranks of another host do not count.
    CHECK(threads({rank, rank, rank_on("b", 0, 6)}) == std::vector<int>{4, 4, 6});
}

TEST_CASE("ranks that a launcher has bound use their own cores") {
    CHECK(threads({rank_on("a", 0, 4), rank_on("a", 4, 4)}) == std::vector<int>{4, 4});
    // Two ranks share four cores, the third has two separate ones.
    CHECK(threads({rank_on("a", 0, 4), rank_on("a", 0, 4), rank_on("a", 4, 2)}) ==
          std::vector<int>{2, 2, 2});
    CHECK(threads({rank_on("a", 0, 1), rank_on("a", 0, 8)}) == std::vector<int>{1, 7});
}

TEST_CASE("ranks of one control group divide its quota") {
    auto rank = rank_on("a", 0, 8);
    rank.cores.quota = 4.0;
    rank.cores.quota_group = "job";
    CHECK(threads({rank, rank}) == std::vector<int>{2, 2});
    CHECK(threads({rank, rank, rank, rank, rank}) == std::vector<int>(5, 1));
    auto other = rank;
    other.cores.quota_group = "another";
    CHECK(threads({rank, other}) == std::vector<int>{4, 4});
    // A quota above the number of cores is not a limit.
    rank.cores.quota = 100.0;
    CHECK(threads({rank, rank}) == std::vector<int>{4, 4});
}

TEST_CASE("GPUs are chosen by local rank") {
    std::vector<RankInfo> infos = {rank_on("a", 0, 8),
                                   rank_on("a", 0, 8),
                                   rank_on("b", 0, 8),
                                   rank_on("a", 0, 8),
                                   rank_on("b", 0, 8)};
    for (RankInfo& info : infos) info.gpus = {info.host + "0", info.host + "1"};
    CHECK(gpus(infos) == std::vector<int>{0, 1, 0, 0, 1});
    CHECK(find_shared_gpu(infos) == "ranks 0 and 3 on host a");
    CHECK(find_setting_difference(infos).empty());
    for (RankInfo& info : infos) info.backend = "nccl";
    CHECK_THAT(find_setting_difference(infos), ContainsSubstring("same GPU, which NCCL refuses"));

    // A launcher may make one separate GPU visible to each rank.
    for (std::size_t rank = 0; rank < infos.size(); ++rank)
        infos[rank].gpus = {"gpu " + std::to_string(rank)};
    CHECK(gpus(infos) == std::vector<int>(5, 0));
    CHECK(find_shared_gpu(infos).empty());

    // Requested GPUs have precedence. Ranks without GPUs share none.
    infos[3].gpus = {"p", "q", "r"};
    infos[3].requested_gpus = {2};
    CHECK(gpus(infos)[3] == 2);
    // It is local rank 2, so the third GPU of the list is the first one again.
    infos[3].requested_gpus = {1, 2};
    CHECK(gpus(infos)[3] == 1);
    for (RankInfo& info : infos) info.gpus.clear();
    CHECK(find_shared_gpu(infos).empty());
}
