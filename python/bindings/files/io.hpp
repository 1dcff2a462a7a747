// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "bindings/bindings.hpp"
#include "bindings/file_path.hpp"
#include "cyclotome/io/container/envelope.hpp"
#include "cyclotome/io/files/file.hpp"

namespace cyclotome::python {

/// What Python calls it.
std::string kind_name(io::Kind kind);

/// A passphrase or a key in memory that the caller wipes. Looked at in place: no copy of it is made.
inline std::span<const std::uint8_t> typed(const nb::bytearray& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// Bytes of a Python object, looked at in place. They may change meanwhile, as those of a mapped file do: readers trust
/// nothing that they read twice.
class Lent {
 public:
  Lent() = default;
  explicit Lent(nb::handle object) : view_(new Py_buffer{}) {
    if (PyObject_GetBuffer(object.ptr(), view_.get(), PyBUF_SIMPLE) != 0) {
      delete view_.release();
      nb::raise_python_error();
    }
  }

  std::span<const std::uint8_t> bytes() const {
    return {static_cast<const std::uint8_t*>(view_->buf), static_cast<std::size_t>(view_->len)};
  }

 private:
  struct Release {
    void operator()(Py_buffer* view) const {
      PyBuffer_Release(view);
      delete view;
    }
  };
  std::unique_ptr<Py_buffer, Release> view_;
};

inline io::Existing existing(bool overwrite) { return overwrite ? io::Existing::replaced : io::Existing::refused; }

}  // namespace cyclotome::python
