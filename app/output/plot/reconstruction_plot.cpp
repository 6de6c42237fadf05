// SPDX-License-Identifier: MIT
// Draws a row of panels for each image and for each slope.
#include "app/output/plot/reconstruction_plot.h"

#include "app/output/plot/panels/flux_panel.h"
#include "raytracer/solvers/reconstruction/images/convolution.h"
#include "raytracer/solvers/reconstruction/images/mirror_shape.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace helioray {

namespace {

using reconstruction::ComparedImage;
using reconstruction::HeliostatMirror;
using reconstruction::Reconstruction;
using reconstruction::slope_map;
using reconstruction::SlopeMap;

constexpr const char* kBrightness = "Brightness";
constexpr size_t kMostImages = 12;
constexpr double kShrink = 0.45;
constexpr double kPixelsPerPointOfMirrors = 1.5;

/// Returns a map for a panel: a plane with this normal, seen from its front.
TargetResult make_map(const Vec3& normal,
                      int width,
                      int height,
                      const std::array<double, 2>& extent,
                      std::vector<double> values) {
    TargetResult map;
    map.target.geometry = PlanarTarget{{}, normal, extent[0], extent[1]};
    map.width = width;
    map.height = height;
    map.unit = "1";
    map.flux = std::move(values);
    return map;
}

class Page {
  public:
    PlotPage page;

    Page() { page.columns = 3; }

    void add(const TargetResult& map,
             const std::string& title,
             const std::string& subtitle,
             const std::string& label,
             FluxPanelStyle::Scale scale,
             double full_scale) {
        FluxPanelStyle style;
        style.shrink = kShrink;
        style.scale = scale;
        style.contours = label == kBrightness;
        style.centroid = false;
        style.full_scale = full_scale;
        style.title = title;
        style.subtitle = subtitle;
        style.label = label;
        page.panels.push_back(std::make_unique<OwnMapPanel>(map, std::move(style), measure_));
    }

  private:
    Canvas measure_;
};

void add_image(Page& page,
               const ComparedImage& image,
               const reconstruction::ImageAccuracy& accuracy,
               const std::string& heliostat) {
    constexpr int kPixels = reconstruction::kImagePixels;
    const std::array<double, 2> extent{reconstruction::kImageExtent, reconstruction::kImageExtent};
    const auto map = [&](const std::vector<double>& values) {
        return make_map({0, 1, 0}, kPixels, kPixels, extent, values);
    };
    std::vector<double> difference;
    double reach = 0.0;
    for (size_t i = 0; i < image.model.size(); ++i) {
        const bool seen = image.measured.seen[i];
        difference.push_back(seen ? image.model[i] - image.measured.values[i] : 0.0);
        reach = std::max(reach, std::abs(difference.back()));
    }
    using Scale = FluxPanelStyle::Scale;
    page.add(map(image.measured.values),
             fmt::format("{} {}", heliostat, image.record),
             "measured",
             kBrightness,
             Scale::linear,
             1.0);
    page.add(
        map(image.model),
        "model",
        fmt::format("flux accuracy traced {:.3f}, before {:.3f}", accuracy.after, accuracy.before),
        kBrightness,
        Scale::linear,
        1.0);
    page.add(map(difference),
             "model - measured",
             "",
             "Brightness, 1: maximum",
             Scale::difference,
             reach);
}

/// Adds a panel of slopes in mrad. All differences have the same scale.
void add_slope(Page& page,
               const SlopeMap& map,
               std::vector<double> values,
               const std::string& title,
               const std::string& what,
               FluxPanelStyle::Scale scale) {
    constexpr double kMrad = 1e3;
    // Limit the scale, since a few outliers at the edges of measured splines would hide the rest.
    constexpr double kFullScale = 4.0;
    double sum = 0.0, count = 0.0, largest = 0.0;
    for (double& value : values) {
        value *= kMrad;
        if (!std::isfinite(value)) continue;
        sum += value * value;
        count += 1.0;
        largest = std::max(largest, value);
    }
    const bool is_difference = scale == FluxPanelStyle::Scale::difference;
    page.add(make_map({0, 0, 1}, map.width, map.height, map.extent, std::move(values)),
             title,
             fmt::format("{}, rms {:.2f} mrad", what, std::sqrt(sum / std::max(1.0, count))),
             "Slope (mrad)",
             scale,
             is_difference || largest == 0.0 ? kFullScale : largest);
}

}  // namespace

PlotPage reconstruction_images(const Reconstruction& found, const Scenario& start, size_t most) {
    Page page;
    for (size_t i = 0; i < std::min(most, found.images.size()); ++i)
        add_image(page, found.images[i], found.fitted[i], start.heliostats[found.heliostat].name);
    return std::move(page.page);
}

PlotPage reconstruction_slopes(const Reconstruction& found,
                               const Scenario& start,
                               const Scenario* truth) {
    Page page;
    const Heliostat& heliostat = start.heliostats[found.heliostat];
    const SlopeMap made = slope_map(*found.surface, *heliostat.surface);
    const auto index = truth != nullptr ? truth->find_heliostat(heliostat.name) : std::nullopt;
    const std::string east = heliostat.name + ": slope along east";
    const std::string north = heliostat.name + ": slope along north";
    using Scale = FluxPanelStyle::Scale;
    if (!index) {
        add_slope(page, made, made.east, east, "found - start", Scale::difference);
        add_slope(page, made, made.north, north, "found - start", Scale::difference);
        add_slope(page, made, made.deviation, heliostat.name, "standard deviation", Scale::linear);
        return std::move(page.page);
    }
    // Draw one row for each component.
    const Surface& real = *truth->heliostats[*index].surface;
    const SlopeMap wanted = slope_map(real, *heliostat.surface);
    const SlopeMap left = slope_map(*found.surface, real);
    add_slope(page, made, made.east, east, "found - start", Scale::difference);
    add_slope(page, wanted, wanted.east, east, "truth - start", Scale::difference);
    add_slope(page, left, left.east, east, "found - truth", Scale::difference);
    add_slope(page, made, made.north, north, "found - start", Scale::difference);
    add_slope(page, wanted, wanted.north, north, "truth - start", Scale::difference);
    add_slope(page, left, left.north, north, "found - truth", Scale::difference);
    return std::move(page.page);
}

void plot_reconstructions(std::span<const HeliostatMirror> field,
                          const Scenario& start,
                          const Scenario* truth,
                          const std::filesystem::path& picture) {
    PlotPage whole;
    whole.columns = 3;
    const auto append = [&](PlotPage part) {
        std::move(part.panels.begin(), part.panels.end(), std::back_inserter(whole.panels));
    };
    size_t mirrors = 0, images = 0, drawn = 0;
    std::string last;
    for (const HeliostatMirror& mirror : field) {
        if (!mirror.found) continue;
        ++mirrors;
        last = mirror.name;
        images += mirror.found->images.size();
        if (drawn >= kMostImages) continue;
        append(reconstruction_images(*mirror.found, start, kMostImages - drawn));
        drawn += std::min(kMostImages - drawn, mirror.found->images.size());
        append(reconstruction_slopes(*mirror.found, start, truth));
    }
    whole.title = mirrors == 1 ? "Reconstructed mirror of " + last
                               : fmt::format("{} reconstructed mirrors", mirrors);
    whole.subtitle =
        fmt::format("{} of {} images; 6 x 6 m about the centre of light", drawn, images);
    store_page(whole, picture, kPixelsPerPointOfMirrors);
}

}  // namespace helioray
