// SPDX-License-Identifier: MIT
// The store of a run: calls, rendezvous, heartbeats and unauthenticated clients.
#include "distributed/launch/message_text.h"
#include "distributed/ranks/peer_monitor.h"
#include "distributed/store/open_store.h"
#include "tests/support/catch2.h"

#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace helioray::detail;
using std::chrono::milliseconds;

namespace {

constexpr auto kLong = milliseconds(20'000);

/// A store server and the options of its clients.
class Run {
  public:
    explicit Run(int ranks, milliseconds heartbeat_timeout = kLong, const std::string& secret = "s")
        : server_({"127.0.0.1", 0, "run", secret, 0, ranks, heartbeat_timeout}) {
        client_options_.host = "127.0.0.1";
        client_options_.port = server_.port();
        client_options_.run = "run";
        client_options_.secret = secret;
        client_options_.ranks = ranks;
        client_options_.timeout = milliseconds(5000);
    }

    StoreClientOptions client_options(int rank, bool sends_heartbeats = false) const {
        StoreClientOptions client_options = client_options_;
        client_options.rank = rank;
        client_options.name = "rank " + std::to_string(rank);
        client_options.sends_heartbeats = sends_heartbeats;
        return client_options;
    }
    /// For calls during which the store copies gigabytes.
    StoreClientOptions patient_options(int rank) const {
        StoreClientOptions client_options = this->client_options(rank);
        client_options.timeout = kLong;
        return client_options;
    }
    std::unique_ptr<PeerMonitor> monitor(int rank) const {
        MonitorOptions options;
        options.store = client_options(rank);
        options.server = "rank 0";
        options.interval = milliseconds(20);
        options.heartbeat_timeout = milliseconds(3000);
        return std::make_unique<PeerMonitor>(options);
    }
    const StoreServer& server() const { return server_; }

  private:
    StoreServer server_;
    StoreClientOptions client_options_;
};

/// Returns the memory of this process in KB.
long resident_kb() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    return 0;
}

// Memory that a store and its clients may take. ThreadSanitizer keeps records of memory.
#ifdef __SANITIZE_THREAD__
constexpr long kMostKb = 1'200'000;
#else
constexpr long kMostKb = 600'000;
#endif

/// Connects without authentication.
Descriptor connect_unauthenticated(const Run& run) {
    return connect_to(
        "127.0.0.1", run.server().port(), std::chrono::steady_clock::now() + kLong, {});
}

/// Returns true if the store closes a connection that has sent these bytes.
bool is_closed_after(const Run& run, const std::string& bytes) {
    const Descriptor socket = connect_unauthenticated(run);
    ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    char buffer[4096];
    const auto deadline = std::chrono::steady_clock::now() + milliseconds(5000);
    while (wait_for_socket(socket.get(), false, deadline, {}))
        if (::recv(socket.get(), buffer, sizeof(buffer), 0) <= 0) return true;
    return false;
}

void check_that_it_serves(const Run& run) {
    StoreClient client(run.client_options(0));
    client.set("still", "here");
    CHECK(client.get({"still"}).front() == std::string("here"));
    client.close();
}

}  // namespace

TEST_CASE("values of a store") {
    const Run run(2);
    StoreClient zero(run.client_options(0)), one(run.client_options(1));
    zero.set("a", std::string("1\0\n2", 4));
    const auto values = one.get({"a", "b"});
    CHECK(values[0] == std::string("1\0\n2", 4));
    CHECK_FALSE(values[1]);
    CHECK(one.add("n", 5) == 5);
    CHECK(zero.add("n", -7) == -2);
    CHECK(zero.compare_set("c", "", "first") == "first");
    CHECK(one.compare_set("c", "", "second") == "first");
    CHECK(one.compare_set("c", "first", "third") == "third");
    CHECK(one.count() == 3);
    CHECK(one.erase("c"));
    CHECK_FALSE(one.erase("c"));
    const std::string large(3'000'000, 'x');
    zero.set("large", large);
    CHECK(one.get({"large"}).front() == large);
}

TEST_CASE("a wait ends with the key, at the deadline, or by the wait callback") {
    const Run run(2);
    StoreClient zero(run.client_options(0)), one(run.client_options(1));
    std::thread later([&] {
        std::this_thread::sleep_for(milliseconds(50));
        one.set("late", "1");
    });
    zero.wait({"late"}, kLong);
    later.join();
    CHECK_THROWS_AS(zero.wait({"never"}, milliseconds(50)), TimeoutError);
    struct Enough {};
    int calls = 0;
    zero.set_wait_callback([&] {
        // The callback may use the store itself.
        zero.set("looked", std::to_string(calls));
        if (++calls == 3) throw Enough();
    });
    CHECK_THROWS_AS(zero.wait({"never"}, kLong), Enough);
    zero.set_wait_callback({});
    CHECK(zero.get({"looked"}).front() == std::string("2"));
    // The late answer to the cancelled wait does not disturb later calls.
    one.set("never", "1");
    CHECK(zero.add("n", 1) == 1);
}

TEST_CASE("a rendezvous reports different texts and missing ranks") {
    const Run run(3);
    std::vector<std::unique_ptr<StoreClient>> clients;
    for (int rank = 0; rank < 3; ++rank)
        clients.push_back(std::make_unique<StoreClient>(run.client_options(rank)));
    const auto rendezvous = [&](const std::string& name, const std::vector<std::string>& texts) {
        std::vector<StoreClient::RendezvousText> differences;
        std::vector<std::thread> threads;
        for (int rank = 0; rank < 3; ++rank)
            threads.emplace_back([&, rank] {
                auto all = clients[rank]->rendezvous(name, 3, rank, texts[rank], kLong);
                if (rank == 1) differences = std::move(all);
            });
        for (std::thread& thread : threads) thread.join();
        return differences;
    };
    for (int k = 0; k < 100; ++k) CHECK(rendezvous("same", {"x", "x", "x"}).empty());
    const auto differences = rendezvous("other", {"x", "y", "x"});
    REQUIRE(differences.size() == 2);
    for (const StoreClient::RendezvousText& difference : differences) {
        std::vector<int> ranks = difference.ranks;
        std::sort(ranks.begin(), ranks.end());
        CHECK(ranks == (difference.text == "x" ? std::vector<int>{0, 2} : std::vector<int>{1}));
    }
    CHECK_THROWS_AS(clients[1]->rendezvous("late", 3, 1, "x", milliseconds(50)), TimeoutError);
    CHECK(clients[0]->missing_ranks("late", 3) == std::vector<int>{0, 2});
}

TEST_CASE("ranks with heartbeats do not fail") {
    const Run run(2, milliseconds(400));
    const auto zero = run.monitor(0), one = run.monitor(1);
    CHECK_FALSE(zero->await_cause(milliseconds(1000)));
    CHECK_FALSE(one->cause());
}

TEST_CASE("a rank without heartbeats is reported to every rank") {
    const Run run(3, milliseconds(300));
    const auto zero = run.monitor(0), one = run.monitor(1);
    const StoreClient silent(run.client_options(2, true));
    for (const PeerMonitor* monitor : {zero.get(), one.get()}) {
        const auto cause = monitor->await_cause(milliseconds(5000));
        REQUIRE(cause);
        CHECK_THAT(*cause, ContainsSubstring("rank 2 hangs"));
    }
}

TEST_CASE("a rank has failed if its connection ends without a close") {
    const Run run(2);
    const auto zero = run.monitor(0);
    SECTION("without a close it is a failure, which ends every wait at once") {
        StoreClient waiting(run.client_options(0));
        { const StoreClient one(run.client_options(1, true)); }
        CHECK_THROWS_WITH(waiting.rendezvous("all", 2, 0, "x", kLong),
                          ContainsSubstring("rank 1 is gone"));
        CHECK_THROWS_AS(waiting.wait({"never"}, kLong), RunFailed);
        const auto cause = zero->await_cause(milliseconds(5000));
        REQUIRE(cause);
        CHECK_THAT(*cause, ContainsSubstring("rank 1 is gone"));
    }
    SECTION("after a close it is not a failure") {
        run.monitor(1)->stop();
        CHECK_FALSE(zero->await_cause(milliseconds(500)));
    }
}

TEST_CASE("every rank receives the first reported failure") {
    const Run run(2);
    const auto zero = run.monitor(0), one = run.monitor(1);
    one->report("rank 1 failed: first", milliseconds(2000));
    zero->report("rank 0 failed: second", milliseconds(2000));
    CHECK(zero->await_cause(milliseconds(2000)) == std::string("rank 1 failed: first"));
    CHECK(one->await_cause(milliseconds(2000)) == std::string("rank 1 failed: first"));
}

TEST_CASE("the end of the store is noticed") {
    auto run = std::make_unique<Run>(2);
    const auto one = run->monitor(1);
    run.reset();
    const auto cause = one->await_cause(milliseconds(5000));
    REQUIRE(cause);
    CHECK_THAT(*cause, ContainsSubstring("rank 0 is gone"));
}

TEST_CASE("ranks of other runs are refused") {
    const Run run(2);
    const auto refusal = [&](auto change) {
        StoreClientOptions client_options = run.client_options(1);
        change(client_options);
        try {
            StoreClient client(client_options);
        } catch (const Refused& refused) {
            return std::string(refused.what());
        }
        return std::string();
    };
    CHECK_THAT(refusal([](auto& client_options) { client_options.secret = "guess"; }),
               ContainsSubstring("secrets differ"));
    CHECK_THAT(refusal([](auto& client_options) { client_options.run = "other"; }),
               ContainsSubstring("another run"));
    CHECK_THAT(refusal([](auto& client_options) { client_options.rank = 2; }),
               ContainsSubstring("no rank 2"));
    const StoreClient first(run.client_options(1, true));
    CHECK_THAT(refusal([](auto& client_options) { client_options.sends_heartbeats = true; }),
               ContainsSubstring("is connected already"));
    check_that_it_serves(run);
    // A rank with another number of ranks ends the waits of the others.
    StoreClient zero(run.client_options(0));
    CHECK_THAT(refusal([](auto& client_options) { client_options.ranks = 3; }),
               ContainsSubstring("number of ranks") && ContainsSubstring("rank 1 expects 3"));
    CHECK_THROWS_AS(zero.wait({"never"}, kLong), RunFailed);
}

TEST_CASE("the store listens on the intended interface only") {
    const auto open_and_get_address = [](helioray::LaunchInfo launch) {
        launch.world_size = 2;
        OpenStoreOptions options;
        options.timeout = options.heartbeat_timeout = milliseconds(5000);
        return open_store(launch, options, {}, {}).server->address();
    };
    helioray::LaunchInfo launch;
    launch.launcher = helioray::Launcher::env;
    launch.local_world_size = 0;
    launch.master_port = listen_on("127.0.0.1", 0).port;
    for (const char* host : {"127.0.0.1", "localhost"}) {
        launch.master_addr = host;
        CHECK(open_and_get_address(launch) == "127.0.0.1");
    }
    launch.master_addr.clear();
    CHECK(open_and_get_address(launch).empty());
    launch.store_file = "/tmp/helioray_test_store_" + std::to_string(::getpid());
    CHECK(open_and_get_address(launch).empty());
    launch.launcher = helioray::Launcher::local;
    launch.local_world_size = 2;
    CHECK(open_and_get_address(launch) == "127.0.0.1");
}

TEST_CASE("a store that does not know the secret is refused") {
    const Listener listener = listen_on("127.0.0.1", 0);
    std::thread impostor([&] {
        wait_for_socket(listener.socket.get(), false, std::chrono::steady_clock::now() + kLong, {});
        const Descriptor socket(::accept(listener.socket.get(), nullptr, nullptr));
        const std::string greeting = std::string(kStoreGreeting) + std::string(32, 'n');
        ::send(socket.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
        char buffer[4096];
        (void)::recv(socket.get(), buffer, sizeof(buffer), 0);
        const std::string frame = FrameWriter()
                                      .u64(1)
                                      .u8(static_cast<std::uint8_t>(StoreAnswer::done))
                                      .bytes(compute_hmac("guess", "store"))
                                      .frame();
        ::send(socket.get(), frame.data(), frame.size(), MSG_NOSIGNAL);
        (void)::recv(socket.get(), buffer, sizeof(buffer), 0);
    });
    StoreClientOptions client_options;
    client_options.host = "127.0.0.1";
    client_options.port = listener.port;
    client_options.secret = "s";
    client_options.timeout = milliseconds(5000);
    CHECK_THROWS_WITH(StoreClient(client_options),
                      ContainsSubstring("does not know the secret of this run"));
    impostor.join();
}

TEST_CASE("a rank waits longer for a busy store than for one that may not exist") {
    const Run run(2);
    const Listener listener = listen_on("127.0.0.1", 0);
    std::thread relay([&] {
        wait_for_socket(listener.socket.get(), false, std::chrono::steady_clock::now() + kLong, {});
        const Descriptor client(::accept(listener.socket.get(), nullptr, nullptr));
        const Descriptor store = connect_unauthenticated(run);
        const auto forward = [](const Descriptor& from, const Descriptor& to, milliseconds delay) {
            wait_for_socket(from.get(), false, std::chrono::steady_clock::now() + kLong, {});
            char buffer[4096];
            const auto count = ::recv(from.get(), buffer, sizeof(buffer), 0);
            std::this_thread::sleep_for(delay);
            if (count > 0) ::send(to.get(), buffer, static_cast<size_t>(count), MSG_NOSIGNAL);
        };
        forward(store, client, milliseconds(0));     // the greeting
        forward(client, store, milliseconds(0));     // the proof
        forward(store, client, milliseconds(2500));  // the answer
    });
    StoreClientOptions options = run.client_options(1);
    options.port = listener.port;
    options.timeout = kLong;
    CHECK_NOTHROW(StoreClient(options, {}, milliseconds(2000)));
    relay.join();
}

TEST_CASE("unauthenticated clients cannot harm the store") {
    const Run run(2);
    SECTION("with other protocols") {
        CHECK(is_closed_after(run, "GET / HTTP/1.1\r\n\r\n"));
    }
    SECTION("with endless messages") {
        CHECK(is_closed_after(run, std::string("\xff\xff\xff\x7f", 4) + std::string(100'000, 'x')));
    }
    SECTION("with calls before authentication") {
        FrameWriter frame;
        frame.u64(1).u8(static_cast<std::uint8_t>(StoreCall::fail)).text("forged");
        CHECK(is_closed_after(run, frame.frame()));
    }
    SECTION("with silent connections") {
        std::vector<Descriptor> silent;
        for (int i = 0; i < 300; ++i) silent.push_back(connect_unauthenticated(run));
        check_that_it_serves(run);
    }
    SECTION("with half a message") {
        const Descriptor socket = connect_unauthenticated(run);
        ::send(socket.get(), "\x20\0\0", 3, MSG_NOSIGNAL);
        check_that_it_serves(run);
    }
    check_that_it_serves(run);
    const auto zero = run.monitor(0);
    CHECK_FALSE(zero->await_cause(milliseconds(200)));
}

TEST_CASE("texts of other ranks are printed without control characters") {
    const Run run(2);
    const auto zero = run.monitor(0), one = run.monitor(1);
    one->report("rank 1 failed: \x1b[31mred\n", milliseconds(2000));
    const auto cause = zero->await_cause(milliseconds(2000));
    REQUIRE(cause);
    CHECK_THAT(*cause, ContainsSubstring("?[31mred"));
}

TEST_CASE("texts are printable") {
    // Controls of C1 as UTF-8 and as a single byte, marks that reverse the order of the text.
    CHECK(make_printable("a\xc2\x9b"
                         "31m") == "a?31m");
    CHECK(make_printable("a\x9b"
                         "31m") == "a?31m");
    CHECK(make_printable("exe.\xe2\x80\xae"
                         "fdp") == "exe.?fdp");
    CHECK(make_printable("\xe2\x81\xa6x\xd8\x9c") == "?x?");
    // Invalid and incomplete UTF-8.
    CHECK(make_printable("\xc0\x80\xed\xa0\x80\xe2\x80") == "???????");
    // Letters stay, and are not cut.
    CHECK(make_printable("J\xc3\xbclich \xe5\xa1\x94 \xf0\x9f\x8c\x9e") ==
          "J\xc3\xbclich \xe5\xa1\x94 \xf0\x9f\x8c\x9e");
    CHECK(make_printable("aa\xc3\xbc", 3) == "aa...");
    CHECK(make_printable("aa\xc3\xbc", 4) == "aa\xc3\xbc");
}

TEST_CASE("the memory of a store is limited for clients that do not read their answers") {
    const Run run(2, kLong, "");
    StoreClient honest(run.patient_options(0));
    honest.set("large", std::string(8 << 20, 'x'));
    const long before = resident_kb();
    // Raw connections of rank 1 request the value again and again.
    std::vector<Descriptor> sockets;
    FrameWriter get;
    get.u64(2).u8(static_cast<std::uint8_t>(StoreCall::get)).u32(1).text("large");
    for (int i = 0; i < 20; ++i) {
        sockets.push_back(connect_unauthenticated(run));
        std::string greeting(kStoreGreeting.size() + Nonce().size(), '\0');
        for (std::size_t have = 0; have < greeting.size();) {
            REQUIRE(wait_for_socket(
                sockets.back().get(), false, std::chrono::steady_clock::now() + kLong, {}));
            const auto count =
                ::recv(sockets.back().get(), greeting.data() + have, greeting.size() - have, 0);
            REQUIRE(count > 0);
            have += static_cast<std::size_t>(count);
        }
        const std::string nonce(Nonce().size(), 'n');
        FrameWriter hello;
        hello.u64(1)
            .u8(static_cast<std::uint8_t>(StoreCall::authenticate))
            .text(compute_hmac("", "rank" + greeting.substr(kStoreGreeting.size()) + nonce + "run"))
            .text(nonce)
            .text("run")
            .u32(0)
            .u32(2)
            .u32(1)
            .text("rank 1")
            .u8(0);
        std::string calls = hello.frame();
        for (int k = 0; k < 50; ++k) calls += get.frame();
        ::send(sockets.back().get(), calls.data(), calls.size(), MSG_NOSIGNAL);
    }
    // Unread answers to all of these calls would take 8 GB.
    for (int i = 0; i < 20; ++i) {
        CHECK(honest.get({"large"}).front()->size() == 8 << 20);
        CHECK(resident_kb() - before < kMostKb);
    }
}

TEST_CASE("connections do not keep the memory of long calls") {
    const Run run(2, kLong);
    const std::string large(16 << 20, 'x');
    const long before = resident_kb();
    std::vector<std::unique_ptr<StoreClient>> clients;
    for (int i = 0; i < 60; ++i) {
        clients.push_back(std::make_unique<StoreClient>(run.patient_options(1)));
        clients.back()->set("large", large);
    }
    // A buffer for each of them would take 960 MB.
    CHECK(resident_kb() - before < kMostKb);
}

TEST_CASE("the reason of a failed connection is reported") {
    const auto reason = [](const std::string& host, int port) {
        try {
            connect_to(host, port, std::chrono::steady_clock::now() + milliseconds(300), {});
        } catch (const TransportError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const int port = listen_on("127.0.0.1", 0).port;
    CHECK_THAT(reason("127.0.0.1", port), ContainsSubstring("nothing listens at this port"));
    CHECK_THAT(reason("no-such-host.invalid", port),
               ContainsSubstring("the name 'no-such-host.invalid' is unknown"));
    // A full queue of connections drops packets, as a firewall does.
    const Listener full = listen_on("127.0.0.1", 0);
    ::listen(full.socket.get(), 0);
    std::vector<Descriptor> waiting;
    const auto soon = std::chrono::steady_clock::now() + milliseconds(200);
    try {
        while (true) waiting.push_back(connect_to("127.0.0.1", full.port, soon, {}));
    } catch (const TransportError&) {
        CHECK_THAT(reason("127.0.0.1", full.port), ContainsSubstring("does not answer at all"));
    }

    // A program that accepts connections, but sends nothing.
    const Listener listener = listen_on("127.0.0.1", 0);
    StoreClientOptions client_options;
    client_options.host = "127.0.0.1";
    client_options.port = listener.port;
    client_options.timeout = milliseconds(300);
    CHECK_THROWS_WITH(StoreClient(client_options), ContainsSubstring("does not answer as a store"));
}
