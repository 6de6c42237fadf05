// SPDX-License-Identifier: MIT
// Checks receivers and finds their surfaces.
#include "scenario/types/receivers.h"

#include "scenario/types/type_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <type_traits>

namespace helioray {

namespace {

/// Part of a size by which corners on its edge may be outside because of rounding.
constexpr double kCornerSlack = 1e-6;

/// Returns true if a corner of an outline is within the rectangle.
bool is_within(const PlanarTarget& plane, const std::array<double, 2>& corner) {
    const double slack = kCornerSlack * (plane.width + plane.height);
    return std::abs(corner[0]) <= 0.5 * plane.width + slack &&
           std::abs(corner[1]) <= 0.5 * plane.height + slack;
}

/// Returns true if a corner of an outline is within the rim.
bool is_within(const QuadricTarget& quadric, const std::array<double, 2>& corner) {
    return std::hypot(corner[0], corner[1]) <= (1.0 + kCornerSlack) * quadric.radius;
}

/// Collects the broken rules of receivers and surfaces.
class ReceiverCheck {
  public:
    ReceiverCheck(std::vector<Target>& targets,
                  const std::vector<Receiver>& receivers,
                  const SurfacePlaces& places)
        : targets_(targets), receivers_(receivers), places_(places) {}

    std::vector<Problem> run() {
        check_names();
        for (Target& target : targets_) {
            check_group(target);
            if (target.absorption) check_absorption(target);
            if (target.use == SurfaceUse::mirror && !target.absorption)
                problems_.push_back({places_.target(target, "absorptance"),
                                     "is missing",
                                     "it is the part of the light that the mirror absorbs",
                                     "store 1 minus its reflectivity"});
            if (!target.outline.empty()) check_outline(target);
        }
        check_absorbers();
        check_copies();
        return std::move(problems_);
    }

  private:
    void check_names() {
        // Results and configurations identify targets by name only.
        std::map<std::string, const char*> names;
        for (const Target& target : targets_) {
            const char* kind =
                std::visit([](const auto& shape) { return shape.kKind; }, target.geometry);
            const auto [known, is_new] = names.emplace(target.name, kind);
            if (!is_new)
                problems_.push_back(
                    {places_.target(target, ""),
                     fmt::format("a {} target area has the same name", known->second),
                     "targets are known by name",
                     "rename one of them"});
        }
        for (const Receiver& receiver : receivers_) {
            if (!names.emplace(receiver.name, "").second)
                problems_.push_back({places_.receiver(receiver, ""),
                                     "a target or receiver has the same name",
                                     "heliostats aim at either by name",
                                     "rename one of them"});
        }
    }

    void check_group(const Target& target) {
        if (target.receiver.empty()) {
            check_alone(target);
            if (target.use != SurfaceUse::absorber)
                problems_.push_back(
                    {places_.target(target, "use"),
                     "is '" + to_string(target.use) + "', but the target belongs to no receiver",
                     target.use == SurfaceUse::shield
                         ? "a shield protects the surfaces of its receiver"
                         : "a mirror reflects to the surfaces of its receiver",
                     "name its receiver"});
            return;
        }
        std::vector<std::string> names;
        for (const Receiver& receiver : receivers_) names.push_back(receiver.name);
        if (std::find(names.begin(), names.end(), target.receiver) != names.end()) return;
        problems_.push_back({places_.target(target, "receiver"),
                             fmt::format("there is no receiver '{}'", target.receiver),
                             "",
                             suggest(target.receiver, names)});
    }

    void check_alone(const Target& target) {
        std::visit(
            [&](const auto& shape) {
                if (shape.kStandsAlone) return;
                problems_.push_back(
                    {places_.target(target, "receiver"),
                     "is missing",
                     fmt::format("{} targets are surfaces of receivers", shape.kKind),
                     "name its receiver"});
            },
            target.geometry);
    }

    void check_absorption(const Target& target) {
        if (target.receiver.empty() || target.use == SurfaceUse::shield) {
            problems_.push_back({places_.target(target, "absorptance"),
                                 target.receiver.empty() ? "the target belongs to no receiver"
                                                         : "the surface is a shield",
                                 "only absorbing surfaces and mirrors of receivers reflect light",
                                 "remove its absorptance"});
        } else if (const auto fault = find_absorption_fault(*target.absorption)) {
            problems_.push_back(
                {places_.target(target, fault->member), fault->what, fault->why, fault->advice});
        }
    }

    void check_outline(Target& target) {
        const std::string place = places_.target(target, "outline");
        const auto* plane = std::get_if<PlanarTarget>(&target.geometry);
        const auto* quadric = std::get_if<QuadricTarget>(&target.geometry);
        const bool is_mirror = quadric && target.use == SurfaceUse::mirror;
        if (!plane && !is_mirror) {
            problems_.push_back({place,
                                 "is neither on a plane nor on a curved mirror",
                                 "outlines restrict planes, and mirrors that are conics",
                                 "remove it"});
            return;
        }
        if (is_mirror && quadric->inner_radius > 0.0) {
            problems_.push_back({place,
                                 "is on a mirror with a hole",
                                 "a mirror has a hole or an outline",
                                 "remove one of them"});
            return;
        }
        if (!kOutlineCorners.contains(static_cast<double>(target.outline.size()))) {
            problems_.push_back({place,
                                 fmt::format("has {} corners", target.outline.size()),
                                 "",
                                 fmt::format("give {} corners", kOutlineCorners.text())});
            return;
        }
        if (const auto fault = make_convex(target.outline)) {
            const std::string corner = fault->corner ? fmt::format("[{}]", *fault->corner) : "";
            problems_.push_back({place + corner, fault->what, fault->why, fault->advice});
            return;
        }
        for (size_t i = 0; i < target.outline.size(); ++i) {
            if (plane ? is_within(*plane, target.outline[i])
                      : is_within(*quadric, target.outline[i]))
                continue;
            const std::string whole = plane ? "rectangle" : "rim";
            problems_.push_back({fmt::format("{}[{}]", place, i),
                                 "is outside of the " + whole,
                                 "the outline restricts it",
                                 fmt::format("make the {} as large as the outline", whole)});
            return;
        }
    }

    void check_absorbers() {
        for (const Receiver& receiver : receivers_) {
            const bool absorbs =
                std::any_of(targets_.begin(), targets_.end(), [&](const Target& target) {
                    return target.receiver == receiver.name && target.use == SurfaceUse::absorber;
                });
            if (absorbs) continue;
            problems_.push_back({places_.receiver(receiver, ""),
                                 "has no absorbing surface",
                                 "a receiver absorbs light",
                                 "give it a surface whose use is absorber"});
        }
    }

    /// Refuses surfaces that are the same as another one, because neither would be hit first.
    /// Surfaces without area have a problem already.
    void check_copies() {
        for (size_t i = 0; i < targets_.size(); ++i) {
            if (targets_[i].receiver.empty() || !(surface_area(targets_[i]) > 0.0)) continue;
            for (size_t j = 0; j < i; ++j) {
                if (targets_[j].receiver.empty() || targets_[i].geometry != targets_[j].geometry ||
                    targets_[i].outline != targets_[j].outline)
                    continue;
                problems_.push_back({places_.target(targets_[i], ""),
                                     fmt::format("is the same surface as '{}'", targets_[j].name),
                                     "a ray meets only one of them",
                                     "remove one of them"});
                break;
            }
        }
    }

    std::vector<Target>& targets_;
    const std::vector<Receiver>& receivers_;
    const SurfacePlaces& places_;
    std::vector<Problem> problems_;
};

/// Returns the outward unit normal of the lit side at the default aim point for `from`.
Vec3 facing_normal(const Target& target, const Vec3& from) {
    return std::visit(
        [&]<typename Shape>(const Shape& shape) -> Vec3 {
            if constexpr (Shape::kIsFlat) {
                return shape.normal;
            } else if constexpr (std::is_same_v<Shape, MeshTarget>) {
                // Some triangles of a body face every heliostat.
                const Vec3 way = subtract(from, shape.center);
                return norm(way) > 0.0 ? normalized(way) : shape.normal;
            } else {
                return lit_normal(shape, default_aim_point(shape, from));
            }
        },
        target.geometry);
}

}  // namespace

std::vector<Problem> check_receivers(std::vector<Target>& targets,
                                     const std::vector<Receiver>& receivers,
                                     const SurfacePlaces& places) {
    return ReceiverCheck(targets, receivers, places).run();
}

const MeshTarget* find_mesh(const std::vector<Target>& targets) {
    for (const Target& target : targets)
        if (const auto* mesh = std::get_if<MeshTarget>(&target.geometry)) return mesh;
    return nullptr;
}

const MeshTarget* find_triangles(const Target& target) {
    const auto* mesh = std::get_if<MeshTarget>(&target.geometry);
    return mesh != nullptr && mesh->triangles ? mesh : nullptr;
}

std::vector<size_t> find_surfaces(const std::vector<Target>& targets, const std::string& receiver) {
    std::vector<size_t> found;
    for (size_t i = 0; i < targets.size(); ++i)
        if (!receiver.empty() && targets[i].receiver == receiver) found.push_back(i);
    std::stable_sort(found.begin(), found.end(), [&](size_t a, size_t b) {
        return targets[a].name < targets[b].name;
    });
    return found;
}

double surface_area(const Target& target) {
    if (const auto* quadric = std::get_if<QuadricTarget>(&target.geometry))
        return target.outline.empty() ? shape_area(*quadric) : shape_area(*quadric, target.outline);
    if (!target.outline.empty()) return outline_area(target.outline);
    return std::visit(
        []<typename Shape>(const Shape& shape) {
            if constexpr (Shape::kIsFlat) {
                return shape_area(shape);
            } else {
                // The pixels of unrolled maps have the areas of the surface.
                const auto [width, height] = shape_extent(shape);
                return width * height;
            }
        },
        target.geometry);
}

std::optional<size_t> facing_surface(const std::vector<Target>& targets,
                                     const std::vector<size_t>& surfaces,
                                     const Vec3& from) {
    std::optional<size_t> best;
    double largest = 0.0;
    for (const size_t index : surfaces) {
        const Target& target = targets[index];
        if (target.use != SurfaceUse::absorber) continue;
        const Vec3 way = subtract(from, default_aim_point(target, from));
        const double cosine = dot(facing_normal(target, from), way) / std::max(norm(way), 1e-300);
        if (best && !(cosine > largest)) continue;
        best = index;
        largest = cosine;
    }
    return best;
}

Vec3 receiver_aim_point(const std::vector<Target>& targets,
                        const Receiver& receiver,
                        const Vec3& from) {
    if (receiver.aim_point) return *receiver.aim_point;
    const auto surface = facing_surface(targets, find_surfaces(targets, receiver.name), from);
    if (!surface) throw std::invalid_argument("receiver " + receiver.name + " absorbs nothing");
    return default_aim_point(targets[*surface], from);
}

}  // namespace helioray
