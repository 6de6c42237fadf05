// SPDX-License-Identifier: MIT
// Removes keys from the tree of a configuration.
#include "scenario/config/determining_text.h"

#include "scenario/config/yaml_tree.h"

#include <fmt/format.h>

#include <vector>

namespace helioray {

namespace {

void erase(YamlNode* map, const std::string& key) {
    if (map) std::erase_if(map->entries, [&](const YamlEntry& entry) { return entry.key == key; });
}

}  // namespace

std::string determining_text(const RunConfig& config) {
    YamlNode root = parse_yaml(config.text, "configuration");
    for (const char* key : {"scenario", "device", "distributed"}) erase(&root, key);
    for (const char* key : {"file", "image"}) erase(root.find("output"), key);
    YamlNode* sun = root.find("sun");
    if (config.sun.series) {
        for (const char* key : {"azimuth_deg",
                                "elevation_deg",
                                "time",
                                "incident_direction",
                                "times",
                                "positions",
                                "file",
                                "dni_w_m2"}) {
            erase(sun, key);
        }
    }
    if (YamlNode* shape = sun ? sun->find("shape") : nullptr) erase(shape, "file");

    std::string text = emit_yaml(root);
    if (!config.sun.shape) return text;
    if (const auto* table = std::get_if<TableShape>(&*config.sun.shape)) {
        for (size_t i = 0; i < table->angle.size(); ++i)
            text += fmt::format("{} {}\n", table->angle[i], table->radiance[i]);
    }
    return text;
}

}  // namespace helioray
