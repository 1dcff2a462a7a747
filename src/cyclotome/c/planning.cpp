// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/scheme/planning.hpp"

#include "cyclotome/c/boundary.hpp"

using namespace cyclotome;

namespace {

/// 0 stands for the usual.
template <class Number, std::integral Given>
void take(Number& number, Given given) {
  if (given == 0) return;
  number = static_cast<Number>(given);
  if (static_cast<std::uint64_t>(number) != given) {
    throw ArgumentError(message(given, " is beyond what addresses on this machine reach"));
  }
}

scheme::Intent intent_of(const cyclotome_intent& asked) {
  scheme::Intent intent;
  intent.depth = asked.depth;
  intent.plain_products = asked.plain_products;
  take(intent.value_bits, asked.value_bits);
  take(intent.result_bits, asked.result_bits);
  take(intent.terms, asked.terms);
  take(intent.min_degree, asked.min_slots);
  take(intent.security, asked.security);
  if (asked.word_bits != 0 && asked.word_bits != 32 && asked.word_bits != 64) {
    throw ArgumentError(message("residues have words of 32 or 64 bits, not ", asked.word_bits));
  }
  if (asked.word_bits != 0) intent.word = asked.word_bits == 32 ? Word::u32 : Word::u64;
  return intent;
}

}  // namespace

cyclotome_status cyclotome_suggest(const cyclotome_intent* intent, cyclotome_parameters** parameters) {
  return c::making(parameters,
                   [&] { return scheme::suggest(intent_of(c::options_of(&c::given(intent, "intent"), "intent"))); });
}

cyclotome_status cyclotome_preset(const char* name, int32_t allow_insecure, cyclotome_parameters** parameters) {
  return c::making(parameters,
                   [&] { return scheme::preset(c::text_of(name, "name of a preset"), allow_insecure != 0); });
}
