// SPDX-License-Identifier: MIT
// One command on one process or many.
#include "app/run_on_ranks.h"

#include "app/already_reported.h"
#include "app/failure.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/progress_line.h"
#include "app/ranks.h"
#include "raytracer/run/failure.h"

#include <unistd.h>

namespace helioray::app {

namespace {

Verbosity verbosity_of(const RaytraceOptions& options) {
    if (options.verbose) return Verbosity::verbose;
    return options.quiet || options.json ? Verbosity::quiet : Verbosity::normal;
}

/// Ends a process whose main thread hangs in a call to a machine that no longer answers.
void leave(const std::string& reason) {
    if (pending_signal() != 0) _exit(128 + pending_signal());
    print_failure(reason);
    _exit(1);
}

run::Options engine_options(const RaytraceOptions& options,
                            const LaunchInfo& launch,
                            ProgressLine& progress) {
    run::Options engine;
    engine.launch = launch;
    engine.num_threads = options.threads;
    engine.log = write_log;
    if (launch.rank == 0 && verbosity_of(options) != Verbosity::quiet)
        engine.progress = [&](const run::Progress& now) { progress.show(now); };
    engine.stop = signal_name;
    engine.stuck = leave;
    return engine;
}

}  // namespace

int run_on_ranks(const RaytraceOptions& options,
                 const std::function<run::PreparedRun()>& prepare,
                 const std::function<void(run::Session&)>& work) {
    const LaunchInfo launch = detect_launcher(EnvironmentView::from_process());
    if (const int ranks = local_ranks_wanted(options, launch); ranks > 1)
        return start_local_ranks(ranks);
    set_up_log(verbosity_of(options), launch.rank, launch.world_size, options.log_dir);
    ProgressLine progress;
    try {
        run::Session session(prepare, engine_options(options, launch, progress));
        session.guard([&] { work(session); });
        session.close();
    } catch (const run::PreparationError&) {
        // Every rank knows; one of them says it.
        if (launch.rank != 0) throw AlreadyReported(2);
        throw;
    }
    return 0;
}

}  // namespace helioray::app
