// SPDX-License-Identifier: MIT
// The thread that serves a store.
#include "distributed/store/server.h"

#include "distributed/hello.h"
#include "distributed/quiet_thread.h"
#include "distributed/store/sockets.h"
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
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Connections that have not been admitted: how many, and for how long.
constexpr std::size_t kMostStrangers = 64;
constexpr auto kMostToAdmit = milliseconds(10'000);
// All values together; runs need kilobytes.
constexpr std::size_t kMostStoredBytes = std::size_t{256} << 20;
// A rank has one connection for its work, one for its watch, and one per group while that is made.
constexpr std::size_t kConnectionsPerRank = 16;
constexpr auto kTick = milliseconds(250);

struct Connection {
    Descriptor socket;
    std::string received, to_send;
    Nonce nonce{};
    Clock::time_point since;
    bool admitted = false;
    bool watches = false;
    bool closing = false;  // once everything is sent
    bool blocked = false;  // the kernel takes no more at present
    int rank = -1;
};

/// A call that is answered later.
struct Waiting {
    int socket = -1;  // key of its connection
    std::uint64_t id = 0;
    std::vector<std::string> keys;
};

/// Ranks that have come to a meeting, and what each said.
struct Meeting {
    std::map<std::string, std::vector<std::uint32_t>> ranks_by_text;
    std::set<std::uint32_t> present;
    std::vector<Waiting> waiting;
};

/// What is known of a rank that watches.
struct Member {
    std::string name;
    Clock::time_point heard;
    bool left = false;
    bool told = false;  // the cause of the failure
};

}  // namespace

class StoreServer::Service {
  public:
    explicit Service(const StoreServerOptions& options)
        : options_(options), listener_(listen_on(options.host, options.port)) {
        thread_ = quiet_thread([this] { run(); });
    }

    ~Service() {
        stop_ = true;
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof(one));
        thread_.join();
    }

    const Listener& listener() const { return listener_; }

    void wait_for_farewells(milliseconds patience) const {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, patience, [this] { return present_ == 0; });
    }

  private:
    void run();
    void watch(int descriptor, std::uint32_t what, int operation);
    void accept_all();
    void make_room();
    void receive(int key);
    void flush(Connection& connection);
    void drop(int key);
    void take_frames(int key);
    void admit(Connection& connection, FrameReader& frame);
    void serve(int key, FrameReader& frame);
    void answer(int key, std::uint64_t id, StoreAnswer status, std::string_view body);
    void answer_meeting(const std::string& name);
    void answer_waits();
    void store_value(const std::string& key, std::string value);
    bool all_exist(const std::vector<std::string>& keys) const;
    void meet(int key, std::uint64_t id, FrameReader& frame);
    void fail(const std::string& cause);
    void look_at_time();
    void count_present();

    const StoreServerOptions options_;
    const Listener listener_;
    const Descriptor poll_{::epoll_create1(EPOLL_CLOEXEC)};
    const Descriptor wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::atomic<bool> stop_{false};

    // Of the thread alone.
    std::map<int, Connection> connections_;  // by descriptor
    std::map<std::string, std::string> values_;
    std::size_t stored_bytes_ = 0;
    std::map<std::string, Meeting> meetings_;
    std::vector<Waiting> waits_;
    std::map<int, Member> members_;
    std::optional<std::string> cause_;
    Clock::time_point last_tick_ = Clock::now();

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::size_t present_ = 0;  // members that have not left; guarded by mutex_

    std::thread thread_;  // the last member: it uses the others
};

void StoreServer::Service::run() {
    watch(wake_.get(), EPOLLIN, EPOLL_CTL_ADD);
    watch(listener_.socket.get(), EPOLLIN, EPOLL_CTL_ADD);
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
            if ((events[i].events & EPOLLOUT) != 0) flush(connections_.at(key));
            if ((events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive(key);
        }
        look_at_time();
    }
}

void StoreServer::Service::watch(int descriptor, std::uint32_t what, int operation) {
    epoll_event event{};
    event.events = what;
    event.data.fd = descriptor;
    ::epoll_ctl(poll_.get(), operation, descriptor, &event);
}

void StoreServer::Service::accept_all() {
    while (true) {
        Descriptor socket(
            ::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (socket.get() < 0) return;
        // Ranks are admitted within a moment: who waits longest is none.
        make_room();
        const int on = 1;
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
        const int key = socket.get();
        Connection connection;
        connection.socket = std::move(socket);
        connection.nonce = make_nonce();
        connection.since = Clock::now();
        connection.to_send = std::string(kStoreGreeting);
        connection.to_send.append(reinterpret_cast<const char*>(connection.nonce.data()),
                                  connection.nonce.size());
        watch(key, EPOLLIN, EPOLL_CTL_ADD);
        flush(connections_[key] = std::move(connection));
    }
}

void StoreServer::Service::make_room() {
    const auto ranks = static_cast<std::size_t>(options_.ranks);
    std::size_t strangers = 0;
    auto oldest = connections_.end();
    for (auto one = connections_.begin(); one != connections_.end(); ++one) {
        if (one->second.admitted) continue;
        ++strangers;
        if (oldest == connections_.end() || one->second.since < oldest->second.since) oldest = one;
    }
    const bool full = connections_.size() >= kMostStrangers + kConnectionsPerRank * ranks;
    if (strangers > 0 && (full || strangers >= kMostStrangers + ranks)) drop(oldest->first);
}

void StoreServer::Service::receive(int key) {
    char buffer[65536];
    while (true) {
        const auto count = ::recv(key, buffer, sizeof(buffer), 0);
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return drop(key);
        connections_.at(key).received.append(buffer, static_cast<std::size_t>(count));
        if (static_cast<std::size_t>(count) < sizeof(buffer)) break;
    }
    try {
        take_frames(key);
    } catch (const TransportError&) {
        // Nobody of ours sends such bytes.
        drop(key);
    }
}

void StoreServer::Service::take_frames(int key) {
    std::string body;
    while (connections_.count(key) != 0) {
        Connection& connection = connections_.at(key);
        const std::size_t most = connection.admitted ? kMostFrameBytes : kMostBytesBeforeAdmission;
        if (connection.closing || !take_frame(connection.received, body, most)) return;
        FrameReader frame(body);
        if (connection.admitted)
            serve(key, frame);
        else
            admit(connection, frame);
    }
}

void StoreServer::Service::flush(Connection& connection) {
    std::size_t sent = 0;
    while (sent < connection.to_send.size()) {
        const auto count = ::send(connection.socket.get(),
                                  connection.to_send.data() + sent,
                                  connection.to_send.size() - sent,
                                  MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        // A connection that is gone is found when it is read.
        if (count <= 0) break;
        sent += static_cast<std::size_t>(count);
    }
    connection.to_send.erase(0, sent);
    const bool blocked = !connection.to_send.empty();
    if (blocked != connection.blocked)
        watch(connection.socket.get(), blocked ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
    connection.blocked = blocked;
    if (connection.closing && !blocked) ::shutdown(connection.socket.get(), SHUT_RDWR);
}

/// The first frame: what run the rank is of, and that it knows the secret.
void StoreServer::Service::admit(Connection& connection, FrameReader& frame) {
    const std::uint64_t id = frame.u64();
    if (frame.u8() != static_cast<std::uint8_t>(StoreCall::admit))
        throw TransportError("not an admission");
    const std::string proof = frame.text(), nonce = frame.text(), run = frame.text();
    const auto generation = static_cast<int>(frame.u32());
    const auto ranks = static_cast<int>(frame.u32()), rank = static_cast<int>(frame.u32());
    const std::string name = printable(frame.text(), 300);
    const bool watches = frame.u8() != 0;

    const std::string ours(reinterpret_cast<const char*>(connection.nonce.data()),
                           connection.nonce.size());
    const int key = connection.socket.get();
    std::string refusal;
    if (!same_proof(proof, make_proof(options_.secret, "rank" + ours + nonce + run)))
        refusal = "it belongs to another user or run: the secrets differ";
    else if (run != options_.run)
        refusal = "it belongs to another run ('" + printable(options_.run, 100) + "', not '" +
                  printable(run, 100) + "')";
    else if (generation > options_.generation)
        return answer(key, id, StoreAnswer::later, {});
    else if (generation < options_.generation)
        refusal = "the other ranks have left this part of the run";
    else if (ranks != options_.ranks)
        refusal = "the ranks disagree on the number of ranks: rank " + std::to_string(rank) +
                  " says " + std::to_string(ranks) + ", rank 0 says " +
                  std::to_string(options_.ranks);
    else if (rank < 0 || rank >= options_.ranks)
        refusal = "there is no rank " + std::to_string(rank);
    else if (watches && members_.count(rank) != 0)
        refusal = "rank " + std::to_string(rank) + " has come already";
    if (!refusal.empty()) {
        // Nobody needs to wait for a rank that expects other ranks.
        if (run == options_.run && ranks != options_.ranks) fail(refusal);
        connection.closing = true;
        return answer(key, id, StoreAnswer::refused, refusal);
    }
    connection.admitted = true;
    connection.watches = watches;
    connection.rank = rank;
    if (watches) {
        members_[rank] = {name, Clock::now()};
        count_present();
    }
    answer(key, id, StoreAnswer::done, make_proof(options_.secret, "store" + nonce + ours));
}

void StoreServer::Service::answer(int key,
                                  std::uint64_t id,
                                  StoreAnswer status,
                                  std::string_view body) {
    const auto found = connections_.find(key);
    if (found == connections_.end()) return;
    if (status == StoreAnswer::failed) {
        const auto member = members_.find(found->second.rank);
        if (member != members_.end()) member->second.told = true;
        count_present();
    }
    FrameWriter frame;
    frame.u64(id).u8(static_cast<std::uint8_t>(status)).bytes(body);
    found->second.to_send += frame.frame();
    flush(found->second);
}

void StoreServer::Service::store_value(const std::string& key, std::string value) {
    std::string& place = values_[key];
    stored_bytes_ = stored_bytes_ + key.size() + value.size() - place.size();
    place = std::move(value);
    answer_waits();
}

bool StoreServer::Service::all_exist(const std::vector<std::string>& keys) const {
    return std::all_of(keys.begin(), keys.end(), [this](const std::string& key) {
        return values_.count(key) != 0;
    });
}

void StoreServer::Service::answer_waits() {
    std::vector<Waiting> still, ready;
    for (Waiting& wait : waits_) (all_exist(wait.keys) ? ready : still).push_back(std::move(wait));
    waits_ = std::move(still);
    for (const Waiting& wait : ready) answer(wait.socket, wait.id, StoreAnswer::done, {});
}

void StoreServer::Service::serve(int key, FrameReader& frame) {
    const std::uint64_t id = frame.u64();
    const auto call = static_cast<StoreCall>(frame.u8());
    const int rank = connections_.at(key).rank;
    if (const auto member = members_.find(rank); member != members_.end())
        member->second.heard = Clock::now();
    const auto done = [&](std::string_view body) { answer(key, id, StoreAnswer::done, body); };
    const auto keys_of = [&] {
        std::vector<std::string> keys(std::min<std::size_t>(frame.u32(), frame.rest().size() / 4));
        for (std::string& one : keys) one = frame.text();
        return keys;
    };
    const bool writes =
        call == StoreCall::set || call == StoreCall::compare_set || call == StoreCall::add;
    if (writes && stored_bytes_ + frame.rest().size() > kMostStoredBytes)
        return answer(key, id, StoreAnswer::refused, "the store is full");
    switch (call) {
        case StoreCall::set: {
            const std::string name = frame.text();
            store_value(name, frame.text());
            return done({});
        }
        case StoreCall::get: {
            FrameWriter values;
            for (const std::string& name : keys_of()) {
                const auto found = values_.find(name);
                values.u8(found != values_.end());
                if (found != values_.end()) values.text(found->second);
            }
            return done(values.body());
        }
        case StoreCall::wait: {
            std::vector<std::string> keys = keys_of();
            if (all_exist(keys)) return done({});
            if (cause_) return answer(key, id, StoreAnswer::failed, *cause_);
            waits_.push_back({key, id, std::move(keys)});
            return;
        }
        case StoreCall::compare_set: {
            const std::string name = frame.text(), expected = frame.text(), desired = frame.text();
            const auto found = values_.find(name);
            if (found == values_.end() ? expected.empty() : found->second == expected)
                store_value(name, desired);
            const auto now = values_.find(name);
            return done(now != values_.end() ? now->second : expected);
        }
        case StoreCall::add: {
            const std::string name = frame.text();
            const auto amount = static_cast<std::int64_t>(frame.u64());
            const auto found = values_.find(name);
            const std::int64_t before =
                found == values_.end() ? 0 : std::strtoll(found->second.c_str(), nullptr, 10);
            store_value(name, std::to_string(before + amount));
            return done(std::to_string(before + amount));
        }
        case StoreCall::erase: {
            const auto found = values_.find(frame.text());
            const bool existed = found != values_.end();
            if (existed) {
                stored_bytes_ -= found->first.size() + found->second.size();
                values_.erase(found);
            }
            return done(existed ? "1" : "0");
        }
        case StoreCall::count:
            return done(std::to_string(values_.size()));
        case StoreCall::meet:
            return meet(key, id, frame);
        case StoreCall::missing: {
            const std::string name = frame.text();
            const std::uint32_t ranks = std::min<std::uint32_t>(frame.u32(), options_.ranks);
            const auto found = meetings_.find(name);
            FrameWriter missing;
            for (std::uint32_t one = 0; one < ranks; ++one)
                if (found == meetings_.end() || found->second.present.count(one) == 0)
                    missing.u32(one);
            return done(missing.body());
        }
        case StoreCall::beat:
            return cause_ ? answer(key, id, StoreAnswer::failed, *cause_) : done({});
        case StoreCall::fail:
            fail(printable(frame.text(), 4000));
            return done({});
        case StoreCall::leave:
            if (const auto member = members_.find(rank); member != members_.end())
                member->second.left = true;
            count_present();
            return done({});
        case StoreCall::admit:
            break;
    }
    throw TransportError("an unknown call");
}

void StoreServer::Service::meet(int key, std::uint64_t id, FrameReader& frame) {
    const std::string name = frame.text();
    const std::uint32_t ranks = frame.u32(), rank = frame.u32();
    std::string text = frame.text();
    if (rank >= ranks || ranks > static_cast<std::uint32_t>(options_.ranks))
        throw TransportError("an impossible meeting");
    if (cause_) return answer(key, id, StoreAnswer::failed, *cause_);
    Meeting& meeting = meetings_[name];
    meeting.present.insert(rank);
    meeting.ranks_by_text[std::move(text)].push_back(rank);
    meeting.waiting.push_back({key, id, {}});
    if (meeting.present.size() == ranks) answer_meeting(name);
}

/// Nothing where all said the same; else each text with those who said it.
void StoreServer::Service::answer_meeting(const std::string& name) {
    const Meeting meeting = std::move(meetings_.at(name));
    meetings_.erase(name);
    FrameWriter differences;
    if (meeting.ranks_by_text.size() > 1) {
        for (const auto& [text, ranks] : meeting.ranks_by_text) {
            differences.text(text).u32(static_cast<std::uint32_t>(ranks.size()));
            for (const std::uint32_t rank : ranks) differences.u32(rank);
        }
    }
    for (const Waiting& waiting : meeting.waiting)
        answer(waiting.socket, waiting.id, StoreAnswer::done, differences.body());
}

void StoreServer::Service::drop(int key) {
    const Connection& connection = connections_.at(key);
    const int rank = connection.rank;
    const bool watched = connection.admitted && connection.watches;
    connections_.erase(key);
    const auto of_it = [key](const Waiting& waiting) { return waiting.socket == key; };
    waits_.erase(std::remove_if(waits_.begin(), waits_.end(), of_it), waits_.end());
    for (auto& [name, meeting] : meetings_)
        meeting.waiting.erase(std::remove_if(meeting.waiting.begin(), meeting.waiting.end(), of_it),
                              meeting.waiting.end());
    if (!watched) return;
    Member& member = members_.at(rank);
    if (!member.left && !stop_)
        fail(member.name +
             " is gone: its process ended without a word (killed, crashed, or out of memory), or "
             "its "
             "connection broke");
    member.left = true;
    count_present();
}

/// The first failure is the cause; ranks that wait for others learn it at once.
void StoreServer::Service::fail(const std::string& cause) {
    if (cause_) return;
    cause_ = cause;
    std::vector<Waiting> waits = std::move(waits_);
    waits_.clear();
    for (auto& [name, meeting] : meetings_)
        waits.insert(waits.end(), meeting.waiting.begin(), meeting.waiting.end());
    meetings_.clear();
    for (const Waiting& wait : waits) answer(wait.socket, wait.id, StoreAnswer::failed, cause);
}

void StoreServer::Service::look_at_time() {
    const auto now = Clock::now();
    if (now - last_tick_ < kTick) return;
    // This process may have been stopped itself: nobody could be heard then.
    const auto asleep = now - last_tick_ - kTick;
    last_tick_ = now;
    for (auto& [rank, member] : members_) {
        if (asleep > options_.silence_limit / 2) member.heard += asleep;
        if (member.left || cause_ || now - member.heard < options_.silence_limit) continue;
        fail(member.name + " hangs: nothing was heard of it for " +
             seconds_text(options_.silence_limit) +
             " (it was stopped, or its machine or network fails)");
    }
    std::vector<int> late;
    for (const auto& [key, connection] : connections_)
        if (!connection.admitted && now - connection.since > kMostToAdmit) late.push_back(key);
    for (const int key : late) drop(key);
}

void StoreServer::Service::count_present() {
    const std::lock_guard lock(mutex_);
    present_ = static_cast<std::size_t>(
        std::count_if(members_.begin(), members_.end(), [](const auto& entry) {
            return !entry.second.left && !entry.second.told;
        }));
    changed_.notify_all();
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

void StoreServer::wait_for_farewells(std::chrono::milliseconds patience) const {
    service_->wait_for_farewells(patience);
}

}  // namespace helioray::detail
