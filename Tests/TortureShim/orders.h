// The torture harness's interface to the library that is built from torture-shim.c (docs/torture.md).
//
// The library is loaded by LD_PRELOAD. In a program without it, the functions here have no effect or return
// false, and calls go to the C library as usual.
#ifndef TORTURE_ORDERS_H
#define TORTURE_ORDERS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Kinds of mutating calls, as bits.
enum torture_call_kind {
    TORTURE_OPEN = 1,   // open with O_CREAT or O_TRUNC, mkdir, symlink
    TORTURE_WRITE = 2,  // write and its relatives
    TORTURE_SYNC = 4,   // fsync and its relatives
    TORTURE_NAME = 8,   // rename, link
    TORTURE_SIZE = 16,  // truncate, fallocate
    TORTURE_MODE = 32,  // chmod, chown
    TORTURE_REOPEN = 128,  // open with O_CREAT of an existing file, which changes nothing
    TORTURE_REMOVE = 256,  // unlink, rmdir
    TORTURE_SPAN = 64,  // a write that crosses the end of a page; also a TORTURE_WRITE
};

// What happens to a call.
enum torture_deed {
    TORTURE_NOTHING,
    TORTURE_KILL,     // SIGKILL instead of the call
    TORTURE_TEAR,     // writes up to the end of a page, then SIGKILL, as the kernel may
    TORTURE_STOP,     // SIGSTOP, then the call
    TORTURE_FAIL,     // fails with `error`
    TORTURE_SHORTEN,  // writes half of the bytes, and returns their number
    TORTURE_CUT,      // the folder's file system loses all unsynchronized data; then SIGKILL
};

// Mistakes that the library can simulate, so that the program seems to make them.
enum torture_mistake {
    TORTURE_SEES_NO_PENDING_SAVE = 1,  // access() and lstat() find no file whose name ends in “-pending”
    TORTURE_SYNCS_NO_JOURNAL = 2,      // files whose names end in “-new” are not synchronized
    TORTURE_LOCKS_NO_FOLDER = 4,       // flock() of the folder does nothing
};

struct torture_orders {
    const char *folder;  // only calls on paths below it count; contains no symbolic links
    const char *trace;   // a file in which to list every counted call, or NULL
    int deed;
    int error;
    unsigned kinds;      // the deed affects only calls of these kinds
    long at;             // the first call that the deed may affect, counted from 1
    bool is_sticky;      // whether the deed affects all calls from then on, not only one
    unsigned mistakes;   // the simulated mistakes
};

// Gives the library its orders, and restarts the count. Returns false if the library is not loaded.
static inline bool torture_obey(const struct torture_orders *orders) {
    bool (*obey)(const struct torture_orders *) = dlsym(RTLD_DEFAULT, "torture_shim_obey");
    return obey && obey(orders);
}

// Lets all calls succeed from now on.
static inline void torture_relent(void) {
    void (*relent)(void) = dlsym(RTLD_DEFAULT, "torture_shim_relent");
    if (relent) relent();
}

// Returns whether the deed was done, at least once, since the library got its orders.
static inline bool torture_was_done(void) {
    bool (*was_done)(void) = dlsym(RTLD_DEFAULT, "torture_shim_was_done");
    return was_done && was_done();
}

// Swift's module of the C library hides fork(). The caller must have only one thread.
static inline int torture_fork(void) {
    int id = fork();
    // A child must not outlive the harness.
    if (id == 0) prctl(PR_SET_PDEATHSIG, 9);
    return id;
}

#endif
