// SPDX-License-Identifier: MIT
// Receivers of listed surfaces.
#include "scenario/receivers/shapes.h"

namespace helioray {

ReceiverSurfaces make_surfaces(const std::string& name, const ReceiverConfig& config) {
    ReceiverSurfaces made;
    for (Target surface : config.surfaces) {
        surface.name = name + "_" + surface.name;
        surface.receiver = name;
        std::visit([&](auto& shape) { shape.center = add(shape.center, config.center); },
                   surface.geometry);
        made.targets.push_back(std::move(surface));
    }
    return made;
}

}  // namespace helioray
