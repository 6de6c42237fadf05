// SPDX-License-Identifier: MIT
// Reads the sections of a field template. Internal to read_field_template.
#pragma once

#include "scenario/config/read_sections.h"
#include "scenario/field/field_template.h"

#include <fmt/format.h>

namespace helioray {

/// Reads sections of one template and notes what it assumes.
class TemplateReader {
  public:
    TemplateReader(const Section& root,
                   std::filesystem::path base_dir,
                   FieldUse use,
                   std::vector<std::string>& report)
        : root_(root), base_dir_(std::move(base_dir)), use_(use), report_(report) {}

    FieldTemplate read();

  private:
    static constexpr double kDegree = std::numbers::pi / 180.0;

    void assume(const std::string& text) { report_.push_back(text); }
    double required(const Section& section, const std::string& key, const Range& range);
    double optional(const Section& section,
                    const std::string& key,
                    const Range& range,
                    double value);
    static const KeyInfo* find_key(const std::string& path);
    void read_site(FieldTemplate& field);
    void read_tower(TowerTemplate& tower);
    void read_receiver(ReceiverTemplate& receiver);
    /// A length, or one of two words.
    std::optional<FocalChoice> focal_choice(const Section& section,
                                            const std::string& key,
                                            bool none_allowed);
    void read_heliostat(HeliostatTemplate& heliostat);
    void check_gaps(const Section& section, const HeliostatTemplate& heliostat);
    void read_layout(LayoutTemplate& layout, const TowerTemplate& tower);
    void read_rings(const Section& section, LayoutTemplate& layout);
    void read_bounds(const Section& section, LayoutTemplate& layout, const TowerTemplate& tower);
    void read_positions(const Section& section, LayoutTemplate& layout);

    const Section& root_;
    std::filesystem::path base_dir_;
    FieldUse use_;
    std::vector<std::string>& report_;
};

}  // namespace helioray
