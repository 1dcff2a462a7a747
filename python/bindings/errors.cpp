// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/math/errors.hpp"

#include <nanobind/stl/string.h>

#include <string_view>

#include "bindings/bindings.hpp"
#include "cyclotome/rlwe/joint/joint_errors.hpp"

namespace cyclotome::python {

namespace {

/// The Python classes that C++ errors become; null until the package registers its own, when nanobind's RuntimeError
/// stands in. Immortal: errors can be raised until the interpreter ends.
struct Classes {
  PyObject *error, *parameter, *security, *argument, *mismatch, *missing_key, *passphrase, *noise, *range, *format,
      *engine, *memory, *file, *unsupported, *transparent, *contradiction, *repeated_answer, *blame, *budget;
};
Classes classes{};

/// The one error that says more than its message.
void raise_blame(const BlameError& error) {
  if (classes.blame == nullptr) throw;
  nb::object raised = nb::handle(classes.blame)(error.what());
  nb::list parties;
  for (const std::uint32_t party : error.parties()) parties.append(party);
  raised.attr("parties") = nb::tuple(parties);
  raised.attr("stage") = error.stage();
  raised.attr("evidence") = error.evidence();
  PyErr_SetObject(classes.blame, raised.ptr());
}

void translate(const std::exception_ptr& failure, void*) {
  const auto raise = [](PyObject* type, const Error& error) {
    if (type == nullptr) throw;
    // Messages quote what comes from outside, which need not be UTF-8.
    const std::string_view text = error.what();
    PyObject* const shown = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
    if (shown == nullptr) return;  // no memory: that is raised
    PyErr_SetObject(type, shown);
    Py_DECREF(shown);
  };
  try {
    std::rethrow_exception(failure);
  } catch (const SecurityError& error) {
    raise(classes.security, error);
  } catch (const ParameterError& error) {
    raise(classes.parameter, error);
  } catch (const ArgumentError& error) {
    raise(classes.argument, error);
  } catch (const MismatchError& error) {
    raise(classes.mismatch, error);
  } catch (const PassphraseError& error) {
    raise(classes.passphrase, error);
  } catch (const MissingKeyError& error) {
    raise(classes.missing_key, error);
  } catch (const NoiseError& error) {
    raise(classes.noise, error);
  } catch (const ContradictionError& error) {
    raise(classes.contradiction, error);
  } catch (const BudgetError& error) {
    raise(classes.budget, error);
  } catch (const BlameError& error) {
    raise_blame(error);
  } catch (const RepeatedAnswerError& error) {
    raise(classes.repeated_answer, error);
  } catch (const RangeError& error) {
    raise(classes.range, error);
  } catch (const FormatError& error) {
    raise(classes.format, error);
  } catch (const FileError& error) {
    raise(classes.file, error);
  } catch (const MemoryLimitError& error) {
    raise(classes.memory, error);
  } catch (const UnsupportedError& error) {
    raise(classes.unsupported, error);
  } catch (const TransparentError& error) {
    raise(classes.transparent, error);
  } catch (const EngineError& error) {
    raise(classes.engine, error);
  } catch (const Error& error) {
    raise(classes.error, error);
  } catch (const std::bad_alloc&) {
    raise(classes.memory, MemoryLimitError("the system has no memory left for this; work on fewer values at a time"));
  }
}

PyObject* immortal(const nb::object& type) {
  if (!PyExceptionClass_Check(type.ptr())) throw nb::type_error("errors are exception classes");
  return nb::object(type).release().ptr();
}

}  // namespace

void bind_errors(nb::module_& m) {
  nb::register_exception_translator(translate);
  m.def(
      "set_error_classes",
      [](const nb::object& error, const nb::object& parameter, const nb::object& security, const nb::object& argument,
         const nb::object& mismatch, const nb::object& missing_key, const nb::object& passphrase,
         const nb::object& noise, const nb::object& range, const nb::object& format, const nb::object& engine,
         const nb::object& memory, const nb::object& file, const nb::object& unsupported, const nb::object& transparent,
         const nb::object& contradiction, const nb::object& repeated_answer, const nb::object& blame,
         const nb::object& budget) {
        classes = {immortal(error),         immortal(parameter),       immortal(security),
                   immortal(argument),      immortal(mismatch),        immortal(missing_key),
                   immortal(passphrase),    immortal(noise),           immortal(range),
                   immortal(format),        immortal(engine),          immortal(memory),
                   immortal(file),          immortal(unsupported),     immortal(transparent),
                   immortal(contradiction), immortal(repeated_answer), immortal(blame),
                   immortal(budget)};
      },
      nb::kw_only(), "error"_a, "parameter"_a, "security"_a, "argument"_a, "mismatch"_a, "missing_key"_a,
      "passphrase"_a, "noise"_a, "range"_a, "format"_a, "engine"_a, "memory"_a, "file"_a, "unsupported"_a,
      "transparent"_a, "contradiction"_a, "repeated_answer"_a, "blame"_a, "budget"_a,
      "Sets the Python classes that the library's errors become.");
}

}  // namespace cyclotome::python
