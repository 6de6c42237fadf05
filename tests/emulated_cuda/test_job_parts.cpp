// SPDX-License-Identifier: MIT
// Jobs that trace parts of a run on devices of their own and add up there: the sums of one job on
// the CPU, wherever the light of a part lies before. The parts are threads.
#include "app/validation/scene.h"
#include "raytracer/run/make_job.h"
#include "raytracer/tracing/job/trace_job.h"
#include "tests/support/catch2.h"

#include <barrier>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace helioray;

namespace {

constexpr int kParts = 3;

validation::Scene scene_of_test() {
    // The emulated module stands for the one that a machine with a GPU has.
    ::setenv("HELIORAY_MODULES", HELIORAY_EMULATED_MODULES, 1);
    validation::Scene scene = validation::make_scene(
        {{.position = {-8, 50, 0}}, {.position = {0, 55, 0}}, {.position = {9, 48, 0}}},
        {{0, 0, 20}, {0, 1, 0}, 6.0, 6.0},
        validation::sun_at(160.0, 60.0),
        GaussianShape{2.35e-3},
        GaussianShape{1e-3});
    scene.config.bitmap = {20, 24, Filter::bilinear};
    scene.config.tracing.rays_per_heliostat = 1024;
    scene.config.tracing.relative_error = 1e-9;
    scene.config.tracing.shading = scene.config.tracing.blocking = false;
    return scene;
}

/// Adds up integers of all parts, each on a thread of its own.
class Meeting {
  public:
    PartSum sum_of_part(int part) {
        PartSum sum;
        sum.on_host = [](std::span<int64_t>) {
            throw std::logic_error("the host is asked for sums of a device");
        };
        sum.on_device = [this, part](const kernels::DeviceIntegers& mine) {
            parts_[part] = mine;
            barrier_.arrive_and_wait();
            if (part == 0)
                for (int64_t i = 0; i < mine.count; ++i) add_up(i);
            barrier_.arrive_and_wait();
        };
        return sum;
    }

  private:
    /// The emulated device's memory is the host's.
    void add_up(int64_t i) {
        int64_t total = 0;
        for (const auto& part : parts_) total += part.data[i];
        for (const auto& part : parts_) part.data[i] = total;
    }

    kernels::DeviceIntegers parts_[kParts];
    std::barrier<> barrier_{kParts};
};

void on_parts(const std::function<void(int part)>& work) {
    std::vector<std::thread> threads;
    for (int part = 0; part < kParts; ++part) threads.emplace_back(work, part);
    for (auto& thread : threads) thread.join();
}

std::vector<int64_t> copy_of(std::span<const int64_t> sums) {
    return {sums.begin(), sums.end()};
}

}  // namespace

TEST_CASE("parts add up on their devices") {
    const validation::Scene scene = scene_of_test();
    const auto whole = make_job(scene.config, scene.scenario);
    const std::vector<int64_t> ends = whole->round_ends();
    REQUIRE(ends.size() > 1);
    TraceControl on_cpu, on_device;
    on_device.cuda_devices = {0};

    std::vector<std::unique_ptr<TraceJob>> jobs;
    for (int part = 0; part < kParts; ++part)
        jobs.push_back(make_job(scene.config, scene.scenario));
    Meeting meeting;
    int64_t begin = 0;
    for (const int64_t end : ends) {
        whole->trace(begin, end, on_cpu);
        const int64_t half = (begin + end) / 2, last = (half + end) / 2;
        // The first part has no units, the last one traces on both.
        jobs[1]->trace(begin, half, on_device);
        jobs[2]->trace(half, last, on_cpu);
        jobs[2]->trace(last, end, on_device);
        begin = end;

        const std::vector<int64_t> expected = whole->interim_sums();
        std::vector<int64_t> found[kParts];
        on_parts([&](int part) {
            found[part] = jobs[part]->interim_sums_of_parts(meeting.sum_of_part(part));
        });
        for (const auto& interim : found) CHECK(interim == expected);
    }
    on_parts([&](int part) { jobs[part]->add_parts(meeting.sum_of_part(part)); });
    const std::vector<int64_t> expected = copy_of(whole->sums());
    for (const auto& job : jobs) CHECK(copy_of(job->sums()) == expected);
    // A second time: sums that were read lie on the host, and three equal parts are three times as
    // much.
    on_parts([&](int part) { jobs[part]->add_parts(meeting.sum_of_part(part)); });
    for (size_t i = 0; i < expected.size(); i += 97)
        CHECK(jobs[0]->sums()[i] == kParts * expected[i]);
    // The sun moves: sums begin at zero.
    REQUIRE(jobs[1]->set_sun({0.1, -0.7, 0.7}, 900.0, {}, 1));
    for (const int64_t sum : jobs[1]->sums()) REQUIRE(sum == 0);
}

TEST_CASE("parts without devices add up on the host") {
    const validation::Scene scene = scene_of_test();
    const auto job = make_job(scene.config, scene.scenario);
    TraceControl on_device;
    on_device.cuda_devices = {0};
    job->trace(0, job->num_units(), on_device);
    int64_t added = 0;
    PartSum sum;
    sum.on_host = [&](std::span<int64_t> sums) { added += std::ssize(sums); };
    job->add_parts(sum);
    CHECK(added == std::ssize(job->sums()));
    CHECK(job->interim_sums_of_parts(sum) == job->interim_sums());
    CHECK(added == std::ssize(job->sums()) + std::ssize(job->interim_sums()));
}

TEST_CASE("a job on several devices has the sums of the CPU") {
    const validation::Scene scene = scene_of_test();
    const Vec3 later_sun{0.1, -0.7, 0.7};
    const auto expected = make_job(scene.config, scene.scenario);
    expected->trace(0, expected->num_units(), {});
    const std::vector<int64_t> interim = expected->interim_sums();
    const std::vector<int64_t> sums = copy_of(expected->sums());
    REQUIRE(expected->set_sun(later_sun, 900.0, {}, 1));
    expected->trace(0, expected->num_units(), {});
    const std::vector<int64_t> later_sums = copy_of(expected->sums());
    for (const std::vector<int>& devices : {std::vector{1}, {0, 1}, {3, 0, 2, 1}}) {
        const auto job = make_job(scene.config, scene.scenario);
        TraceControl control;
        control.cuda_devices = devices;
        // From a thread whose current device is another one.
        std::thread([&] { job->trace(0, job->num_units() / 2, control); }).join();
        job->trace(job->num_units() / 2, job->num_units(), control);
        CHECK(job->interim_sums() == interim);
        CHECK(copy_of(job->sums()) == sums);
        REQUIRE(job->set_sun(later_sun, 900.0, {}, 1));
        job->trace(0, job->num_units(), control);
        CHECK(copy_of(job->sums()) == later_sums);
    }
}

TEST_CASE("a job on a device follows mirrors that bend") {
    validation::Scene scene = scene_of_test();
    Surface surface = *scene.scenario.heliostats[0].surface;
    surface.bending_axis = BendingAxis::temperature;
    for (const auto& [temperature, focal_length] : {std::pair{0.0, 200.0}, {40.0, 30.0}}) {
        std::vector<Facet> facets = surface.facets;
        for (Facet& facet : facets) {
            facet.shape = FacetShape::paraboloid;
            facet.focal_length = focal_length;
        }
        surface.bent.push_back({temperature, facets});
    }
    scene.scenario.heliostats[1].surface = std::make_shared<const Surface>(surface);
    scene.config.sun.temperature = 0.0;
    const auto expected = make_job(scene.config, scene.scenario);
    const auto job = make_job(scene.config, scene.scenario);
    TraceControl control;
    control.cuda_devices = {0};
    std::vector<std::vector<int64_t>> sums;
    for (const double temperature : {0.0, 40.0, 15.0}) {
        CAPTURE(temperature);
        // The first temperature is that of the configuration.
        for (const auto& traced : {expected.get(), job.get()})
            if (!sums.empty()) REQUIRE(traced->set_sun({0.1, -0.7, 0.7}, 900.0, temperature, 1));
        expected->trace(0, expected->num_units(), {});
        job->trace(0, job->num_units(), control);
        CHECK(copy_of(job->sums()) == copy_of(expected->sums()));
        for (const std::vector<int64_t>& others : sums) CHECK(others != copy_of(expected->sums()));
        sums.push_back(copy_of(expected->sums()));
    }
}

TEST_CASE("a job that moves to other devices keeps its sums") {
    const validation::Scene scene = scene_of_test();
    const auto expected = make_job(scene.config, scene.scenario);
    expected->trace(0, expected->num_units(), {});
    const auto job = make_job(scene.config, scene.scenario);
    TraceControl control;
    const int64_t half = job->num_units() / 2;
    control.cuda_devices = {0, 1};
    job->trace(0, half, control);
    control.cuda_devices = {2};
    job->trace(half, job->num_units(), control);
    CHECK(copy_of(job->sums()) == copy_of(expected->sums()));
}
