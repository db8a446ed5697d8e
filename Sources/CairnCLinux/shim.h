// Functions of Linux's C library that its headers declare only if _GNU_SOURCE is defined. Swift's
// module of the C library does not define it. The declarations are those of stdio.h, unistd.h,
// spawn.h and sys/eventfd.h.
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

// Returns when a file was created, in nanoseconds since 1970, or 0 if the file system does not record it.
static inline long long cairn_birth_time(const char *path) {
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_BTIME, &status) != 0) { return 0; }
    if (!(status.stx_mask & STATX_BTIME)) { return 0; }
    return status.stx_btime.tv_sec * 1000000000LL + status.stx_btime.tv_nsec;
}

extern int pthread_setname_np(unsigned long thread, const char *name);
extern unsigned long pthread_self(void);

// Sets the name of the running thread, which may have at most 15 bytes.
static inline void cairn_name_running_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

// Returns the address of the running thread's own memory, which identifies the thread. This is a single
// instruction, whereas pthread_self() is a function call.
static inline unsigned long cairn_thread_number(void) {
    return (unsigned long)__builtin_thread_pointer();
}

// Returns whether a word contains the running thread's number. Only the thread itself writes its number
// there or removes it, so writes by other threads do not change the result, and the attribute "pure" is
// correct. Because the compiler then knows that the call has no effects, it need not keep references
// alive across the call.
static inline _Bool cairn_is_running_thread(const void *number) __attribute__((pure));
static inline _Bool cairn_is_running_thread(const void *number) {
    return __atomic_load_n((const unsigned long *)number, __ATOMIC_RELAXED)
        == cairn_thread_number();
}
#endif
