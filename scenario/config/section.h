// SPDX-License-Identifier: MIT
// Typed access to one map of the configuration, where every wrong value becomes a problem that says
// where and what, and the functions that read its sections.
#pragma once

#include "scenario/config/choices.h"
#include "scenario/config/key_table.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/error.h"
#include "scenario/run_config.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// Finite or not, but a whole text that is a number ("1e6", "-.5", ".inf"); nothing otherwise.
std::optional<double> parse_number(const std::string& text);

/// A map, or its absence. Getters return nothing both for an absent key and for a wrong value (then
/// with a problem); has() tells the two apart. Limits, units and examples are those of the keys'
/// declarations.
class Section {
  public:
    /// The top level of a document. Problems and warnings go to the lists, which must outlive all
    /// sections, as must the table of the document's keys.
    Section(const YamlNode& root,
            std::vector<Problem>& problems,
            const std::vector<KeyInfo>& table = known_keys(),
            std::vector<std::string>* warnings = nullptr)
        : map_(&root), at_(root.at), problems_(&problems), warnings_(warnings), table_(&table) {}

    bool has(const std::string& key) const { return find(key) != nullptr; }
    const YamlNode* find(const std::string& key) const { return map_ ? map_->find(key) : nullptr; }
    std::vector<std::string> keys() const;

    /// The map under a key; an absent or empty one reads as a section without keys.
    Section section(const std::string& key) const;
    /// The maps of a list, with paths "key[0]", "key[1]", ...; none where it is absent or wrong.
    std::vector<Section> sections(const std::string& key) const;

    /// The declaration of a key of this section; throws std::logic_error where there is none.
    const KeyInfo& declaration(const std::string& key) const;

    /// A number within the declared limits.
    std::optional<double> number(const std::string& key) const;
    /// A number within other limits than the declared ones.
    std::optional<double> number(const std::string& key, const Range& limits) const;
    /// A number within the declared limits, from its unit (deg, mrad) to radians.
    std::optional<double> radians(const std::string& key) const;
    std::optional<std::vector<double>> numbers(const std::string& key, size_t count) const;
    /// From 1 to `most` numbers.
    std::optional<std::vector<double>> numbers_up_to(const std::string& key, size_t most) const;
    /// A list of pairs of numbers; any number of them.
    std::optional<std::vector<std::array<double, 2>>> pairs(const std::string& key) const;
    /// Whole numbers within the declared limits.
    std::optional<int64_t> integer(const std::string& key) const;
    std::optional<std::vector<int64_t>> integers(const std::string& key, size_t count) const;
    /// A whole number from 0 to 2^64 - 1.
    std::optional<uint64_t> natural(const std::string& key) const;
    std::optional<bool> boolean(const std::string& key) const;
    /// Any text that is not empty.
    std::optional<std::string> text(const std::string& key) const;
    std::optional<std::vector<std::string>> texts(const std::string& key) const;

    /// One of several words.
    template <typename T>
    std::optional<T> choice(const std::string& key, const Choices<T>& choices) const {
        const auto index = choice_index(key, words_of(choices));
        if (!index) return std::nullopt;
        return choices[*index].second;
    }
    /// The same of a key that has to be there. `why`: reason for messages.
    template <typename T>
    std::optional<T> required_choice(const std::string& key,
                                     const Choices<T>& choices,
                                     const std::string& why = "") const {
        if (!has(key)) fail_missing_choice(key, words_of(choices), why);
        return choice(key, choices);
    }

    /// Whether a key is there; if not, a problem with the declared example. `why`: the reason.
    bool require(const std::string& key, const std::string& why) const;
    /// Refuses keys that the chosen kind of this section ("type: gaussian") does not take; unknown
    /// ones are left to check_keys().
    void refuse_other_keys(const std::string& kind_key,
                           const std::vector<std::string>& taken) const;

    /// "file:line:column: path.key" of the value; the section's own place where the key is absent;
    /// for an empty key the place of the section itself.
    std::string place(const std::string& key) const;
    /// Adds a problem at a key of this section.
    void fail(const std::string& key,
              const std::string& what,
              const std::string& why,
              const std::string& advice) const;
    /// The same at an item of a key's list.
    void fail_item(const std::string& key,
                   size_t item,
                   const std::string& what,
                   const std::string& why,
                   const std::string& advice) const;
    std::string path_of(const std::string& key) const;
    std::vector<Problem>& problems() const { return *problems_; }
    /// Adds a remark for users, where the document's reader takes them.
    void warn(const std::optional<std::string>& warning) const {
        if (warning && warnings_) warnings_->push_back(*warning);
    }

  private:
    Section(const YamlNode* map, std::string path, std::string pattern, const Section& above)
        : map_(map),
          path_(std::move(path)),
          pattern_(std::move(pattern)),
          at_(map ? map->at : above.at_),
          problems_(above.problems_),
          warnings_(above.warnings_),
          table_(above.table_) {}

    /// Path of a key in the table, where names stand as "<name>".
    std::string pattern_of(const std::string& key) const;
    void fail_missing_choice(const std::string& key,
                             const std::vector<std::string>& words,
                             const std::string& why) const;
    std::optional<size_t> choice_index(const std::string& key,
                                       const std::vector<std::string>& words) const;
    /// The scalar under a key, or nothing (with a problem when the value has another kind).
    const YamlNode* scalar(const std::string& key, const std::string& expected) const;
    /// The `count` scalars of a list (any number for 0), or nothing.
    const YamlNode* list(const std::string& key, size_t count, const std::string& expected) const;
    std::optional<double> finite(const YamlNode& node, const std::string& path) const;
    std::optional<int64_t> whole(const YamlNode& node,
                                 const std::string& path,
                                 const Range& limits) const;
    void fail_at(const YamlNode& node,
                 const std::string& path,
                 const std::string& what,
                 const std::string& why,
                 const std::string& advice) const;

    const YamlNode* map_;
    std::string path_;     ///< with the names and numbers of the document
    std::string pattern_;  ///< as the table has it: "obstacles[]", "aim.heliostats.<name>"
    ConfigLocation at_;
    std::vector<Problem>* problems_;
    std::vector<std::string>* warnings_;
    const std::vector<KeyInfo>* table_;
};

/// Replaces a default by a value that was given.
template <typename T, typename U>
void assign(T& target, std::optional<U> value) {
    if (value) target = std::move(*value);
}

// One function for each section of the configuration. Each reads below the top level section and
// fills its part.

/// Input path relative to the configuration's folder.
std::filesystem::path resolve_input(const std::filesystem::path& base_dir, const std::string& text);

/// The same of the file that a key names; a problem, and nothing, where there is none or the key is
/// absent.
std::optional<std::filesystem::path> existing_file(const Section& section,
                                                   const std::string& key,
                                                   const std::filesystem::path& base_dir);

/// Sections sun (with its table file), aim, optics. A sun without a position is for
/// check_sun_position() to refuse.
void read_sun(const Section& root, const std::filesystem::path& base_dir, SunConfig& sun);
void check_sun_position(const Section& root, const SunConfig& sun);
/// Section sun.clouds with its file; nothing where that cannot be read.
std::optional<CloudConfig> read_clouds(const Section& section,
                                       const std::filesystem::path& base_dir);
/// Reads rows "angle in mrad, relative radiance"; one header line, empty lines and comments from
/// '#' on are skipped. Angles must start at 0, ascend and stay within kSunWidths; radiances
/// must be finite, not negative and not all zero; at least two rows. Throws InputError with every
/// problem; places are "file:line".
TableShape read_sun_table(const std::filesystem::path& file);

/// The problem of a step without irradiance (SunStep::dni_is_missing) while the sun is up.
Problem missing_dni(const SunStep& step);
/// Section aim with its file, whose rows become settings of heliostats with their own locations.
void read_aim(const Section& root, const std::filesystem::path& base_dir, RunConfig& config);
/// Section aiming; tables of limits and wanted maps are read once the scenario is known.
void read_aiming(const Section& root, const std::filesystem::path& base_dir, AimingConfig& aiming);
void read_optics(const Section& root, OpticsConfig& optics);

/// Sections targets and obstacles.
void read_targets(const Section& root, std::map<std::string, TargetConfig>& targets);
void read_obstacles(const Section& root, std::vector<ObstacleConfig>& obstacles);

/// Sections tracing, artist, bitmap.
void read_tracing(const Section& root, RunConfig& config);

/// Sections output and distributed, and device.
/// keeps_result: see Overrides.
void read_output(const Section& root, bool keeps_result, RunConfig& config);

/// The width of a distribution whose type is known, in radians; a problem where it is absent.
double read_width(const Section& section, const std::string& key);

}  // namespace helioray
