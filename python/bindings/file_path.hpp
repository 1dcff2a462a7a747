// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace cyclotome::python {

/// A path that Python gives, as text: `os.fsencode` makes bytes of it, so that names which are no UTF-8 work too. Zero
/// bytes are the library's to refuse.
struct FilePath {
  nanobind::object encoded;  // bytes: to copy them takes memory, which a caster must not fail for

  operator std::string() const {  // NOLINT(google-explicit-constructor): it is one
    return {PyBytes_AsString(encoded.ptr()), static_cast<std::size_t>(PyBytes_Size(encoded.ptr()))};
  }
};

/// A path of the library's as Python has it: `os.fsdecode`.
inline nanobind::str shown_path(const std::string& path) {
  PyObject* const text = PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
  if (text == nullptr) nanobind::raise_python_error();
  return nanobind::steal<nanobind::str>(text);
}

}  // namespace cyclotome::python

namespace nanobind::detail {

template <>
struct type_caster<cyclotome::python::FilePath> {
  NB_TYPE_CASTER(cyclotome::python::FilePath, const_name("str"))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    if (!PyUnicode_Check(source.ptr())) return false;
    value.encoded = steal(PyUnicode_EncodeFSDefault(source.ptr()));
    if (!value.encoded.is_valid()) PyErr_Clear();
    return value.encoded.is_valid();
  }

  static handle from_cpp(const cyclotome::python::FilePath&, rv_policy, cleanup_list*) noexcept = delete;
};

}  // namespace nanobind::detail
