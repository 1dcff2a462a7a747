// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/channels.hpp"

#include <algorithm>

#include "cyclotome/rlwe/domains.hpp"
#include "cyclotome/rlwe/switching/levelled.hpp"
#include "cyclotome/value/arrays/announcement.hpp"

namespace cyclotome::value {

namespace {

/// A long operation is cut into at most this many pieces.
constexpr std::size_t most_pieces = 32;
/// What keeps an engine busy: on a GPU, which is so with large batches only, more than on a CPU.
std::size_t smallest_piece(const Engine& engine) { return engine.name().starts_with("cuda") ? 1024 : 8; }

/// Products of so few bytes are made at once: cutting factors and joining products would take as long as they do in
/// BGV.
constexpr std::size_t at_once_bytes = std::size_t{32} << 20;

std::size_t item_bytes(const Channels& a) { return a.front().bytes() / a.front().batch(); }

Ciphertext joined(const std::vector<Ciphertext>& parts) {
  if (parts.size() == 1) return parts.front();
  std::vector<const Ciphertext*> pointers;
  for (const Ciphertext& part : parts) pointers.push_back(&part);
  return scheme::concatenate(pointers);
}

/// A batch that is made piece by piece. Each goes to its place at once, so that all of it is never there twice.
class Assembly {
 public:
  explicit Assembly(std::size_t batch) : batch_(batch) {}

  void add(Ciphertext piece) {
    if (piece.batch() == batch_) {
      head_ = std::move(piece);
      return;
    }
    if (!head_) {
      head_ = piece;
      all_ = piece.like(batch_, piece.parts());
      noise_ = piece.noise();
    }
    if (!fits(piece)) return apart_.push_back(std::move(piece));
    noise_ = rlwe::larger(noise_, piece.noise());
    from_ = std::max(from_, piece.raised_from());
    piece.context()->engine()->copy(all_->view().items(made_, piece.batch()), piece.polynomials().view());
    made_ += piece.batch();
  }
  Ciphertext finish() && {
    if (!all_) return *std::move(head_);
    Ciphertext together = head_->derived(*std::move(all_), noise_, from_);
    if (apart_.empty()) return together;
    apart_.insert(apart_.begin(), part(together, {0, made_}));
    return joined(apart_);
  }

 private:
  /// Pieces of one operation do; those that don't, and all after them, are joined at the end.
  bool fits(const Ciphertext& piece) const {
    return apart_.empty() && piece.limbs() == head_->limbs() && piece.parts() == head_->parts() &&
           piece.domain() == head_->domain() && piece.correction() == head_->correction();
  }

  std::size_t batch_, made_ = 0;
  std::optional<Ciphertext> head_;
  std::optional<PolyArray> all_;
  std::vector<Ciphertext> apart_;
  rlwe::NoiseBound noise_;
  rlwe::Level from_{0};
};

Channels products(const Channels& a, const Channels& b, const rlwe::EvaluationKeys* keys, const Options& options) {
  const bool square = &a == &b;
  const auto product = [&](std::size_t channel, const Piece& piece) {
    const Ciphertext x = part(a[channel], piece);
    if (square) return scheme::multiply_by(options.product_method, x, nullptr, keys);
    const Ciphertext y = part(b[channel], piece);
    return scheme::multiply_by(options.product_method, x, &y, keys);
  };
  const std::size_t batch = std::max(a.front().batch(), b.front().batch());
  return in_pieces("multiplying", a.front().context(), batch, product, options, batch * item_bytes(a) <= at_once_bytes);
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
    Assembly made(batch);
    for (const Piece& piece : cuts) {
      Ciphertext part = operation(channel, piece);
      if (piece.start == 0 && piece.stop < batch) announce_rest(what, part, batch + piece.stop);  // all, and the next
      made.add(std::move(part));
      task.advance(piece.stop - piece.start);
    }
    results.push_back(std::move(made).finish());
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
  std::vector<rlwe::Level> levels;
  for (const Ciphertext& channel : a) levels.push_back(rlwe::relinearization_level(channel));
  return relinearize(a, levels, keys, options);
}

Channels relinearize(const Channels& a, const std::vector<rlwe::Level>& levels, const rlwe::EvaluationKeys& keys,
                     const Options& options) {
  const auto relinearized = [&](std::size_t channel, const Piece& piece) {
    return rlwe::relinearize_in(part(a[channel], piece), keys, levels[channel]);
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
    std::vector<Assembly> moved(elements.size(), Assembly(channel.batch()));
    for (const Piece& piece : cuts) {
      std::vector<Ciphertext> turned = rlwe::apply_galois_hoisted(part(channel, piece), elements, keys);
      for (std::size_t i = 0; i < elements.size(); ++i) moved[i].add(std::move(turned[i]));
      task.advance((piece.stop - piece.start) * elements.size());
    }
    for (std::size_t i = 0; i < elements.size(); ++i) results[i].push_back(std::move(moved[i]).finish());
  }
  return results;
}

}  // namespace cyclotome::value
