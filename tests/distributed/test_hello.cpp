// SPDX-License-Identifier: MIT
// What ranks tell each other when they meet.
#include "distributed/hello.h"
#include "tests/support/catch2.h"

using namespace helioray::detail;

namespace {

std::vector<Hello> three_ranks() {
    Hello hello;
    hello.version = std::string("1.0 abc");
    hello.configuration = "hash";
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
    hello.configuration = "two\nlines";
    hello.cores.quota = 2.5;
    hello.cores.quota_group = "a";
    hello.gpus = {"x", "y"};
    hello.wanted_gpu = 1;
    const auto copy = parse_hello(to_text(hello));
    CHECK(copy.version == hello.version);
    CHECK(copy.configuration == "two\nlines");
    CHECK(copy.host == hello.host);
    CHECK(copy.network == hello.network);
    CHECK(copy.boot == hello.boot);
    CHECK(copy.cores.allowed == hello.cores.allowed);
    CHECK(copy.cores.quota == 2.5);
    CHECK(copy.cores.quota_group == "a");
    CHECK(copy.gpus == std::vector<std::string>{"x", "y"});
    CHECK(copy.wanted_gpu == 1);
    CHECK_FALSE(parse_hello(to_text(Hello())).wanted_gpu);
    CHECK(copy.pid == hello.pid);
    CHECK_THROWS_AS(parse_hello("something else"), std::invalid_argument);
    hello.problem = "no file\n\x1b[31mno sun";
    CHECK(parse_hello(to_text(hello)).problem == "no file\n?[31mno sun");
}

TEST_CASE("disagreements are named with the ranks") {
    auto ranks = three_ranks();
    CHECK(version_difference(ranks).empty());
    CHECK(setting_difference(ranks).empty());

    ranks[1].version = "1.1 def";
    CHECK_THAT(version_difference(ranks), ContainsSubstring("'1.1 def' on rank 1"));
    ranks = three_ranks();
    ranks[0].backend = "gloo";
    CHECK_THAT(setting_difference(ranks), ContainsSubstring("backends"));
    ranks = three_ranks();
    ranks[0].device = "cuda";
    CHECK_THAT(setting_difference(ranks), ContainsSubstring("'cuda' on rank 0"));
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
