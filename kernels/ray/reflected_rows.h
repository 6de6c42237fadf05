// SPDX-License-Identifier: MIT
// Rays that surfaces of receivers reflect, in memory, and the rays that carry the light of others.
#pragma once

#include "kernels/ray/reflection.h"

namespace helioray::kernels {

/// Number of rays of a block at which they are followed. Many are better: they become fewer with
/// every reflection.
inline constexpr int kManyReflected = 256;

/// Light that has met a surface and is about to leave it, one ray in each lane.
template <typename Real>
struct ReflectedLight {
    Vec<Real> point;                            ///< hit, shared frame
    Vec<Real> direction;                        ///< unit direction of the light that arrives
    typename LaneTraits<Real>::Int surface;     ///< index into FieldView::surfaces
    typename LaneTraits<Real>::Int pixel;       ///< pixel of the hit in the map of the surface
    typename LaneTraits<Real>::Int quanta;      ///< reflected power; 0 in empty lanes
    typename LaneTraits<Real>::Uint low, high;  ///< number of the ray among those of its heliostat
};

/// Reflected light of several rays in memory, see ReflectedLight.
template <int kCapacity>
struct ReflectedRows {
    alignas(64) float numbers[6][kCapacity] = {};  ///< points and directions
    alignas(64) int32_t surface[kCapacity] = {};
    alignas(64) int32_t pixel[kCapacity] = {};
    alignas(64) int32_t quanta[kCapacity] = {};
    alignas(64) uint32_t low[kCapacity] = {};
    alignas(64) uint32_t high[kCapacity] = {};

    template <typename Lanes>
    HELIORAY_HD void read(int first, ReflectedLight<Lanes>& light) const {
        const auto row = [&](int k) { return load(numbers[k] + first, Lanes()); };
        const auto bits = [&](const int32_t* from) {
            return bits_of(load(reinterpret_cast<const uint32_t*>(from) + first, Lanes()));
        };
        light.point = {row(0), row(1), row(2)};
        light.direction = {row(3), row(4), row(5)};
        light.surface = bits(surface);
        light.pixel = bits(pixel);
        light.quanta = bits(quanta);
        light.low = load(low + first, Lanes());
        light.high = load(high + first, Lanes());
    }
    template <typename Lanes>
    HELIORAY_HD void write(int first, const ReflectedLight<Lanes>& light) {
        store(numbers[0] + first, light.point.x);
        store(numbers[1] + first, light.point.y);
        store(numbers[2] + first, light.point.z);
        store(numbers[3] + first, light.direction.x);
        store(numbers[4] + first, light.direction.y);
        store(numbers[5] + first, light.direction.z);
        store(surface + first, light.surface);
        store(pixel + first, light.pixel);
        store(quanta + first, light.quanta);
        store(low + first, light.low);
        store(high + first, light.high);
    }
    /// Copies ray `from` of other rows to `to`, with other quanta.
    template <int kOther>
    HELIORAY_HD void copy(const ReflectedRows<kOther>& other, int from, int to, int32_t power) {
        for (int k = 0; k < 6; ++k) numbers[k][to] = other.numbers[k][from];
        surface[to] = other.surface[from];
        pixel[to] = other.pixel[from];
        quanta[to] = power;
        low[to] = other.low[from];
        high[to] = other.high[from];
    }
};

/// Equal parts of the light of a group of rays, each of which one ray carries on.
struct CarrierParts {
    uint32_t total;  ///< light of the group, quanta, above 0
    uint32_t begin;  ///< light of the parts before this one
    uint32_t left;   ///< number of parts from this one on

    /// lit: number of rays with light.
    HELIORAY_HD CarrierParts(uint32_t quanta, int32_t lit, int32_t rays_per_carrier)
        : total(quanta), begin(0) {
        // No carrier has more quanta, so that the sums of a group and of a vector fit in 32 bits.
        constexpr uint32_t kMostQuanta = 1u << 26;
        const auto wanted = static_cast<uint32_t>((lit + rays_per_carrier - 1) / rays_per_carrier);
        const uint32_t needed = (total - 1) / kMostQuanta + 1;
        left = wanted > needed ? wanted : needed;
    }
    /// Returns the light of this part, which may be 0.
    HELIORAY_HD uint32_t size() const { return (total - begin) / left; }
    /// Returns the position in the light of the group that falls to the carrier.
    HELIORAY_HD uint32_t position(uint32_t random) const {
        return begin + static_cast<uint32_t>(static_cast<uint64_t>(size()) * random >> 32);
    }
    HELIORAY_HD void advance() {
        begin += size();
        --left;
    }
};

/// Moves light to the points of its surfaces and turns it into the direction in which it goes on.
template <typename Real, bool has_meshes>
HELIORAY_HD void reflect(const BasicReflectingSurfaces<has_meshes>& surfaces,
                         const PhiloxWords<Real>& random,
                         ReflectedLight<Real>& light) {
    const Vec<Real> normal =
        surfaces.settle(light.surface, light.pixel, light.direction, light.point);
    light.direction = reflected_direction(
        light.direction,
        normal,
        surfaces.optic(&SurfaceOptics::specular_fraction, light.surface, normal.x),
        surfaces.has_mirrors()
            ? surfaces.optic(&SurfaceOptics::slope_width, light.surface, normal.x)
            : Real(0.0f),
        random);
}

/// Returns the stream of random numbers of a reflection; bounce: number of reflections before it.
HELIORAY_HD StreamTag reflection_tag(uint32_t bounce) {
    return static_cast<StreamTag>(static_cast<uint32_t>(StreamTag::reflection) + bounce);
}

}  // namespace helioray::kernels
