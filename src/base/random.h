// Chance as an interface. The server draws from the kernel; the simulator from a seed, so that a
// run can be repeated bit by bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace rouse {

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<unsigned char> out) = 0;

  std::uint64_t next_u64();
  std::uint64_t below(std::uint64_t bound);  // 0 … bound-1, uniform; bound > 0
  std::string hex(std::size_t bytes);        // 2 * bytes characters
};

// getrandom(2): fit for keys and tokens.
class SystemRandom final : public Random {
 public:
  void fill(std::span<unsigned char> out) override;
};

// xoshiro256**, seeded: the same seed gives the same stream. Never for secrets.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed);
  void fill(std::span<unsigned char> out) override;

 private:
  std::uint64_t step();
  std::array<std::uint64_t, 4> state_;
};

}  // namespace rouse
