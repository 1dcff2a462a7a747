// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/value/arrays/waiting.hpp"

#include <algorithm>
#include <limits>

#include "cyclotome/rlwe/switching/levelled.hpp"

namespace cyclotome::value {

Waiting::Waiting(Placed three, Levels levels, Keys keys)
    : levels_(std::move(levels)), keys_(std::move(keys)), layout_(three.layout) {
  three_.made = std::move(three);
}

Waiting::Waiting(Placed three, Indices numbers, const std::shared_ptr<const Waiting>& whole)
    : levels_(whole->levels()),
      keys_(whole->keys()),
      whole_(whole),
      numbers_(std::move(numbers)),
      layout_(three.layout) {
  three_.made = std::move(three);
  const std::shared_ptr<const Waiting> first = whole->whole_.lock();
  if (first == nullptr) return;
  whole_ = first;  // which outlives what was selected in between
  for (std::size_t& number : numbers_) number = whole->numbers_[number];
}

Waiting::Waiting(std::shared_ptr<const Waiting> base, std::vector<std::int64_t> factors, Channels addend, Layout layout)
    : levels_(base->levels()),
      keys_(base->keys()),
      base_(std::move(base)),
      factors_(std::move(factors)),
      addend_(std::move(addend)),
      layout_(std::move(layout)) {}

template <class Make>
const Placed& Waiting::kept(Form& form, const Make& make) {
  {
    const std::lock_guard lock(form.mutex);
    if (form.made) return *form.made;
  }
  Placed made = make();  // by two threads at worst, to the same bits
  const std::lock_guard lock(form.mutex);
  if (!form.made) form.made = std::move(made);
  return *form.made;
}

const Placed& Waiting::three() const {
  return kept(three_, [this] { return combined(base_->three()); });
}

const Placed& Waiting::two() const {
  return kept(two_, [this] { return base_ ? combined(base_->two()) : relinearized(); });
}

Placed Waiting::combined(const Placed& x) const {
  Placed result{{}, layout_};
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    const Ciphertext multiple = factors_[i] == 1 ? x.channels[i] : rlwe::multiply_scalar(x.channels[i], factors_[i]);
    result.channels.push_back(addend_.empty() ? multiple : rlwe::add(multiple, addend_[i]));
  }
  return result;
}

Placed Waiting::relinearized() const {
  const Placed& own = three();
  // What was selected once may be selected again: then all of it is relinearised once, as it would have been at once.
  if (const std::shared_ptr<const Waiting> whole = whole_.lock()) {
    return {take(whole->two().channels, numbers_), own.layout};
  }
  return {relinearize(own.channels, levels_, *keys_, {}), own.layout};
}

std::vector<rlwe::NoiseBound> Waiting::settled_noise() const {
  if (!base_) return value::settled_noise(three().channels, levels_);
  std::vector<rlwe::NoiseBound> noise = base_->settled_noise();
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] = rlwe::NoiseCalculus::times(noise[i], static_cast<double>(factors_[i]));
    if (addend_.empty()) continue;
    noise[i] = addend_[i].context()->parameters().noise().sum(noise[i], addend_[i].noise());
  }
  return noise;
}

std::size_t Waiting::held_bytes() const {
  std::size_t sum = base_ ? base_->held_bytes() : 0;
  for (const Ciphertext& channel : addend_) sum += channel.held_bytes();
  for (Form* const form : {&three_, &two_}) {
    const std::lock_guard lock(form->mutex);
    if (!form->made) continue;
    for (const Ciphertext& channel : form->made->channels) sum += channel.held_bytes();
  }
  return sum;
}

Waiting::Levels waiting_levels(const Channels& products) {
  Waiting::Levels levels;
  for (const Ciphertext& channel : products) levels.push_back(rlwe::relinearization_level(channel));
  return levels;
}

std::vector<rlwe::NoiseBound> settled_noise(const Channels& products, const Waiting::Levels& levels) {
  std::vector<rlwe::NoiseBound> noise;
  for (std::size_t i = 0; i < products.size(); ++i) {
    noise.push_back(levels.empty() ? products[i].noise() : rlwe::relinearized_noise(products[i], levels[i]));
  }
  return noise;
}

double headroom_of(const Channels& channels, const std::vector<rlwe::NoiseBound>& noise) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const Ciphertext& c = channels[i];
    least = std::min(least, scheme::noise_headroom(c.derived(c.polynomials(), noise[i])));
  }
  return least;
}

}  // namespace cyclotome::value
