// SPDX-License-Identifier: MIT
// The thread that serves a store: connections, authentication and frames.
#include "distributed/store/server.h"

#include "distributed/launch/message_text.h"
#include "distributed/store/background_clock.h"
#include "distributed/store/background_thread.h"
#include "distributed/store/sockets.h"
#include "distributed/store/state.h"
#include "distributed/store/wire.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Limits of connections that are not authenticated: their number and their duration.
constexpr std::size_t kMaxUnauthenticated = 64;
constexpr auto kAuthenticationTimeout = milliseconds(10'000);
// A rank has one connection for calls, one for heartbeats, and one per group that is connecting.
constexpr std::size_t kConnectionsPerRank = 16;
constexpr auto kTick = milliseconds(250);
// A connection that does not read its answers is served again when less than this is left.
constexpr std::size_t kMaxUnsentBytesOfConnection = std::size_t{1} << 20;
// Limits of the bytes that are read at once, and of incomplete calls of all connections.
constexpr std::size_t kMaxReadBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxReceivedBytes = std::size_t{256} << 20;
// Longer bodies are sent without copying them.
constexpr std::size_t kLongBody = std::size_t{16} << 10;
// A connection without incomplete calls keeps no larger buffer, because there may be hundreds.
constexpr std::size_t kMaxIdleBufferBytes = std::size_t{64} << 10;

}  // namespace

class StoreServer::Service {
    /// Bytes to send, of which the first `sent` are sent.
    struct Chunk {
        std::shared_ptr<const std::string> bytes;
        std::size_t sent = 0;
    };

    /// A connection of a rank; of anybody until it is authenticated.
    struct Connection {
        Descriptor socket;
        std::string received;
        std::deque<Chunk> to_send;
        std::size_t unsent = 0;    // bytes of to_send
        std::uint32_t events = 0;  // that the thread waits for
        Nonce nonce{};
        Clock::time_point since;  // when it was accepted
        bool authenticated = false;
        bool closing = false;  // shut down after everything is sent
        int rank = -1;

        void add(std::string bytes) { add(std::make_shared<const std::string>(std::move(bytes))); }
        void add(std::shared_ptr<const std::string> bytes) {
            unsent += bytes->size();
            to_send.push_back({std::move(bytes)});
        }
    };

  public:
    explicit Service(const StoreServerOptions& options)
        : options_(options),
          listener_(listen_on(options.host, options.port)),
          state_(options.ranks, options.heartbeat_timeout, Clock::now(), options.work) {
        thread_ = start_background_thread([this] { run(); });
    }

    ~Service() {
        stop_ = true;
        const std::uint64_t increment = 1;
        [[maybe_unused]] const auto written = ::write(wake_.get(), &increment, sizeof(increment));
        thread_.join();
    }

    const Listener& listener() const { return listener_; }

    void wait_for_shutdown(milliseconds timeout) const {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, timeout, [this] { return open_members_ == 0; });
    }

  private:
    void run();
    void update_epoll(int descriptor, std::uint32_t what, int operation);
    void accept_all();
    void evict_unauthenticated();
    void receive(int key);
    void flush(Connection& connection);
    void close_connection(int key);
    void process_frames(int key);
    void authenticate(Connection& connection, FrameReader& frame);
    void send(int key,
              std::uint64_t id,
              StoreAnswer status,
              const std::shared_ptr<const std::string>& body);
    void send(int key, std::uint64_t id, StoreAnswer status, std::string body) {
        send(key, id, status, std::make_shared<const std::string>(std::move(body)));
    }
    void listen(bool on);
    void handle_failed_accept(int error);
    void send_answers();
    void expire_unauthenticated();

    const StoreServerOptions options_;
    const Listener listener_;
    const Descriptor poll_{::epoll_create1(EPOLL_CLOEXEC)};
    const Descriptor wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::atomic<bool> stop_{false};

    // Used by the thread only:
    std::map<int, Connection> connections_;  // by descriptor
    StoreState state_;
    std::size_t received_bytes_ = 0;  // bytes of calls that are not complete
    bool listening_ = false;
    Clock::time_point listen_again_;

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::size_t open_members_ = 0;  // copy of StoreState::open_members(), run_guarded by mutex_

    std::thread thread_;  // last member, because it uses the others
};

void StoreServer::Service::run() {
    const BackgroundClock clock;
    update_epoll(wake_.get(), EPOLLIN, EPOLL_CTL_ADD);
    listen(true);
    std::array<epoll_event, 256> events;
    while (!stop_) {
        const int count = ::epoll_wait(poll_.get(),
                                       events.data(),
                                       static_cast<int>(events.size()),
                                       static_cast<int>(kTick.count()));
        for (int i = 0; i < count; ++i) {
            const int key = events[i].data.fd;
            if (key == listener_.socket.get()) accept_all();
            if (connections_.count(key) == 0) continue;
            if ((events[i].events & EPOLLOUT) != 0) {
                flush(connections_.at(key));
                process_frames(key);
            }
            if (connections_.count(key) == 0) continue;
            if ((events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive(key);
        }
        if (!listening_ && Clock::now() >= listen_again_) listen(true);
        state_.check_heartbeats(Clock::now());
        send_answers();
        expire_unauthenticated();
    }
}

void StoreServer::Service::update_epoll(int descriptor, std::uint32_t what, int operation) {
    epoll_event event{};
    event.events = what;
    event.data.fd = descriptor;
    ::epoll_ctl(poll_.get(), operation, descriptor, &event);
}

void StoreServer::Service::listen(bool on) {
    update_epoll(listener_.socket.get(), EPOLLIN, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL);
    listening_ = on;
    listen_again_ = Clock::now() + kTick;
}

/// A connection that cannot be accepted stays in the queue and would wake the thread without end.
void StoreServer::Service::handle_failed_accept(int error) {
    if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM) return;
    const bool strangers = std::any_of(connections_.begin(),
                                       connections_.end(),
                                       [](const auto& item) { return !item.second.authenticated; });
    if (!strangers)
        state_.fail("rank 0 cannot accept the connections of all ranks: " +
                    std::string(std::strerror(error)) + "; a run of " +
                    std::to_string(options_.ranks) + " ranks needs " +
                    std::to_string(3 * options_.ranks) +
                    " descriptors there, so raise the limit with ulimit -n");
    listen(false);
}

void StoreServer::Service::accept_all() {
    while (true) {
        Descriptor socket(
            ::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (socket.get() < 0) return handle_failed_accept(errno);
        // Ranks authenticate within milliseconds, so the oldest connection that has not done so is
        // not one of a rank.
        evict_unauthenticated();
        const int on = 1;
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
        const int key = socket.get();
        Connection connection;
        connection.socket = std::move(socket);
        connection.nonce = make_nonce();
        connection.since = Clock::now();
        connection.events = EPOLLIN;
        connection.add(std::string(kStoreGreeting)
                           .append(reinterpret_cast<const char*>(connection.nonce.data()),
                                   connection.nonce.size()));
        update_epoll(key, EPOLLIN, EPOLL_CTL_ADD);
        flush(connections_[key] = std::move(connection));
    }
}

void StoreServer::Service::evict_unauthenticated() {
    const auto ranks = static_cast<std::size_t>(options_.ranks);
    std::size_t unauthenticated = 0;
    auto oldest = connections_.end();
    for (auto item = connections_.begin(); item != connections_.end(); ++item) {
        if (item->second.authenticated) continue;
        ++unauthenticated;
        if (oldest == connections_.end() || item->second.since < oldest->second.since)
            oldest = item;
    }
    const bool full = connections_.size() >= kMaxUnauthenticated + kConnectionsPerRank * ranks;
    if (unauthenticated > 0 && (full || unauthenticated >= kMaxUnauthenticated + ranks))
        close_connection(oldest->first);
}

void StoreServer::Service::receive(int key) {
    char buffer[65536];
    for (std::size_t read = 0; read < kMaxReadBytes;) {
        const auto count = ::recv(key, buffer, sizeof(buffer), 0);
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return close_connection(key);
        connections_.at(key).received.append(buffer, static_cast<std::size_t>(count));
        received_bytes_ += static_cast<std::size_t>(count);
        read += static_cast<std::size_t>(count);
        if (static_cast<std::size_t>(count) < sizeof(buffer)) break;
    }
    process_frames(key);
    if (received_bytes_ > kMaxReceivedBytes && connections_.count(key) != 0) close_connection(key);
}

void StoreServer::Service::process_frames(int key) {
    std::string body;
    try {
        while (connections_.count(key) != 0) {
            Connection& connection = connections_.at(key);
            const std::size_t most =
                connection.authenticated ? kMaxFrameBytes : kMaxBytesBeforeAuthentication;
            if (connection.closing || connection.unsent > kMaxUnsentBytesOfConnection) return;
            const std::size_t before = connection.received.size();
            if (!take_frame(connection.received, body, most)) return;
            received_bytes_ -= before - connection.received.size();
            if (connection.received.empty() && connection.received.capacity() > kMaxIdleBufferBytes)
                connection.received.shrink_to_fit();
            FrameReader frame(body);
            if (connection.authenticated)
                state_.serve(key, connection.rank, frame, Clock::now());
            else
                authenticate(connection, frame);
            send_answers();
        }
    } catch (const TransportError&) {
        // Ranks of this program do not send malformed frames.
        close_connection(key);
    }
}

void StoreServer::Service::flush(Connection& connection) {
    while (!connection.to_send.empty()) {
        Chunk& chunk = connection.to_send.front();
        const auto count = ::send(connection.socket.get(),
                                  chunk.bytes->data() + chunk.sent,
                                  chunk.bytes->size() - chunk.sent,
                                  MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        // A closed connection is detected by the next read.
        if (count <= 0) break;
        chunk.sent += static_cast<std::size_t>(count);
        connection.unsent -= static_cast<std::size_t>(count);
        if (chunk.sent == chunk.bytes->size()) connection.to_send.pop_front();
    }
    // Calls of a connection that does not read its answers stay in the buffers of the system.
    const std::uint32_t events = (connection.unsent > kMaxUnsentBytesOfConnection ? 0u : EPOLLIN) |
                                 (connection.unsent > 0 ? EPOLLOUT : 0u);
    if (events != connection.events) update_epoll(connection.socket.get(), events, EPOLL_CTL_MOD);
    connection.events = events;
    if (connection.closing && connection.unsent == 0)
        ::shutdown(connection.socket.get(), SHUT_RDWR);
}

/// Handles the first frame of a connection: checks the secret, the run and the rank.
void StoreServer::Service::authenticate(Connection& connection, FrameReader& frame) {
    const std::uint64_t id = frame.u64();
    if (frame.u8() != static_cast<std::uint8_t>(StoreCall::authenticate))
        throw TransportError("the first call of a connection is not authenticate");
    const std::string proof = frame.text(), nonce = frame.text(), run = frame.text();
    const auto generation = static_cast<int>(frame.u32());
    const auto ranks = static_cast<int>(frame.u32()), rank = static_cast<int>(frame.u32());
    const std::string name = make_printable(frame.text(), 300);
    const bool sends_heartbeats = frame.u8() != 0;

    const std::string ours(reinterpret_cast<const char*>(connection.nonce.data()),
                           connection.nonce.size());
    const int key = connection.socket.get();
    std::string refusal;
    if (!hmacs_equal(proof, compute_hmac(options_.secret, "rank" + ours + nonce + run)))
        refusal = "the secrets differ: the store belongs to another user or run";
    else if (run != options_.run)
        refusal = "the store belongs to another run ('" + make_printable(options_.run, 100) +
                  "', not '" + make_printable(run, 100) + "')";
    else if (generation > options_.generation)
        return send(key, id, StoreAnswer::later, std::string());
    else if (generation < options_.generation)
        refusal = "the other ranks have closed this environment";
    else if (ranks != options_.ranks)
        refusal = "the ranks disagree on the number of ranks: rank " + std::to_string(rank) +
                  " expects " + std::to_string(ranks) + ", rank 0 expects " +
                  std::to_string(options_.ranks);
    else if (rank < 0 || rank >= options_.ranks)
        refusal = "there is no rank " + std::to_string(rank) + " in a run of " +
                  std::to_string(options_.ranks) + " ranks";
    else if (sends_heartbeats && state_.has_member(rank))
        refusal = "rank " + std::to_string(rank) + " is connected already";
    if (!refusal.empty()) {
        // The run cannot start, so end the waits of the other ranks.
        if (run == options_.run && ranks != options_.ranks) state_.fail(refusal);
        connection.closing = true;
        return send(key, id, StoreAnswer::refused, refusal);
    }
    connection.authenticated = true;
    connection.rank = rank;
    state_.add_connection(key, rank, name);
    if (sends_heartbeats) state_.add_member(key, rank, name, Clock::now());
    send(key, id, StoreAnswer::done, compute_hmac(options_.secret, "store" + nonce + ours));
}

void StoreServer::Service::send(int key,
                                std::uint64_t id,
                                StoreAnswer status,
                                const std::shared_ptr<const std::string>& body) {
    const auto found = connections_.find(key);
    if (found == connections_.end()) return;
    FrameWriter head;
    head.u64(id).u8(static_cast<std::uint8_t>(status));
    FrameWriter frame;
    frame.u32(static_cast<std::uint32_t>(head.body().size() + body->size())).bytes(head.body());
    if (body->size() < kLongBody) {
        found->second.add(frame.body() + *body);
    } else {
        found->second.add(frame.body());
        found->second.add(body);
    }
    flush(found->second);
}

void StoreServer::Service::send_answers() {
    for (const StoreState::Answer& answer : state_.take_answers())
        send(answer.connection, answer.id, answer.status, answer.shared);
    if (open_members_ == state_.open_members()) return;
    const std::lock_guard lock(mutex_);
    open_members_ = state_.open_members();
    changed_.notify_all();
}

void StoreServer::Service::close_connection(int key) {
    // The system reuses numbers of closed descriptors, so remove this one from the state first.
    if (!stop_) state_.remove_connection(key);
    received_bytes_ -= connections_.at(key).received.size();
    connections_.erase(key);
}

void StoreServer::Service::expire_unauthenticated() {
    const auto now = Clock::now();
    std::vector<int> expired;
    for (const auto& [key, connection] : connections_)
        if (!connection.authenticated && now - connection.since > kAuthenticationTimeout)
            expired.push_back(key);
    for (const int key : expired) close_connection(key);
}

StoreServer::StoreServer(const StoreServerOptions& options)
    : service_(std::make_unique<Service>(options)) {}
StoreServer::~StoreServer() = default;

int StoreServer::port() const {
    return service_->listener().port;
}

const std::string& StoreServer::address() const {
    return service_->listener().address;
}

void StoreServer::wait_for_shutdown(std::chrono::milliseconds timeout) const {
    service_->wait_for_shutdown(timeout);
}

}  // namespace helioray::detail
