#include "store/sqlite/platform.h"

#include "store/sqlite/steady_vfs.h"

namespace rouse::sqlite {
namespace {

class ThisMachine final : public Platform {
 public:
  std::unique_ptr<Runner> make_runner(std::string name) override {
    return std::make_unique<ThreadRunner>(std::move(name));
  }
  Files& files() override { return posix_files(); }
  [[nodiscard]] const char* vfs() const override { return vfs_.name(); }

 private:
  SteadyVfs vfs_{"rouse", nullptr};
};

}  // namespace

Platform& this_machine() {
  static ThisMachine machine;
  return machine;
}

}  // namespace rouse::sqlite
