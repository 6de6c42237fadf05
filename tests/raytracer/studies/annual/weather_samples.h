// SPDX-License-Identifier: MIT
// Weather files of one day with light in one hour, in the formats of several programs.
#pragma once

#include <fmt/format.h>

#include <string>

namespace helioray::test {

/// 1000 W/m2 in the hour that begins at 15:00 UTC of 21 June 2001, at latitude 30, longitude 0.
inline double dni_of_hour(int hour) {
    return hour == 15 ? 1000.0 : 0.0;
}

/// Temperature of the air in the hour that begins at `hour` UTC, °C: 25 in the hour with light.
inline double temperature_of_hour(int hour) {
    return hour == 15 ? 25.0 : 0.5 * hour;
}

inline std::string sam_csv(bool has_minutes = false, const std::string& source = "TMY3") {
    std::string text =
        "Source,Location ID,City,State,Country,Latitude,Longitude,Time Zone,Elevation\n" + source +
        ",0,\"Test, the town\",-,-,30,0,1,0\n" + "Year,Month,Day,Hour," +
        (has_minutes ? "Minute," : "") + "GHI,DNI,DHI,Tdry\n";
    // Local time is one hour ahead of UTC; the last hour of the file is at midnight.
    for (int hour = 0; hour < 24; ++hour)
        text += fmt::format("2001,6,21,{},{}0,{},0,{}\n",
                            hour,
                            has_minutes ? "30," : "",
                            dni_of_hour(hour - 1),
                            temperature_of_hour(hour - 1));
    return text;
}

inline std::string tmy3() {
    std::string text =
        "700001,\"TEST\",NV,-8.0,30.000,0.000,1655\n"
        "Date (MM/DD/YYYY),Time (HH:MM),ETR (W/m^2),DNI (W/m^2),DNI source,"
        "Dry-bulb (C)\n";
    // The hour from 15:00 to 16:00 UTC ends at 8:00 in this time zone.
    for (int hour = 1; hour <= 24; ++hour)
        text += fmt::format("06/21/2001,{:02}:00,0,{},1,{}\n",
                            hour,
                            dni_of_hour(hour + 7),
                            temperature_of_hour(hour + 7));
    return text;
}

inline std::string pvgis_csv(const std::string& minute = "00", const std::string& offset = "") {
    std::string text =
        "Latitude (decimal degrees): 30.000\r\nLongitude (decimal degrees): 0.000\r\n"
        "Elevation (m): 0.0\r\n";
    if (!offset.empty()) text += "Irradiance Time Offset (h): " + offset + "\r\n";
    text += "month,year\r\n6,2001\r\ntime(UTC),T2m,RH,G(h),Gb(n),Gd(h)\r\n";
    for (int hour = 0; hour < 24; ++hour)
        text += fmt::format("20010621:{:02}{},{},50,0,{},0\r\n",
                            hour,
                            minute,
                            temperature_of_hour(hour),
                            dni_of_hour(hour));
    return text + "\r\nT2m: 2-m air temperature (degree Celsius)\r\nPVGIS (c) European Union\r\n";
}

inline std::string pvgis_json() {
    std::string rows;
    for (int hour = 0; hour < 24; ++hour)
        rows += fmt::format("{}{{\"time(UTC)\": \"20010621:{:02}00\", \"Gb(n)\": {}, \"T2m\": {}}}",
                            hour > 0 ? "," : "",
                            hour,
                            dni_of_hour(hour),
                            temperature_of_hour(hour));
    return R"({"inputs": {"location": {"latitude": 30.0, "longitude": 0.0, "elevation": 0.0,
                                       "irradiance_time_offset": 0.5}},
               "outputs": {"tmy_hourly": [)" +
           rows + "]}}";
}

inline std::string epw() {
    std::string text = "LOCATION,Test,-,XXX,Custom,000000,30,0,0,0\nDATA PERIODS,1,1,Data\n";
    for (int hour = 1; hour <= 24; ++hour)
        text += fmt::format("2001,6,21,{},60,?,{},10,50,101300,0,1415,300,0,{},0\n",
                            hour,
                            temperature_of_hour(hour - 1),
                            dni_of_hour(hour - 1));
    return text;
}

/// Day 172 is 21 June in years of 365 days.
inline std::string motab() {
    std::string text =
        "#1\ndouble weather(24,4)\n#METALABELS,name,lat,lon,elev,tzone,tstart\n"
        "#METAUNITS,str,deg,deg,m,h,s\n#TABLELABELS,time,ghi,dni,Tdry\n"
        "#TABLEUNITS,s,W/m2,W/m2,degC\n"
        "#METADATA,1-\"Test, the town\",30,0,0,-8.0,1800\n";
    for (int hour = 0; hour < 24; ++hour)
        text += fmt::format("{},0,{},{}\n",
                            171 * 86400 + hour * 3600,
                            dni_of_hour(hour + 8),
                            temperature_of_hour(hour + 8));
    return text;
}

}  // namespace helioray::test
