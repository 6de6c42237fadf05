// SPDX-License-Identifier: MIT
// What is kept of a single run: sets of units, files, stopped runs that continue.
#include "raytracer/run/stored/stored_work.h"
#include "raytracer/run/trace.h"
#include "tests/raytracer/run/small_run.h"
#include "tests/support/catch2.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <numeric>
#include <thread>

using namespace helioray;
using namespace helioray::test;
namespace fs = std::filesystem;
using Ranges = std::vector<run::UnitSet::Range>;

namespace {

/// A folder that is removed with its content.
class Folder {
  public:
    Folder()
        : path_(fs::temp_directory_path() / ("helioray_checkpoint_" + std::to_string(::getpid()))) {
        fs::remove_all(path_);
        fs::create_directory(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    fs::path operator/(const std::string& name) const { return path_ / name; }

  private:
    fs::path path_;
};

run::UnitSet set_of(const Ranges& ranges) {
    run::UnitSet set;
    for (const auto& range : ranges) set.add(range);
    return set;
}

/// Rays per heliostat of a run of one to two seconds on this machine.
std::string long_rays() {
    static const std::string rays = [] {
        double count = 1e7;
        for (;; count *= 2.0) {
            const RunConfig config =
                small_config({"tracing.rays_per_heliostat=" + std::to_string(int64_t(count))});
            run::Session session([&] { return run::prepare(config); }, alone());
            const auto start = std::chrono::steady_clock::now();
            (void)run::trace(session);
            if (std::chrono::steady_clock::now() - start > std::chrono::milliseconds(900)) break;
        }
        return std::to_string(static_cast<int64_t>(count));
    }();
    return rays;
}

/// A run that keeps what it has traced whenever it can.
RunConfig long_config(const Folder& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> overrides{"tracing.rays_per_heliostat=" + long_rays(),
                                       "output.file=" + (folder / "flux.h5").string(),
                                       "output.checkpoint_minutes=0.0001"};
    overrides.insert(overrides.end(), more.begin(), more.end());
    return small_config(overrides);
}

/// Traces to the end and forgets the parts.
RunResult trace_all(const Folder& folder, const std::vector<std::string>& more = {}) {
    run::Session session([&] { return run::prepare(long_config(folder, more)); }, alone());
    auto result = run::trace(session);
    session.prepared().remove_parts();
    session.close();
    return *result;
}

/// Traces until something is kept, then stops.
void trace_a_part(const Folder& folder, const std::vector<std::string>& more = {}) {
    enum Phase { traces, has_kept, is_asked, goes_on };
    std::atomic<Phase> phase{traces};
    const auto move = [&](Phase from, Phase to) { return phase.compare_exchange_strong(from, to); };
    run::Options options = alone();
    options.stop = [&] {
        move(has_kept, is_asked);
        return std::string(phase == traces ? "" : "later");
    };
    options.progress = [&](const run::Progress&) { move(is_asked, goes_on); };
    // The run goes no further than where it has kept something before it knows of the stop: when
    // its watch shows the progress again, it has taken note of the answer.
    options.log = [&](run::LogLevel, const std::string& message) {
        if (!message.starts_with("kept what is traced") || !move(traces, has_kept)) return;
        while (phase != goes_on) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    };
    run::Session session([&] { return run::prepare(long_config(folder, more)); }, options);
    CHECK_THROWS_AS(run::trace(session), run::Stopped);
}

}  // namespace

TEST_CASE("a set of units is the union of its ranges") {
    std::vector<int64_t> order(40);
    std::iota(order.begin(), order.end(), 0);
    // Any order of single units makes the same ranges.
    for (const int64_t step : {1, 7, 11, 13, 27}) {
        run::UnitSet set;
        for (int64_t i = 0; i < 40; ++i) {
            const int64_t unit = order[static_cast<size_t>(i * step % 40)];
            if (unit % 10 < 7) set.add({unit, unit + 1});
        }
        CHECK(set.ranges() == Ranges{{0, 7}, {10, 17}, {20, 27}, {30, 37}});
        CHECK(set.end() == 37);
        CHECK(set.within({5, 22}) == Ranges{{5, 7}, {10, 17}, {20, 22}});
        CHECK(set.within({7, 10}).empty());
        CHECK(set.overlaps(set_of({{8, 11}})));
        CHECK_FALSE(set.overlaps(set_of({{7, 10}, {27, 30}, {37, 99}})));
    }
    CHECK(run::UnitSet().end() == 0);
    CHECK(set_of({{3, 3}}).ranges().empty());
}

TEST_CASE("kept work comes back, once") {
    const Folder folder;
    std::vector<int64_t> sums(5000, 0);
    sums[0] = -7;
    sums[1023] = int64_t{1} << 62;
    sums[1024] = 1;
    sums[4999] = 3;
    const run::StoredWork work{set_of({{2, 5}, {9, 10}}), 12.5};
    const fs::path file = folder / "a.sums";
    run::write_stored_work(file, "me", work, sums);
    CHECK(fs::file_size(file) < 3000 * sizeof(int64_t));

    std::vector<int64_t> found(5000, 1);
    const run::StoredWork read = run::add_stored_work(file, "me", 10, set_of({{5, 9}}), found);
    CHECK(read.units.ranges() == work.units.ranges());
    CHECK(read.seconds == 12.5);
    for (size_t i = 0; i < sums.size(); ++i) REQUIRE(found[i] == sums[i] + 1);

    // Units that are known already are not added again.
    const std::vector<int64_t> before = found;
    CHECK(run::add_stored_work(file, "me", 10, set_of({{4, 5}}), found).units.ranges().empty());
    CHECK(found == before);
}

TEST_CASE("kept work that is damaged or foreign adds nothing") {
    const Folder folder;
    const std::vector<int64_t> sums(600, 5);
    const fs::path file = folder / "a.sums";
    run::write_stored_work(file, "me", {set_of({{0, 4}}), 1.0}, sums);
    std::ifstream stream(file, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(stream), {}};
    std::vector<int64_t> found(600, 0);
    const auto message = [&](const std::string& identity, int64_t units, std::span<int64_t> to) {
        try {
            run::add_stored_work(file, identity, units, {}, to);
        } catch (const std::runtime_error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(message("you", 4, found), ContainsSubstring("another run"));
    CHECK_THAT(message("me", 3, found), ContainsSubstring("not one of this program"));
    CHECK_THAT(message("me", 4, std::span(found).first(599)), ContainsSubstring("not one of"));
    const auto damage = [&](const std::string& content) {
        std::ofstream(file, std::ios::binary) << content;
        CHECK_THAT(message("me", 4, found), ContainsSubstring("damaged"));
    };
    for (const size_t size : {size_t{0}, size_t{20}, whole.find('\n') + 1, whole.size() - 8})
        damage(whole.substr(0, size));
    for (size_t at = whole.find('\n') + 1; at < whole.size(); at += 97) {
        std::string flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ 4);
        damage(flipped);
    }
    fs::remove(file);
    CHECK_THAT(message("me", 4, found), ContainsSubstring("damaged"));
    CHECK(found == std::vector<int64_t>(600, 0));
}

TEST_CASE("a run that is stopped again and again ends with the same sums") {
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{},
          {"tracing.relative_error=1e-7"},
          {"distributed.schedule=dynamic", "output.per_heliostat=true"}}) {
        const Folder folder;
        const RunResult whole = trace_all(folder, more);
        CHECK(whole.rays_done_before == 0);
        CHECK_FALSE(fs::exists(folder / "flux.h5.parts"));
        for (int i = 0; i < 3; ++i) trace_a_part(folder, more);
        const RunResult continued = trace_all(folder, more);
        CHECK(continued.rays_done_before > 0);
        CHECK(continued.provenance.rays == whole.provenance.rays);
        CHECK(continued.provenance.fingerprint == whole.provenance.fingerprint);
        CHECK(continued.targets.at(0).flux_noise == whole.targets.at(0).flux_noise);
        CHECK_FALSE(fs::exists(folder / "flux.h5.parts"));
    }
}

TEST_CASE("a disk that takes no more is one warning, and the run goes on") {
    const Folder folder;
    std::vector<std::string> warnings;
    run::Options options = alone();
    options.log = [&](run::LogLevel level, const std::string& message) {
        if (level == run::LogLevel::warning) warnings.push_back(message);
    };
    run::Session session([&] { return run::prepare(long_config(folder)); }, options);
    // The manifest fits, sums do not.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{1000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    const auto result = run::trace(session);
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(fs::exists(folder / "flux.h5.parts" / "manifest.json"));
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0], ContainsSubstring("work_") && ContainsSubstring("the run goes on"));
    session.prepared().remove_parts();
    CHECK(result->provenance.fingerprint == trace_all(folder).provenance.fingerprint);
}

TEST_CASE("runs without a file or a text keep nothing") {
    CHECK_FALSE(run::prepare(small_config()).parts);
    const Folder folder;
    RunConfig config = long_config(folder);
    CHECK(run::prepare(config).parts);
    config.text.clear();
    CHECK_FALSE(run::prepare(config).parts);
}
