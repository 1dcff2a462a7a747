// SPDX-License-Identifier: Apache-2.0
#include "cyclotome/study/transform/transform_engine.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <tuple>

#include "cyclotome/engine/host_threads.hpp"
#include "cyclotome/engine/hosted_engine.hpp"
#include "cyclotome/math/errors.hpp"
#include "cyclotome/math/interrupt.hpp"
#include "cyclotome/program/program.hpp"
#include "cyclotome/study/transform/design_transforms.hpp"
#include "cyclotome/study/transform/host_transform.hpp"
#include "cyclotome/study/transform/tables.hpp"

namespace cyclotome::study {

namespace {

/// Fields by prime, with the tables that they point at; for one design.
template <class Field>
class FieldCache {
 public:
  std::shared_ptr<const Field> of(const Ring& ring, std::size_t limb, bool self_sorting) {
    const auto key = std::make_tuple(ring.degree(), ring.basis()[limb]);
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Entry>& entry = entries_[key];
    if (entry == nullptr) entry = std::make_shared<const Entry>(ring, limb, self_sorting);
    return {entry, &entry->field};
  }

 private:
  using Vectors = std::vector<std::vector<typename Field::Value>>;
  struct Entry {
    Entry(const Ring& ring, std::size_t limb, bool self_sorting)
        : field(make_field<Field>(ring, limb, self_sorting, [this](const auto& table) {
            vectors.push_back(table);
            return static_cast<const typename Field::Value*>(vectors.back().data());
          })) {}
    Vectors vectors;  // before what points at it
    Field field;
  };

  std::mutex mutex_;
  std::map<std::tuple<std::size_t, std::uint64_t>, std::shared_ptr<const Entry>> entries_;
};

template <LimbWord W>
struct Fields {
  FieldCache<ResidueField<W>> residues;
  FieldCache<GaussianField<W>> gaussian;
};

class TransformEngine final : public HostedEngine, public DesignTransforms, public HostThreads {
 public:
  TransformEngine(TransformDesign design, EnginePtr host)
      : HostedEngine(std::move(host)), design_(design), threads_(dynamic_cast<HostThreads*>(this->host().get())) {
    if (threads_ == nullptr) {
      throw ArgumentError(message("transform designs run on an engine whose memory this processor addresses; ",
                                  this->host()->name(), " is none"));
    }
  }

  std::string name() const override { return message(host()->name(), '/', facts_of(design_).name); }
  TransformDesign design() const noexcept override { return design_; }
  std::size_t working_set() const noexcept override { return host()->working_set(); }
  std::size_t threads() const noexcept override { return threads_->threads(); }
  void in_parallel(std::size_t count, const std::function<void(std::size_t)>& body) override {
    threads_->in_parallel(count, body);
  }

  void forward_gaussian(View a) override {
    require_gaussian("forward_gaussian", a, Domain::coefficient);
    require_supported(gaussian_design(), a.degree(), bytes_of(a.word()));
    gaussian<false>(a, gaussian_design(), true, false);
  }
  void inverse_gaussian(View a) override {
    require_gaussian("inverse_gaussian", a, Domain::transform);
    require_supported(gaussian_design(), a.degree(), bytes_of(a.word()));
    gaussian<true>(a, gaussian_design(), true, false);
  }
  void multiply_gaussian(View out, ConstView a, ConstView b) override;

 protected:
  bool is_own(const program::Op& op) const override {
    return op.verb == program::Verb::forward || op.verb == program::Verb::inverse;
  }
  void do_forward(View a) override { transform<false>(a); }
  void do_inverse(View a) override { transform<true>(a); }

 private:
  template <LimbWord W>
  Fields<W>& fields() noexcept {
    if constexpr (sizeof(W) == 4) {
      return fields32_;
    } else {
      return fields64_;
    }
  }
  /// body(batch item, part, limb) for all limbs, on all threads.
  template <class Body>
  void each_limb(ConstView a, const Body& body) {
    in_parallel(a.batch * a.parts * a.limbs(), [&](std::size_t i) {
      check_interrupt();
      body(i / a.limbs() / a.parts, i / a.limbs() % a.parts, i % a.limbs());
    });
  }
  template <bool Inverse>
  void transform(View a);
  /// sorted: the order of values; images: whether the library's values are meant.
  template <bool Inverse>
  void gaussian(View a, TransformDesign design, bool sorted, bool images);

  const TransformDesign design_;
  HostThreads* const threads_;
  Fields<std::uint32_t> fields32_;
  Fields<std::uint64_t> fields64_;
};

template <bool Inverse>
void TransformEngine::transform(View a) {
  require_supported(design_, a.degree(), bytes_of(a.word()));
  if (is_gaussian(design_)) return gaussian<Inverse>(a, design_, false, true);
  with_word(a.word(), [&]<class W>(W) {
    each_limb(a, [&](std::size_t b, std::size_t p, std::size_t l) {
      const auto field = fields<W>().residues.of(*a.ring, l, is_self_sorting(design_));
      transform_on_host<Inverse>(a.limb<W>(b, p, l), a.degree(), *field, design_, false);
    });
  });
}

template <bool Inverse>
void TransformEngine::gaussian(View a, TransformDesign design, bool sorted, bool images) {
  with_word(a.word(), [&]<class W>(W) {
    each_limb(a, [&](std::size_t b, std::size_t p, std::size_t l) {
      const auto field = fields<W>().gaussian.of(*a.ring, l, is_self_sorting(design));
      W* const x = a.limb<W>(b, p, l);
      if (Inverse && images) conjugate_all<true>(x, a.degree(), *field);
      transform_on_host<Inverse>(x, a.degree(), *field, design, sorted);
      if (!Inverse && images) conjugate_all<false>(x, a.degree(), *field);
    });
  });
}

void TransformEngine::multiply_gaussian(View out, ConstView a, ConstView b) {
  require_same(out, a, b);
  with_word(out.word(), [&]<class W>(W) {
    each_limb(out, [&](std::size_t item, std::size_t p, std::size_t l) {
      const Modulus<W> q(static_cast<W>(out.ring->basis()[l]));
      const auto half = static_cast<std::uint32_t>(out.degree() / 2);
      const auto cells = [&](auto view) { return Cells<W>{const_cast<W*>(view.template limb<W>(item, p, l)), half}; };
      using Field = GaussianField<W>;
      for (std::uint32_t k = 0; k < half; ++k) {
        Field::store(cells(out), k, cyclotome::multiply(Field::load(cells(a), k), Field::load(cells(b), k), q));
      }
    });
  });
}

}  // namespace

EnginePtr make_transform_engine(TransformDesign design, EnginePtr host) {
  return std::make_shared<TransformEngine>(design, std::move(host));
}

}  // namespace cyclotome::study
