// SPDX-License-Identifier: MIT
// Small plants whose aim points are chosen within a second, and images from a formula.
#pragma once

#include "raytracer/run/prepare.h"
#include "raytracer/solvers/aiming/aim_field.h"
#include "raytracer/solvers/aiming/model/flux_model.h"
#include "scenario/import/field/build_field.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace helioray::test {

struct Plant {
    std::shared_ptr<const Scenario> scenario;
    RunConfig config;
};

/// `count` heliostats of 4 x 4 m around a tower of 40 m. receiver: settings of its template.
inline Plant make_plant(int count, const std::vector<std::string>& receiver) {
    std::vector<std::string> settings{"tower.position=[0, 0]",
                                      "tower.optical_height_m=40",
                                      "heliostat.width_m=4",
                                      "heliostat.height_m=4",
                                      "heliostat.pivot_height_m=3",
                                      "layout.type=radial_stagger",
                                      "layout.heliostats=" + std::to_string(count)};
    settings.insert(settings.end(), receiver.begin(), receiver.end());
    std::vector<std::string> report;
    const FieldTemplate field =
        read_field_template(std::nullopt, settings, FieldUse::generate, report);
    MadeField made = generate_field(field, {});
    Plant plant;
    plant.scenario = std::make_shared<const Scenario>(std::move(made.scenario));
    plant.config = made.run;
    plant.config.sun.position = SunAngles{3.0, 0.9};
    plant.config.aim.target = "receiver";
    plant.config.optics.slope_error = GaussianShape{1.5e-3};
    plant.config.tracing.rays_per_heliostat = 40'000;
    plant.config.bitmap = {24, 16, Filter::box};
    plant.config.output.checkpoint_minutes = 0.0;
    plant.config.device.kind = DeviceConfig::Kind::cpu;
    return plant;
}

inline Plant cylinder_plant(int count) {
    return make_plant(count,
                      {"receiver.type=cylinder", "receiver.radius_m=1.5", "receiver.height_m=4"});
}

inline Plant plane_plant(int count) {
    return make_plant(count,
                      {"receiver.type=plane",
                       "receiver.width_m=5",
                       "receiver.height_m=4",
                       "receiver.tilt_deg=20",
                       "layout.azimuth_from_deg=-60",
                       "layout.azimuth_to_deg=60"});
}

/// On this process alone, whatever the variables of the test's launcher say.
inline aiming::AimingResult aim(const Plant& plant, int threads = 2) {
    run::Options options;
    options.launch = LaunchInfo{};
    options.num_threads = threads;
    run::PrepareOptions prepare;
    prepare.chooses_aims = true;
    prepare.scenario = plant.scenario;
    run::Session session([&] { return run::prepare(plant.config, prepare); }, options);
    auto result = aiming::aim_field(session);
    session.close();
    return std::move(*result);
}

/// A later step of a series, alone on this process.
inline aiming::AimingResult aim_next(const Plant& plant, const aiming::StepBefore& before) {
    run::Options options;
    options.launch = LaunchInfo{};
    options.num_threads = 2;
    run::PrepareOptions prepare;
    prepare.chooses_aims = true;
    prepare.scenario = plant.scenario;
    run::Session session([&] { return run::prepare(plant.config, prepare); }, options);
    auto result = aiming::aim_field(session, session.prepared().config, &before);
    session.close();
    return std::move(*result);
}

/// A plane or a cylinder of 10 m x 10 m in cells of 1 m or finer.
inline aiming::ReceiverGrid square_grid(bool free_x, int cells = 10, int bins = 4) {
    aiming::ReceiverGrid grid;
    grid.width = grid.height = 10.0;
    grid.columns = grid.rows = cells;
    grid.bins = bins;
    grid.free_x = free_x;
    grid.margin = cells;
    grid.margin_across = free_x ? cells : 0;
    grid.lit_share.assign(grid.num_cells(), 1.0);
    return grid;
}

/// A Gaussian of `sigma` metres and `power` W, aimed at (x, y) of the grid.
inline aiming::Image gaussian_image(const aiming::ReceiverGrid& grid,
                                    aiming::SurfacePoint aim,
                                    double sigma,
                                    double power) {
    const int width = (grid.free_x ? grid.bins : 1) * (grid.columns + 2 * grid.margin_across);
    const int height = grid.bins * (grid.rows + 2 * grid.margin);
    const double left = -0.5 * grid.width - grid.margin_across * grid.cell_width();
    const double top = 0.5 * grid.height + grid.margin * grid.cell_height();
    const auto below = [&](double t) { return 0.5 * std::erfc(-t / (sigma * std::sqrt(2.0))); };
    std::vector<double> watts;
    for (int row = 0; row < height; ++row) {
        const double up = top - row * grid.bin_height() - aim.y;
        for (int column = 0; column < width; ++column) {
            const double x = left + column * grid.bin_width() - aim.x;
            watts.push_back(power * (below(up) - below(up - grid.bin_height())) *
                            (below(x + grid.bin_width()) - below(x)));
        }
    }
    return {grid, aim, width, 0, height - 1, watts};
}

}  // namespace helioray::test
