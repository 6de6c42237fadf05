// SPDX-License-Identifier: MIT
// Draws work units from rank 0 and delivers results.
#include "distributed/ranks/worker.h"

#include "distributed/ranks/work_connection.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

namespace helioray {

namespace {

// The store of rank 0 serves one request after the other, so a part takes a millisecond.
constexpr std::size_t kPartBytes = std::size_t{4} << 20;
// The first part asks whether rank 0 has memory for the result. Many workers ask at once, and the
// store holds 256 MB of their calls.
constexpr std::size_t kFirstPartBytes = std::size_t{16} << 10;
constexpr auto kMaxPause = std::chrono::milliseconds(50);

}  // namespace

class Worker::Implementation {
  public:
    explicit Implementation(const DistributedOptions& options) : connection(options, nullptr) {}
    detail::WorkConnection connection;
};

Worker::Worker(const DistributedOptions& options)
    : implementation_(std::make_unique<Implementation>(options)) {}

Worker::~Worker() = default;

Worker::Draw Worker::draw(double wanted, std::int64_t smallest) {
    detail::FrameWriter request;
    request.u8(static_cast<std::uint8_t>(detail::WorkRequest::draw))
        .u64(static_cast<std::uint64_t>(std::clamp(wanted, 0.0, 1e18)))
        .u64(static_cast<std::uint64_t>(smallest));
    const std::string text = implementation_->connection.request(request.body());
    detail::FrameReader answer(text);
    Draw draw;
    const auto kind = static_cast<detail::WorkAnswer>(answer.u8());
    draw.is_over = kind == detail::WorkAnswer::done;
    if (kind != detail::WorkAnswer::units) return draw;
    draw.task = static_cast<std::int64_t>(answer.u64());
    draw.text = answer.text();
    const auto first = static_cast<std::int64_t>(answer.u64());
    draw.units = WorkRange{first, static_cast<std::int64_t>(answer.u64())};
    return draw;
}

void Worker::deliver(std::int64_t task, std::string_view result) {
    auto& connection = implementation_->connection;
    auto pause = std::chrono::milliseconds(1);
    for (std::size_t offset = 0; offset < result.size() || offset == 0;) {
        const std::string_view part =
            result.substr(offset, offset == 0 ? kFirstPartBytes : kPartBytes);
        detail::FrameWriter request;
        request.u8(static_cast<std::uint8_t>(detail::WorkRequest::deliver))
            .u64(static_cast<std::uint64_t>(task))
            .u64(result.size())
            .u64(offset)
            .bytes(part);
        const std::string answer = connection.request(request.body());
        if (answer.at(0) == static_cast<char>(detail::WorkAnswer::wait)) {
            if (connection.options().wait_callback) connection.options().wait_callback();
            std::this_thread::sleep_for(pause);
            pause = std::min(2 * pause, kMaxPause);
            continue;
        }
        offset += part.size();
        if (result.empty()) return;
    }
}

void Worker::check_peers() const {
    implementation_->connection.check_peers();
}

std::shared_ptr<const void> Worker::watch_progress(WatchedWork work) {
    return implementation_->connection.watch_progress(std::move(work));
}

void Worker::report_failure(const std::string& message) noexcept {
    implementation_->connection.report_failure(message);
}

void Worker::close() {
    implementation_->connection.close();
}

}  // namespace helioray
