// Functions of Linux's C library that its headers declare only if _GNU_SOURCE is defined. Swift's
// module of the C library does not define it. The declarations are those of stdio.h, unistd.h,
// spawn.h and sys/eventfd.h.
#ifdef __linux__
#include <fcntl.h>
#include <link.h>
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

// Returns whether the word at an offset from the running thread's number is not 0. Returns true for the offset 0, which
// means that there is no such word. The attribute is correct because only the thread itself writes the word, in calls
// that the compiler does not see.
static inline _Bool cairn_thread_word_is_set(long offset) __attribute__((pure));
static inline _Bool cairn_thread_word_is_set(long offset) {
    return offset == 0 || *(void *const *)(cairn_thread_number() + offset) != 0;
}

// The part of the running thread's own memory that has the thread-local variables of one library.
struct cairn_thread_area {
    long offset; // from the thread's number
    long byte_count;
};

struct cairn_thread_areas {
    struct cairn_thread_area *list;
    long count, capacity;
};

// The declarations are those of link.h and elf.h.
struct cairn_library {
    unsigned long address;
    const char *name;
    const ElfW(Phdr) *headers;
    ElfW(Half) header_count;
    unsigned long long addition_count, removal_count;
    unsigned long thread_module;
    void *thread_variables;
};
extern int dl_iterate_phdr(int (*body)(struct cairn_library *, unsigned long, void *), void *areas);

static inline int cairn_add_thread_area(struct cairn_library *library, unsigned long size, void *given) {
    struct cairn_thread_areas *areas = (struct cairn_thread_areas *)given;
    if (size < sizeof *library || !library->thread_variables) { return 0; }
    for (int index = 0; index < library->header_count; index += 1) {
        if (library->headers[index].p_type != PT_TLS || areas->count == areas->capacity) { continue; }
        struct cairn_thread_area area = {
            (long)library->thread_variables - (long)cairn_thread_number(),
            (long)library->headers[index].p_memsz,
        };
        areas->list[areas->count] = area;
        areas->count += 1;
    }
    return 0;
}

// Finds the thread-local variables of all libraries for which the running thread has memory. Returns how many there are.
static inline long cairn_find_thread_areas(struct cairn_thread_area *list, long capacity) {
    struct cairn_thread_areas areas = {list, 0, capacity};
    dl_iterate_phdr(cairn_add_thread_area, &areas);
    return areas.count;
}

// Functions of Swift's runtime, from HeapObject.h.
extern void *swift_tryRetain(void *object);
extern void *swift_unownedRetain(void *object);
extern void swift_unownedRelease(void *object);
#endif
