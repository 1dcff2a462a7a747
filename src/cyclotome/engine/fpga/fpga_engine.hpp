// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cyclotome/engine/fpga/circuit_pool.hpp"
#include "cyclotome/engine/fpga/options.hpp"
#include "cyclotome/engine/fpga/statistics.hpp"
#include "cyclotome/engine/hosted_engine.hpp"

namespace cyclotome {

/// The engine whose products of polynomials modulo a prime are computed by a circuit (engine/fpga/circuit_abi.h): a
/// compiled model, or a driver of boards. Everything else is the host engine's, whose memory it shares. Residues are
/// the same bits as on any engine.
class FpgaEngine final : public HostedEngine {
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

 protected:
  /// Transforms, and products that are the circuit's: those are computed one by one, so that every one comes through
  /// here.
  bool is_own(const program::Op& op) const override;
  void do_forward(View a) override;
  void do_inverse(View a) override;
  void do_multiply(View out, ConstView a, ConstView b) override;
  void do_multiply_accumulate(View accumulator, ConstView a, ConstView b) override;

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
