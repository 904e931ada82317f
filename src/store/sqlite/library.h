// SQLite's settings for the whole process.
#pragma once

namespace rouse::sqlite {

// They count only if they come before everything else that is asked of SQLite, even the name of a
// VFS: so whatever may be the first calls this. Later calls do nothing.
void set_up_library();

}  // namespace rouse::sqlite
