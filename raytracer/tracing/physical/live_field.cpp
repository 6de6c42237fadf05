// SPDX-License-Identifier: MIT
// Connects a prepared field with the sums that follow its changes.
#include "raytracer/tracing/physical/live_field.h"

#include "kernels/trace_flux.h"
#include "raytracer/tracing/job/mesh_statistics.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "raytracer/tracing/physical/traced_field.h"

#include <span>
#include <utility>

namespace helioray::physical {

namespace {

/// The sums of heliostats are kept apart, so that each can be replaced.
RunConfig with_separate_heliostats(RunConfig config) {
    config.output.per_heliostat = true;
    return config;
}

}  // namespace

struct LiveField::State {
    std::shared_ptr<const Scenario> scenario;
    kernels::CpuOptions options;
    PreparedField prepared;
    TracedField traced;

    State(const RunConfig& config, std::shared_ptr<const Scenario> plant, int num_threads)
        : scenario(std::move(plant)),
          prepared(with_separate_heliostats(config), *scenario, true, num_threads),
          traced(prepared.field()) {
        options.num_threads = num_threads;
    }

    /// Returns the flux of a map of a target, W/m2.
    std::vector<double> flux_of_map(std::size_t target, std::size_t map) const {
        const Field& field = prepared.field();
        const std::span<const std::int64_t> quanta = traced.flux(map);
        const double flux_per_quantum = field.flux_per_quantum(target);
        std::vector<double> flux;
        flux.reserve(quanta.size());
        for (const std::int64_t count : quanta)
            flux.push_back(static_cast<double>(count) * flux_per_quantum);
        const auto density = [&](std::int64_t count, double area) {
            return static_cast<double>(count) / (field.quanta_per_watt() * area);
        };
        set_mesh_values(mesh_pixel_areas(field.targets()[target].target, std::ssize(quanta)),
                        quanta.data(),
                        density,
                        flux);
        return flux;
    }
};

LiveField::LiveField(const RunConfig& config,
                     std::shared_ptr<const Scenario> scenario,
                     int num_threads)
    : state_(std::make_unique<State>(config, std::move(scenario), num_threads)) {}
LiveField::~LiveField() = default;
LiveField::LiveField(LiveField&&) noexcept = default;
LiveField& LiveField::operator=(LiveField&&) noexcept = default;

void LiveField::set_sun(const Vec3& direction, double dni) {
    state_->prepared.set_sun(direction, dni);
}

void LiveField::set_temperature(double temperature) {
    state_->prepared.set_temperature(temperature);
}

void LiveField::set_optics(const SunShape& sun_shape, const OpticsConfig& optics) {
    state_->prepared.set_optics(sun_shape, optics);
}

void LiveField::set_aim(const Aim& aim) {
    state_->prepared.set_aim(aim);
}

void LiveField::set_inactive(std::size_t heliostat) {
    state_->prepared.set_inactive(heliostat);
}

void LiveField::set_surface(std::size_t heliostat, std::shared_ptr<const Surface> surface) {
    state_->prepared.set_surface(heliostat, std::move(surface));
}

std::size_t LiveField::trace() {
    return state_->traced.follow(state_->prepared.update(state_->options.num_threads),
                                 state_->options);
}

std::vector<double> LiveField::flux(std::size_t target) const {
    return state_->flux_of_map(target, target);
}

std::vector<double> LiveField::incident_flux(std::size_t target) const {
    return state_->flux_of_map(target, state_->prepared.field().incident_map(target));
}

double LiveField::power(std::size_t heliostat) const {
    return static_cast<double>(state_->traced.delivered(heliostat)) /
           state_->prepared.field().quanta_per_watt();
}

double LiveField::power() const {
    std::int64_t quanta = 0;
    for (const AimedHeliostat& aimed : state_->prepared.field().aimed())
        quanta += state_->traced.delivered(aimed.heliostat);
    return static_cast<double>(quanta) / state_->prepared.field().quanta_per_watt();
}

std::vector<std::int64_t> LiveField::sums() const {
    return state_->traced.sums();
}

const std::vector<std::string>& LiveField::warnings() const {
    return state_->prepared.warnings();
}

}  // namespace helioray::physical
