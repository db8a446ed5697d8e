// Calls of Linux's C library that its headers show only to _GNU_SOURCE, which Swift's module of
// them does not define: as stdio.h, unistd.h, spawn.h and sys/eventfd.h declare them.
#ifdef __linux__
#include <fcntl.h>
#include <linux/stat.h>
#include <spawn.h>
extern int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned int flags);
extern int syncfs(int descriptor);
extern int fallocate(int descriptor, int mode, long offset, long byte_count);
extern long copy_file_range(int from, long *from_offset, int to, long *to_offset,
                            unsigned long byte_count, unsigned int flags);
extern int statx(int folder, const char *path, int flags, unsigned int mask, struct statx *result);
extern int eventfd(unsigned int count, int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

// When a file was made, in nanoseconds since 1970; 0 where the file system does not say.
static inline long long cairn_birth_time(const char *path) {
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_BTIME, &status) != 0) { return 0; }
    if (!(status.stx_mask & STATX_BTIME)) { return 0; }
    return status.stx_btime.tv_sec * 1000000000LL + status.stx_btime.tv_nsec;
}

extern int pthread_setname_np(unsigned long thread, const char *name);
extern unsigned long pthread_self(void);

// Names the running thread, with 15 bytes at most.
static inline void cairn_name_running_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

// Where the running thread's own memory begins: one instruction, where pthread_self() is a call.
static inline unsigned long cairn_thread_number(void) {
    return (unsigned long)__builtin_thread_pointer();
}

// Whether a word holds the running thread's number. Only the thread itself writes its number there
// or takes it out, so what other threads write does not change the answer, and "pure" holds: a
// compiler that knows of no effect keeps no reference alive across the call.
static inline _Bool cairn_is_running_thread(const void *number) __attribute__((pure));
static inline _Bool cairn_is_running_thread(const void *number) {
    return __atomic_load_n((const unsigned long *)number, __ATOMIC_RELAXED)
        == cairn_thread_number();
}
#endif
