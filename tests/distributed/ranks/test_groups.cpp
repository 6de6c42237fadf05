// SPDX-License-Identifier: MIT
// Layouts of groups, and named groups with one process per rank.
#include "distributed/ranks/environment.h"
#include "distributed/ranks/group_layout.h"
#include "distributed/ranks/groups.h"
#include "tests/distributed/rank_runner.h"
#include "tests/support/catch2.h"

using namespace helioray;
using namespace helioray::test;

TEST_CASE("contiguous and orthogonal groups") {
    const auto rows = contiguous_groups({all_ranks(6)}, 3);
    CHECK(rows == RankLists{{0, 1, 2}, {3, 4, 5}});
    CHECK(orthogonal_groups(rows) == RankLists{{0, 3}, {1, 4}, {2, 5}});
    CHECK(orthogonal_groups(orthogonal_groups(rows)) == rows);
    CHECK(contiguous_groups({{5, 3, 1, 0}, {2, 4}}, 2) == RankLists{{5, 3}, {1, 0}, {2, 4}});
    CHECK_THROWS_WITH(contiguous_groups({all_ranks(6)}, 4),
                      ContainsSubstring("6 ranks cannot be cut into groups of 4"));
    CHECK_THROWS_AS(contiguous_groups({all_ranks(6)}, 0), std::invalid_argument);
    CHECK_THROWS_AS(orthogonal_groups({{0, 1}, {2}}), std::invalid_argument);
}

TEST_CASE("heliostat groups over ranks") {
    // The expected values are rows of the table of ARTIST's mapping.
    CHECK(heliostat_groups_of_rank(0, 2, 3) == std::vector<int>{0, 2});
    CHECK(heliostat_groups_of_rank(1, 2, 3) == std::vector<int>{1});
    CHECK(heliostat_groups_of_rank(0, 3, 4) == std::vector<int>{0, 3});
    CHECK(heliostat_groups_of_rank(4, 5, 3) == std::vector<int>{1});
    CHECK_FALSE(is_nested(3, 3));
    CHECK(is_nested(4, 3));
    CHECK(heliostat_rank_groups(5, 3) == RankLists{{0, 3}, {1, 4}, {2}});
    CHECK(heliostat_rank_groups(2, 3) == RankLists{{0}, {1}});
    CHECK(ranks_of_heliostat_group(2, 2, 3) == RankList{0});
    // Ranks of a group and groups of a rank are inverse mappings.
    for (int ranks = 1; ranks <= 6; ++ranks)
        for (int groups = 1; groups <= 4; ++groups)
            for (int group = 0; group < groups; ++group)
                for (int rank = 0; rank < ranks; ++rank) {
                    const auto mine = heliostat_groups_of_rank(rank, ranks, groups);
                    const auto members = ranks_of_heliostat_group(group, ranks, groups);
                    CHECK(std::count(mine.begin(), mine.end(), group) ==
                          std::count(members.begin(), members.end(), rank));
                }
    CHECK_THROWS_AS(heliostat_groups_of_rank(2, 2, 3), std::invalid_argument);
    CHECK_THROWS_AS(heliostat_groups_of_rank(0, 2, 0), std::invalid_argument);
    CHECK_THROWS_AS(ranks_of_heliostat_group(3, 2, 3), std::invalid_argument);
}

TEST_CASE("samples of heliostats over the ranks of a group") {
    using Samples = std::vector<std::int64_t>;
    CHECK(heliostat_samples_of_rank(12, 3, 0, 2) == Samples{0, 1, 2, 3, 8, 9, 10, 11});
    CHECK(heliostat_samples_of_rank(12, 3, 1, 2) == Samples{4, 5, 6, 7});
    CHECK(heliostat_samples_of_rank(4, 4, 0, 3) == Samples{0, 3});
    CHECK(heliostat_samples_of_rank(12, 4, 0, 3) == Samples{0, 1, 2, 9, 10, 11});
    // Ranks without work get an empty list.
    CHECK(heliostat_samples_of_rank(2, 2, 2, 3).empty());
    CHECK(heliostat_samples_of_rank(0, 0, 0, 1).empty());
    CHECK_THROWS_WITH(heliostat_samples_of_rank(3, 2, 0, 1),
                      ContainsSubstring("3 samples are not the same number"));
    CHECK_THROWS_AS(heliostat_samples_of_rank(2, 2, 3, 3), std::invalid_argument);
}

TEST_CASE("one process has all its groups without a network") {
    DistributedEnvironment environment({});
    Groups groups(environment);
    groups.add_contiguous("a", 1);
    groups.add_orthogonal("b", "a");
    groups.add_heliostat_groups(3);
    CHECK(groups.names() == std::vector<std::string>{"a", "b", "heliostat_group", "world"});
    CHECK(groups.size("a") == 1);
    CHECK(groups.rank("world") == 0);
    CHECK_THROWS_AS(groups.add("c", RankList{1}), std::invalid_argument);
    CHECK_THROWS_AS(groups.add("d", RankLists{{0}, {0}}), std::invalid_argument);
    CHECK_THROWS_AS(groups.add("e", RankLists{{}}), std::invalid_argument);
    CHECK_THROWS_AS(groups.add("", RankList{0}), std::invalid_argument);
}

TEST_CASE("named groups of 1 to 4 ranks") {
    for (const int size : {1, 2, 3, 4}) check_world(size, "groups");
}

TEST_CASE("groups of one rank open no connections") {
    check_world(2, "lone_groups");
}
