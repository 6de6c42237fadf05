// SPDX-License-Identifier: MIT
// Reads an input file line by line.
#include "scenario/import/soltrace/stinput.h"

#include "scenario/files/foreign_file.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"
#include "scenario/files/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

namespace helioray::soltrace {

std::string Project::where(int line) const {
    return line > 0 ? fmt::format("{}:{}", file, line) : file;
}

namespace {

using Cells = std::vector<std::string>;

constexpr size_t kElementCells = 29;
constexpr size_t kOpticCells = 15;

Cells split(const std::string& line, char delimiter) {
    Cells cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, delimiter);) cells.push_back(trimmed(cell));
    return cells;
}

Cells split_words(const std::string& line) {
    Cells words;
    std::istringstream stream(line);
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

class Reader {
  public:
    Reader(const std::string& bytes, std::string name) {
        project_.file = std::move(name);
        std::string text = without_byte_order_mark(bytes);
        // Old Macintosh programs use these line ends.
        if (text.find('\n') == std::string::npos) std::ranges::replace(text, '\r', '\n');
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);) lines_.push_back(line);
    }

    Project read() {
        // If the structure is lost, the following lines cannot be interpreted.
        log_.attempt([&] {
            read_version();
            read_sun();
            read_optics();
            read_stages();
            read_rest();
        });
        log_.throw_if_any();
        return std::move(project_);
    }

  private:
    int line_number() const { return static_cast<int>(at_); }  // number of the last line read
    std::string here() const { return project_.where(line_number()); }

    [[noreturn]] void lost(const std::string& what, const std::string& expected) const {
        throw InputError(Problem{here(),
                                 what,
                                 "the file does not follow SolTrace's format from here on",
                                 "expected " + expected});
    }

    std::string next(const std::string& expected) {
        if (at_ >= lines_.size()) {
            ++at_;
            throw InputError(Problem{project_.file,
                                     fmt::format("ends after {} lines", lines_.size()),
                                     "it is cut off",
                                     "expected " + expected});
        }
        std::string line = lines_[at_++];
        if (line.ends_with('\r')) line.pop_back();
        return line;
    }

    double number(const std::string& text, const std::string& what) {
        const auto value = parse_number(text);
        if (value && std::isfinite(*value)) return *value;
        log_.problem(here(), fmt::format("{}: '{}' is not a finite number", what, text));
        return 0.0;
    }

    /// Returns the numbers after a keyword.
    template <size_t N>
    std::array<double, N> after(const Cells& words, const std::string& keyword) {
        std::array<double, N> values{};
        for (size_t i = 0; i < words.size(); ++i) {
            if (words[i] != keyword) continue;
            if (i + N >= words.size()) break;
            for (size_t k = 0; k < N; ++k) values[k] = number(words[i + 1 + k], keyword);
            return values;
        }
        lost(fmt::format("'{}' with {} value{} is missing", keyword, N, N == 1 ? "" : "s"),
             keyword);
    }

    size_t count(const std::string& line, const std::string& title) {
        if (!line.starts_with(title))
            lost(fmt::format("'{}' was not understood", line), title + " and a number");
        const double value = number(trimmed(line.substr(title.size())), title);
        if (value < 0.0 || value > 1e7 || value != std::floor(value))
            lost(fmt::format("{} is no possible count", value), "a whole number from 0 on");
        return static_cast<size_t>(value);
    }

    void read_version() {
        const std::string expected = "'# SOLTRACE VERSION ... INPUT FILE' or 'SUN PTSRC ...'";
        const std::string line = next(expected);
        const Cells words = split_words(line);
        // SolTrace itself treats the line as a comment that may be missing.
        if (!words.empty() && words[0] == "SUN") {
            --at_;
            return;
        }
        if (!line.starts_with("#")) lost("this is not a SolTrace input file", expected);
        for (size_t i = 0; i + 1 < words.size(); ++i) {
            if (words[i] == "VERSION") project_.version = words[i + 1];
        }
    }

    void read_sun() {
        SunBlock& sun = project_.sun;
        Cells words = split_words(next("SUN"));
        if (words.empty() || words[0] != "SUN") lost("there is no sun", "a line 'SUN PTSRC ...'");
        sun.line = line_number();
        sun.point_source = after<1>(words, "PTSRC")[0] != 0.0;
        sun.sigma = after<1>(words, "SIGMA")[0];
        sun.half_width = after<1>(words, "HALFWIDTH")[0];
        for (size_t i = 0; i + 1 < words.size(); ++i) {
            if (words[i] == "SHAPE")
                sun.shape =
                    static_cast<char>(std::tolower(static_cast<unsigned char>(words[i + 1][0])));
        }
        words = split_words(next("XYZ"));
        sun.position = after<3>(words, "XYZ");
        sun.from_time = after<1>(words, "USELDH")[0] != 0.0;
        const auto time = after<3>(words, "LDH");
        sun.latitude = time[0];
        sun.day = time[1];
        sun.hour = time[2];
        const std::string shape = next("USER SHAPE DATA");
        // SolarPILOT writes this line only for a table.
        if (shape.starts_with("OPTICS LIST COUNT") && sun.shape != 'd') {
            --at_;
            return;
        }
        const size_t rows = count(shape, "USER SHAPE DATA");
        for (size_t i = 0; i < rows; ++i) {
            const Cells row = split_words(next("a line of the sun's shape"));
            if (row.size() != 2)
                lost(fmt::format("{} values in a line of the sun's shape", row.size()),
                     "angle and intensity");
            sun.table.push_back({number(row[0], "angle"), number(row[1], "intensity")});
        }
    }

    OpticSide read_side() {
        const std::string line = next("OPTICAL");
        const Cells cells = split(line, '\t');
        if (cells.empty() || !cells[0].starts_with("OPTICAL"))
            lost("this is no line of optical properties", "OPTICAL.v2 and its values");
        if (cells.size() < kOpticCells)
            lost(fmt::format("{} cells in a line of optical properties", cells.size()),
                 fmt::format("at least {}", kOpticCells));
        OpticSide side;
        side.line = line_number();
        if (!cells[1].empty())
            side.distribution =
                static_cast<char>(std::tolower(static_cast<unsigned char>(cells[1][0])));
        side.reflectivity = number(cells[5], "reflectivity");
        side.transmissivity = number(cells[6], "transmissivity");
        side.slope_error = number(cells[7], "slope error");
        side.specularity_error = number(cells[8], "specularity error");
        // Tables of reflectivity and transmissivity by angle follow if they are used. Mirrors
        // transmit nothing.
        constexpr size_t kReflectivityTable = 15, kTransmissivityTable = 17;
        for (size_t use = kReflectivityTable; use + 1 < cells.size() && use <= kTransmissivityTable;
             use += 2) {
            if (number(cells[use], "use of a table") == 0.0) continue;
            const auto rows = static_cast<size_t>(number(cells[use + 1], "rows of a table"));
            for (size_t i = 0; i < rows; ++i) {
                std::string row = next("a line of angle and reflectivity");
                if (use != kReflectivityTable) continue;
                std::ranges::replace(row, '\t', ' ');
                Cells values = split(row, ' ');
                std::erase(values, "");
                if (values.size() < 2)
                    lost("this is no row of reflectivity by angle", "an angle and a reflectivity");
                side.table.push_back(
                    {number(values[0], "angle"), number(values[1], "reflectivity")});
            }
        }
        return side;
    }

    void read_optics() {
        const size_t pairs = count(next("OPTICS LIST COUNT"), "OPTICS LIST COUNT");
        for (size_t i = 0; i < pairs; ++i) {
            const std::string line = next("OPTICAL PAIR");
            const std::string title = "OPTICAL PAIR";
            if (!line.starts_with(title))
                lost("this is no pair of optical properties", title + " and a name");
            OpticPair pair;
            pair.name = trimmed(line.substr(title.size()));
            pair.front = read_side();
            pair.back = read_side();
            project_.optics.push_back(std::move(pair));
        }
    }

    Element read_element(int number_in_stage) {
        const std::string line = next("an element");
        const Cells cells = split(line, '\t');
        if (cells.size() < kElementCells)
            lost(fmt::format("{} cells in the line of an element", cells.size()),
                 fmt::format("at least {}, separated by tabs", kElementCells));
        Element element;
        element.line = line_number();
        element.number = number_in_stage;
        element.enabled = number(cells[0], "enabled") != 0.0;
        for (size_t i = 0; i < 3; ++i) {
            element.position[i] = number(cells[1 + i], "position");
            element.aim[i] = number(cells[4 + i], "aim point");
        }
        element.z_rotation = number(cells[7], "z rotation");
        if (!cells[8].empty())
            element.aperture =
                static_cast<char>(std::tolower(static_cast<unsigned char>(cells[8][0])));
        if (!cells[17].empty())
            element.surface =
                static_cast<char>(std::tolower(static_cast<unsigned char>(cells[17][0])));
        for (size_t i = 0; i < 8; ++i) {
            element.aperture_values[i] = number(cells[9 + i], "aperture");
            element.surface_values[i] = number(cells[18 + i], "surface");
        }
        element.surface_file = cells[26];
        element.optic = cells[27];
        element.interaction = static_cast<int>(number(cells[28], "interaction"));
        if (cells.size() > kElementCells) element.comment = cells[kElementCells];
        return element;
    }

    void read_stages() {
        const size_t stages = count(next("STAGE LIST COUNT"), "STAGE LIST COUNT");
        for (size_t i = 0; i < stages; ++i) {
            const Cells words = split_words(next("STAGE"));
            if (words.empty() || words[0] != "STAGE") lost("this is no stage", "'STAGE XYZ ...'");
            Stage stage;
            stage.line = line_number();
            stage.position = after<3>(words, "XYZ");
            stage.aim = after<3>(words, "AIM");
            stage.z_rotation = after<1>(words, "ZROT")[0];
            stage.is_virtual = after<1>(words, "VIRTUAL")[0] != 0.0;
            stage.has_multiple_hits = flag(words, "MULTIHIT", true);
            stage.traces_through = flag(words, "TRACETHROUGH", false);
            const double elements = after<1>(words, "ELEMENTS")[0];
            if (elements < 0.0 || elements > 1e7)
                lost(fmt::format("{} elements", elements), "a count from 0 on");
            stage.name = trimmed(next("the name of the stage"));
            for (int k = 1; k <= static_cast<int>(elements); ++k)
                stage.elements.push_back(read_element(k));
            project_.stages.push_back(std::move(stage));
        }
    }

    /// Returns a switch that may be missing.
    bool flag(const Cells& words, const std::string& keyword, bool usual) {
        const auto found = std::ranges::find(words, keyword);
        if (found == words.end() || found + 1 == words.end()) return usual;
        return number(*(found + 1), keyword) != 0.0;
    }

    void read_trace(const Cells& words) {
        TraceBlock trace;
        trace.line = line_number();
        for (size_t i = 1; i + 1 < words.size(); i += 2) {
            const std::string &name = words[i], &value = words[i + 1];
            if (name == "SUNSHAPE") {
                trace.has_sun_shape = number(value, name) != 0.0;
            } else if (name == "ERRORS") {
                trace.has_errors = number(value, name) != 0.0;
            } else {
                trace.without_meaning +=
                    fmt::format("{}{} {}", trace.without_meaning.empty() ? "" : ", ", name, value);
            }
        }
        project_.trace = trace;
    }

    void read_rest() {
        for (; at_ < lines_.size(); ++at_) {
            const std::string line = trimmed(lines_[at_]);
            const Cells words = split_words(line);
            if (!words.empty() && words[0] == "TRACE" && !project_.trace) {
                ++at_;
                read_trace(words);
                --at_;
                continue;
            }
            if (!line.empty())
                project_.ignored.push_back(fmt::format("{}: '{}' ignored",
                                                       project_.where(static_cast<int>(at_) + 1),
                                                       line.substr(0, line.find('\t'))));
        }
    }

    std::vector<std::string> lines_;
    size_t at_ = 0;
    Project project_;
    ReadLog log_;
};

}  // namespace

Project parse_project(const std::string& text, const std::string& name) {
    return Reader(text, name).read();
}

Project read_project(const std::filesystem::path& file) {
    const std::string bytes = read_text_file(file, "it holds a SolTrace project");
    const std::string wanted = "a SolTrace input file (.stinput) as text in UTF-8";
    refuse_foreign_file(bytes, file.string(), wanted);
    const auto refuse = [&](const std::string& format, const std::string& advice) {
        throw InputError(Problem{file.string(), "is " + format, wanted + " is read", advice});
    };
    const size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && bytes[first] == '{')
        refuse("JSON, as the projects of SolTrace from 2026 on",
               "save the project as .stinput in SolTrace");
    if (bytes.find("<variable>") != std::string::npos)
        refuse("a project of SolarPILOT", "make the plant with 'helioray scenario solarpilot'");
    if (file.extension() == ".spt" && bytes.find("STAGE LIST COUNT") == std::string::npos)
        refuse("a project of SolTrace before 2012 (.spt)",
               "open it in SolTrace 2012 or later and save it as .stinput");
    return parse_project(bytes, file.string());
}

}  // namespace helioray::soltrace
