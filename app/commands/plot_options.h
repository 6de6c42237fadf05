// SPDX-License-Identifier: MIT
// What the plot command was asked for; years have pictures of their own.
#pragma once

#include "raytracer/output/field_panel.h"
#include "raytracer/output/flux_plot.h"

#include <string>

namespace helioray::app {

/// Options that are not given are empty.
struct PlotCommandOptions {
    std::string result;
    std::string picture;
    std::string time;
    std::string scale;
    std::string field;
    std::string unit;
    std::string other;
    PlotOptions maps;
    bool json = false;
};

/// The unit of a field's picture. `own` is what the terms of this kind of result are, "power" or
/// "energy". Throws InputError for the other one.
FieldUnit field_unit(const PlotCommandOptions& options,
                     const std::string& own,
                     FieldUnit otherwise);

/// Draws the months or the field of a year, and prints what the command prints. Throws InputError
/// for options that a year has no picture for.
int plot_year(const PlotCommandOptions& options);

/// The JSON object of a picture alone, where it is wanted.
void print_picture(const PlotCommandOptions& options);

}  // namespace helioray::app
