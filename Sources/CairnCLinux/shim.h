// Calls of Linux's C library that its headers show only to _GNU_SOURCE, which Swift's module of
// them does not define: as stdio.h, unistd.h and spawn.h declare them.
#ifdef __linux__
#include <spawn.h>
extern int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned int flags);
extern int syncfs(int descriptor);
extern int fallocate(int descriptor, int mode, long offset, long byte_count);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

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
