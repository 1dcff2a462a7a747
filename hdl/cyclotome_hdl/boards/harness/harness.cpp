// SPDX-License-Identifier: Apache-2.0
// The C interface of a circuit, on its Verilator model. Compiled once per circuit, with -DMODEL, -DMODEL_HEADER,
// -DLAYOUT_FILE and the numbers of the design; which word goes where is data (the layout), so no design has code here.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "circuit_abi.h"
#include "layout.hpp"
#include "tables.hpp"
#include MODEL_HEADER
#include "verilated.h"

namespace {

template <class Port>
void drive(Port& port, std::size_t lane, std::uint64_t value) {
  std::memcpy(reinterpret_cast<char*>(&port) + 8 * lane, &value, 8);
}

template <class Port>
std::uint64_t read(const Port& port, std::size_t lane) {
  std::uint64_t value;
  std::memcpy(&value, reinterpret_cast<const char*>(&port) + 8 * lane, 8);
  return value;
}

struct Failure : std::runtime_error {
  Failure(int code, const std::string& text) : std::runtime_error(text), code(code) {}
  int code;
};

enum Code { bad_modulus = 1, bad_root, no_tables, no_operation, bad_operand, no_answer, no_memory, other };

void check_prime(std::uint64_t p, std::uint64_t psi) {
  constexpr std::uint64_t least = LEAST_MODULUS, largest = LARGEST_MODULUS;
  if (p % 2 == 0 || p < least || p > largest || (p - 1) % (2 * degree) != 0) {
    const std::string range = least == largest ? "be " + std::to_string(least)
                              : least == 3     ? "lie below 2^" + std::to_string(WORD_BITS)
                                               : "lie from " + std::to_string(least) + " to " + std::to_string(largest);
    throw Failure(bad_modulus, "modulus " + std::to_string(p) +
                                   " does not fit this circuit (" DESIGN_NAME "); it must " + range +
                                   " and be 1 modulo " + std::to_string(2 * degree));
  }
  if (psi >= p || power(psi, degree, p) != p - 1) {
    throw Failure(bad_root, std::to_string(psi) + " is not a primitive root of unity of order " +
                                std::to_string(2 * degree) + " modulo " + std::to_string(p));
  }
}

}  // namespace

struct cyclotome_circuit {
  VerilatedContext context;
  std::unique_ptr<MODEL> model;
  Prime prime;
  std::uint64_t tick = 0;
  std::string error;

  cyclotome_circuit() {
    context.randReset(0);
    model = std::make_unique<MODEL>(&context);
    model->clk = 0;
    model->eval();
  }

  ~cyclotome_circuit() { model->final(); }

  void step() {
    model->clk = 0;
    model->eval();
    model->clk = 1;
    model->eval();
    ++tick;
  }

  void write(std::size_t lane, const TableWord& word, std::uint64_t value) {
    model->table_enable |= 1u << lane;
    const auto address = static_cast<std::uint32_t>(word.address);
    std::memcpy(reinterpret_cast<char*>(&model->table_address) + 4 * lane, &address, 4);
    drive(model->table_data, lane, value);
  }

  /// Fills bank 0 of the tables, all lanes at once.
  void load(std::uint64_t p, std::uint64_t psi) {
    check_prime(p, psi);
    prime = Prime(p, psi);
    model->modulus = p;
    model->table_bank = 0;
    std::size_t longest = 0;
    for (const auto& lane : layout().tables) longest = std::max(longest, lane.count);
    for (std::size_t i = 0; i < longest; ++i) {
      model->table_enable = 0;
      for (std::size_t lane = 0; lane < layout().tables.size(); ++lane) {
        if (i < layout().tables[lane].count) write(lane, layout().tables[lane].words[i], prime.words[lane][i]);
      }
      step();
    }
    model->table_enable = 0;
    // A circuit that registers its table port, or works out something from what it holds, has time to do so.
    for (int i = 0; i < 16; ++i) step();
  }

  /// Runs `count` operations on a stream of words. With `primes` there is one for each product, and their tables are
  /// written while earlier products are in flight; else all are modulo the prime that is loaded.
  void run(Operation operation, std::uint64_t count, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
           const std::vector<Prime>* primes, std::uint64_t* ticks, std::uint64_t* interval) {
    const Order& inputs = layout().inputs[operation];
    const Order& outputs = layout().outputs[operation];
    const std::uint64_t wanted = count * outputs.beats;
    std::uint64_t sent = 0, received = 0, first = 0, last = 0, before_last = 0;
    const std::unique_ptr<Tables> tables = tables_of(primes, inputs.beats);
    const std::uint64_t start = tick + static_cast<std::uint64_t>(tables->lead());
    std::uint64_t progress = start;
    model->operation = operation;
    for (std::uint64_t item = 0, beat_in = 0, result = 0, beat_out = 0; received < wanted;) {
      if (model->output_valid) {
        const std::int32_t* index = outputs.index + beat_out * outputs.lanes;
        for (std::size_t lane = 0; lane < outputs.lanes; ++lane) {
          if (index[lane] >= 0)
            out[result * degree + static_cast<std::uint32_t>(index[lane])] = read(model->output, lane);
        }
        ++received;
        progress = tick;
        if (++beat_out == outputs.beats) {
          beat_out = 0;
          ++result;
          before_last = last;
          last = tick;
        }
      }
      const bool waiting = item < count && tick >= start && tables->ready(item);
      model->input_valid = waiting;
      if (waiting && model->input_ready) {
        if (sent == 0) first = tick;
        if (primes != nullptr) {
          model->modulus = (*primes)[item].modulus;
          model->input_bank = tables->bank(item);
        }
        const std::int32_t* index = inputs.index + beat_in * inputs.lanes;
        for (std::size_t lane = 0; lane < inputs.lanes; ++lane) {
          const auto position = static_cast<std::uint64_t>(index[lane]);
          if (index[lane] < 0) continue;
          drive(model->input, lane,
                position < degree ? a[item * degree + position] : b[item * degree + position - degree]);
        }
        ++sent;
        progress = tick;
        if (++beat_in == inputs.beats) {
          beat_in = 0;
          ++item;
        }
      }
      model->table_enable = 0;
      model->table_bank = 0;
      const std::uint64_t begun = result + (beat_out != 0);
      tables->write(static_cast<std::int64_t>(tick) - static_cast<std::int64_t>(start), begun,
                    [this](std::size_t lane, std::size_t word, std::uint64_t value, unsigned bank) {
                      write(lane, layout().tables[lane].words[word], value);
                      model->table_bank |= bank << lane;
                    });
      step();
      if (tick > progress && tick - progress > 64 * degree + 4096) {
        throw Failure(no_answer, "the circuit has not answered for " + std::to_string(tick - progress) + " ticks");
      }
    }
    model->input_valid = 0;
    model->table_enable = 0;
    model->table_bank = 0;
    model->input_bank = 0;
    *ticks = last - first + 1;
    *interval = count > 1 ? last - before_last : 0;
  }

  template <class Body>
  int guarded(Body body) {
    try {
      error.clear();
      body();
      return 0;
    } catch (const Failure& failure) {
      error = failure.what();
      return failure.code;
    } catch (const std::bad_alloc&) {
      error = "out of memory";
      return no_memory;
    } catch (const std::exception& failure) {
      error = failure.what();
      return other;
    }
  }

  void check_operand(const std::uint64_t* words, std::uint64_t count, std::uint64_t p) const {
    const std::uint64_t* end = words + count * degree;
    const std::uint64_t* bad = std::find_if(words, end, [p](std::uint64_t word) { return word >= p; });
    if (bad != end) {
      throw Failure(bad_operand,
                    "operand word " + std::to_string(*bad) + " is not below the modulus " + std::to_string(p));
    }
  }

  int start(Operation operation, std::uint64_t count, const std::uint64_t* a, const std::uint64_t* b,
            std::uint64_t* out, std::uint64_t* ticks, std::uint64_t* interval) {
    return guarded([&] {
      if ((operations >> operation & 1) == 0) throw Failure(no_operation, "this circuit does not have this operation");
      if (prime.modulus == 0) throw Failure(no_tables, "no tables are loaded; load a modulus and a root first");
      *ticks = *interval = 0;
      if (count == 0) return;
      check_operand(a, count, prime.modulus);
      if (b != nullptr) check_operand(b, count, prime.modulus);
      run(operation, count, a, b, out, nullptr, ticks, interval);
    });
  }
};

extern "C" {

const cyclotome_circuit_info* cyclotome_circuit_describe(void) {
  static const cyclotome_circuit_info info = {CYCLOTOME_CIRCUIT_ABI, DEGREE, PIPES, WORD_BITS, operations, DESIGN_NAME};
  return &info;
}

cyclotome_circuit* cyclotome_circuit_create(void) {
  try {
    return new cyclotome_circuit;
  } catch (const std::exception&) {
    return nullptr;
  }
}

void cyclotome_circuit_destroy(cyclotome_circuit* circuit) { delete circuit; }

int cyclotome_circuit_load(cyclotome_circuit* circuit, uint64_t modulus, uint64_t psi) {
  return circuit->guarded([&] { circuit->load(modulus, psi); });
}

int cyclotome_circuit_multiply(cyclotome_circuit* circuit, uint64_t count, const uint64_t* a, const uint64_t* b,
                               uint64_t* out, uint64_t* ticks, uint64_t* interval) {
  return circuit->start(product, count, a, b, out, ticks, interval);
}

int cyclotome_circuit_forward(cyclotome_circuit* circuit, uint64_t count, const uint64_t* a, uint64_t* out,
                              uint64_t* ticks, uint64_t* interval) {
  return circuit->start(forward, count, a, nullptr, out, ticks, interval);
}

int cyclotome_circuit_inverse(cyclotome_circuit* circuit, uint64_t count, const uint64_t* a, uint64_t* out,
                              uint64_t* ticks, uint64_t* interval) {
  return circuit->start(inverse, count, a, nullptr, out, ticks, interval);
}

/* Beyond the common interface, for circuits with CYCLOTOME_CIRCUIT_SEVERAL_PRIMES: product k is modulo moduli[k], with
 * roots[k]. The tables are written while earlier products are in flight; what was loaded is gone afterwards. */
int cyclotome_circuit_multiply_each(cyclotome_circuit* circuit, uint64_t count, const uint64_t* moduli,
                                    const uint64_t* roots, const uint64_t* a, const uint64_t* b, uint64_t* out,
                                    uint64_t* ticks, uint64_t* interval) {
  return circuit->guarded([&] {
    if (!several_primes) throw Failure(no_operation, "this circuit works modulo one prime at a time");
    *ticks = *interval = 0;
    if (count == 0) return;
    std::vector<Prime> primes;
    for (uint64_t k = 0; k < count; ++k) {
      check_prime(moduli[k], roots[k]);
      circuit->check_operand(a + k * degree, 1, moduli[k]);
      circuit->check_operand(b + k * degree, 1, moduli[k]);
      const bool again = k > 0 && moduli[k] == moduli[k - 1] && roots[k] == roots[k - 1];
      primes.push_back(again ? primes.back() : Prime(moduli[k], roots[k]));
    }
    circuit->prime = Prime();
    circuit->run(product, count, a, b, out, &primes, ticks, interval);
  });
}

const char* cyclotome_circuit_error(const cyclotome_circuit* circuit) { return circuit->error.c_str(); }

}  // extern "C"
