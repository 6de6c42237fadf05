// SPDX-License-Identifier: MIT
// Arranges panels, title and footer on a page.
#include "app/output/plot/drawing/plot_page.h"

#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace helioray {

namespace {

constexpr Font kPageTitle{17.0, true};
constexpr Font kPageSubtitle{10.5, false};
constexpr Font kFooter{7.5, false};
constexpr Color kPageGrey{0.35, 0.35, 0.35};
constexpr Color kPale{0.5, 0.5, 0.5};
constexpr double kWideMargin = 22.0;
constexpr double kNarrowMargin = 5.0;  // margin of pictures inside a web page
constexpr double kHeader = 52.0;
constexpr double kPageLine = 15.0;
constexpr double kFooterHeight = 20.0;
constexpr double kBetween = 34.0;

using Panels = std::vector<std::unique_ptr<Panel>>;

std::optional<PictureFormat> find_format(const std::filesystem::path& picture) {
    const std::string extension = lower_extension(picture);
    if (extension == ".png") return PictureFormat::png;
    if (extension == ".svg") return PictureFormat::svg;
    if (extension == ".pdf") return PictureFormat::pdf;
    return std::nullopt;
}

// Panels in rows; columns are as wide and rows as high as their largest panel.
struct Grid {
    size_t columns = 1;
    std::vector<double> widths;
    std::vector<double> heights;

    double width() const { return sum(widths); }
    double height() const { return sum(heights); }

  private:
    static double sum(const std::vector<double>& sizes) {
        double total = kBetween * static_cast<double>(sizes.size() - 1);
        for (const double size : sizes) total += size;
        return total;
    }
};

Grid make_grid(const Panels& panels, size_t columns) {
    Grid grid{columns,
              std::vector<double>(columns, 0.0),
              std::vector<double>((panels.size() + columns - 1) / columns, 0.0)};
    for (size_t i = 0; i < panels.size(); ++i) {
        double& width = grid.widths[i % columns];
        double& height = grid.heights[i / columns];
        width = std::max(width, panels[i]->width());
        height = std::max(height, panels[i]->height());
    }
    return grid;
}

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// Returns the grid whose page is closest to the proportions of a screen, without needless holes.
Grid best_grid(const Panels& panels) {
    Grid best;
    double best_cost = std::numeric_limits<double>::infinity();
    for (size_t columns = 1; columns <= panels.size(); ++columns) {
        const Grid grid = make_grid(panels, columns);
        constexpr double kScreen = 1.45;
        const size_t holes = grid.widths.size() * grid.heights.size() - panels.size();
        const double cost = std::abs(std::log(grid.width() / grid.height() / kScreen)) +
                            0.25 * static_cast<double>(holes);
        if (cost < best_cost) {
            best_cost = cost;
            best = grid;
        }
    }
    return best;
}

// Aligns the axes of panels below each other.
void align_axes(const Panels& panels, size_t columns) {
    std::vector<double> left(columns, 0.0);
    for (size_t i = 0; i < panels.size(); ++i) {
        left[i % columns] = std::max(left[i % columns], panels[i]->left_margin());
    }
    for (size_t i = 0; i < panels.size(); ++i) panels[i]->set_left_margin(left[i % columns]);
}

}  // namespace

std::string draw_page(const PlotPage& page,
                      PictureFormat format,
                      double pixels_per_point,
                      Theme theme) {
    const double margin = page.title.empty() && page.footer.empty() ? kNarrowMargin : kWideMargin;
    Canvas measure;
    align_axes(page.panels, std::max<size_t>(1, page.columns));
    const Grid grid =
        page.columns > 0 ? make_grid(page.panels, page.columns) : best_grid(page.panels);
    const std::vector<std::string> subtitle = split_lines(page.subtitle);
    double text_width = std::max(measure.text_width(page.title, kPageTitle),
                                 measure.text_width(page.footer, kFooter));
    for (const std::string& line : subtitle)
        text_width = std::max(text_width, measure.text_width(line, kPageSubtitle));
    const double width = std::max(grid.width(), text_width) + 2.0 * margin;
    const double more_lines =
        kPageLine * static_cast<double>(std::max<size_t>(1, subtitle.size()) - 1);
    const double header = page.title.empty() ? 0.0 : kHeader + more_lines;
    const double footer = page.footer.empty() ? 0.0 : kFooterHeight;
    const double height = header + grid.height() + footer + 2.0 * margin;
    Canvas canvas(format, width, height, pixels_per_point, theme);
    canvas.text(margin, margin + kPageTitle.size * 0.8, page.title, kPageTitle);
    double baseline = margin + kPageTitle.size * 0.8 + 18.0;
    for (const std::string& line : subtitle) {
        canvas.text(margin, baseline, line, kPageSubtitle, TextAnchor::start, kPageGrey);
        baseline += kPageLine;
    }

    double y = margin + header;
    for (size_t row = 0; row < grid.heights.size(); ++row) {
        double x = margin;
        for (size_t column = 0; column < grid.columns; ++column) {
            const size_t i = row * grid.columns + column;
            if (i < page.panels.size()) page.panels[i]->draw(canvas, x, y);
            x += grid.widths[column] + kBetween;
        }
        y += grid.heights[row] + kBetween;
    }
    canvas.text(margin, height - margin * 0.7, page.footer, kFooter, TextAnchor::start, kPale);
    return canvas.finish();
}

std::string scenario_title(const Provenance& provenance, const std::string& otherwise) {
    const std::string stem = std::filesystem::path(provenance.scenario_file).stem().string();
    return stem.empty() ? otherwise : stem;
}

std::string origin_text(const Provenance& p) {
    std::string text = "HelioRay";
    if (!p.helioray_version.empty()) text += " " + p.helioray_version;
    if (!p.created.empty()) text += "  ·  " + p.created;
    if (!p.fingerprint.empty()) text += "  ·  fingerprint " + p.fingerprint;
    return text;
}

PictureFormat picture_format(const std::filesystem::path& picture) {
    if (const auto format = find_format(picture)) return *format;
    const std::string extension = picture.extension().string();
    throw InputError(Problem{picture.string(),
                             extension.empty()
                                 ? "the picture's name has no ending"
                                 : "pictures cannot be written as '" + extension + "'",
                             "its format follows from the ending",
                             "use a name that ends in .png, .svg or .pdf"});
}

void store_page(const PlotPage& page,
                const std::filesystem::path& picture,
                double pixels_per_point) {
    const PictureFormat format = picture_format(picture);
    std::string bytes;
    try {
        bytes = draw_page(page, format, pixels_per_point);
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("{}: {}", picture.string(), error.what()));
    }
    write_text_file(picture, bytes);
}

}  // namespace helioray
