// What the torture harness tells the library that torture-shim.c is built as (docs/torture.md).
//
// The library is loaded by LD_PRELOAD. A program that runs without it gets false from every function
// here, and its calls go to the C library as usual.
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
    TORTURE_REOPEN = 128,  // open with O_CREAT of a file that is there: it changes nothing
    TORTURE_REMOVE = 256,  // unlink, rmdir
    TORTURE_SPAN = 64,  // a write that goes over the end of a page; it is a TORTURE_WRITE, too
};

// What happens to a call.
enum torture_deed {
    TORTURE_NOTHING,
    TORTURE_KILL,     // SIGKILL, in place of the call
    TORTURE_TEAR,     // writes up to the end of a page, then SIGKILL, as the kernel may
    TORTURE_STOP,     // SIGSTOP, then the call
    TORTURE_FAIL,     // fails with `error`
    TORTURE_SHORTEN,  // writes half of the bytes, and says so
    TORTURE_CUT,      // the folder's file system loses what it was not told to sync; then SIGKILL
};

// Mistakes that a program can seem to make, without one of them in its code.
enum torture_mistake {
    TORTURE_SEES_NO_PENDING_SAVE = 1,  // access() finds no file whose name ends in “-pending”
    TORTURE_SYNCS_NO_JOURNAL = 2,      // files whose names end in “-new” are not synchronised
    TORTURE_LOCKS_NO_FOLDER = 4,       // flock() of the folder does nothing
};

struct torture_orders {
    const char *folder;  // only calls on paths below it count; without symbolic links
    const char *trace;   // a file to list every counted call in, or NULL
    int deed;
    int error;
    unsigned kinds;      // the deed is done to calls of these kinds only
    long at;             // the first call that it may be done to, counted from 1
    bool is_sticky;      // whether it is done to every call from then on, not only to one
    unsigned mistakes;   // those that the program seems to make
};

// Gives the library its orders, and counts from 0 again. Returns false if it is not loaded.
static inline bool torture_obey(const struct torture_orders *orders) {
    bool (*obey)(const struct torture_orders *) = dlsym(RTLD_DEFAULT, "torture_shim_obey");
    return obey && obey(orders);
}

// Lets all calls pass from now on.
static inline void torture_relent(void) {
    void (*relent)(void) = dlsym(RTLD_DEFAULT, "torture_shim_relent");
    if (relent) relent();
}

// Returns whether the deed was done, at least once, since the library got its orders.
static inline bool torture_was_done(void) {
    bool (*was_done)(void) = dlsym(RTLD_DEFAULT, "torture_shim_was_done");
    return was_done && was_done();
}

// Swift's module of the C library hides fork(). The caller has one thread only.
static inline int torture_fork(void) {
    int id = fork();
    // A child must not outlive the harness.
    if (id == 0) prctl(PR_SET_PDEATHSIG, 9);
    return id;
}

#endif
