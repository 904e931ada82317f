// SQLite's settings for the whole process.
#pragma once

namespace rouse::sqlite {

// - Allocations are not counted: the count's one lock makes the loop and the writer wait for each
//   other.
// - Files are opened without a time of the last read. Whoever reads the log between two commits
//   would change it, and the next sync writes that, too: a third wait for the disk instead of two.
// - Nobody asks for a file's times. Where they were asked for, the kernel keeps the next change's
//   to the nanosecond, which is such a wait again; else only a tick of its clock is (ADR 25).
//
// They count only if they come before everything else that is asked of SQLite, even the name of a
// VFS: so whatever may be the first calls this. Later calls do nothing.
void set_up_library();

}  // namespace rouse::sqlite
