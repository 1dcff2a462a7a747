// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cyclotome/engine/engine.hpp"
#include "cyclotome/engine/fpga/circuit_pool.hpp"
#include "cyclotome/engine/fpga/statistics.hpp"

namespace cyclotome {

/// What the circuit computes for the engine.
enum class CircuitMode : std::uint8_t {
  product,    ///< whole products of polynomials, as paper 004 does: operands come and go as coefficients
  transform,  ///< the transforms; products of what is kept transformed are then the host's
};

struct FpgaOptions {
  /// What messages call the engine.
  std::string name = "fpga:sim";
  CircuitMode mode = CircuitMode::product;
  /// Boards in the account of time (paper 004, Figure 5.8): primes go to them in turn.
  std::size_t boards = 1;
  /// Circuits that are simulated at once.
  std::size_t threads = 1;
};

/// The engine whose products of polynomials modulo a prime are computed by a circuit (engine/fpga/circuit_abi.h): a
/// compiled model, or a driver of boards. Everything else is the host engine's, whose memory it shares. Residues are
/// the same bits as on any engine.
class FpgaEngine final : public Engine {
 public:
  /// host: an engine whose memory this processor can address. Throws ArgumentError for 0 boards or threads, or more
  /// than 1024.
  static std::shared_ptr<FpgaEngine> create(EnginePtr host, const FpgaOptions& options);

  /// Opens a circuit's shared library; work at its degree goes there from now on, unless one is open for that degree.
  /// Throws EngineError when it can't be loaded or does not offer what the mode needs.
  void open(const std::string& library);
  /// Whether there is a circuit for this degree.
  bool is_open(std::size_t degree) const;

  fpga::Statistics statistics() const;
  void reset_statistics();

  const FpgaOptions& options() const noexcept { return options_; }

  std::string name() const override { return options_.name; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes, bool secret) override { return host_->allocate(bytes, secret); }
  MemoryState memory(bool with_free) const override { return host_->memory(with_free); }
  void upload(void* destination, const void* from, std::size_t bytes) override {
    host_->upload(destination, from, bytes);
  }
  void download(void* to, const void* source, std::size_t bytes) override { host_->download(to, source, bytes); }

  /// The host's code for what has neither transforms in it nor products that are the circuit's: those are computed one
  /// by one, so that every one comes through here.
  Native native(const program::Program& program, const program::Composite& composite) override;

 protected:
  void do_forward(View a) override;
  void do_inverse(View a) override;
  void do_multiply(View out, ConstView a, ConstView b) override;
  void do_multiply_accumulate(View accumulator, ConstView a, ConstView b) override;

  // No products of polynomials in these: the host's.
  void do_copy(View out, ConstView a) override { host_->copy(out, a); }
  void do_clear(View out) override { host_->clear(out); }
  void do_add(View out, ConstView a, ConstView b) override { host_->add(out, a, b); }
  void do_subtract(View out, ConstView a, ConstView b) override { host_->subtract(out, a, b); }
  void do_negate(View out, ConstView a) override { host_->negate(out, a); }
  void do_multiply_scalars(View out, ConstView a, std::span<const std::uint64_t> factors) override {
    host_->multiply_scalars(out, a, factors);
  }
  void do_convert(View out, ConstView a, const BaseConversion& conversion) override {
    host_->convert(out, a, conversion);
  }
  void do_automorphism(View out, ConstView a, std::uint64_t element) override { host_->automorphism(out, a, element); }
  void do_sample(View out, Law law, const Seed& seed, Stream stream, std::uint32_t first_item) override {
    host_->sample(out, law, seed, stream, first_item);
  }
  void do_linear_combination(View out, ConstView a, std::span<const std::int64_t> matrix) override {
    host_->linear_combination(out, a, matrix);
  }
  void do_sum_items(View out, std::span<const ConstView> items, std::size_t group) override {
    host_->sum_items(out, items, group);
  }
  void do_peaks(View numbers, ConstView a, const BaseConversion& conversion) override {
    host_->peaks(numbers, a, conversion);
  }

 private:
  FpgaEngine(EnginePtr host, const FpgaOptions& options);

  fpga::CircuitPool& circuits(std::size_t degree) const;
  /// Whether the circuit is to compute the products of these operands.
  bool multiplies(const Ring& ring, Domain domain) const;
  /// out (coefficient domain) = product of the transforms a and b.
  void circuit_product(View out, ConstView a, ConstView b);
  /// What a circuit does in one go: the limbs of one board, or one of them.
  struct Run {
    std::size_t board;
    std::vector<std::size_t> limbs;
    std::uint64_t ticks = 0;
  };
  std::vector<Run> runs_of(const Ring& ring, bool together);
  /// out = operation(a, b) on circuits, over the threads; `b` is for products. Accounts for it.
  void run(View out, ConstView a, ConstView b, fpga::Operation operation);
  void account(const Ring& ring, fpga::Operation operation, std::size_t count, const std::vector<Run>& runs);

  const EnginePtr host_;
  const FpgaOptions options_;
  mutable std::mutex circuits_mutex_;
  std::map<std::size_t, std::unique_ptr<fpga::CircuitPool>> circuits_;  // by degree
  mutable std::mutex statistics_mutex_;
  fpga::Statistics statistics_;
  using Prime = std::pair<std::size_t, std::uint64_t>;  // degree and modulus
  std::map<Prime, std::size_t> board_of_;
  std::vector<Prime> loaded_;  // by board
};

}  // namespace cyclotome
