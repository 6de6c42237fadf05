// SPDX-License-Identifier: MIT
// Typed access to one map of the configuration, which reports every wrong value with its place, and
// the functions that read the sections.
#pragma once

#include "scenario/config/key_table.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/types/choices.h"
#include "scenario/types/run_config.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// A map of the configuration, which may be absent. Getters return nothing for an absent key, and
/// for a wrong value, for which they add a problem; has() distinguishes the two. Limits, units and
/// examples come from the keys' declarations.
class Section {
  public:
    /// Creates the section for the top level of a document. Problems and warnings are added to the
    /// lists. Input files are relative to `base_dir`, or without it to the working directory. The
    /// lists, the table of the document's keys and `base_dir` must outlive all sections.
    Section(const YamlNode& root,
            std::vector<Problem>& problems,
            const std::vector<KeyInfo>& table = known_keys(),
            std::vector<std::string>* warnings = nullptr,
            const std::filesystem::path* base_dir = nullptr)
        : map_(&root),
          at_(root.at),
          problems_(&problems),
          warnings_(warnings),
          table_(&table),
          base_dir_(base_dir) {}

    bool has(const std::string& key) const { return find(key) != nullptr; }
    const YamlNode* find(const std::string& key) const { return map_ ? map_->find(key) : nullptr; }
    std::vector<std::string> keys() const;

    /// Returns the map under a key; an absent or empty one becomes a section without keys.
    Section section(const std::string& key) const;
    /// Returns the maps of a list, with paths "key[0]", "key[1]", ...; none if the list is absent
    /// or wrong.
    std::vector<Section> sections(const std::string& key) const;

    /// Returns the declaration of a key of this section; throws std::logic_error if there is none.
    const KeyInfo& declaration(const std::string& key) const;

    /// Reads a number within the declared limits.
    std::optional<double> number(const std::string& key) const;
    /// Reads a number within limits that differ from the declared ones.
    std::optional<double> number(const std::string& key, const Range& limits) const;
    /// Reads a number within the declared limits, converted from its unit to SI units; see
    /// unit_factor().
    std::optional<double> si_number(const std::string& key) const;
    std::optional<std::vector<double>> numbers(const std::string& key, size_t count) const;
    /// Reads a list of 1 to `most` numbers.
    std::optional<std::vector<double>> numbers_up_to(const std::string& key, size_t most) const;
    /// Reads a list of any number of pairs of numbers.
    std::optional<std::vector<std::array<double, 2>>> pairs(const std::string& key) const;
    /// Reads a whole number within the declared limits.
    std::optional<int64_t> integer(const std::string& key) const;
    std::optional<std::vector<int64_t>> integers(const std::string& key, size_t count) const;
    /// Reads a whole number from 0 to 2^64 - 1.
    std::optional<uint64_t> natural(const std::string& key) const;
    std::optional<bool> boolean(const std::string& key) const;
    /// Reads any text that is not empty.
    std::optional<std::string> text(const std::string& key) const;
    std::optional<std::vector<std::string>> texts(const std::string& key) const;

    /// Reads one of several words.
    template <typename T>
    std::optional<T> choice(const std::string& key, const Choices<T>& choices) const {
        const auto index = choice_index(key, list_words(choices));
        if (!index) return std::nullopt;
        return choices[*index].second;
    }
    /// Reads one of several words from a required key. `why` is the reason for messages.
    template <typename T>
    std::optional<T> required_choice(const std::string& key,
                                     const Choices<T>& choices,
                                     const std::string& why = "") const {
        if (!has(key)) fail_missing_choice(key, list_words(choices), why);
        return choice(key, choices);
    }

    /// Returns true if a key is present; otherwise adds a problem with the declared example. `why`
    /// is the reason for the message.
    bool require(const std::string& key, const std::string& why) const;
    /// Refuses keys that the chosen kind of this section ("type: gaussian") does not support;
    /// check_keys() reports unknown keys.
    void refuse_other_keys(const std::string& kind_key,
                           const std::vector<std::string>& taken) const;

    /// Returns "file:line:column: path.key" of the value; the section's own place if the key is
    /// absent or empty.
    std::string place(const std::string& key) const;
    /// Adds a problem at a key of this section.
    void fail(const std::string& key,
              const std::string& what,
              const std::string& why,
              const std::string& advice) const;
    /// Adds a problem at an item of a key's list.
    void fail_item(const std::string& key,
                   size_t item,
                   const std::string& what,
                   const std::string& why,
                   const std::string& advice) const;
    std::string key_path(const std::string& key) const;
    /// Returns the path of this section in the table of keys: "obstacles[]".
    const std::string& pattern() const { return pattern_; }
    /// Returns the path of an input file relative to the configuration's folder.
    std::filesystem::path resolve_input(const std::string& text) const;
    std::vector<Problem>& problems() const { return *problems_; }
    /// Adds a warning for users if the document's reader collects warnings.
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
          table_(above.table_),
          base_dir_(above.base_dir_) {}

    /// Returns the path of a key in the table, with "<name>" in place of names.
    std::string key_pattern(const std::string& key) const;
    void fail_missing_choice(const std::string& key,
                             const std::vector<std::string>& words,
                             const std::string& why) const;
    std::optional<size_t> choice_index(const std::string& key,
                                       const std::vector<std::string>& words) const;
    /// Returns the scalar under a key, or nothing. Adds a problem if the value has another kind.
    const YamlNode* scalar(const std::string& key, const std::string& expected) const;
    /// Returns the `count` scalars of a list (any number for 0), or nothing.
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
    std::string path_;     ///< path with the names and numbers of the document
    std::string pattern_;  ///< path in the table: "obstacles[]", "aim.heliostats.<name>"
    ConfigLocation at_;
    std::vector<Problem>* problems_;
    std::vector<std::string>* warnings_;
    const std::vector<KeyInfo>* table_;
    const std::filesystem::path* base_dir_;
};

/// Replaces a default by a value if there is one.
template <typename T, typename U>
void assign(T& target, std::optional<U> value) {
    if (value) target = std::move(*value);
}
template <typename T>
void assign(std::optional<T>& target, std::optional<T> value) {
    if (value) target = std::move(value);
}

// The functions below read one section of the configuration each. They get the top level section
// and fill their part of the configuration.

/// Returns the path of an existing input file that a key names. Returns nothing if the key is
/// absent, and adds a problem if there is no such file.
std::optional<std::filesystem::path> existing_file(const Section& section, const std::string& key);

/// Returns the path of a file to write, which must have one of the extensions, in upper or lower
/// case.
std::optional<std::filesystem::path> output_path(const Section& section,
                                                 const std::string& key,
                                                 const std::vector<std::string>& extensions);

/// Reads sections sun (with its table file), aim, optics. check_sun_position() reports a sun
/// without a position.
void read_sun(const Section& root, SunConfig& sun);
void check_sun_position(const Section& root, const SunConfig& sun);
/// Reads section sun.clouds with its file; returns nothing if that cannot be read.
std::optional<CloudConfig> read_clouds(const Section& section);
/// Reads rows "angle in mrad, relative radiance"; skips one header line, empty lines and comments
/// from '#' on. Angles must start at 0, ascend and stay within kSunWidths. Radiances must be
/// finite, not negative and not all zero. There must be at least two rows. Throws InputError with
/// all problems; their places are "file:line".
TableShape read_sun_table(const std::filesystem::path& file);
/// Reads the same points from the key `radiance` of section sun.shape. Returns nothing and adds
/// problems if they are not valid.
std::optional<TableShape> read_sun_points(const Section& shape);

/// Returns the problem of a step without irradiance (SunStep::dni_is_missing) while the sun is up.
Problem missing_dni(const SunStep& step);
/// Reads section aim with its file, whose rows become settings of heliostats with their own
/// locations.
void read_aim(const Section& root, RunConfig& config);
/// Reads section aiming. Tables of limits and target flux maps are read once the scenario is known.
void read_aiming(const Section& root, AimingConfig& aiming);
void read_optics(const Section& root, OpticsConfig& optics);

/// Reads section state with its table, and applies it to the aims if the state has one instant.
/// Sections sun, aim and optics must have been read.
void read_state(const Section& root, RunConfig& config);

/// Reads sections targets and obstacles.
void read_targets(const Section& root, std::map<std::string, TargetConfig>& targets);
void read_obstacles(const Section& root, std::vector<ObstacleConfig>& obstacles);

/// Reads section terrain with its file.
void read_terrain(const Section& root, TerrainConfig& terrain);
/// Reads the heights of a section terrain whose file and origin have been read.
void read_ground(const Section& section, TerrainConfig& terrain);

/// Reads section receivers.
void read_receivers(const Section& root, std::map<std::string, ReceiverConfig>& receivers);
/// Returns the keys of section receivers and below, in the order of the documentation.
std::vector<KeyInfo> receiver_keys();
/// Reads the keys of a receiver's type that is known, from a section of configurations or
/// templates, and checks its sizes. `others` are keys of the section that the caller reads.
void read_receiver_sizes(const Section& section,
                         const std::vector<std::string>& others,
                         ReceiverConfig& receiver);
/// Reads corners of an outline, counter-clockwise; empty if there are none or they are wrong.
Outline read_outline(const Section& section);
/// Reads a required point; `owner` names the body in messages.
Vec3 read_point(const Section& section, const std::string& key, const std::string& owner);
/// Reads a required direction of any length and normalises it.
Vec3 read_direction(const Section& section, const std::string& key, const std::string& owner);
/// Reads a required length in metres.
double read_length(const Section& section, const std::string& key, const std::string& owner);

/// Reads sections tracing, artist, bitmap.
void read_tracing(const Section& root, RunConfig& config);

/// Reads sections output and distributed, and the device. For `keeps_result` see Overrides.
void read_output(const Section& root, bool keeps_result, RunConfig& config);

/// Reads the width of a distribution whose type is known, in radians; adds a problem if it is
/// absent.
double read_width(const Section& section, const std::string& key);

}  // namespace helioray
