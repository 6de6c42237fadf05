// SPDX-License-Identifier: MIT
// A row of panels for each image and for each slope.
#include "app/plot/reconstruction_plot.h"

#include "app/plot/flux_panel.h"
#include "raytracer/reconstruction/convolution.h"
#include "raytracer/reconstruction/mirror_shape.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray {

namespace {

using reconstruction::ComparedImage;
using reconstruction::Reconstruction;
using reconstruction::slope_map;
using reconstruction::SlopeMap;

constexpr const char* kBrightness = "Brightness";
constexpr size_t kMostImages = 12;
constexpr double kShrink = 0.45;
constexpr double kPixelsPerPoint = 1.5;

/// A map for a panel: a plane with this normal, seen from its front.
TargetResult map_of(const Vec3& normal,
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
        return map_of({0, 1, 0}, kPixels, kPixels, extent, values);
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

/// A panel of slopes in mrad; their scale is the same in all of them.
void add_slope(Page& page,
               const SlopeMap& map,
               std::vector<double> values,
               const std::string& title,
               const std::string& what,
               FluxPanelStyle::Scale scale) {
    constexpr double kMrad = 1e3;
    // A few wild values at the rims of measured splines would hide the rest.
    constexpr double kFullScale = 4.0;
    double sum = 0.0, count = 0.0;
    for (double& value : values) {
        value *= kMrad;
        if (!std::isfinite(value)) continue;
        sum += value * value;
        count += 1.0;
    }
    page.add(map_of({0, 0, 1}, map.width, map.height, map.extent, std::move(values)),
             title,
             fmt::format("{}, rms {:.2f} mrad", what, std::sqrt(sum / std::max(1.0, count))),
             "Slope (mrad)",
             scale,
             kFullScale);
}

/// With a truth, a row for each component: found, true, difference. Else one row: both components
/// and how sure they are.
void add_slopes(Page& page,
                const Reconstruction& found,
                const Scenario& start,
                const Scenario* truth) {
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
        return;
    }
    const Surface& real = *truth->heliostats[*index].surface;
    const SlopeMap wanted = slope_map(real, *heliostat.surface);
    const SlopeMap left = slope_map(*found.surface, real);
    add_slope(page, made, made.east, east, "found - start", Scale::difference);
    add_slope(page, wanted, wanted.east, east, "truth - start", Scale::difference);
    add_slope(page, left, left.east, east, "found - truth", Scale::difference);
    add_slope(page, made, made.north, north, "found - start", Scale::difference);
    add_slope(page, wanted, wanted.north, north, "truth - start", Scale::difference);
    add_slope(page, left, left.north, north, "found - truth", Scale::difference);
}

}  // namespace

void plot_reconstructions(std::span<const Reconstruction> found,
                          const Scenario& start,
                          const Scenario* truth,
                          const std::filesystem::path& picture) {
    Page page;
    page.page.columns = 3;
    page.page.title = found.size() == 1
                          ? "Reconstructed mirror of " + start.heliostats[found[0].heliostat].name
                          : fmt::format("{} reconstructed mirrors", found.size());
    size_t images = 0, shown = 0;
    for (const Reconstruction& one : found) images += one.images.size();
    for (const Reconstruction& one : found) {
        if (shown >= kMostImages) break;
        for (size_t i = 0; i < one.images.size() && shown < kMostImages; ++i, ++shown)
            add_image(page, one.images[i], one.fitted[i], start.heliostats[one.heliostat].name);
        add_slopes(page, one, start, truth);
    }
    page.page.subtitle =
        fmt::format("{} of {} images; 6 x 6 m about the centre of light", shown, images);
    store_page(page.page, picture, kPixelsPerPoint);
}

}  // namespace helioray
