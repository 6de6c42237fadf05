// SPDX-License-Identifier: MIT
// Opens the connection of the ranks, agrees on using it again, and closes it.
#include "raytracer/run/lasting_ranks.h"

#include "raytracer/run/ranks/watch.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace helioray::run {

namespace {

constexpr auto kStopCheckInterval = std::chrono::milliseconds(50);

/// Returns the settings as one text, which is different for different settings.
std::string format_settings(const std::map<std::string, std::string>& settings) {
    std::string text;
    for (const auto& [name, value] : settings)
        text +=
            std::to_string(name.size()) + ' ' + name + std::to_string(value.size()) + ' ' + value;
    return text;
}

/// Returns the problems of the ranks, which each rank has written behind its settings.
std::vector<std::string> find_problems(const std::vector<std::string>& texts) {
    std::vector<std::string> problems;
    for (const std::string& text : texts)
        problems.push_back(text.starts_with('P') ? text.substr(1) : std::string());
    return problems;
}

}  // namespace

void LastingRanks::Callback::call() {
    std::function<void()> now;
    {
        const std::lock_guard lock(mutex);
        now = function;
    }
    if (now) now();
}

void LastingRanks::Callback::set(std::function<void()> next) {
    const std::lock_guard lock(mutex);
    function = std::move(next);
}

LastingRanks::Use::~Use() {
    owner_.callback_->set({});
}

LastingRanks::~LastingRanks() {
    abort();
}

/// A forked process has none of the threads of its parent, so the connection cannot be used, and
/// its destructor would wait for them.
void LastingRanks::forget_parent() {
    if (environment_ && process_ != ::getpid())
        new std::shared_ptr<DistributedEnvironment>(std::move(environment_));
}

bool LastingRanks::is_reusable(const DistributedOptions& options) const {
    return options.backend == options_.backend && options.use_cuda == options_.use_cuda &&
           options.cuda_devices == options_.cuda_devices && options.timeout == options_.timeout &&
           options.launch.rank == options_.launch.rank &&
           options.launch.world_size == options_.launch.world_size;
}

std::unique_ptr<LastingRanks::Use> LastingRanks::use(DistributedOptions options,
                                                     const Options& hooks) {
    std::unique_ptr<Use> use(new Use(*this));
    use->lock_ = std::unique_lock(mutex_, std::defer_lock);
    while (!use->lock_.try_lock_for(kStopCheckInterval)) check_stop(hooks);
    forget_parent();
    callback_->set(options.wait_callback);
    options.wait_callback = [callback = callback_] { callback->call(); };
    // After a failure, all ranks connect again.
    if (environment_ && !environment_->usable()) environment_.reset();
    if (environment_) {
        // 'P' and the problem of this rank, 'N' for another kind of connection, 'S' and settings.
        const std::string mine = !options.problem.empty() ? 'P' + options.problem
                                 : !is_reusable(options)
                                     ? "N"
                                     : 'S' + format_settings(options.configuration);
        const std::vector<std::string> texts = environment_->all_gather_strings(mine);
        std::vector<std::string> problems = find_problems(texts);
        if (std::ranges::any_of(problems, [](const auto& problem) { return !problem.empty(); }))
            throw RanksNotReady(std::move(problems));
        const bool same = mine != "N" && std::ranges::all_of(texts, [&](const std::string& text) {
                              return text == mine;
                          });
        // A new connection also explains which settings differ.
        if (!same) {
            environment_->close();
            environment_.reset();
        }
    }
    if (!environment_) {
        environment_ = std::make_shared<DistributedEnvironment>(options);
        options_ = std::move(options);
        process_ = ::getpid();
        sessions_ = 0;
    }
    use->environment_ = environment_;
    use->number_ = ++sessions_;
    return use;
}

void LastingRanks::close() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    forget_parent();
    if (!environment_) return;
    const auto closing = std::exchange(environment_, nullptr);
    if (closing->usable()) closing->close();
}

void LastingRanks::abort() noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    forget_parent();
    if (!environment_) return;
    environment_->report_failure("it ended without closing its connection");
    environment_.reset();
}

}  // namespace helioray::run
