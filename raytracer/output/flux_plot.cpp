// SPDX-License-Identifier: MIT
// Arrangement of panels, title and footer on a page.
#include "raytracer/output/flux_plot.h"

#include "raytracer/output/atomic_file.h"
#include "raytracer/output/flux_panel.h"
#include "raytracer/output/number_text.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace helioray {

namespace {

constexpr Font kTitle{17.0, true};
constexpr Font kSubtitle{10.5, false};
constexpr Font kFooter{7.5, false};
constexpr Color kGrey{0.35, 0.35, 0.35};
constexpr Color kPale{0.5, 0.5, 0.5};
constexpr double kMargin = 22.0;
constexpr double kHeader = 52.0;
constexpr double kFooterHeight = 20.0;
constexpr double kBetween = 34.0;

std::optional<PictureFormat> format_of(const std::filesystem::path& picture) {
    std::string extension = picture.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    if (extension == ".png") return PictureFormat::png;
    if (extension == ".svg") return PictureFormat::svg;
    if (extension == ".pdf") return PictureFormat::pdf;
    return std::nullopt;
}

std::vector<const TargetResult*> shown_targets(const RunResult& result, bool all) {
    std::vector<const TargetResult*> shown;
    for (const TargetResult& target : result.targets) {
        if (all || largest_flux(target) > 0.0) shown.push_back(&target);
    }
    if (shown.empty()) {
        for (const TargetResult& target : result.targets) shown.push_back(&target);
    }
    return shown;
}

std::string title_text(const RunResult& result, const PlotOptions& options) {
    if (options.title) return *options.title;
    const std::string stem = std::filesystem::path(result.provenance.scenario_file).stem().string();
    return stem.empty() ? "Flux" : stem;
}

std::string subtitle_text(const RunResult& result) {
    std::string text;
    const auto add = [&text](const std::string& part) {
        if (!part.empty()) text += (text.empty() ? "" : "  ·  ") + part;
    };
    const std::string sun = sun_text(result.provenance.sun_direction);
    if (!sun.empty()) add("Sun " + sun);
    const size_t count = result.heliostats.size();
    if (count > 0) {
        add(grouped(static_cast<int64_t>(count)) + (count == 1 ? " heliostat" : " heliostats"));
    }
    if (result.provenance.rays > 0) add(count_text(result.provenance.rays) + " rays");
    return text;
}

std::string footer_text(const Provenance& p) {
    std::string text = "HelioRay";
    if (!p.helioray_version.empty()) text += " " + p.helioray_version;
    if (!p.created.empty()) text += "  ·  " + p.created;
    if (!p.fingerprint.empty()) text += "  ·  fingerprint " + p.fingerprint;
    return text;
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

Grid make_grid(const std::vector<FluxPanel>& panels, size_t columns) {
    Grid grid{columns,
              std::vector<double>(columns, 0.0),
              std::vector<double>((panels.size() + columns - 1) / columns, 0.0)};
    for (size_t i = 0; i < panels.size(); ++i) {
        double& width = grid.widths[i % columns];
        double& height = grid.heights[i / columns];
        width = std::max(width, panels[i].width());
        height = std::max(height, panels[i].height());
    }
    return grid;
}

// The grid whose page comes closest to the proportions of a screen, without needless holes.
Grid best_grid(const std::vector<FluxPanel>& panels) {
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

std::vector<FluxPanel> make_panels(const std::vector<const TargetResult*>& targets,
                                   bool shared_scale,
                                   Canvas& measure) {
    std::optional<double> full_scale;
    if (shared_scale) {
        full_scale = 0.0;
        for (const auto* target : targets) {
            full_scale = std::max(*full_scale, largest_flux(*target));
        }
    }
    const double shrink = targets.size() == 1 ? 1.0 : targets.size() <= 4 ? 0.72 : 0.58;
    std::vector<FluxPanel> panels;
    for (const auto* target : targets) panels.emplace_back(*target, shrink, full_scale, measure);
    double left = 0.0;
    for (const FluxPanel& panel : panels) left = std::max(left, panel.left_margin());
    for (FluxPanel& panel : panels) panel.set_left_margin(left);
    return panels;
}

void draw_page(const RunResult& result,
               const std::filesystem::path& file,
               PictureFormat format,
               const PlotOptions& options) {
    Canvas measure;
    const std::vector<FluxPanel> panels =
        make_panels(shown_targets(result, options.all_targets), options.shared_scale, measure);
    const Grid grid = best_grid(panels);
    const std::string title = title_text(result, options);
    const std::string subtitle = subtitle_text(result);
    const std::string footer = footer_text(result.provenance);

    const double text_width = std::max({measure.text_width(title, kTitle),
                                        measure.text_width(subtitle, kSubtitle),
                                        measure.text_width(footer, kFooter)});
    const double width = std::max(grid.width(), text_width) + 2.0 * kMargin;
    const double height = kHeader + grid.height() + kFooterHeight + 2.0 * kMargin;
    Canvas canvas(format, file, width, height, options.pixels_per_point);
    canvas.text(kMargin, kMargin + kTitle.size * 0.8, title, kTitle);
    canvas.text(
        kMargin, kMargin + kTitle.size * 0.8 + 18.0, subtitle, kSubtitle, TextAnchor::start, kGrey);

    double y = kMargin + kHeader;
    for (size_t row = 0; row < grid.heights.size(); ++row) {
        double x = kMargin;
        for (size_t column = 0; column < grid.columns; ++column) {
            const size_t i = row * grid.columns + column;
            if (i < panels.size()) panels[i].draw(canvas, x, y);
            x += grid.widths[column] + kBetween;
        }
        y += grid.heights[row] + kBetween;
    }
    canvas.text(kMargin, height - kMargin * 0.7, footer, kFooter, TextAnchor::start, kPale);
    canvas.finish();
}

}  // namespace

void check_picture_path(const std::filesystem::path& picture) {
    if (format_of(picture)) return;
    const std::string extension = picture.extension().string();
    throw InputError(Problem{picture.string(),
                             extension.empty()
                                 ? "the picture's name has no ending"
                                 : "pictures cannot be written as '" + extension + "'",
                             "the ending says the format",
                             "let the name end in .png, .svg or .pdf"});
}

void plot_flux(const RunResult& result,
               const std::filesystem::path& picture,
               const PlotOptions& options) {
    check_picture_path(picture);
    if (result.targets.empty()) {
        throw InputError(Problem{picture.string(),
                                 "the result has no targets",
                                 "there is nothing to draw",
                                 "plot the result of a run"});
    }
    AtomicFile target(picture);
    try {
        draw_page(result, target.temporary(), *format_of(picture), options);
    } catch (const std::exception& error) {
        throw std::runtime_error(fmt::format("{}: {}", picture.string(), error.what()));
    }
    target.commit();
}

}  // namespace helioray
