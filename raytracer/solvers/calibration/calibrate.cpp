// SPDX-License-Identifier: MIT
// Distributes the heliostats of a field over threads and ranks, and learns their priors.
#include "raytracer/solvers/calibration/calibrate.h"

#include "kernels/host/parallel_for.h"
#include "kernels/host/processor_cores.h"
#include "raytracer/solvers/calibration/result_bytes.h"
#include "raytracer/solvers/calibration/stages.h"
#include "scenario/files/error.h"

#include <algorithm>
#include <cmath>

namespace helioray::calibration {

namespace {

// Number of heliostats that the initial priors are worth. Fields with fewer than three heliostats
// use the initial priors.
constexpr double kWorth = 10.0;
constexpr double kFewestHeliostats = 3.0;
constexpr size_t kFewestRecords = 3;

/// Returns the common scale of the residuals of all heliostats; the usual scale counts like one
/// heliostat.
ScalePrior learnt_scale(const std::vector<HeliostatCalibration>& field) {
    ScalePrior usual;
    double heliostats = 0.0, squares = 0.0, numbers = 0.0;
    for (const HeliostatCalibration& heliostat : field) {
        if (heliostat.used < kFewestRecords) continue;
        heliostats += 1.0;
        squares += heliostat.residual_square;
        numbers += heliostat.residual_numbers;
    }
    if (heliostats < kFewestHeliostats) return usual;
    usual.scale =
        std::sqrt((usual.weight * usual.scale * usual.scale + squares) / (usual.weight + numbers));
    return usual;
}

/// Estimates the prior's widths, scale and errors from the field; the widths of each heliostat
/// count like one draw.
FieldPrior learnt_prior(const std::vector<HeliostatCalibration>& field) {
    FieldPrior prior;
    prior.errors = expected_errors(field);
    prior.scale = learnt_scale(field);
    double heliostats = 0.0;
    std::vector<double> sums;
    for (const HeliostatCalibration& heliostat : field) {
        if (heliostat.used < kFewestRecords) continue;
        heliostats += 1.0;
        sums.resize(heliostat.unknowns.size(), 0.0);
        for (size_t i = 0; i < sums.size(); ++i) {
            sums[i] += heliostat.unknowns[i] * heliostat.unknowns[i] + heliostat.covariance(i, i);
        }
    }
    if (heliostats < kFewestHeliostats) return prior;
    for (const double sum : sums) {
        prior.widths.push_back(std::sqrt((kWorth + sum) / (kWorth + heliostats)));
    }
    return prior;
}

void refuse_other_kinematics(const std::vector<HeliostatRecords>& field) {
    std::vector<Problem> problems;
    for (const HeliostatRecords& heliostat : field) {
        if (heliostat.nominal.type == KinematicsType::rigid_body) continue;
        problems.push_back({heliostat.name,
                            "its kinematics are azimuth and elevation",
                            "only rigid bodies have the tilts and levers that are calibrated",
                            "leave it out, or describe it as a rigid body"});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

std::vector<HeliostatCalibration> calibrate(
    const std::vector<HeliostatRecords>& field,
    const std::vector<std::pair<std::string, TargetPlane>>& targets,
    const CalibrationOptions& options) {
    refuse_other_kinematics(field);
    Alternatives alternatives{{}, targets, options.latitude_deg};
    for (const HeliostatRecords& heliostat : field) {
        for (const SpotRecord& record : heliostat.records) {
            alternatives.suns.emplace_back(heliostat.name + " " + record.id, record.to_sun);
        }
    }
    // Distribute every `step`-th heliostat over the ranks.
    const FieldRanks& ranks = options.ranks;
    const auto calibrate_some = [&](size_t step, const FieldPrior& prior, Pass pass) {
        const size_t count = (field.size() + step - 1) / step;
        std::vector<HeliostatCalibration> own(
            count > ranks.rank ? (count - ranks.rank + ranks.count - 1) / ranks.count : 0);
        const int threads = options.num_threads > 0 ? options.num_threads : kernels::usable_cores();
        parallel_for(own.size(), threads, [&](size_t i) {
            obey(ranks.stop);
            const size_t heliostat = (ranks.rank + i * ranks.count) * step;
            own[i] = calibrate_one(field[heliostat], alternatives, prior, pass, options);
        });
        if (ranks.count == 1) return own;
        std::vector<HeliostatCalibration> all(count);
        const std::vector<std::string> parts = ranks.gather(bytes_of(own));
        for (size_t rank = 0; rank < ranks.count; ++rank) {
            size_t at = rank;
            for (HeliostatCalibration& heliostat : restore_calibrations(parts.at(rank))) {
                all.at(at) = std::move(heliostat);
                at += ranks.count;
            }
        }
        return all;
    };
    if (field.empty()) return {};
    // A few hundred heliostats determine the widths of the priors to a few per cent.
    constexpr size_t kEnough = 200;
    const size_t step = 1 + (field.size() - 1) / kEnough;
    FieldPrior prior;
    prior.scale = learnt_scale(calibrate_some(step, prior, Pass::scale));
    prior = learnt_prior(calibrate_some(step, prior, Pass::priors));
    return calibrate_some(1, prior, Pass::results);
}

}  // namespace helioray::calibration
