// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "cyclotome/circuit/running/course.hpp"
#include "cyclotome/circuit/running/schedule.hpp"
#include "cyclotome/circuit/running/sum_terms.hpp"
#include "cyclotome/circuit/running/team.hpp"
#include "cyclotome/circuit/running/values.hpp"

namespace cyclotome::circuit {

/// What the terms of sums were read from: batches that stay until then, and wires that are used up afterwards.
struct Taken {
  std::vector<BatchPtr> batches;
  std::array<std::vector<Wire>, Values::roles> wires;  // by role
};

/// Wires for each device.
using Shares = std::vector<std::vector<Wire>>;

/// Everything that one evaluation needs: evaluate makes one for each circuit. What it computes of a layer's gates is in
/// gates.cpp.
class Evaluation {
 public:
  Evaluation(const Circuit& circuit, std::span<const Algebra* const> algebras, const Manner& manner,
             const Progress& progress);

  void hold_inputs(std::vector<BatchPtr> inputs);
  void run();
  Result result();

 private:
  void run_step(const Step& step);
  void bring_operands(const Step& step);
  void bring(std::span<const Use> uses, const Standing& standing, Values::Role role, bool passing = false);
  void find_standings(const Step& step);
  Standing standing_of(std::span<const Use> uses, std::size_t level) const;
  std::size_t lowest_level(std::span<const Use> uses) const;

  void multiply(std::size_t device, std::span<const Wire> products);
  void add_up(std::size_t device, std::span<const Wire> sums);
  void add_alike(std::size_t device, std::span<const Wire> sums, const Signature& signature);
  void relinearize(std::size_t device, std::span<const Wire> wires);

  BatchPtr products_of(std::size_t device, std::span<const Wire> products, std::size_t group);
  Summands summands_of(std::size_t device, std::span<const Terms> rows, Kind kind, Values::Role earlier, Taken& taken);
  void keep(std::size_t device, BatchPtr batch, std::span<const Wire> wires);
  void advance(std::size_t device, std::size_t steps);
  template <class Work>
  void in_pieces(std::size_t device, std::span<const Wire> wires, std::size_t items_each, const Work& work) const;
  template <class Work>
  void on_devices(std::span<const Wire> wires, const Work& work);
  void bring_near(const Shares& shares);
  void send_inputs(const Port& port, BatchPtr batch);
  Values::Role role_of(Wire gate, Wire operand) const;

  const Circuit& circuit_;
  std::span<const Algebra* const> algebras_;
  const Manner& manner_;
  Schedule schedule_;
  Values values_;
  Team team_;
  Course course_;
  Reports reports_;
  std::size_t last_ = ~std::size_t{0};  // what the layer before delivered at: no layer is above it
  Values::Role earlier_role_ = Values::term, late_role_ = Values::late;  // of sums' terms of earlier layers
};

}  // namespace cyclotome::circuit
