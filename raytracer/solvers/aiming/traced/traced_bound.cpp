// SPDX-License-Identifier: MIT
// Measures the errors of the model at the aim points that the bound uses.
#include "raytracer/solvers/aiming/traced/traced_bound.h"

#include "raytracer/solvers/aiming/traced/flux_limits.h"
#include "raytracer/tracing/geometry/frames.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray::aiming {

namespace {

// The bound at prices of 0 is the sum of the best single powers. It is tried if it exceeds the
// other bound by at most this factor, because its margin may be smaller.
constexpr double kNearlyAsGood = 1.03;
// Largest number of heliostats for which all images are traced again.
constexpr size_t kMostProbed = 200;

/// Excess of a freshly traced image over the model when light costs its price, W.
struct Beyond {
    double value = 0.0;
    double gain = 0.0;  ///< Excess if a heliostat is off rather than costs more than it brings
};

/// Returns the excess of each heliostat, with images traced from these settings.
std::vector<Beyond> beyond_model(FieldModel& model,
                                 std::vector<AimedPoint> points,
                                 const std::vector<Setting>& settings,
                                 const std::vector<double>& factors) {
    for (size_t i = 0; i < points.size(); ++i) {
        AimedPoint& point = points[i];
        if (point.aim.motor_positions) continue;
        point.x = settings[i].aim.x;
        point.y = settings[i].aim.y;
        point.aim.point = surface_point(model.aim_surfaces[i], point.x, point.y);
    }
    FluxModel traced = model.flux;
    for (const auto& tracer : model.tracers)
        tracer->trace_here(points, traced.num_threads, traced.images);
    if (model.receiver_tracer)
        model.receiver_tracer->trace_here(points, traced.num_threads, traced.images);
    for (size_t i = 0; i < points.size(); ++i)
        if (!model.can_aim[i]) traced.images[i] = Image();
    const auto found = traced.weighted(settings, factors);
    const auto expected = model.flux.weighted(settings, factors);
    std::vector<Beyond> beyond;
    for (size_t i = 0; i < points.size(); ++i)
        beyond.push_back({found[i].value - expected[i].value,
                          std::max(0.0, found[i].value) - std::max(0.0, expected[i].value)});
    return beyond;
}

/// Returns the excess of the traced plan over the model when light costs its price, W.
double trace_beyond_model(const FluxModel& model,
                          const RunConfig& config,
                          const Scenario& scenario,
                          const TracedPlan& plan,
                          const std::vector<double>& prices) {
    const std::vector<double> lit = model.lit_shares();
    const std::vector<double> cells = model.cells(plan.settings);
    const std::vector<double> traced =
        traced_cells(plan.traced.run, scenario, config.bitmap, model);
    double beyond = 0.0;
    for (size_t c = 0; c < cells.size(); ++c)
        if (lit[c] > 0.0) beyond += (1.0 - prices[c]) * (traced[c] - lit[c] * cells[c]);
    return beyond;
}

}  // namespace

TracedBound traced_bound(FieldModel& model,
                         const AimProblem& problem,
                         const RunConfig& config,
                         const Scenario& scenario,
                         const TracedPlan& plan,
                         int steps,
                         const std::vector<double>& prices,
                         const std::vector<double>& others) {
    const std::vector<double> lit = model.flux.lit_shares();
    double known = 0.0, square = 0.0;
    for (const TargetResult& target : plan.traced.run.targets) {
        known += target.power_w;
        square += target.power_std_error_w * target.power_std_error_w;
    }
    const double noise = kBoundErrors * std::hypot(std::sqrt(square), model.power_std_error());
    const bool is_probed = plan.is_probed && plan.points.size() <= kMostProbed;
    const auto with_margin = [&](PowerBound found) {
        std::vector<double> factors = lit;
        for (size_t c = 0; c < factors.size(); ++c) factors[c] -= found.prices[c];
        double trace = trace_beyond_model(model.flux, config, scenario, plan, found.prices);
        double images = 0.0;
        if (is_probed) {
            const auto there = beyond_model(model, plan.points, found.answers, factors);
            const auto here = beyond_model(model, plan.points, plan.settings, factors);
            for (size_t i = 0; i < there.size(); ++i) {
                images += std::max({0.0, there[i].gain, here[i].gain});
                trace -= plan.settings[i].share * here[i].value;
            }
        }
        const double margin = images + std::max(0.0, trace) + noise;
        return TracedBound{found.bound + margin, margin, std::move(found.prices)};
    };
    PowerBound found = power_bound(problem, known, steps, prices, others);
    const double modelled = found.bound;
    TracedBound best = with_margin(std::move(found));
    PowerBound free = power_bound_at(problem, std::vector<double>(prices.size(), 0.0));
    if (free.bound > kNearlyAsGood * modelled) return best;
    // Report the prices of the limits, whichever bound is lower.
    const TracedBound other = with_margin(std::move(free));
    if (other.bound < best.bound) {
        best.bound = other.bound;
        best.margin = other.margin;
    }
    return best;
}

}  // namespace helioray::aiming
