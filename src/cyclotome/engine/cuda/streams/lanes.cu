// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "cyclotome/engine/cuda/memory/device_tables.cuh"
#include "cyclotome/engine/cuda/streams/lanes.cuh"

namespace cyclotome::cuda {

namespace {

/// The numbers of living threads: those of threads that ended are given again, the lowest first, so that as many
/// threads as there are streams have one each.
class ThreadNumbers {
 public:
  /// Never destroyed: threads may end later.
  static ThreadNumbers& get() {
    static auto* const numbers = new ThreadNumbers;
    return *numbers;
  }
  std::size_t take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return next_++;
    return free_.extract(free_.begin()).value();
  }
  void give_back(std::size_t number) {
    const std::lock_guard lock(mutex_);
    free_.insert(number);
  }

 private:
  std::mutex mutex_;
  std::set<std::size_t> free_;
  std::size_t next_ = 0;
};

struct ThreadNumber {
  const std::size_t value = ThreadNumbers::get().take();
  ~ThreadNumber() { ThreadNumbers::get().give_back(value); }
};

std::size_t thread_number() {
  thread_local const ThreadNumber number;
  return number.value;
}

}  // namespace

OwnedStream::OwnedStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream creation"); }
OwnedStream::~OwnedStream() { succeeded(cudaStreamDestroy(stream_)); }

OwnedEvent::OwnedEvent() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "event creation"); }
OwnedEvent::~OwnedEvent() { succeeded(cudaEventDestroy(event_)); }

OwnedCells::OwnedCells(cudaStream_t stream) {
  constexpr std::size_t peaks = max_items * sizeof(PeakCell), bytes = peaks + sizeof(std::uint32_t);
  check(cudaMalloc(&memory_, bytes), "allocation");
  auto* const memory = static_cast<std::byte*>(memory_);
  cells_ = {reinterpret_cast<PeakCell*>(memory), reinterpret_cast<std::uint32_t*>(memory + peaks)};
  if (succeeded(cudaMemsetAsync(memory_, 0, bytes, stream))) return;
  succeeded(cudaFree(memory_));
  throw EngineError("CUDA: memory could not be set to zero");
}
OwnedCells::~OwnedCells() { succeeded(cudaFree(memory_)); }

Lane::Lane(std::size_t number, SecretMemory& memory, KeptBlocks& kept, GraphBudget* budget)
    : index(number),
      secrets(memory, stream,
              [&kept, number](void* data, std::size_t bytes, std::uint64_t operation) {
                StreamNumbers touched{};
                touched[number] = operation;
                return kept.put({data, touched}, bytes);
              }),
      wait(stream),
      transfer(wait),
      cells(stream) {
  if (budget != nullptr) programs = std::make_unique<GraphStore>(memory.context(), *budget);
}

void Lane::is_queued(std::uint64_t number) noexcept {
  note_work();
  queued_.store(number, std::memory_order_release);
  queued_.notify_all();
}

void Lane::await_queued(std::uint64_t number) const noexcept {
  for (std::uint64_t now = queued_.load(std::memory_order_acquire); now < number;
       now = queued_.load(std::memory_order_acquire)) {
    queued_.wait(now, std::memory_order_acquire);
  }
}

std::uint64_t Lane::mark() {
  const std::uint64_t before = queued_.load(std::memory_order_acquire);
  check(cudaEventRecord(mark_, stream), "marking a stream");
  return marked_ = before;
}

std::uint64_t Lane::hold_up(cudaStream_t other, std::uint64_t number) {
  const std::lock_guard lock(mark_mutex_);
  if (marked_ < number) mark();
  check(cudaStreamWaitEvent(other, mark_, 0), "waiting for another stream");
  return marked_;
}

void Lane::hold_up(cudaStream_t other) {
  const std::lock_guard lock(mark_mutex_);
  mark();
  check(cudaStreamWaitEvent(other, mark_, 0), "waiting for another stream");
}

void Lane::finish(const char* what) {
  secrets.flush();
  const std::uint64_t work = work_.load(std::memory_order_acquire);
  if (work == finished_.load(std::memory_order_acquire)) return;
  wait.until_done(what);
  finished_.store(work, std::memory_order_release);
}

Lanes::Lanes(std::size_t count, SecretMemory& memory, KeptBlocks& kept, std::size_t graph_bytes)
    : count_(count), memory_(memory), kept_(kept), budget_{graph_bytes} {}

Lanes::~Lanes() {
  for_each([](Lane& lane) { delete &lane; });
}

Lane& Lanes::mine() { return at(thread_number() % count_); }
bool Lanes::is_mine(const Lane& lane) const { return lane.index == thread_number() % count_; }

Lane* Lanes::within() const {
  Lane* const lane = existing(thread_number() % count_);
  if (lane == nullptr) return nullptr;
  const std::unique_lock lock(lane->turn, std::try_to_lock);
  return lock && lane->operation != 0 ? lane : nullptr;  // of this thread's, which has the turn already
}

bool Lanes::are_queued(const StreamNumbers& numbers) const noexcept {
  for (std::size_t s = 0; s < all_streams; ++s) {
    if (numbers[s] != 0 && existing(s)->queued() < numbers[s]) return false;
  }
  return true;
}

Lane& Lanes::at(std::size_t index) {
  if (Lane* const lane = existing(index); lane != nullptr) return *lane;
  const std::lock_guard lock(making_);
  Lane* lane = existing(index);
  if (lane == nullptr) {
    lane = new Lane(index, memory_, kept_, budget_.most != 0 && index < max_streams ? &budget_ : nullptr);
    lanes_[index].store(lane, std::memory_order_release);
  }
  return *lane;
}

void Lanes::wait_for(Lane& lane, const StreamNumbers& numbers) {
  for (std::size_t s = 0; s < all_streams; ++s) {
    if (s == lane.index || numbers[s] <= lane.known[s]) continue;
    Lane& other = *existing(s);
    other.await_queued(numbers[s]);
    lane.known[s] = other.hold_up(lane.stream, numbers[s]);
  }
}

Lane& Lanes::after(const StreamNumbers& touched) {
  std::size_t count = 0, only = freeing_stream;
  for (std::size_t s = 0; s < all_streams; ++s) {
    if (touched[s] == 0) continue;
    ++count;
    only = s;
  }
  if (count == 1) return at(only);
  Lane* const own = within();  // an operation of this thread's own can't be waited for
  Lane& lane = own != nullptr ? *own : freeing();
  const std::lock_guard lock(lane.turn);
  wait_for(lane, touched);
  return lane;
}

Lane& Lanes::after_everything() {
  Lane& lane = freeing();
  for_each([&](Lane& other) {
    if (&other != &lane) other.hold_up(lane.stream);
  });
  return lane;
}

}  // namespace cyclotome::cuda
