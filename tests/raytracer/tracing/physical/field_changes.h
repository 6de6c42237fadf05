// SPDX-License-Identifier: MIT
// A small dense field and random changes to it.
#pragma once

#include "app/validation/scene.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "scenario/receivers/add_receivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace helioray::test {

inline constexpr size_t kDenseHeliostats = 24;

/// A mirror of two B-spline facets that is bent at random.
inline std::shared_ptr<const Surface> bent_mirror(std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    Surface surface;
    for (int f = 0; f < 2; ++f) {
        Facet facet;
        facet.name = fmt::format("{}", f);
        facet.num_control_points = {4, 5};
        facet.degrees = {3, 3};
        facet.canting_e = {1.0, 0.0, 0.0};
        facet.canting_n = {0.0, 1.0, 0.0};
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 5; ++j) {
                const double e = -2.5 + 5.0 * i / 3.0;
                const double n = (f == 0 ? -2.6 : 0.1) + 2.5 * j / 4.0;
                const double up = (e * e + n * n) / 400.0 + 0.004 * uniform(random);
                facet.control_points.insert(facet.control_points.end(), {e, n, up});
            }
        }
        surface.facets.push_back(std::move(facet));
    }
    return std::make_shared<const Surface>(std::move(surface));
}

/// Dense rows before a tower with two receivers, so that many mirrors stand in each other's light.
inline validation::Scene dense_scene(std::mt19937& random) {
    std::vector<validation::Mirror> mirrors;
    // From mirrors that nearly touch to mirrors that only hide each other when they stand steep.
    const double spacing = std::uniform_real_distribution<double>(5.4, 12.0)(random);
    for (size_t i = 0; i < kDenseHeliostats; ++i) {
        validation::Mirror mirror;
        mirror.position = {spacing * (static_cast<double>(i % 6) - 2.5),
                           30.0 + spacing * static_cast<double>(i / 6),
                           2.0};
        mirror.width = 5.0;
        mirror.height = 5.0;
        mirrors.push_back(mirror);
    }
    validation::Scene scene = validation::make_scene(mirrors,
                                                     {{0, 0, 20}, {0, 1, -0.2}, 6.0, 6.0},
                                                     validation::sun_at(160.0, 60.0),
                                                     GaussianShape{2.35e-3},
                                                     GaussianShape{1e-3});
    CylindricalTarget cylinder;
    cylinder.center = {0, 0, 27};
    cylinder.normal = {0, 1, 0};
    cylinder.axis = {0, 0, 1};
    cylinder.radius = 3.0;
    cylinder.height = 6.0;
    cylinder.opening_angle = 2.0 * std::numbers::pi;
    scene.scenario.targets.push_back({"cylinder", cylinder});
    for (size_t i = 0; i < kDenseHeliostats; i += 3)
        scene.scenario.heliostats[i].surface = bent_mirror(random);
    scene.config.tracing.rays_per_heliostat = 256;
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.bitmap = {20, 24, Filter::bilinear};
    scene.config.output.per_heliostat = true;
    scene.config.aim.active.emplace();
    for (size_t i = 0; i + 4 < kDenseHeliostats; ++i)
        scene.config.aim.active->push_back(validation::mirror_name(i));
    return scene;
}

/// Adds a receiver of panels that reflect light, shields, and a mirror below them to a scene.
inline void add_dense_receiver(validation::Scene& scene) {
    ReceiverConfig receiver;
    receiver.type = ReceiverConfig::Type::polygon;
    receiver.center = {0, 0, 34};
    receiver.panels = 8;
    receiver.radius = 3.0;
    receiver.height = 5.0;
    receiver.shield_height = 0.5;
    receiver.absorptance = 0.8;
    receiver.specular_fraction = 0.3;
    receiver.bounces = 2;
    add_receiver("tower", receiver, scene.scenario);
    Target mirror{"tower_mirror",
                  PlanarTarget{{0, 6, 30}, {0, 0.6, 0.8}, 8.0, 6.0},
                  "tower",
                  SurfaceUse::mirror};
    mirror.absorption = mirror_front(0.9, 1e-3);
    scene.scenario.targets.push_back(mirror);
    std::stable_sort(
        scene.scenario.targets.begin(),
        scene.scenario.targets.end(),
        [](const Target& a, const Target& b) { return a.geometry.index() < b.geometry.index(); });
}

/// Changes a field, and the scene that the same field would be made of anew.
class Changes {
  public:
    Changes(validation::Scene& scene, physical::PreparedField& field, std::mt19937& random)
        : scene_(scene), field_(field), random_(random) {}

    void make_one() {
        switch (random_() % 7) {
            case 0:
                return move_sun();
            case 1:
            case 2:
                return move_aim();
            case 3:
                return move_motors();
            case 4:
                return bend_mirror();
            case 5:
                return switch_one();
            default:
                return change_optics();
        }
    }

  private:
    double uniform() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
    size_t any_heliostat() { return random_() % kDenseHeliostats; }

    void move_sun() {
        SunConfig& sun = scene_.config.sun;
        sun.position = validation::sun_at(180.0 + 90.0 * uniform(), 60.0 + 22.0 * uniform());
        sun.dni = 800.0 + 100.0 * uniform();
        field_.set_sun(direction_to_sun(sun, scene_.scenario.position), sun.dni);
    }

    /// Tells the field what the configuration says of a heliostat, if it is active.
    void tell_aim(size_t heliostat) {
        for (const Aim& aim : resolve_aims(scene_.config.aim, scene_.scenario))
            if (aim.heliostat == heliostat) field_.set_aim(aim);
    }

    void move_aim() {
        const size_t heliostat = any_heliostat();
        HeliostatAim& aim = scene_.config.aim.heliostats[validation::mirror_name(heliostat)];
        aim.target = random_() % 3 == 0 ? "cylinder" : "receiver";
        if (!scene_.scenario.receivers.empty() && random_() % 2 == 0) aim.target = "tower";
        const double far = random_() % 4 == 0 ? 20.0 : 1.0;
        aim.point = Vec3{far * uniform(), 0.0, 23.0 + far * uniform()};
        aim.motor_positions.reset();
        tell_aim(heliostat);
    }

    void move_motors() {
        const size_t heliostat = any_heliostat();
        HeliostatAim& aim = scene_.config.aim.heliostats[validation::mirror_name(heliostat)];
        aim.motor_positions = {std::numbers::pi + 1.5 * uniform(), 0.8 + 0.7 * uniform()};
        tell_aim(heliostat);
    }

    void bend_mirror() {
        const size_t heliostat = any_heliostat();
        scene_.scenario.heliostats[heliostat].surface = bent_mirror(random_);
        field_.set_surface(heliostat, scene_.scenario.heliostats[heliostat].surface);
    }

    void switch_one() {
        const size_t heliostat = any_heliostat();
        std::vector<std::string>& active = *scene_.config.aim.active;
        const auto found =
            std::find(active.begin(), active.end(), validation::mirror_name(heliostat));
        if (found == active.end()) {
            active.push_back(validation::mirror_name(heliostat));
            tell_aim(heliostat);
        } else if (active.size() > 1) {
            active.erase(found);
            field_.set_inactive(heliostat);
        }
    }

    void change_optics() {
        OpticsConfig& optics = scene_.config.optics;
        optics.reflectivity = 0.9 + 0.05 * uniform();
        optics.slope_error = GaussianShape{(1.5 + uniform()) * 1e-3};
        if (random_() % 2 == 0) {
            scene_.config.sun.shape = BuieShape{0.05};
        } else {
            scene_.config.sun.shape = PillboxShape{4.65e-3};
        }
        field_.set_optics(*scene_.config.sun.shape, optics);
    }

    validation::Scene& scene_;
    physical::PreparedField& field_;
    std::mt19937& random_;
};

}  // namespace helioray::test
