// SPDX-License-Identifier: MIT
// Values that replace those of the configuration file: the command line's part of a run
// configuration.
#pragma once

#include "scenario/error.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

struct YamlNode;

/// Texts exactly as given on the command line. Options win over `set`, later entries of `set` over
/// earlier ones. All paths in them, input paths too, are relative to the working directory.
struct Overrides {
    std::vector<std::string>
        set;  ///< --set: "dotted.key=value", the value in YAML; null removes the key
    std::optional<std::string> scenario;  ///< --scenario
    std::optional<std::string> output;    ///< --output
    std::optional<std::string> image;     ///< --image
    std::optional<std::string> seed;      ///< --seed
    std::optional<std::string> device;    ///< --device
};

/// Writes the overrides into the tree, making maps where there are none. Input paths are rewritten
/// relative to `base_dir`, so that all input paths of the tree have one meaning. Adds a problem for
/// each one that cannot be applied.
void apply_overrides(YamlNode& root,
                     const Overrides& overrides,
                     const std::filesystem::path& base_dir,
                     std::vector<Problem>& problems);

}  // namespace helioray
