// SQLite's side of FaultDisk: the C callbacks of a VFS, each a line or two over the disk.
#include "store/sqlite/fault_vfs_for_tests.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "store/sqlite/fault_state_for_tests.h"
#include "store/sqlite/library.h"

namespace rouse::sqlite {

struct FaultVfs {
  using Handle = FaultDisk::Handle;
  using Lock = std::lock_guard<std::recursive_mutex>;

  static FaultDisk& disk_of(sqlite3_vfs* vfs) { return *static_cast<FaultDisk*>(vfs->pAppData); }
  static Handle& handle_of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }

  static int open(sqlite3_vfs* vfs, const char* zname, sqlite3_file* out, int flags,
                  int* out_flags) {
    FaultDisk& disk = disk_of(vfs);
    const Lock lock(disk.mutex_);
    out->pMethods = nullptr;
    if (disk.killed_) return SQLITE_CANTOPEN;
    const std::string name = zname == nullptr ? "" : zname;
    auto file = name.empty() ? std::make_shared<FaultDisk::File>() : disk.find(name);
    if (!file) {
      if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
      if (const int code = disk.create(name, file); code) return SQLITE_CANTOPEN;
    }
    const bool read_only = (flags & SQLITE_OPEN_READONLY) != 0 || disk.read_only_;
    auto* handle = new (out) Handle{{&kMethods}, &disk, file, name, disk.boot_};
    handle->read_only = read_only;
    handle->delete_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    file->handles.push_back(handle);
    if (out_flags != nullptr) {
      *out_flags = read_only ? (flags & ~SQLITE_OPEN_READWRITE) | SQLITE_OPEN_READONLY : flags;
    }
    return SQLITE_OK;
  }

  static int close(sqlite3_file* f) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    std::erase(h.file->handles, &h);
    if (h.delete_on_close && !h.dead() && !h.name.empty()) h.disk->erase(h.name, false);
    h.~Handle();
    return SQLITE_OK;
  }

  static int read(sqlite3_file* f, void* out, int size, sqlite3_int64 offset) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    if (h.dead()) return SQLITE_IOERR_READ;
    return h.disk->read(*h.file, offset, static_cast<char*>(out), size);
  }

  static int write(sqlite3_file* f, const void* data, int size, sqlite3_int64 offset) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    if (h.dead()) return SQLITE_IOERR_WRITE;
    if (h.read_only) return SQLITE_READONLY;
    const std::string_view bytes(static_cast<const char*>(data), static_cast<std::size_t>(size));
    return h.disk->write(*h.file, offset, bytes, h.name);
  }

  static int truncate(sqlite3_file* f, sqlite3_int64 size) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    if (h.dead()) return SQLITE_IOERR_TRUNCATE;
    return h.disk->truncate(*h.file, size, h.name);
  }

  static int sync(sqlite3_file* f, int) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    if (h.dead()) return SQLITE_IOERR_FSYNC;
    return h.disk->sync_file(h.file, h.name);
  }

  static int file_size(sqlite3_file* f, sqlite3_int64* size) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    if (h.dead()) return SQLITE_IOERR_FSTAT;
    *size = static_cast<sqlite3_int64>(h.file->live->size());
    return SQLITE_OK;
  }

  static bool another_has(const Handle& h, int level) {
    return std::ranges::any_of(h.file->handles,
                               [&](const Handle* o) { return o != &h && o->level >= level; });
  }

  static int lock(sqlite3_file* f, int level) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    if (h.dead()) return SQLITE_IOERR_LOCK;
    if (h.level >= level) return SQLITE_OK;
    const int conflict = level == SQLITE_LOCK_SHARED     ? SQLITE_LOCK_PENDING
                         : level == SQLITE_LOCK_RESERVED ? SQLITE_LOCK_RESERVED
                                                         : SQLITE_LOCK_SHARED;
    if (another_has(h, conflict)) return SQLITE_BUSY;
    h.level = level;
    return SQLITE_OK;
  }

  static int unlock(sqlite3_file* f, int level) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    h.level = std::min(h.level, level);
    return SQLITE_OK;
  }

  static int check_reserved(sqlite3_file* f, int* out) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    *out = another_has(h, SQLITE_LOCK_RESERVED) ? 1 : 0;
    return SQLITE_OK;
  }

  static int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
  static int sector_size(sqlite3_file*) { return static_cast<int>(kSector); }
  static int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

  // ---- the shared memory of the log: plain memory, since there is only this process
  // -----------------

  static int shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    *out = nullptr;
    if (h.dead() || size != 32768) return SQLITE_IOERR_SHMMAP;
    h.maps_shm = true;
    auto& memory = h.file->shared_memory;
    if (static_cast<std::size_t>(page) >= memory.size()) {
      if (extend == 0) return SQLITE_OK;
      while (memory.size() <= static_cast<std::size_t>(page)) {
        memory.push_back(std::make_unique<std::array<char, 32768>>());
      }
    }
    *out = memory[static_cast<std::size_t>(page)]->data();
    return SQLITE_OK;
  }

  static int shm_lock(sqlite3_file* f, int offset, int n, int flags) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    const unsigned mask = ((1U << n) - 1U) << offset;
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
      h.shm_shared &= ~mask;
      h.shm_exclusive &= ~mask;
      return SQLITE_OK;
    }
    if (h.dead()) return SQLITE_IOERR_SHMLOCK;
    const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    for (const Handle* o : h.file->handles) {
      if (o == &h) continue;
      const unsigned taken = o->shm_exclusive | (exclusive ? o->shm_shared : 0U);
      if ((taken & mask) != 0) return SQLITE_BUSY;
    }
    (exclusive ? h.shm_exclusive : h.shm_shared) |= mask;
    return SQLITE_OK;
  }

  static void shm_barrier(sqlite3_file*) { std::atomic_thread_fence(std::memory_order_seq_cst); }

  static int shm_unmap(sqlite3_file* f, int) {
    Handle& h = handle_of(f);
    const Lock lock(h.disk->mutex_);
    h.maps_shm = false;
    h.shm_shared = h.shm_exclusive = 0;
    if (std::ranges::none_of(h.file->handles, [](const Handle* o) { return o->maps_shm; })) {
      h.file->shared_memory.clear();
    }
    return SQLITE_OK;
  }

  // ---- the directory
  // --------------------------------------------------------------------------------

  static int remove(sqlite3_vfs* vfs, const char* name, int sync_dir) {
    FaultDisk& disk = disk_of(vfs);
    const Lock lock(disk.mutex_);
    if (disk.killed_) return SQLITE_IOERR_DELETE;
    if (!disk.find(name)) return SQLITE_IOERR_DELETE_NOENT;
    return disk.erase(name, sync_dir != 0) == SQLITE_OK ? SQLITE_OK : SQLITE_IOERR_DELETE;
  }

  static int access(sqlite3_vfs* vfs, const char* name, int, int* out) {
    FaultDisk& disk = disk_of(vfs);
    const Lock lock(disk.mutex_);
    if (disk.killed_) return SQLITE_IOERR_ACCESS;
    *out = disk.find(name) ? 1 : 0;
    return SQLITE_OK;
  }

  static int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
    sqlite3_snprintf(size, out, "%s", name);
    return SQLITE_OK;
  }

  static int randomness(sqlite3_vfs* vfs, int size, char* out) {
    FaultDisk& disk = disk_of(vfs);
    const Lock lock(disk.mutex_);
    for (int i = 0; i < size; ++i) {
      disk.randomness_ = disk.randomness_ * 6364136223846793005ULL + 1442695040888963407ULL;
      out[i] = static_cast<char>(disk.randomness_ >> 56);
    }
    return size;
  }

  static int sleep(sqlite3_vfs*, int micros) { return micros; }
  static int time_ms(sqlite3_vfs*, sqlite3_int64* out) {
    *out = 212'000'000'000'000;  // a day in 2005: nothing may depend on SQLite's idea of the time
    return SQLITE_OK;
  }
  static int time_days(sqlite3_vfs*, double* out) {
    *out = 212'000'000'000'000.0 / 86'400'000.0;
    return SQLITE_OK;
  }
  static int last_error(sqlite3_vfs*, int, char*) { return 0; }

  static const sqlite3_io_methods kMethods;

  static std::unique_ptr<sqlite3_vfs> make(FaultDisk& disk) {
    auto vfs = std::make_unique<sqlite3_vfs>();
    vfs->iVersion = 2;
    vfs->szOsFile = sizeof(Handle);
    vfs->mxPathname = 512;
    vfs->zName = disk.name_.c_str();
    vfs->pAppData = &disk;
    vfs->xOpen = open;
    vfs->xDelete = remove;
    vfs->xAccess = access;
    vfs->xFullPathname = full_path;
    vfs->xRandomness = randomness;
    vfs->xSleep = sleep;
    vfs->xCurrentTime = time_days;
    vfs->xCurrentTimeInt64 = time_ms;
    vfs->xGetLastError = last_error;
    return vfs;
  }
};

const sqlite3_io_methods FaultVfs::kMethods = {
    .iVersion = 2,
    .xClose = close,
    .xRead = read,
    .xWrite = write,
    .xTruncate = truncate,
    .xSync = sync,
    .xFileSize = file_size,
    .xLock = lock,
    .xUnlock = unlock,
    .xCheckReservedLock = check_reserved,
    .xFileControl = file_control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

FaultDisk::FaultDisk()
    : name_([] {
        static std::atomic<int> made = 0;
        return "fault-" + std::to_string(++made);
      }()),
      state_(std::make_shared<State>()) {
  set_up_library();
  vfs_ = FaultVfs::make(*this);
  sqlite3_vfs_register(vfs_.get(), 0);
}

FaultDisk::~FaultDisk() { sqlite3_vfs_unregister(vfs_.get()); }

}  // namespace rouse::sqlite
