// SPDX-License-Identifier: MIT
// What ranks tell each other when they meet.
#include "distributed/hello.h"
#include "tests/support/catch2.h"

using namespace helioray::detail;

namespace {

std::vector<Hello> three_ranks() {
    Hello hello;
    hello.world_size = 3;
    hello.version = std::string("1.0 abc");
    hello.configuration_hash = "hash";
    hello.backend = "auto";
    hello.device = "cpu";
    hello.host = "here";
    hello.network = "boot net";
    hello.pid = 7;
    return {hello, hello, hello};
}

}  // namespace

TEST_CASE("a card survives its text form") {
    auto hello = three_ranks()[0];
    fill_in_process(hello);
    CHECK_FALSE(hello.host.empty());
    CHECK(hello.pid > 0);
    hello.configuration_hash = "two\nlines";
    const auto copy = parse_hello(to_text(hello));
    CHECK(copy.world_size == 3);
    CHECK(copy.version == hello.version);
    CHECK(copy.configuration_hash == "two lines");
    CHECK(copy.host == hello.host);
    CHECK(copy.network == hello.network);
    CHECK(copy.processes == hello.processes);
    CHECK(copy.pid == hello.pid);
    CHECK(copy.gpu.empty());
    CHECK_THROWS_AS(parse_hello("something else"), std::invalid_argument);
}

TEST_CASE("disagreements are named with the ranks") {
    auto ranks = three_ranks();
    CHECK(disagreement(ranks).empty());

    ranks[2].configuration_hash = "other";
    CHECK_THAT(disagreement(ranks),
               ContainsSubstring("'hash' on ranks 0 and 1, 'other' on rank 2"));
    ranks[1].version = "1.1 def";
    CHECK_THAT(disagreement(ranks), ContainsSubstring("'1.1 def' on rank 1"));

    ranks = three_ranks();
    ranks[0].backend = "gloo";
    CHECK_THAT(disagreement(ranks), ContainsSubstring("backends"));
    ranks = three_ranks();
    ranks[0].device = "cuda";
    CHECK_THAT(disagreement(ranks), ContainsSubstring("'cuda' on rank 0"));
}

TEST_CASE("ranks that share a GPU are found") {
    auto ranks = three_ranks();
    CHECK(shared_gpu(ranks).empty());
    ranks[0].gpu = "gpu a";
    ranks[1].gpu = "gpu b";
    ranks[2].gpu = "gpu c";
    CHECK(shared_gpu(ranks).empty());
    ranks[2].gpu = "gpu a";
    CHECK(shared_gpu(ranks) == "ranks 0 and 2 on host here");
}

TEST_CASE("one machine or several") {
    auto ranks = three_ranks();
    CHECK(on_one_machine(ranks));
    ranks[1].network = "boot other";
    CHECK_FALSE(on_one_machine(ranks));
}

TEST_CASE("lists of ranks") {
    CHECK(list_ranks({4}) == "4");
    CHECK(list_ranks({0, 2}) == "0 and 2");
    CHECK(list_ranks({0, 2, 5}) == "0, 2 and 5");
    CHECK(list_ranks({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
}
