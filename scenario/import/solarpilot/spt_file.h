// SPDX-License-Identifier: MIT
// Reads the project files of SolarPILOT.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace helioray::solarpilot {

/// A variable as written.
struct Variable {
    std::string value;   ///< text, which may have several lines
    std::string units;   ///< unit of a number; "none" or empty: it has none
    int line = 0;        ///< line on which the variable begins, from 1
    int value_line = 0;  ///< line on which the value begins, from 1
};

/// Content of a project file.
struct Project {
    std::string file;     ///< name of the file, for messages
    std::string version;  ///< version of SolarPILOT, "1.5.2"; empty if the file has none
    /// Variables by component ("receiver"), number of the instance, and name ("rec_type").
    std::map<std::tuple<std::string, int, std::string>, Variable> variables;

    std::string where(int line) const;  ///< returns "FILE:line"; only the file for line 0
    /// Returns the variable, or null if the file does not have it.
    const Variable* find(const std::string& component, int instance, const std::string& name) const;
    /// Returns the numbers of the instances of a component, ascending.
    std::vector<int> instances(const std::string& component) const;
};

/// Reads a project as SolarPILOT 1.3 and later write it. The format is described by its source
/// (NREL/ssc, solarpilot/IOUtil.cpp):
///
///     <data> <version>..</version> <header>..</header>
///       <variable> <component>receiver</component> <instance>0</instance>
///         <varname>rec_type</varname> <units>none</units> <value>Flat plate</value> </variable>
///       .. </data>
///
/// Other elements of `data`, such as parametric studies, are skipped. Throws InputError with every
/// problem of the variables; stops where the structure is lost.
Project read_project(const std::filesystem::path& file);

/// Reads a project from a text; `name` replaces the file name in messages.
Project parse_project(const std::string& text, const std::string& name);

}  // namespace helioray::solarpilot
