// GET /api/backup: a consistent copy of the store, made while the server works and streamed out.
// The copy stands in the data folder only until it is sent.
#pragma once

#include "base/blocking_pool.h"
#include "base/random.h"
#include "gateway/route.h"
#include "store/database.h"

namespace rouse {

class BackupRoutes {
 public:
  BackupRoutes(Database& database, BlockingPool& pool, Random& random, std::string folder)
      : database_(database), pool_(pool), random_(random), folder_(std::move(folder)) {}
  void add_to(RouteTable& table);

 private:
  Task<Result<Response>> download();
  struct Copy;  // the file, for as long as somebody holds it
  Task<void> send(std::shared_ptr<Copy> copy, ResponseStream& out);

  Database& database_;
  BlockingPool& pool_;
  Random& random_;
  std::string folder_;
  // Shared with each copy: a download that is cut off by the end of the loop outlives this.
  std::shared_ptr<bool> busy_ = std::make_shared<bool>(false);
};

}  // namespace rouse
