// SPDX-License-Identifier: MIT
// Serialisation and comparison of the descriptions of ranks.
#include "distributed/launch/message_text.h"
#include "distributed/ranks/discovery/rank_info.h"
#include "tests/support/catch2.h"

using namespace helioray::detail;

namespace {

std::vector<RankInfo> three_ranks() {
    RankInfo info;
    info.version = std::string("1.0 abc");
    info.configuration = "hash";
    info.backend = "auto";
    info.device = "cpu";
    info.host = "here";
    info.network = "boot net";
    info.pid = 7;
    return {info, info, info};
}

}  // namespace

TEST_CASE("a RankInfo is unchanged by serialisation") {
    auto info = three_ranks()[0];
    fill_in_process(info);
    CHECK_FALSE(info.host.empty());
    CHECK(info.pid > 0);
    info.configuration = "two\nlines";
    info.cores.quota = 2.5;
    info.cores.quota_group = "a";
    info.gpus = {"x", "y"};
    info.requested_gpus = {1, 0};
    const auto copy = parse_rank_info(to_text(info));
    CHECK(copy.version == info.version);
    CHECK(copy.configuration == "two\nlines");
    CHECK(copy.host == info.host);
    CHECK(copy.network == info.network);
    CHECK(copy.boot == info.boot);
    CHECK(copy.cores.allowed == info.cores.allowed);
    CHECK(copy.cores.quota == 2.5);
    CHECK(copy.cores.quota_group == "a");
    CHECK(copy.gpus == std::vector<std::string>{"x", "y"});
    CHECK(copy.requested_gpus == std::vector<int>{1, 0});
    CHECK(parse_rank_info(to_text(RankInfo())).requested_gpus.empty());
    CHECK(copy.pid == info.pid);
    CHECK_THROWS_AS(parse_rank_info("something else"), std::invalid_argument);
    info.problem = "no file\n\x1b[31mno sun";
    CHECK(parse_rank_info(to_text(info)).problem == "no file\n?[31mno sun");
}

TEST_CASE("differences are reported with the ranks") {
    auto ranks = three_ranks();
    CHECK(find_version_difference(ranks).empty());
    CHECK(find_setting_difference(ranks).empty());

    ranks[1].version = "1.1 def";
    CHECK_THAT(find_version_difference(ranks), ContainsSubstring("'1.1 def' on rank 1"));
    ranks = three_ranks();
    ranks[0].backend = "gloo";
    CHECK_THAT(find_setting_difference(ranks), ContainsSubstring("backends"));
    ranks = three_ranks();
    ranks[0].device = "cuda";
    CHECK_THAT(find_setting_difference(ranks), ContainsSubstring("'cuda' on rank 0"));
}

TEST_CASE("one machine or several") {
    auto ranks = three_ranks();
    CHECK(are_on_one_machine(ranks));
    ranks[1].network = "boot other";
    CHECK_FALSE(are_on_one_machine(ranks));
}

TEST_CASE("lists of ranks") {
    CHECK(list_ranks({4}) == "4");
    CHECK(list_ranks({0, 2}) == "0 and 2");
    CHECK(list_ranks({0, 2, 5}) == "0, 2 and 5");
    CHECK(list_ranks({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
}
