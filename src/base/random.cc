#include "base/random.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/random.h>

#include "base/text.h"

namespace rouse {

std::uint64_t Random::next_u64() {
  std::array<unsigned char, 8> bytes{};
  fill(bytes);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::uint64_t Random::below(std::uint64_t bound) {
  // Rejects the uneven top so that every result is equally likely.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t value = next_u64();
  while (value >= limit) value = next_u64();
  return value % bound;
}

std::string Random::hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  fill({reinterpret_cast<unsigned char*>(raw.data()), raw.size()});
  return to_hex(raw);
}

void SystemRandom::fill(std::span<unsigned char> out) {
  while (!out.empty()) {
    const ssize_t n = ::getrandom(out.data(), out.size(), 0);
    if (n < 0) {
      if (errno == EINTR) continue;
      throw std::runtime_error("getrandom failed: the kernel gives no random bytes");
    }
    out = out.subspan(static_cast<std::size_t>(n));
  }
}

SeededRandom::SeededRandom(std::uint64_t seed) : state_{} {
  for (auto& word : state_) {  // splitmix64 spreads a small seed over the whole state
    seed += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    word = z ^ (z >> 31);
  }
}

std::uint64_t SeededRandom::step() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

void SeededRandom::fill(std::span<unsigned char> out) {
  while (!out.empty()) {
    const std::uint64_t word = step();
    const std::size_t n = std::min<std::size_t>(out.size(), sizeof word);
    std::memcpy(out.data(), &word, n);
    out = out.subspan(n);
  }
}

}  // namespace rouse
