// SPDX-License-Identifier: MIT
// Writes messages to stderr, and optionally to a log file for each rank.
#include "app/program/common/log.h"

#include "scenario/files/error.h"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <vector>

namespace helioray::app {

void set_up_log(Verbosity verbosity, int rank, int world_size, const std::string& log_dir) {
    auto terminal = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    terminal->set_pattern(world_size > 1 ? fmt::format("helioray[{}]: %^%l%$: %v", rank)
                                         : std::string("helioray: %^%l%$: %v"));
    auto level = spdlog::level::info;
    if (verbosity == Verbosity::quiet) level = spdlog::level::warn;
    if (verbosity == Verbosity::verbose) level = spdlog::level::debug;
    terminal->set_level(rank == 0 ? level : spdlog::level::err);

    std::vector<spdlog::sink_ptr> sinks{terminal};
    if (!log_dir.empty()) {
        std::error_code error;
        std::filesystem::create_directories(log_dir, error);
        try {
            auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(
                fmt::format("{}/rank_{}.log", log_dir, rank), true);
            file->set_pattern(
                fmt::format("%Y-%m-%dT%H:%M:%S.%e%z rank {}/{} %l: %v", rank, world_size));
            file->set_level(spdlog::level::debug);
            sinks.push_back(file);
        } catch (const spdlog::spdlog_ex& problem) {
            throw InputError(
                Problem{"--log-dir", problem.what(), "", "name a folder that can be written"});
        }
    }
    auto logger = std::make_shared<spdlog::logger>("helioray", sinks.begin(), sinks.end());
    logger->set_level(spdlog::level::debug);
    logger->flush_on(spdlog::level::debug);
    spdlog::set_default_logger(logger);
}

void write_log(run::LogLevel level, const std::string& message) {
    switch (level) {
        case run::LogLevel::debug:
            return spdlog::debug(message);
        case run::LogLevel::info:
            return spdlog::info(message);
        case run::LogLevel::warning:
            return spdlog::warn(message);
    }
}

void log_warnings(const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) write_log(run::LogLevel::warning, warning);
}

}  // namespace helioray::app
