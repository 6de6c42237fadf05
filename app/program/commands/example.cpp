// SPDX-License-Identifier: MIT
// The example command: lists the plants and configurations that come with HelioRay, and copies one.
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/files/text_file.h"

#ifdef HELIORAY_WHEEL
#include <dlfcn.h>
#endif
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::app {

namespace fs = std::filesystem;

namespace {

struct ExampleOptions {
    std::string name;
    std::string folder = ".";
};

/// Returns the folder of the examples, which lies beside that of the program; a build tree has a
/// link there. In a wheel it lies beside the extension of the Python package.
fs::path find_folder() {
#ifdef HELIORAY_WHEEL
    Dl_info extension{};
    dladdr(reinterpret_cast<void*>(&find_folder), &extension);
    fs::path folder = fs::path(extension.dli_fname).parent_path() / "examples";
#else
    fs::path folder =
        fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "share/helioray/configs";
#endif
    if (fs::is_directory(folder)) return folder;
    throw InputError(Problem{folder.string(),
                             "there is no such folder",
                             "it holds the examples",
                             "install HelioRay again, or copy configs/ of its sources there"});
}

/// Returns the files of the examples: configurations, templates and plants.
std::vector<fs::path> find_examples(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string ending = entry.path().extension().string();
        if (ending == ".yaml" || ending == ".h5") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

bool is_plant(const fs::path& file) {
    return file.extension() == ".h5";
}

/// Returns the first sentence of a configuration.
std::string describe(const fs::path& file) {
    if (is_plant(file)) return "A plant: helioray info " + file.filename().string();
    const std::string text = read_text_file(file, "it is an example");
    const std::string line = text.substr(0, text.find('\n'));
    const std::string sentence = line.substr(0, line.find(". ")) + (line.ends_with('.') ? "" : ".");
    return sentence.substr(std::min(sentence.size(), sentence.find_first_not_of("# ")));
}

YamlNode read_example(const fs::path& file) {
    return parse_yaml(read_text_file(file, "it is an example"), file.string());
}

/// Returns the plant of a configuration as a file name; nothing for templates and plants.
std::optional<std::string> plant_of(const fs::path& file) {
    if (is_plant(file)) return std::nullopt;
    const YamlNode root = read_example(file);
    const YamlNode* plant = root.find("scenario");
    if (!plant) return std::nullopt;
    return plant->text;
}

/// Returns the commands that begin with the copied files.
std::vector<std::string> next_commands(const fs::path& example, const fs::path& source) {
    const std::string name = example.string();
    if (is_plant(example)) return {"helioray info " + name};
    const auto plant = plant_of(source / example.filename());
    const auto generate = [&](const fs::path& field, const fs::path& made) {
        return fmt::format("helioray scenario generate {} -o {}", field.string(), made.string());
    };
    if (!plant) return {generate(example, fs::path(example).replace_extension(".h5"))};
    std::vector<std::string> commands;
    const fs::path made = example.parent_path() / *plant;
    if (!fs::exists(source / *plant))
        commands.push_back(generate(fs::path(made).replace_extension(".yaml"), made));
    const bool chooses_aims = read_example(source / example.filename()).find("aiming") != nullptr;
    commands.push_back(chooses_aims ? fmt::format("helioray aim {} -o aims.csv", name)
                                    : "helioray raytrace " + name);
    return commands;
}

bool have_same_bytes(const fs::path& first, const fs::path& second) {
    if (!fs::is_regular_file(second) || fs::file_size(first) != fs::file_size(second)) return false;
    std::ifstream one(first, std::ios::binary);
    std::ifstream other(second, std::ios::binary);
    const std::istreambuf_iterator<char> end;
    return std::equal(
        std::istreambuf_iterator<char>(one), end, std::istreambuf_iterator<char>(other), end);
}

/// Copies the files of an example: its own, and the plant of a configuration or the template that
/// generates this plant.
std::vector<fs::path> copy_example(const fs::path& example, const fs::path& folder) {
    std::vector<fs::path> files{example};
    if (const auto plant = plant_of(example)) {
        const fs::path beside = example.parent_path() / *plant;
        files.push_back(fs::exists(beside) ? beside : fs::path(beside).replace_extension(".yaml"));
    }
    std::vector<Problem> problems;
    std::vector<OutputFile> outputs;
    for (fs::path& file : files) {
        const fs::path target = folder / file.filename();
        outputs.push_back({target, fs::file_size(file)});
        // An earlier example has brought the same file along.
        if (fs::exists(target) && !have_same_bytes(file, target))
            problems.push_back({target.string(),
                                "exists",
                                "an example replaces no file",
                                "name another folder: -o FOLDER"});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
    check_outputs(outputs, files);
    std::vector<fs::path> copies;
    for (const fs::path& file : files) {
        AtomicFile copy(folder / file.filename());
        copy.copy(file);
        copy.commit();
        copies.push_back(folder / file.filename());
    }
    return copies;
}

int run(const ExampleOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    const fs::path source = find_folder();
    const std::vector<fs::path> examples = find_examples(source);
    if (options.name.empty()) {
        for (const fs::path& example : examples)
            fmt::print("  {:<12}{}\n", example.stem().string(), describe(example));
        return 0;
    }
    std::vector<std::string> names;
    for (const fs::path& example : examples) names.push_back(example.stem().string());
    const auto found = std::ranges::find(names, options.name);
    if (found == names.end())
        throw InputError(Problem{"example",
                                 fmt::format("there is no example '{}'", options.name),
                                 "",
                                 suggest(options.name, names)});
    const fs::path folder = options.folder == "." ? fs::path() : fs::path(options.folder);
    const fs::path& example = examples[static_cast<size_t>(found - names.begin())];
    for (const fs::path& file : copy_example(example, folder))
        fmt::print("wrote {}\n", file.string());
    for (const std::string& command : next_commands(folder / example.filename(), source))
        fmt::print("next: {}\n", command);
    return 0;
}

}  // namespace

void add_example(Command parent, Action& action) {
    const auto options = std::make_shared<ExampleOptions>();
    const Command command = parent.add_subcommand(
        "example", "List the example plants and configurations, or copy one to begin with");
    command.add_option("name", options->name, "Example to copy (default: list all)")
        .type_name("NAME");
    command.add_option("-o,--output", options->folder, "Folder for the copies (default: here)")
        .type_name("FOLDER");
    command.footer(
        "Examples:\n"
        "  helioray example\n"
        "  helioray example quickstart");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app
