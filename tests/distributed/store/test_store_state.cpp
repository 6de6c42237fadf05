// SPDX-License-Identifier: MIT
// The state of a store without sockets and clocks: calls and their answers.
#include "distributed/store/state.h"
#include "tests/support/catch2.h"

using namespace helioray::detail;
using std::chrono::milliseconds;

namespace {

constexpr StoreState::Time kStart{};

/// A state in which connection c belongs to rank c.
class Calls {
  public:
    explicit Calls(int ranks) : state(ranks, milliseconds(1000), kStart) {
        for (int rank = 0; rank < ranks; ++rank)
            state.add_member(rank, rank, "rank " + std::to_string(rank), kStart);
    }

    /// Makes a call and returns all answers that result from it.
    std::vector<StoreState::Answer> operator()(int rank,
                                               StoreCall call,
                                               const FrameWriter& arguments = {},
                                               milliseconds time = milliseconds(0)) {
        FrameWriter body;
        body.u64(100 + rank).u8(static_cast<std::uint8_t>(call)).bytes(arguments.body());
        FrameReader frame(body.body());
        state.serve(rank, rank, frame, kStart + time);
        return state.take_answers();
    }
    std::vector<StoreState::Answer> rendezvous(int rank, const std::string& text) {
        return (*this)(
            rank, StoreCall::rendezvous, FrameWriter().text("m").u32(3).u32(rank).text(text));
    }

    StoreState state;
};

FrameWriter encode_pair(const std::string& key, const std::string& value) {
    return FrameWriter().text(key).text(value);
}

}  // namespace

TEST_CASE("a wait is answered when the last of its keys exists") {
    Calls call(2);
    CHECK(call(0, StoreCall::wait, FrameWriter().u32(2).text("a").text("b")).empty());
    CHECK(call(1, StoreCall::set, encode_pair("a", "1")).size() == 1);
    const auto answers = call(1, StoreCall::set, encode_pair("b", "2"));
    REQUIRE(answers.size() == 2);
    CHECK((answers[0].connection == 0 && answers[0].id == 100));
    CHECK((answers[1].connection == 1 && answers[1].id == 101));
}

TEST_CASE("ten thousand ranks store kilobytes each and read the values of all") {
    constexpr int kRanks = 10'000;
    Calls call(1);
    FrameWriter keys;
    keys.u32(kRanks);
    for (int rank = 0; rank < kRanks; ++rank) {
        const std::string key = "rank " + std::to_string(rank);
        keys.text(key);
        const auto answers = call(0, StoreCall::set, encode_pair(key, std::string(4096, 'x')));
        REQUIRE(answers.size() == 1);
        REQUIRE(answers[0].status == StoreAnswer::done);
    }
    const auto answers = call(0, StoreCall::get, keys);
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].body.size() > 4096 * kRanks);
    CHECK(answers[0].body.size() < kMaxFrameBytes);
}

TEST_CASE("a rendezvous is answered when all ranks have joined, and can be repeated") {
    Calls call(3);
    for (int round = 0; round < 2; ++round) {
        CHECK(call.rendezvous(0, "x").empty());
        CHECK(call.rendezvous(2, "x").empty());
        const auto answers = call.rendezvous(1, round == 0 ? "x" : "y");
        REQUIRE(answers.size() == 3);
        for (const auto& answer : answers) CHECK(answer.body.empty() == (round == 0));
    }
}

TEST_CASE("a failure ends waits and rendezvous, and the first one is stored") {
    Calls call(3);
    CHECK(call(0, StoreCall::wait, FrameWriter().u32(1).text("never")).empty());
    CHECK(call.rendezvous(1, "x").empty());
    call.state.remove_connection(2);
    const auto answers = call.state.take_answers();
    REQUIRE(answers.size() == 2);
    for (const auto& answer : answers) {
        CHECK(answer.status == StoreAnswer::failed);
        CHECK_THAT(answer.body, ContainsSubstring("rank 2 is gone"));
    }
    CHECK(call.state.open_members() == 0);
    call.state.fail("something later");
    CHECK_THAT(call(0, StoreCall::heartbeat).front().body, ContainsSubstring("rank 2 is gone"));
}

TEST_CASE("connections end without a failure after a close") {
    Calls call(2);
    CHECK(call.state.open_members() == 2);
    call(1, StoreCall::close);
    CHECK(call.state.open_members() == 1);
    call.state.remove_connection(1);
    CHECK(call(0, StoreCall::heartbeat).front().status == StoreAnswer::done);
    // An unauthenticated connection may reuse the number.
    call.state.remove_connection(1);
    CHECK(call(0, StoreCall::heartbeat).front().status == StoreAnswer::done);
}

TEST_CASE("missing heartbeats are a failure, unless the store itself was stopped") {
    Calls call(2);
    SECTION("of one member") {
        for (int time = 250; time <= 1000; time += 250) {
            call(0, StoreCall::heartbeat, {}, milliseconds(time));
            call.state.check_heartbeats(kStart + milliseconds(time));
        }
        CHECK(call.state.open_members() == 1);  // the hanging rank does not count any more
        CHECK_THAT(call(0, StoreCall::heartbeat).front().body, ContainsSubstring("rank 1 hangs"));
    }
    SECTION("of all members, while this process was stopped") {
        call.state.check_heartbeats(kStart + milliseconds(60'000));
        CHECK(call(0, StoreCall::heartbeat).front().status == StoreAnswer::done);
    }
}

TEST_CASE("malformed calls are refused") {
    Calls call(2);
    CHECK_THROWS_AS(call(0, StoreCall::authenticate), TransportError);
    CHECK_THROWS_AS(call(0, static_cast<StoreCall>(200)), TransportError);
    CHECK_THROWS_AS(call(0, StoreCall::set), TransportError);
    CHECK_THROWS_AS(call(0, StoreCall::get, FrameWriter().u32(4'000'000'000u)), TransportError);
    CHECK_THROWS_AS(call(0, StoreCall::rendezvous, FrameWriter().text("m").u32(3).u32(0).text("")),
                    TransportError);
    // Overflowing sums wrap around.
    const std::uint64_t largest = INT64_MAX;
    call(0, StoreCall::add, FrameWriter().text("n").u64(largest));
    CHECK(call(0, StoreCall::add, FrameWriter().text("n").u64(1)).front().body ==
          std::to_string(INT64_MIN));
}

TEST_CASE("a full store refuses to store more") {
    Calls call(2);
    const std::string large(60 << 20, 'x');
    for (int k = 0; k < 4; ++k)
        CHECK(call(0, StoreCall::set, encode_pair(std::to_string(k), large)).front().status ==
              StoreAnswer::done);
    CHECK(call(0, StoreCall::set, encode_pair("4", large)).front().status == StoreAnswer::refused);
    call(0, StoreCall::erase, FrameWriter().text("0"));
    CHECK(call(0, StoreCall::set, encode_pair("4", large)).front().status == StoreAnswer::done);
}
