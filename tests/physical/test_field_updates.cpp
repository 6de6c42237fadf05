// SPDX-License-Identifier: MIT
// A field that followed changes is the field that would be made anew: all integer sums, forward and
// backward, after hundreds of random sequences of changes.
#include "kernels/trace_flux.h"
#include "kernels/trace_flux_backward.h"
#include "raytracer/physical/prepared_field.h"
#include "raytracer/physical/sums.h"
#include "raytracer/physical/traced_field.h"
#include "raytracer/validation/scene.h"
#include "scenario/vector_math.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <random>
#include <thread>

using namespace helioray;
using namespace helioray::physical;
using namespace helioray::validation;

namespace {

constexpr size_t kHeliostats = 24;

/// A mirror of two B-spline facets that is bent at random.
std::shared_ptr<const Surface> bent_mirror(std::mt19937& random) {
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
Scene dense_scene(std::mt19937& random) {
    std::vector<Mirror> mirrors;
    for (size_t i = 0; i < kHeliostats; ++i) {
        Mirror mirror;
        mirror.position = {-16.0 + 6.5 * static_cast<double>(i % 6),
                           30.0 + 7.0 * static_cast<double>(i / 6),
                           2.0};
        mirror.width = 5.0;
        mirror.height = 5.0;
        mirrors.push_back(mirror);
    }
    Scene scene = make_scene(mirrors,
                             {{0, 0, 35}, {0, 1, -0.2}, 6.0, 6.0},
                             sun_at(160.0, 60.0),
                             GaussianShape{2.35e-3},
                             GaussianShape{1e-3});
    CylindricalTarget cylinder;
    cylinder.center = {0, 0, 45};
    cylinder.normal = {0, 1, 0};
    cylinder.axis = {0, 0, 1};
    cylinder.radius = 3.0;
    cylinder.height = 6.0;
    cylinder.opening_angle = 2.0 * std::numbers::pi;
    scene.scenario.targets.push_back({"cylinder", cylinder});
    for (size_t i = 0; i < kHeliostats; i += 3)
        scene.scenario.heliostats[i].surface = bent_mirror(random);
    scene.config.tracing.rays_per_heliostat = 256;
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.bitmap = {20, 24, Filter::bilinear};
    scene.config.output.per_heliostat = true;
    scene.config.aim.active.emplace();
    for (size_t i = 0; i + 4 < kHeliostats; ++i)
        scene.config.aim.active->push_back(mirror_name(i));
    return scene;
}

/// Changes a field, and the scene that the same field would be made of anew.
class Changes {
  public:
    Changes(Scene& scene, PreparedField& field, std::mt19937& random)
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
    size_t any_heliostat() { return random_() % kHeliostats; }

    void move_sun() {
        SunConfig& sun = scene_.config.sun;
        sun.position = sun_at(180.0 + 90.0 * uniform(), 55.0 + 25.0 * uniform());
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
        HeliostatAim& aim = scene_.config.aim.heliostats[mirror_name(heliostat)];
        aim.target = random_() % 3 == 0 ? "cylinder" : "receiver";
        const double far = random_() % 4 == 0 ? 20.0 : 1.0;
        aim.point = Vec3{far * uniform(), 0.0, 40.0 + far * uniform()};
        aim.motor_positions.reset();
        tell_aim(heliostat);
    }

    void move_motors() {
        const size_t heliostat = any_heliostat();
        HeliostatAim& aim = scene_.config.aim.heliostats[mirror_name(heliostat)];
        aim.motor_positions = {std::numbers::pi + 0.4 * uniform(), 0.9 + 0.3 * uniform()};
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
        const auto found = std::find(active.begin(), active.end(), mirror_name(heliostat));
        if (found == active.end()) {
            active.push_back(mirror_name(heliostat));
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

    Scene& scene_;
    PreparedField& field_;
    std::mt19937& random_;
};

std::vector<int64_t> traced(const Field& field, int num_threads) {
    const SumsLayout layout{std::ssize(field.targets()),
                            std::ssize(field.aimed()),
                            field.settings().bitmap.height,
                            field.settings().bitmap.width,
                            false};
    std::vector<int64_t> sums(static_cast<size_t>(layout.total_size()), 0);
    kernels::CpuOptions options;
    options.num_threads = num_threads;
    const auto& units = field.plan().units;
    kernels::trace_flux_cpu(field.view(),
                            units.data(),
                            std::ssize(units),
                            sums_view(layout, sums.data()),
                            options);
    sums[static_cast<size_t>(layout.rays_index())] = field.num_rays();
    return sums;
}

/// Derivatives of a loss in quanta: by heliostat, then by control point, heliostat by heliostat.
std::vector<int64_t> derivatives(const Field& field, int num_threads) {
    const kernels::FieldView view = field.view();
    const auto pixels = static_cast<size_t>(view.bitmap_width) * view.bitmap_height;
    std::vector<float> gradient(static_cast<size_t>(view.num_targets) * pixels);
    for (size_t p = 0; p < gradient.size(); ++p)
        gradient[p] = static_cast<float>(p % 17) / 17.0f - 0.4f;
    const auto& units = field.plan().units;
    const kernels::GradientScale scale =
        kernels::gradient_scale(view, units.data(), std::ssize(units), 1.0f);
    std::vector<int64_t> sums(
        static_cast<size_t>(view.num_heliostats) * kernels::kNumHeliostatGradients, 0);
    std::vector<int64_t> floats(field.facets().floats().size(), 0);
    kernels::CpuOptions options;
    options.num_threads = num_threads;
    kernels::trace_flux_backward_cpu(view,
                                     units.data(),
                                     std::ssize(units),
                                     gradient.data(),
                                     scale,
                                     {sums.data(), floats.data()},
                                     options);
    for (const kernels::HeliostatRecord& record : field.heliostats()) {
        for (int32_t f = 0; f < record.num_facets; ++f) {
            const kernels::FacetRecord& facet =
                field.facets().facets()[static_cast<size_t>(record.first_facet + f)];
            if (facet.kind != kernels::FacetKind::bspline) continue;
            const auto first = floats.begin() + facet.control_points;
            sums.insert(sums.end(),
                        first,
                        first + 3 * facet.num_control_points[0] * facet.num_control_points[1]);
        }
    }
    return sums;
}

struct Counts {
    size_t updates = 0;
    size_t partial = 0;  ///< updates that did not concern everybody
    size_t traced = 0;   ///< heliostats in these
    size_t active = 0;   ///< heliostats that a trace of the whole field would have taken
};

/// One sequence of changes, compared after every update.
void follow(unsigned seed, Counts& counts) {
    std::mt19937 random(seed);
    Scene scene = dense_scene(random);
    PreparedField prepared(scene.config, scene.scenario);
    TracedField sums(prepared.field());
    kernels::CpuOptions options;
    sums.follow({true, {}}, options);
    Changes changes(scene, prepared, random);
    for (int update = 0; update < 6; ++update) {
        const size_t before = random() % 3;
        for (size_t i = 0; i <= before; ++i) changes.make_one();
        const int num_threads = 1 + static_cast<int>(random() % 3);
        const FieldUpdate changed = prepared.update(num_threads);
        options.num_threads = num_threads;
        const size_t num_traced = sums.follow(changed, options);
        ++counts.updates;
        if (!changed.everything) {
            ++counts.partial;
            counts.traced += num_traced;
            counts.active += prepared.field().aimed().size();
        }

        const PreparedField anew(scene.config, scene.scenario);
        CAPTURE(seed, update, num_threads, changed.everything);
        const std::vector<int64_t> expected = traced(anew.field(), 1);
        REQUIRE(traced(prepared.field(), num_threads) == expected);
        REQUIRE(sums.sums() == expected);
        REQUIRE(derivatives(prepared.field(), num_threads) == derivatives(anew.field(), 1));
        REQUIRE(prepared.field().quanta_per_watt() == anew.field().quanta_per_watt());
    }
}

}  // namespace

TEST_CASE("a field that follows changes equals one made anew") {
    Counts counts;
    for (unsigned seed = 0; seed < 100; ++seed) follow(seed, counts);
    CHECK(counts.updates == 600);
    // The comparison says something about parts of a field, and parts are smaller than the whole.
    CHECK(counts.partial > 200);
    CHECK(2 * counts.traced < counts.active);
}

TEST_CASE("two fields follow changes on two threads at once") {
    std::vector<Counts> counts(2);
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < 2; ++t)
            threads.emplace_back([t, &counts] { follow(1000 + t, counts[t]); });
    }
    CHECK(counts[0].updates + counts[1].updates == 12);
}
