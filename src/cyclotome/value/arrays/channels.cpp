// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/channels.hpp"

#include <algorithm>

#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/value/arrays/announcement.hpp"

namespace cyclotome::value {

namespace {

/// A long operation is cut into at most this many pieces.
constexpr std::size_t most_pieces = 32;
/// What keeps an engine busy: on a GPU, which is so with large batches only, more than on a CPU.
std::size_t smallest_piece(const Engine& engine) { return engine.name().starts_with("cuda") ? 1024 : 8; }

Ciphertext joined(const std::vector<Ciphertext>& parts) {
  if (parts.size() == 1) return parts.front();
  std::vector<const Ciphertext*> pointers;
  for (const Ciphertext& part : parts) pointers.push_back(&part);
  return scheme::concatenate(pointers);
}

Channels products(const Channels& a, const Channels& b, const rlwe::EvaluationKeys* keys, const Options& options) {
  const bool square = &a == &b;
  const auto product = [&](std::size_t channel, const Piece& piece) {
    const Ciphertext x = part(a[channel], piece);
    if (square) return scheme::multiply_by(options.product_method, x, nullptr, keys);
    const Ciphertext y = part(b[channel], piece);
    return scheme::multiply_by(options.product_method, x, &y, keys);
  };
  return in_pieces("multiplying", a.front().context(), std::max(a.front().batch(), b.front().batch()), product,
                   options);
}

}  // namespace

std::vector<Piece> pieces(std::size_t total, const Engine& engine) {
  const std::size_t size = std::max(smallest_piece(engine), (total + most_pieces - 1) / most_pieces);
  std::vector<Piece> result;
  for (std::size_t start = 0; start < total; start += size) result.push_back({start, std::min(start + size, total)});
  return result;
}

Ciphertext part(const Ciphertext& a, const Piece& piece) {
  if (a.batch() == 1 || (piece.start == 0 && piece.stop == a.batch())) return a;
  Indices numbers;
  for (std::size_t i = piece.start; i < piece.stop; ++i) numbers.push_back(i);
  return rlwe::take(a, numbers);
}

Channels in_pieces(const char* what, const rlwe::ContextPtr& context, std::size_t batch,
                   const PieceOperation& operation, const Options& options, bool whole) {
  const std::size_t channels = context->parameters().plain_moduli().size();
  const std::vector<Piece> cuts = whole ? std::vector<Piece>{{0, batch}} : pieces(batch, *context->engine());
  Task task(options, what, batch * channels);
  Channels results;
  for (std::size_t channel = 0; channel < channels; ++channel) {
    std::vector<Ciphertext> made;
    for (const Piece& piece : cuts) {
      made.push_back(operation(channel, piece));
      if (piece.start == 0) announce_rest(what, made[0], 2 * batch - piece.stop);  // the others, and all of them joined
      task.advance(piece.stop - piece.start);
    }
    results.push_back(joined(made));
  }
  return results;
}

Channels take(const Channels& a, const Indices& indices) {
  if (indices == iota(a.front().batch())) return a;
  Channels results;
  for (const Ciphertext& channel : a) results.push_back(rlwe::take(channel, indices));
  return results;
}

Channels concatenate(const std::vector<Channels>& arrays) {
  Channels results;
  for (std::size_t channel = 0; channel < arrays.front().size(); ++channel) {
    std::vector<Ciphertext> parts;
    for (const Channels& array : arrays) parts.push_back(array[channel]);
    results.push_back(joined(parts));
  }
  return results;
}

Placed transformed(const Placed& x) {
  Placed result{{}, x.layout};
  for (const Ciphertext& channel : x.channels) result.channels.push_back(rlwe::transformed(channel));
  return result;
}

Channels multiply(const Channels& a, const Channels& b, const Options& options) {
  return products(a, b, nullptr, options);
}

Channels multiply_relinearized(const Channels& a, const Channels& b, const rlwe::EvaluationKeys& keys,
                               const Options& options) {
  return products(a, b, &keys, options);
}

Channels relinearize(const Channels& a, const rlwe::EvaluationKeys& keys, const Options& options) {
  const auto relinearized = [&](std::size_t channel, const Piece& piece) {
    return rlwe::relinearize(part(a[channel], piece), keys);
  };
  return in_pieces("relinearising", a.front().context(), a.front().batch(), relinearized, options);
}

Channels sum_slots(const Channels& a, const rlwe::EvaluationKeys& keys, const Options& options) {
  const auto total = [&](std::size_t channel, const Piece& piece) {
    return rlwe::sum_slots(part(a[channel], piece), keys);
  };
  return in_pieces("summing over slots", a.front().context(), a.front().batch(), total, options);
}

Channels sum_groups(const Channels& a, std::size_t count) {
  Channels results;
  for (const Ciphertext& channel : a) results.push_back(rlwe::sum_groups(channel, count));
  return results;
}

std::vector<Channels> apply_galois(const Channels& a, const std::vector<std::uint64_t>& elements,
                                   const rlwe::EvaluationKeys& keys, const Options& options) {
  const std::vector<Piece> cuts = pieces(a.front().batch(), *a.front().context()->engine());
  Task task(options, "rotating", a.front().batch() * a.size() * elements.size());
  std::vector<Channels> results(elements.size());
  for (const Ciphertext& channel : a) {
    std::vector<std::vector<Ciphertext>> moved(elements.size());
    for (const Piece& piece : cuts) {
      std::vector<Ciphertext> turned = rlwe::apply_galois_hoisted(part(channel, piece), elements, keys);
      for (std::size_t i = 0; i < elements.size(); ++i) moved[i].push_back(std::move(turned[i]));
      task.advance((piece.stop - piece.start) * elements.size());
    }
    for (std::size_t i = 0; i < elements.size(); ++i) results[i].push_back(joined(moved[i]));
  }
  return results;
}

}  // namespace cyclotome::value
