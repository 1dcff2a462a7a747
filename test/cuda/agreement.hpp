// SPDX-License-Identifier: Apache-2.0
#pragma once

// Verbs and programs on both engines, and whether they agree.

#include "cyclotome/program/builder.hpp"
#include "engines.hpp"
#include "seed.hpp"
#include "trial.hpp"

namespace cyclotome::check {

/// Uniform residues on the host, and the same on the device.
struct Pair {
  PolyArray cpu, gpu;
};

inline Pair random_pair(const RingPtr& ring, std::size_t batch, std::size_t parts, std::uint8_t value, Domain domain) {
  PolyArray cpu(host(), ring, batch, parts, domain);
  host()->sample(cpu.view(), Law::uniform, seed(value), Stream::public_uniform);
  PolyArray gpu = cpu.to(device());
  return {std::move(cpu), std::move(gpu)};
}

inline bool same(const PolyArray& a, const PolyArray& b) { return a.to_host() == b.to_host(); }

/// Runs `body(engine, out, operand a, operand b)` on both engines and compares what it writes.
template <class Body>
bool agree(const RingPtr& out_ring, std::size_t batch, std::size_t parts, Domain domain, const Pair& a, const Pair& b,
           const Body& body) {
  PolyArray cpu(host(), out_ring, batch, parts, domain), gpu(device(), out_ring, batch, parts, domain);
  host()->clear(cpu.view());
  device()->clear(gpu.view());
  body(*host(), cpu.view(), a.cpu.view(), b.cpu.view());
  body(*device(), gpu.view(), a.gpu.view(), b.gpu.view());
  return same(cpu, gpu);
}

/// Writes a program and compares what both engines make of it: on the GPU walked step by step, and as a graph that came
/// from a run on other residues. Its operands lie elsewhere each time.
template <class Write>
bool composite_agrees(std::size_t batch, const Write& write, Law law = Law::uniform) {
  program::Builder b("composite");
  write(b);
  const program::ProgramPtr program = b.finish();
  Trial expected(program, host()), ours(program, device());
  const Residues right = expected(batch, 1, 1, 0, law);
  const bool walked = ours(batch, 1, 1, 0, law) == right;
  ours.run(batch, 2, 1, 0, law);
  return walked && ours(batch, 1, 1, 0, law) == right;
}

}  // namespace cyclotome::check
