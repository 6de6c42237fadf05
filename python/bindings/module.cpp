// SPDX-License-Identifier: MIT
// The extension module helioray._core: errors, keys of configurations, and the other bindings.
#include "kernels/host/module.h"

#include "app/output/report/page_file.h"
#include "scenario/config/key_table.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/trial.h"
#include "scenario/files/output_files.h"
#include "scenario/import/field/field_template.h"
#include "scenario/inputs/table_columns.h"
#include "scenario/types/choices.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "helioray/version.h"
#include "python/bindings/convert/text.h"
#include "python/bindings/engine.h"
#include "python/bindings/interpreter_end.h"
#include "python/bindings/plant.h"
#include "python/bindings/result.h"
#include "python/bindings/solve.h"
#include "python/bindings/suns.h"
#include "python/bindings/tensors.h"
#include "python/bindings/trace.h"
#include <cstddef>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace helioray::python {

namespace {

nb::handle input_error;

/// Raises the Python exception with every problem in its four parts: where, what, why, advice.
void raise_input_error(const InputError& error) {
    nb::list problems;
    for (const Problem& problem : error.problems())
        problems.append(nb::make_tuple(problem.where, problem.what, problem.why, problem.advice));
    const nb::object exception = input_error(nb::cast(std::string(error.what())));
    exception.attr("problems") = problems;
    PyErr_SetObject(input_error.ptr(), exception.ptr());
}

void translate(const std::exception_ptr& exception, void*) {
    try {
        std::rethrow_exception(exception);
    } catch (const InputError& error) {
        raise_input_error(error);
    } catch (const std::filesystem::filesystem_error& error) {
        raise_input_error(InputError(
            Problem{error.path1().string(), error.code().message(), "", "check the path"}));
    } catch (const std::bad_alloc& error) {
        PyErr_SetString(PyExc_MemoryError, run::readable_message(error).c_str());
    } catch (const ModuleError& error) {
        PyErr_SetObject(PyExc_ImportError, nb::cast(std::string(error.what())).ptr());
    } catch (const std::runtime_error& error) {
        PyErr_SetObject(PyExc_RuntimeError, nb::cast(std::string(error.what())).ptr());
    }
}

/// Prepares the LibTorch of a module. It is called on the threads of calls, which work without the
/// interpreter's lock.
void prepare_module(const std::string& file) {
    const nb::gil_scoped_acquire acquire;
    try {
        nb::module_::import_("helioray._libtorch")
            .attr("prepare")(nb::bytes(file.data(), file.size()));
    } catch (const nb::python_error& error) {
        throw ModuleError(nb::str(error.value()).c_str());
    }
}

void check_output(const std::string& where, const std::string& file, const std::string& kind) {
    if (kind == "page") return check_page_name(where, file);
    if (kind == "table") return check_ending(where, file, kCsvFile, {".csv"});
    check_ending(where, file, kHdf5File, kResultEndings);
}

std::vector<std::string> list_paths(const std::vector<KeyInfo>& keys) {
    std::vector<std::string> paths;
    for (const KeyInfo& key : keys) paths.push_back(key.path);
    return paths;
}

/// Adds InputError and the translation of C++ exceptions.
void bind_errors(nb::module_& m) {
    // InputError derives from ValueError for callers that do not know HelioRay's types.
    const nb::object error =
        nb::steal(PyErr_NewExceptionWithDoc("helioray.InputError",
                                            "Invalid input. str() has a line for each problem; "
                                            "`problems` lists them as (where, what, why, advice).",
                                            PyExc_ValueError,
                                            nullptr));
    m.attr("InputError") = error;
    input_error = error;
    nb::register_exception_translator(translate);
}

/// Adds the declarations of the keys of configurations and fields.
void bind_keys(nb::module_& m) {
    m.def("known_keys", [] { return list_paths(known_keys()); });
    m.def("position_keys", &position_keys);
    m.def(
        "key_info",
        [](const std::string& path, bool of_field) {
            const KeyInfo& info = find_declaration(path, of_field ? field_keys() : known_keys());
            return std::map<std::string, std::string>{{"meaning", info.meaning},
                                                      {"unit", info.unit},
                                                      {"range", info.range},
                                                      {"default", info.default_value},
                                                      {"example", info.example}};
        },
        nb::arg("path"),
        nb::arg("of_field") = false);
    m.def("field_keys", [] { return list_paths(field_keys()); });
}

/// Adds what decides which column of a table a label means.
void bind_labels(nb::module_& m) {
    nb::class_<ColumnMatch>(m, "ColumnMatch")
        .def_ro("factor", &ColumnMatch::factor)
        .def_ro("offset", &ColumnMatch::offset)
        .def_ro("rank", &ColumnMatch::rank)
        .def_ro("has_unit", &ColumnMatch::has_unit)
        .def_prop_ro("is_wrong_unit", [](const ColumnMatch& match) {
            return match.fault == ColumnMatch::Fault::wrong_unit;
        });
    m.def(
        "match_column",
        [](const std::string& label, const std::string& column) {
            return match_column(split_header(label), {column});
        },
        nb::arg("label"),
        nb::arg("column"),
        "Returns how a label names a column of the program; None for other labels.");
    m.def("is_usual_weather", &is_usual_weather, nb::arg("label"));
    m.def("may_mean", &may_mean, nb::arg("label"), nb::arg("column"));
    m.def("could_decide", &could_decide, nb::arg("label"));
    m.def("suggest", &suggest, nb::arg("wrong"), nb::arg("valid"));
}

/// Adds checks of names of files, and functions that find and write files.
void bind_files(nb::module_& m) {
    m.def(
        "module_file",
        [](const std::string& name) {
            const std::string file = module_file(name);
            return nb::bytes(file.data(), file.size());
        },
        nb::arg("name"));
    m.def("check_output",
          &check_output,
          nb::arg("where"),
          nb::arg("file"),
          nb::arg("kind"),
          "Refuses a file name with another ending than its kind (hdf5, table, page) has.");
    m.def(
        "write_file",
        [](const std::string& file, const nb::bytes& content) {
            check_writable(file);
            AtomicFile atomic(file);
            atomic.write({static_cast<const std::byte*>(content.data()), content.size()});
            atomic.commit();
        },
        nb::arg("file"),
        nb::arg("content"),
        "Writes a file completely or not at all.");
}

}  // namespace

}  // namespace helioray::python

NB_MODULE(_core, m) {
    using namespace helioray;
    m.doc() = "Bindings of HelioRay's libraries; use the package helioray.";
    // Objects that stay alive until the interpreter ends, such as handlers of logging, would make
    // nanobind print a list of our types.
    nb::set_leak_warnings(false);
    python::wait_for_calls_at_exit();
    hdf5::try_files_first();
    m.attr("version") = kVersion;
    m.attr("git_commit") = kGitCommit;
    m.attr("torch_version") = kTorchVersion;
    before_loading(python::prepare_module);
    python::bind_errors(m);
    python::bind_keys(m);
    python::bind_labels(m);
    python::bind_files(m);
    python::bind_call(m);
    python::bind_suns(m);
    python::bind_plant(m);
    python::bind_result(m);
    python::bind_series(m);
    python::bind_year(m);
    python::bind_efficiency(m);
    python::bind_trace(m);
    python::bind_aim(m);
    python::bind_field(m);
    python::bind_solve(m);
    python::bind_tensors(m);
}
