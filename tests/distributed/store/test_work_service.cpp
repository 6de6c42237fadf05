// SPDX-License-Identifier: MIT
// A store with work of rank 0: requests of authenticated ranks, and ranks that are lost.
#include "distributed/store/client.h"
#include "distributed/store/server.h"
#include "distributed/store/state.h"
#include "tests/support/catch2.h"

#include <sys/socket.h>

#include <atomic>
#include <map>
#include <mutex>

using namespace helioray::detail;
using std::chrono::milliseconds;

namespace {

constexpr StoreState::Time kWorkStart{};

/// Answers every request with its rank and text, and records losses.
class Echo final : public WorkService {
  public:
    std::string serve(int rank, std::string_view request) override {
        ++requests;
        if (request == "malformed") throw TransportError("malformed");
        return std::to_string(rank) + " " + std::string(request);
    }
    void lose(int rank, const std::string& cause) override {
        const std::lock_guard lock(mutex);
        losses[rank] += cause;
    }
    std::string loss(int rank) {
        const std::lock_guard lock(mutex);
        return losses[rank];
    }

    std::atomic<int> requests{0};
    std::mutex mutex;
    std::map<int, std::string> losses;
};

/// A state in which connection c belongs to rank c.
class WorkCalls {
  public:
    explicit WorkCalls(int ranks, WorkService* work)
        : state(ranks, milliseconds(1000), kWorkStart, work) {
        for (int rank = 0; rank < ranks; ++rank) add(rank, rank);
    }

    void add(int connection, int rank, int time_ms = 0) {
        const std::string name = "rank " + std::to_string(rank);
        state.add_connection(connection, rank, name);
        state.add_member(connection, rank, name, kWorkStart + milliseconds(time_ms));
    }

    /// Makes a call and returns its answer.
    StoreState::Answer operator()(int connection,
                                  int rank,
                                  StoreCall call,
                                  const FrameWriter& arguments = {},
                                  int time_ms = 0) {
        FrameWriter body;
        body.u64(1).u8(static_cast<std::uint8_t>(call)).bytes(arguments.body());
        FrameReader frame(body.body());
        state.serve(connection, rank, frame, kWorkStart + milliseconds(time_ms));
        const auto answers = state.take_answers();
        REQUIRE(answers.size() == 1);
        return answers[0];
    }
    StoreAnswer work(int connection, int rank) {
        return (*this)(connection, rank, StoreCall::work, FrameWriter().bytes("more")).status;
    }
    StoreAnswer beat(int rank, int time_ms, const std::string& phase = {}) {
        const FrameWriter beat = FrameWriter().text(phase).u64(0).u64(4000);
        return (*this)(rank, rank, StoreCall::heartbeat, beat, time_ms).status;
    }

    StoreState state;
};

/// The options of a client of a server.
StoreClientOptions client_options(const StoreServer& server, int rank) {
    StoreClientOptions options;
    options.host = "127.0.0.1";
    options.port = server.port();
    options.run = "run";
    options.secret = "s";
    options.ranks = 3;
    options.rank = rank;
    options.name = "rank " + std::to_string(rank);
    options.timeout = milliseconds(20'000);
    return options;
}

StoreServerOptions server_options(WorkService* work) {
    return {"127.0.0.1", 0, "run", "s", 0, 3, milliseconds(20'000), work};
}

}  // namespace

TEST_CASE("requests reach the work of rank 0") {
    Echo echo;
    WorkCalls call(2, &echo);
    const auto answer = call(1, 1, StoreCall::work, FrameWriter().bytes("more"));
    CHECK(answer.status == StoreAnswer::done);
    CHECK(answer.body() == "1 more");
    WorkCalls without(2, nullptr);
    CHECK(without.work(1, 1) == StoreAnswer::refused);
}

TEST_CASE("a rank whose connection breaks is lost, and another process may become this rank") {
    Echo echo;
    WorkCalls call(3, &echo);
    call.state.add_connection(11, 1, "rank 1");
    call.state.remove_connection(1);
    CHECK_THAT(echo.loss(1), ContainsSubstring("rank 1 is gone"));
    CHECK_FALSE(call.state.has_member(1));
    CHECK(call.state.open_members() == 2);
    // Its other connection gets nothing any more; other ranks do not notice.
    CHECK(call.work(11, 1) == StoreAnswer::failed);
    CHECK(call.work(2, 2) == StoreAnswer::done);
    CHECK(call.beat(2, 0) == StoreAnswer::done);
    call.state.remove_connection(11);
    call.add(12, 1);
    CHECK(call.work(12, 1) == StoreAnswer::done);
    CHECK(call.state.open_members() == 3);
}

TEST_CASE("a rank without heartbeats or progress, or with a failure, is lost") {
    Echo echo;
    WorkCalls call(4, &echo);
    call(3, 3, StoreCall::fail, FrameWriter().text("rank 3 failed: no memory"));
    CHECK(echo.loss(3) == "rank 3 failed: no memory");
    for (int time_ms = 0; time_ms <= 5000; time_ms += 250) {
        for (const int rank : {0, 1})
            if (call.state.has_member(rank)) call.beat(rank, time_ms, rank == 1 ? "tracing" : "");
        call.state.check_heartbeats(kWorkStart + milliseconds(time_ms));
    }
    CHECK_THAT(echo.loss(2), ContainsSubstring("rank 2 hangs: it has sent no heartbeat"));
    CHECK_THAT(echo.loss(1), ContainsSubstring("rank 1 hangs: tracing has made no progress"));
    CHECK(call.beat(1, 5000) == StoreAnswer::failed);
    CHECK(call.beat(0, 5000) == StoreAnswer::done);
    CHECK(call.state.open_members() == 1);
}

TEST_CASE("a rank that has closed its connection is not lost") {
    Echo echo;
    WorkCalls call(2, &echo);
    call(1, 1, StoreCall::close);
    call.state.remove_connection(1);
    CHECK(echo.loss(1).empty());
    CHECK(call.state.open_members() == 1);
}

TEST_CASE("a rank that is lost before it has sent a heartbeat") {
    Echo echo;
    WorkCalls call(1, &echo);
    call.state.add_connection(11, 1, "rank 1");
    CHECK(call.work(11, 1) == StoreAnswer::done);
    call.state.remove_connection(11);
    CHECK_THAT(echo.loss(1), ContainsSubstring("rank 1 is gone"));
}

TEST_CASE("the loss of rank 0 ends the run of every worker") {
    Echo echo;
    WorkCalls call(3, &echo);
    call(0, 0, StoreCall::fail, FrameWriter().text("rank 0 failed: full disk"));
    const auto answer = call(1, 1, StoreCall::work, FrameWriter().bytes("more"));
    CHECK(answer.status == StoreAnswer::failed);
    CHECK(answer.body() == "rank 0 failed: full disk");
    // A rank that ends afterwards changes nothing.
    call.state.remove_connection(1);
    CHECK(call.beat(2, 0) == StoreAnswer::failed);
}

TEST_CASE("requests over connections") {
    Echo echo;
    const StoreServer server(server_options(&echo));
    StoreClient one(client_options(server, 1));
    CHECK(one.request_work("more") == "1 more");
    const std::string large(5'000'000, 'x');
    CHECK(one.request_work(large) == "1 " + large);
    CHECK_THROWS_AS(one.request_work("malformed"), TransportError);
    StoreClient two(client_options(server, 2));
    CHECK(two.request_work("more") == "2 more");
    two.close();
}

TEST_CASE("a client without the secret cannot reach the work") {
    Echo echo;
    const StoreServer server(server_options(&echo));
    for (const std::string secret : {"", "guess"}) {
        StoreClientOptions options = client_options(server, 1);
        options.secret = secret;
        CHECK_THROWS_AS(StoreClient(options), Refused);
    }
    // A request without authentication, and one behind a forged one.
    FrameWriter forged;
    forged.u64(1).u8(static_cast<std::uint8_t>(StoreCall::authenticate));
    forged.text(std::string(kHmacBytes, '\0')).text(std::string(32, '\0')).text("run");
    forged.u32(0).u32(3).u32(1).text("rank 1").u8(1);
    const FrameWriter request =
        FrameWriter().u64(2).u8(static_cast<std::uint8_t>(StoreCall::work)).bytes("more");
    for (const std::string& bytes : {request.frame(), forged.frame() + request.frame()}) {
        const auto deadline = std::chrono::steady_clock::now() + milliseconds(20'000);
        const Descriptor socket = connect_to("127.0.0.1", server.port(), deadline, {});
        REQUIRE(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0);
        char buffer[4096];
        bool closed = false;
        while (!closed && wait_for_socket(socket.get(), false, deadline, {}))
            closed = ::recv(socket.get(), buffer, sizeof(buffer), 0) <= 0;
        CHECK(closed);
    }
    CHECK(echo.requests == 0);
    StoreClient one(client_options(server, 1));
    CHECK(one.request_work("more") == "1 more");
    one.close();
}
