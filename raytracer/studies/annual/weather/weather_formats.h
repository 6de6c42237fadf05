// SPDX-License-Identifier: MIT
// Readers of weather files, one per format, and their common functions.
#pragma once

#include "raytracer/studies/annual/weather/irradiance.h"
#include "scenario/files/csv.h"
#include "scenario/files/error.h"
#include "scenario/types/types.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A row of a file before its time and its value are checked.
struct RawWeatherRow {
    std::string time;           ///< time, normalised ISO 8601
    std::optional<double> dni;  ///< irradiance, W/m2, any number; not set if the file has no value
    std::string place;          ///< "FILE:line", for messages
    /// Temperature of the air, °C; not set if the file has no value in kTemperatures.
    std::optional<double> temperature = {};
};

/// Texts of the values in a row of a file.
struct WeatherCells {
    std::string dni;               ///< irradiance, W/m2
    std::string temperature = {};  ///< temperature of the air, °C; empty if the file has none
};

/// Rows of a file, with the properties of its format.
struct WeatherContent {
    std::string format;                    ///< "SAM CSV", for messages
    TimeStamp stamp = TimeStamp::start;    ///< position of the times within their intervals
    bool has_fixed_stamp = false;          ///< the format defines the stamp for every file
    bool is_typical = false;               ///< the months may come from several years
    bool has_years = true;                 ///< false: the reader has assigned the rows to a year
    std::optional<GeodeticPosition> site;  ///< location for which the file was made
    std::vector<RawWeatherRow> rows;       ///< rows in the order of the file
    std::vector<std::string> notes;        ///< remarks for users
    std::vector<Problem> problems;  ///< problems of the file's text; rows with problems are omitted
};

/// Year of rows whose file has none, and of typical years, unless the user gives another one.
inline constexpr int kUsualYear = 2026;

/// Returns true for the text of an EPW file (EnergyPlus weather).
bool is_epw(const std::string& text);
/// Reads an EPW file: hours in local standard time, each with the mean of the hour before.
WeatherContent read_epw(const std::string& text, const std::string& file);

/// Returns true for a text with the two lines about the site that begin a CSV file of SAM, and of
/// the NSRDB, which uses SAM's format.
bool is_sam_csv(const std::string& text);
/// Reads a CSV file of SAM or of the NSRDB. Hours are from 0 to 23 in local standard time. With a
/// column Minute, times are the middle of the intervals; otherwise hours begin at their number.
WeatherContent read_sam_csv(const std::string& text, const std::string& file);

/// Returns true if the second line of a text is the header of a TMY3 file of NREL.
bool is_tmy3(const std::string& text);
/// Reads a TMY3 file: hours from 1 to 24 in local standard time end at their number.
WeatherContent read_tmy3(const std::string& text, const std::string& file);

/// Returns true for a text that begins as a CSV file of PVGIS does, or is its JSON.
bool is_pvgis(const std::string& text);
/// Reads hourly data or a typical year of PVGIS, whose times are UTC. Values belong to a moment,
/// which is used as the middle of an interval: the time of the row plus the file's "Irradiance Time
/// Offset". Without that offset, rows at full hours are used as the start of an hour.
WeatherContent read_pvgis(const std::string& text, const std::string& file);

/// Returns true for a text that begins as a table of Modelica, such as SolarTherm's weather files
/// (.motab).
bool is_motab(const std::string& text);
/// Reads a weather file of SolarTherm: seconds after `tstart` of a year that the file does not
/// name, in local standard time. SolarTherm's values are for moments, which are used as the middle
/// of the intervals.
WeatherContent read_motab(const std::string& text, const std::string& file, int year);

/// Throws InputError for text formats of weather data that are recognised but not supported: TMY2,
/// SolarAnywhere, Solcast, Solargis, CAMS, NASA POWER, Meteonorm.
void refuse_other_weather_formats(const std::string& text, const std::string& file);

// The following functions are used by several readers.

/// Returns a text in lower case without surrounding blanks.
std::string plain_word(const std::string& text);
/// Returns the lines of a text without line ends, at most `most` of them.
std::vector<std::string> split_lines(const std::string& text, size_t most);
/// Returns the cells of a line between commas, without surrounding blanks. Quotes have no meaning.
std::vector<std::string> cells_between_commas(const std::string& line);
/// Returns the number in a cell; no value if there is none in [low, high].
std::optional<double> number_in_cell(const std::vector<std::string>& cells,
                                     size_t index,
                                     double low,
                                     double high);
/// Returns the text of a cell; empty without a column or a cell.
std::string text_in_cell(const std::vector<std::string>& cells, std::optional<size_t> column);
/// Returns the index of the first column with the temperature of the air in °C, under the names of
/// match_column(); no value if there is none.
std::optional<size_t> find_temperature(const CsvRow& header);
/// Formats an offset from UTC: "+05:30" for 5.5.
std::string offset_text(double hours);
/// Returns the time that is `minutes` (0 to 1440) after the start of a day as normalised ISO 8601;
/// no value if the day does not exist. `offset` is a result of offset_text().
std::optional<std::string> time_of_day(
    double year, double month, double day, double minutes, const std::string& offset);
/// Returns true for the marks of is_missing_cell(), and for the numbers -99, -999, -9999, -9900 and
/// -99999, which loggers write for missing values.
bool is_missing_mark(const std::string& cell);
/// Adds a row with the values of its cells, or a problem if the irradiance is neither a number nor
/// a mark for a missing value. `column` is the name of its column, for that message.
void add_row(WeatherContent& content,
             const std::string& time,
             const WeatherCells& cells,
             const std::string& place,
             const std::string& column = {});
/// Sets the site and returns the offset from UTC. Adds a problem at `place` with the advice, and
/// returns UTC, if one of the numbers is missing.
std::string take_site(WeatherContent& content,
                      std::optional<double> latitude,
                      std::optional<double> longitude,
                      std::optional<double> zone,
                      const std::string& place,
                      const std::string& advice);
/// Returns the index of the column with one of these names (in lower case), ignoring case and a
/// unit in brackets after the name; no value if there is none. If `is_irradiance`, a unit other
/// than W/m2 or Wh/m2 is a problem.
std::optional<size_t> find_column(const CsvTable& table,
                                  const CsvRow& header,
                                  const std::vector<std::string>& names,
                                  bool is_irradiance,
                                  std::vector<Problem>& problems);

}  // namespace helioray
