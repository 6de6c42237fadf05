// SPDX-License-Identifier: MIT
// Connection, authentication and calls of a client of the store.
#include "distributed/store/client.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A store sends its greeting at once, unless its machine is very busy.
constexpr auto kGreetingTimeout = milliseconds(10'000);
constexpr auto kPause = milliseconds(50);

FrameWriter encode_keys(const std::vector<std::string>& keys) {
    FrameWriter list;
    list.u32(static_cast<std::uint32_t>(keys.size()));
    for (const std::string& key : keys) list.text(key);
    return list;
}

}  // namespace

StoreClient::StoreClient(const StoreClientOptions& options,
                         WaitCallback wait_callback,
                         std::optional<milliseconds> connect_timeout)
    : options_(options), wait_callback_(std::move(wait_callback)) {
    connect(connect_timeout.value_or(options_.timeout));
}

void StoreClient::connect(milliseconds timeout) {
    const auto deadline = Clock::now() + timeout;
    while (true) {
        socket_ = connect_to(options_.host, options_.port, deadline, wait_callback_);
        if (authenticate(deadline)) return;
        // The store may still serve the previous environment, or have too many connections.
        wait_for_socket(
            socket_.get(), false, std::min(deadline, Clock::now() + kPause), wait_callback_);
        if (Clock::now() >= deadline)
            throw TransportError("the store closes every connection; another run may use it");
    }
}

bool StoreClient::authenticate(Deadline deadline) {
    // The server sends a greeting first, which distinguishes it from other programs.
    received_.clear();
    const auto is_store = [this] {
        const std::size_t known = std::min(received_.size(), kStoreGreeting.size());
        return received_.compare(0, known, kStoreGreeting, 0, known) == 0;
    };
    const std::size_t greeting = kStoreGreeting.size() + Nonce().size();
    const auto greeting_deadline = std::min(deadline, Clock::now() + kGreetingTimeout);
    bool greeted = true;
    try {
        while (is_store() && received_.size() < greeting) read_more(greeting_deadline);
    } catch (const TimeoutError&) {
        greeted = false;
    } catch (const TransportError&) {
        // The store is closing or has too many connections: try again.
        return false;
    }
    // A silent program may end and free the port; one that sends another greeting will not.
    if (!greeted && Clock::now() < deadline) return false;
    if (!greeted || !is_store())
        throw TransportError("a program listens at this port, but does not answer as a store");
    const std::string theirs = received_.substr(kStoreGreeting.size(), Nonce().size());
    received_.erase(0, greeting);

    const Nonce bytes = make_nonce();
    const std::string mine(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    FrameWriter arguments;
    arguments.text(compute_hmac(options_.secret, "rank" + theirs + mine + options_.run))
        .text(mine)
        .text(options_.run)
        .u32(static_cast<std::uint32_t>(options_.generation))
        .u32(static_cast<std::uint32_t>(options_.ranks))
        .u32(static_cast<std::uint32_t>(options_.rank))
        .text(options_.name)
        .u8(options_.sends_heartbeats ? 1 : 0);
    std::string proof;
    try {
        proof = call(StoreCall::authenticate, arguments);
    } catch (const Refused&) {
        throw;
    } catch (const TimeoutError&) {
        throw;
    } catch (const TransportError&) {
        // The store of the previous environment has just closed.
        return false;
    }
    if (proof.empty()) return false;
    if (!hmacs_equal(proof, compute_hmac(options_.secret, "store" + mine + theirs)))
        throw TransportError("the store does not know the secret of this run");
    return true;
}

void StoreClient::read_more(Deadline deadline) {
    if (!wait_for_socket(socket_.get(), false, deadline, wait_callback_))
        throw TimeoutError("the store does not answer");
    char buffer[65536];
    const auto count = ::recv(socket_.get(), buffer, sizeof(buffer), 0);
    if (count > 0) {
        received_.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        throw TransportError(count == 0 ? "the store has closed the connection"
                                        : std::string("the connection to the store is lost: ") +
                                              std::strerror(errno));
    }
}

void StoreClient::send(const std::string& frame, Deadline deadline) {
    for (std::size_t sent = 0; sent < frame.size();) {
        const auto count =
            ::send(socket_.get(), frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
        if (count > 0) {
            sent += static_cast<std::size_t>(count);
        } else if (errno == EAGAIN) {
            // A partly sent frame would break the connection, so this wait cannot be cancelled.
            if (!wait_for_socket(socket_.get(), true, deadline, {}))
                throw TimeoutError("the store does not read from the connection");
        } else if (errno != EINTR) {
            throw TransportError(std::string("the connection to the store is lost: ") +
                                 std::strerror(errno));
        }
    }
}

std::string StoreClient::receive(std::uint64_t id, Deadline deadline) {
    while (true) {
        if (const auto found = answers_.find(id); found != answers_.end())
            return std::move(answers_.extract(found).mapped());
        std::string body;
        while (answers_.count(id) == 0 && !take_frame(received_, body, kMaxFrameBytes))
            read_more(deadline);
        if (body.empty()) continue;
        const std::uint64_t answered = FrameReader(body).u64();
        // Discard answers to calls that have been cancelled.
        if (pending_.count(answered) != 0) answers_[answered] = std::move(body);
    }
}

std::string StoreClient::call(StoreCall call,
                              const FrameWriter& arguments,
                              std::optional<milliseconds> timeout) {
    const std::lock_guard lock(mutex_);
    // Sending and receiving have a deadline each, because this process may be suspended in between.
    const milliseconds limit = timeout.value_or(options_.timeout);
    const std::uint64_t id = ++calls_;
    FrameWriter frame;
    frame.u64(id).u8(static_cast<std::uint8_t>(call)).bytes(arguments.body());
    send(frame.frame(), Clock::now() + limit);
    struct PendingScope {
        StoreClient& client;
        std::uint64_t id;
        ~PendingScope() {
            client.pending_.erase(id);
            client.answers_.erase(id);
        }
    } scope{*this, id};
    pending_.insert(id);
    const std::string body = receive(id, Clock::now() + limit);
    FrameReader answer(body);
    answer.u64();
    const auto status = static_cast<StoreAnswer>(answer.u8());
    const std::string content(answer.rest());
    if (status == StoreAnswer::failed) throw RunFailed(content);
    if (status == StoreAnswer::refused) throw Refused(content);
    return content;
}

void StoreClient::set(const std::string& key, const std::string& value) {
    call(StoreCall::set, FrameWriter().text(key).text(value));
}

std::vector<std::optional<std::string>> StoreClient::get(const std::vector<std::string>& keys,
                                                         std::optional<milliseconds> timeout) {
    const std::string body = call(StoreCall::get, encode_keys(keys), timeout);
    FrameReader frame(body);
    std::vector<std::optional<std::string>> values(keys.size());
    for (auto& value : values)
        if (frame.u8() != 0) value = frame.text();
    return values;
}

void StoreClient::wait(const std::vector<std::string>& keys, milliseconds timeout) {
    call(StoreCall::wait, encode_keys(keys), timeout);
}

std::string StoreClient::compare_set(const std::string& key,
                                     const std::string& expected,
                                     const std::string& desired) {
    return call(StoreCall::compare_set, FrameWriter().text(key).text(expected).text(desired));
}

std::int64_t StoreClient::add(const std::string& key, std::int64_t amount) {
    return std::stoll(
        call(StoreCall::add, FrameWriter().text(key).u64(static_cast<std::uint64_t>(amount))));
}

bool StoreClient::erase(const std::string& key) {
    return call(StoreCall::erase, FrameWriter().text(key)) == "1";
}

std::int64_t StoreClient::count() {
    return std::stoll(call(StoreCall::count, {}));
}

std::vector<StoreClient::RendezvousText> StoreClient::rendezvous(
    const std::string& name, int ranks, int rank, const std::string& text, milliseconds timeout) {
    const std::string body = call(StoreCall::rendezvous,
                                  FrameWriter()
                                      .text(name)
                                      .u32(static_cast<std::uint32_t>(ranks))
                                      .u32(static_cast<std::uint32_t>(rank))
                                      .text(text),
                                  timeout);
    FrameReader frame(body);
    std::vector<RendezvousText> texts;
    while (!frame.rest().empty()) {
        RendezvousText& entry = texts.emplace_back();
        entry.text = frame.text();
        entry.ranks.resize(std::min<std::size_t>(frame.u32(), frame.rest().size() / 4));
        for (int& other : entry.ranks) other = static_cast<int>(frame.u32());
    }
    return texts;
}

std::vector<int> StoreClient::missing_ranks(const std::string& name, int ranks) {
    const std::string body = call(StoreCall::missing_ranks,
                                  FrameWriter().text(name).u32(static_cast<std::uint32_t>(ranks)));
    FrameReader frame(body);
    std::vector<int> missing_ranks;
    while (!frame.rest().empty()) missing_ranks.push_back(static_cast<int>(frame.u32()));
    return missing_ranks;
}

std::optional<std::string> StoreClient::send_heartbeat(const ReportedProgress& progress,
                                                       milliseconds timeout) {
    try {
        call(StoreCall::heartbeat,
             FrameWriter()
                 .text(progress.phase)
                 .u64(progress.value)
                 .u64(static_cast<std::uint64_t>(progress.patience.count())),
             timeout);
        return std::nullopt;
    } catch (const RunFailed& failure) {
        return failure.what();
    }
}

void StoreClient::report_failure(const std::string& cause, milliseconds timeout) {
    call(StoreCall::fail, FrameWriter().text(cause), timeout);
}

std::string StoreClient::request_work(const std::string& request) {
    return call(StoreCall::work, FrameWriter().bytes(request));
}

void StoreClient::close(std::optional<milliseconds> timeout) {
    call(StoreCall::close, {}, timeout);
}

}  // namespace helioray::detail
