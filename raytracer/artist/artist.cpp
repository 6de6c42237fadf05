// SPDX-License-Identifier: MIT
// Model "artist": aligns all rows, then traces batches of rays.
#include "raytracer/artist/artist.h"

#include "raytracer/artist/batch_trace.h"
#include "raytracer/artist/field.h"
#include "raytracer/artist/targets.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace helioray {
namespace artist {
namespace {

at::Tensor to_rows(const std::vector<Vec3>& vectors, float last) {
    at::Tensor rows = at::full({static_cast<int64_t>(vectors.size()), 4}, last, at::kFloat);
    float* out = rows.data_ptr<float>();
    for (const Vec3& v : vectors) {
        for (size_t k = 0; k < 3; ++k) out[k] = static_cast<float>(v[k]);
        out += 4;
    }
    return rows;
}

Vec3 aim_point(const Scenario& scenario, const ArtistSample& sample) {
    return sample.aim_point ? *sample.aim_point
                            : default_aim_point(scenario.targets[sample.target]);
}

// Rows with and without given motor positions are aligned separately: only the latter iterate, and
// stop together (P14).
Alignment align_group(const Scenario& scenario, const ArtistRun& run, const Group& group) {
    std::vector<size_t> heliostats;
    std::vector<int64_t> aimed, driven;
    std::vector<Vec3> incident, aim;
    std::vector<double> motor;
    for (size_t row = 0; row < group.samples.size(); ++row) {
        const ArtistSample& sample = run.samples[group.samples[row]];
        heliostats.push_back(sample.heliostat);
        if (sample.motor_positions) {
            driven.push_back(static_cast<int64_t>(row));
            motor.insert(
                motor.end(), sample.motor_positions->begin(), sample.motor_positions->end());
        } else {
            aimed.push_back(static_cast<int64_t>(row));
            incident.push_back(sample.incident_direction);
            aim.push_back(aim_point(scenario, sample));
        }
    }
    const Parameters all = load_parameters(scenario, heliostats);
    const auto n = static_cast<int64_t>(heliostats.size());
    Alignment result;
    result.orientation = at::zeros({n, 4, 4}, at::kFloat);
    result.motor_positions = at::zeros({n, 2}, at::kFloat);
    result.out_of_range = at::zeros({n}, at::kBool);
    const auto put = [&](const std::vector<int64_t>& rows, const auto& align) {
        if (rows.empty()) return;
        const at::Tensor index = at::tensor(at::ArrayRef<int64_t>(rows));
        const Alignment part = align(select_rows(all, index));
        result.orientation.index_copy_(0, index, part.orientation);
        result.motor_positions.index_copy_(0, index, part.motor_positions);
        result.out_of_range.index_copy_(0, index, part.out_of_range);
    };
    put(aimed, [&](const Parameters& p) {
        return align_to_aim_points(p, to_rows(incident, 0), to_rows(aim, 1));
    });
    put(driven, [&](const Parameters& p) {
        const at::Tensor given = at::tensor(at::ArrayRef<double>(motor), at::kFloat);
        return align_to_motor_positions(p, given.reshape({-1, 2}));
    });
    return result;
}

void describe_rows(const Scenario& scenario,
                   const ArtistRun& run,
                   const Group& group,
                   const Alignment& alignment,
                   ArtistResult& result) {
    for (size_t k = 0; k < group.samples.size(); ++k) {
        const auto row = static_cast<int64_t>(k);
        ArtistRow out;
        out.sample = group.samples[k];
        out.group = group.name;
        const at::Tensor orientation = alignment.orientation.select(0, row).contiguous();
        std::copy_n(orientation.data_ptr<float>(), 16, out.orientation.begin());
        const at::Tensor motor = alignment.motor_positions.select(0, row).contiguous();
        std::copy_n(motor.data_ptr<float>(), 2, out.motor_positions.begin());
        const ArtistSample& sample = run.samples[out.sample];
        out.aim_point = aim_point(scenario, sample);
        if (alignment.out_of_range.data_ptr<bool>()[row]) {
            result.warnings.push_back(
                "heliostat " + scenario.heliostats[sample.heliostat].name +
                ": no motor positions within the limits reach the aim point; they are used all the "
                "same (P12)");
        }
        result.rows.push_back(std::move(out));
    }
}

// Returns the sum of all rays' largest possible intensities, which depends only on scenario and
// run.
double global_scale(const Scenario& scenario,
                    const ArtistRun& run,
                    const std::vector<Group>& groups,
                    int64_t rays_per_point) {
    double total = 0.0;
    for (const Group& group : groups) {
        const double rays = static_cast<double>(num_points(scenario, group, run) * rays_per_point);
        const double magnitude = ray_magnitude(scenario, group, run, rays_per_point);
        for (const size_t s : group.samples) {
            total += rays * magnitude * max_intensity(scenario.targets[run.samples[s].target]);
        }
    }
    return fixed_point_scale(total * std::max(1.0, run.reflectivity));
}

}  // namespace
}  // namespace artist

std::vector<size_t> artist_row_order(const Scenario& scenario, const ArtistRun& run) {
    std::vector<size_t> order;
    for (const artist::Group& group : artist::make_groups(scenario, run)) {
        order.insert(order.end(), group.samples.begin(), group.samples.end());
    }
    return order;
}

std::vector<ArtistRows> artist_batches(const Scenario& scenario, const ArtistRun& run) {
    std::vector<ArtistRows> batches;
    for (const artist::Group& group : artist::make_groups(scenario, run)) {
        const int64_t end = group.first_row + static_cast<int64_t>(group.samples.size());
        for (int64_t first = group.first_row; first < end; first += run.batch_size) {
            batches.push_back({first, std::min(first + run.batch_size, end)});
        }
    }
    return batches;
}

ArtistResult trace_artist(const Scenario& scenario, const ArtistRun& run, at::Device device) {
    using namespace artist;
    check(scenario, run);
    const std::vector<Group> groups = make_groups(scenario, run);
    const int64_t rays_per_point =
        run.rays_per_point ? *run.rays_per_point : scenario.light_sources.front().number_of_rays;
    ArtistResult result;
    std::vector<Alignment> alignments;
    for (const Group& group : groups) {
        alignments.push_back(align_group(scenario, run, group));
        describe_rows(scenario, run, group, alignments.back(), result);
    }
    result.scale = global_scale(scenario, run, groups, rays_per_point);
    result.sums = at::zeros(
        {static_cast<int64_t>(scenario.targets.size()), run.bitmap_height, run.bitmap_width},
        at::TensorOptions(at::kLong).device(device));

    SurfaceStore surfaces(scenario, run.surface_points_per_facet);
    BatchTracer tracer(scenario, run, groups, alignments, surfaces, rays_per_point, device);
    for (size_t g = 0; g < groups.size() && result.complete; ++g) tracer.trace_group(g, result);
    result.sums = result.sums.to(at::kCPU);
    return result;
}

at::Tensor artist_bitmaps(const ArtistResult& result) {
    return result.sums.to(at::kDouble) / result.scale;
}

}  // namespace helioray
