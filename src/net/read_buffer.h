// Bytes read from a socket and not yet used, in one piece. Grows by doubling up to a bound and
// gives the memory back when asked. Views into it stay good until the next call of room() or
// consume().
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace rouse {

class ReadBuffer {
 public:
  static constexpr std::size_t kFirstSize = 4096;

  [[nodiscard]] std::string_view bytes() const { return {data_.get() + begin_, end_ - begin_}; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] bool empty() const { return begin_ == end_; }

  // Space to read into, at least one byte; the buffer grows when it is full.
  std::span<char> room() {
    if (begin_ > 0) {
      if (size() > 0) std::memmove(data_.get(), data_.get() + begin_, size());
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == capacity_) reserve(std::max(kFirstSize, capacity_ * 2));
    return {data_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t size) { end_ += size; }

  void consume(std::size_t size) {
    begin_ += size;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  void append(std::string_view more) {
    while (!more.empty()) {
      const std::span<char> space = room();
      const std::size_t size = std::min(space.size(), more.size());
      std::memcpy(space.data(), more.data(), size);
      commit(size);
      more.remove_prefix(size);
    }
  }

  // A large head should not keep its memory for the whole connection.
  void shrink() {
    if (empty() && capacity_ > kFirstSize) {
      data_.reset();
      capacity_ = begin_ = end_ = 0;
    }
  }

 private:
  void reserve(std::size_t capacity) {
    auto bigger = std::make_unique_for_overwrite<char[]>(capacity);
    if (size() > 0) std::memcpy(bigger.get(), data_.get() + begin_, size());
    end_ -= begin_;
    begin_ = 0;
    data_ = std::move(bigger);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace rouse
