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
    /// A heartbeat of a rank whose work has this progress; no work is watched if `phase` is empty.
    std::vector<StoreState::Answer> beat(int rank,
                                         int time_ms = 0,
                                         const std::string& phase = {},
                                         int progress = 0) {
        return (*this)(rank,
                       StoreCall::heartbeat,
                       FrameWriter().text(phase).u64(progress).u64(kPatienceMs),
                       milliseconds(time_ms));
    }
    static constexpr int kPatienceMs = 4000;
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
    CHECK(answers[0].body().size() > 4096 * kRanks);
    CHECK(answers[0].body().size() < kMaxFrameBytes);
}

TEST_CASE("a rendezvous is answered when all ranks have joined, and can be repeated") {
    Calls call(3);
    for (int round = 0; round < 2; ++round) {
        CHECK(call.rendezvous(0, "x").empty());
        CHECK(call.rendezvous(2, "x").empty());
        const auto answers = call.rendezvous(1, round == 0 ? "x" : "y");
        REQUIRE(answers.size() == 3);
        for (const auto& answer : answers) CHECK(answer.body().empty() == (round == 0));
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
        CHECK_THAT(answer.body(), ContainsSubstring("rank 2 is gone"));
    }
    CHECK(call.state.open_members() == 0);
    call.state.fail("something later");
    CHECK_THAT(call.beat(0).front().body(), ContainsSubstring("rank 2 is gone"));
}

TEST_CASE("connections end without a failure after a close") {
    Calls call(2);
    CHECK(call.state.open_members() == 2);
    call(1, StoreCall::close);
    CHECK(call.state.open_members() == 1);
    call.state.remove_connection(1);
    CHECK(call.beat(0).front().status == StoreAnswer::done);
    // An unauthenticated connection may reuse the number.
    call.state.remove_connection(1);
    CHECK(call.beat(0).front().status == StoreAnswer::done);
}

TEST_CASE("missing heartbeats are a failure, unless the store itself was stopped") {
    Calls call(2);
    SECTION("of one member") {
        for (int time = 250; time <= 1000; time += 250) {
            call.beat(0, time);
            call.state.check_heartbeats(kStart + milliseconds(time));
        }
        CHECK(call.state.open_members() == 1);  // the hanging rank does not count any more
        CHECK_THAT(call.beat(0).front().body(), ContainsSubstring("rank 1 hangs"));
    }
    SECTION("of all members, while this process was stopped") {
        call.state.check_heartbeats(kStart + milliseconds(60'000));
        CHECK(call.beat(0).front().status == StoreAnswer::done);
    }
}

TEST_CASE("a rank whose process is alive hangs if its work makes no progress") {
    Calls call(2);
    const auto cause = [&](int time) { return call.beat(0, time).front().body(); };
    int time = 0;
    const auto beats = [&](int count, const std::string& phase, auto progress) {
        for (int i = 0; i < count; ++i) call.beat(1, time += 500, phase, progress(i));
    };
    SECTION("no progress for its patience") {
        beats(8, "tracing", [](int) { return 7; });
        CHECK(cause(time) == "");
        beats(1, "tracing", [](int) { return 7; });
        CHECK_THAT(cause(time), ContainsSubstring("rank 1 hangs: tracing has made no progress"));
    }
    SECTION("slow progress is not a hang, however long it takes") {
        beats(1000, "tracing", [](int i) { return i / 7; });
        CHECK(cause(time) == "");
    }
    SECTION("a rank without watched work may take any time") {
        beats(1000, "", [](int) { return 7; });
        CHECK(cause(time) == "");
    }
    SECTION("each kind of work counts for itself") {
        for (int i = 0; i < 100; ++i)
            beats(5, i % 2 == 0 ? "tracing" : "storing", [](int) { return 7; });
        CHECK(cause(time) == "");
    }
    SECTION("a suspended process is not idle") {
        for (int i = 0; i < 2; ++i) call.beat(1, time += 600'000, "tracing", 7);
        CHECK(cause(time) == "");
    }
}

TEST_CASE("a rank that is lost before it is a member is a failure") {
    StoreState state(2, milliseconds(1000), kStart);
    const auto beat = [&] {
        FrameWriter body;
        body.u64(1).u8(static_cast<std::uint8_t>(StoreCall::heartbeat)).text("").u64(0).u64(0);
        FrameReader frame(body.body());
        state.serve(9, 0, frame, kStart);
        return state.take_answers().front().body();
    };
    state.add_connection(1, 1, "rank 1");
    SECTION("its only connection closes") {
        state.remove_connection(1);
        CHECK_THAT(beat(), ContainsSubstring("rank 1 is gone"));
    }
    SECTION("it has another connection") {
        state.add_connection(2, 1, "rank 1");
        state.remove_connection(1);
        CHECK(beat() == "");
    }
    SECTION("it has said that it ends") {
        FrameWriter body;
        body.u64(1).u8(static_cast<std::uint8_t>(StoreCall::close));
        FrameReader frame(body.body());
        state.serve(1, 1, frame, kStart);
        state.remove_connection(1);
        state.take_answers();
        CHECK(beat() == "");
    }
}

TEST_CASE("calls that wait and answers that are not read have a limited size") {
    Calls call(3);
    const std::string large(60 << 20, 'x');
    SECTION("texts of rendezvous") {
        int refused = 0;
        for (int k = 0; k < 8; ++k) {
            const auto answers =
                call(0,
                     StoreCall::rendezvous,
                     FrameWriter().text(std::to_string(k)).u32(3).u32(0).text(large));
            if (!answers.empty() && answers.front().status == StoreAnswer::refused) ++refused;
        }
        CHECK(refused == 4);
        // Their memory is free again after a failure.
        call.state.fail("a failure");
        call.state.take_answers();
        CHECK(call(0, StoreCall::count).front().status == StoreAnswer::done);
    }
    SECTION("keys of waits, which the end of the connection frees") {
        const auto wait = [&] {
            return call(1, StoreCall::wait, FrameWriter().u32(1).text(large + "k"));
        };
        for (int k = 0; k < 4; ++k) CHECK(wait().empty());
        CHECK(wait().front().status == StoreAnswer::refused);
        call(1, StoreCall::close);
        call.state.remove_connection(1);
        CHECK(wait().empty());
    }
    SECTION("answers") {
        call(0, StoreCall::set, encode_pair("key", large));
        const FrameWriter key = FrameWriter().u32(1).text("key");
        std::vector<StoreState::Answer> unread;
        while (unread.size() < 20 && (unread.empty() || unread.back().status == StoreAnswer::done))
            unread.push_back(call(0, StoreCall::get, key).front());
        CHECK(unread.size() == 6);
        CHECK(unread.back().status == StoreAnswer::refused);
        unread.clear();
        CHECK(call(0, StoreCall::get, key).front().status == StoreAnswer::done);
    }
    SECTION("many short keys") {
        std::size_t stored = 0;
        while (call(0, StoreCall::add, FrameWriter().text(std::to_string(stored)).u64(1))
                   .front()
                   .status == StoreAnswer::done)
            ++stored;
        CHECK(stored < 2'500'000);
    }
}

TEST_CASE("all answers of a rendezvous share one body") {
    Calls call(3);
    call.rendezvous(0, std::string(1 << 20, 'x'));
    call.rendezvous(1, std::string(1 << 20, 'y'));
    const auto answers = call.rendezvous(2, "z");
    REQUIRE(answers.size() == 3);
    CHECK(answers[0].shared == answers[1].shared);
    CHECK(answers[0].shared == answers[2].shared);
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
    CHECK(call(0, StoreCall::add, FrameWriter().text("n").u64(1)).front().body() ==
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
