// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cyclotome/engine/dry/account.hpp"
#include "cyclotome/engine/engine.hpp"

namespace cyclotome {

/// One kind of work that an engine was asked for, with what it takes to do it again on another one: a program on so
/// many items, or a verb outside programs.
struct Asked {
  /// Memory that the work takes.
  struct Memory {
    RingPtr ring;
    std::size_t items, parts;
    Domain domain;
    bool grows;         ///< with the items of the work: it has as many, or so many for each of them
    bool list = false;  ///< members of one item each, wherever they lie: fewer may stand for all, over and over
    std::unordered_set<const void*> places{};  ///< where it lay, the first `most_places` of them
  };
  static constexpr std::size_t most_places = 512;
  /// Does the verb: memory in the order of `memories`, which begins with what is written.
  using Verb = std::function<void(Engine&, std::span<const View>)>;

  std::string name;
  std::size_t items;            ///< of each call
  program::ProgramPtr program;  ///< null: a verb
  Verb verb;                    ///< none: of a program, or of a verb that is not done again
  std::vector<Memory> memories;
  std::uint64_t calls = 0;
  Work work;  ///< of all calls

  /// Whether another engine can be asked for the same without what only the caller has.
  bool repeatable() const noexcept { return program != nullptr || verb != nullptr; }
  /// A number for what its time depends on, the same in every process: not names of memory, and not how often.
  std::uint64_t digest() const;
};

/// Work by its kind, as an engine is asked for it. Not thread-safe.
class AskedWork {
 public:
  void program(const program::ProgramPtr& program, std::span<const View> operands, std::size_t items, const Work& work);
  /// views: what is written, and then what is read. list: the views behind the first are members of a list, of one
  /// shape and one item.
  void verb(const char* name, const View& out, std::span<const ConstView> from, const Work& work, Asked::Verb verb,
            bool list = false);
  std::vector<Asked> all() const;
  void clear() { kinds_.clear(); }

 private:
  using Kind = std::pair<std::uint64_t, std::uint64_t>;  ///< of programs their number, of verbs 0; and a digest
  std::map<Kind, Asked> kinds_;
};

}  // namespace cyclotome
