/* Counts the calls that change files below one folder. At a chosen call, it kills the process or makes the
 * call fail. Loaded by LD_PRELOAD. orders.h lists the possible orders, and docs/torture.md describes what is
 * not seen (bytes written through a mapping). script/torture compares the calls that are seen here with those
 * that strace sees. */

#define _GNU_SOURCE
#include "orders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum verdict { PASS, FAIL, HALF, TEAR, SKIP };

static char folder[PATH_MAX];
static struct torture_orders orders;
static int trace = -1;
static atomic_long count;
static atomic_bool done;
static atomic_bool is_armed;

bool torture_shim_obey(const struct torture_orders *given) {
    atomic_store(&is_armed, false);
    if (strlen(given->folder) + 1 >= sizeof folder) return false;
    strcpy(folder, given->folder);
    orders = *given;
    atomic_store(&count, 0);
    atomic_store(&done, false);
    if (trace >= 0) syscall(SYS_close, trace);
    trace = given->trace ? (int)syscall(SYS_openat, AT_FDCWD, given->trace,
                                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                         : -1;
    atomic_store(&is_armed, true);
    return !given->trace || trace >= 0;
}

void torture_shim_relent(void) { atomic_store(&is_armed, false); }

bool torture_shim_was_done(void) { return atomic_load(&done); }

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN (linux/ext4.h, xfs_fs.h), with the flag not to flush the log: from
 * now on nothing reaches the file system's device, as if the power had been cut. */
static void cut_power(void) {
    unsigned without_log = 2;
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY);
    if (descriptor < 0 || ioctl(descriptor, _IOR('X', 125, unsigned), &without_log) != 0) abort();
}

/* Returns the verdict on a call on a path that is known to be below the folder. */
static enum verdict judge(unsigned kind, const char *name, const char *path) {
    long number = atomic_fetch_add(&count, 1) + 1;
    if (trace >= 0) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%u %s %s\n", kind, name, path + strlen(folder));
        syscall(SYS_write, trace, line, length);
    }
    if (orders.deed == TORTURE_NOTHING || !(orders.kinds & kind) || number < orders.at) return PASS;
    if (atomic_exchange(&done, true) && !orders.is_sticky) return PASS;
    switch (orders.deed) {
    case TORTURE_KILL: die(); return PASS;
    case TORTURE_CUT: cut_power(); die(); return PASS;
    case TORTURE_TEAR: return TEAR;
    case TORTURE_STOP: raise(SIGSTOP); return PASS;
    case TORTURE_SHORTEN: return HALF;
    default: errno = orders.error; return FAIL;
    }
}

/* Includes the folder itself, because it is synchronized, too. */
static bool is_below(const char *path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static bool ends(const char *path, const char *suffix) {
    size_t length = strlen(path), other = strlen(suffix);
    return length >= other && strcmp(path + length - other, suffix) == 0;
}

/* Returns whether the program is to make this mistake with this file. */
static bool mistakes(unsigned mistake, const char *path, const char *suffix) {
    return atomic_load(&is_armed) && (orders.mistakes & mistake) && ends(path, suffix);
}

static enum verdict on_descriptor(unsigned kind, const char *name, int descriptor) {
    if (!atomic_load(&is_armed)) return PASS;
    char link[40], path[PATH_MAX];
    int code = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = code;
    if (length < 0) return PASS;
    path[length] = 0;
    if (!is_below(path)) return PASS;
    if (kind == TORTURE_SYNC && mistakes(TORTURE_SYNCS_NO_JOURNAL, path, "-new")) return SKIP;
    return judge(kind, name, path);
}

/* Returns the verdict on a call on a path. A relative path is resolved against an open folder. */
static enum verdict on_path(unsigned kind, const char *name, int base, const char *given) {
    if (!atomic_load(&is_armed) || !given) return PASS;
    if (given[0] == '/') return is_below(given) ? judge(kind, name, given) : PASS;
    char link[40], path[2 * PATH_MAX];
    int code = errno;
    if (base == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", base);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    errno = code;
    if (length < 0) return PASS;
    snprintf(path + length, PATH_MAX, "/%s", given);
    return is_below(path) ? judge(kind, name, path) : PASS;
}

/* Finds the function of the same name that would be called without this library. */
#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* Opening. */

/* Returns the verdict on an open. It can fail for lack of space only if it creates or truncates a file. */
static enum verdict on_open(int base, const char *path, int flags) {
    if (!(flags & (O_CREAT | O_TRUNC)) || !atomic_load(&is_armed)) return PASS;
    int code = errno;
    bool is_there = !(flags & O_TRUNC) && faccessat(base, path, F_OK, AT_EACCESS) == 0;
    errno = code;
    return on_path(is_there ? TORTURE_REOPEN : TORTURE_OPEN, "open", base, path);
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        NEXT(name); \
        MODE(flags) \
        if (on_open(AT_FDCWD, path, flags) == FAIL) return -1; \
        return next(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int base, const char *path, int flags, ...) { \
        NEXT(name); \
        MODE(flags) \
        if (on_open(base, path, flags) == FAIL) return -1; \
        return next(base, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

/* A call with one path, or with two paths, of which `judged` is the relevant one. */
#define CALL(kind, label, name, base, judged, parameters, arguments) \
    int name parameters { \
        NEXT(name); \
        if (on_path(kind, label, base, judged) == FAIL) return -1; \
        return next arguments; \
    }

CALL(TORTURE_OPEN, "open", creat, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
CALL(TORTURE_OPEN, "open", creat64, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
CALL(TORTURE_OPEN, "mkdir", mkdir, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
CALL(TORTURE_OPEN, "mkdir", mkdirat, base, path, (int base, const char *path, mode_t mode),
     (base, path, mode))
CALL(TORTURE_OPEN, "symlink", symlink, AT_FDCWD, path, (const char *to, const char *path),
     (to, path))
CALL(TORTURE_OPEN, "symlink", symlinkat, base, path, (const char *to, int base, const char *path),
     (to, base, path))

/* The C library's implementations of these do not call mkdir() and open() above. */
char *mkdtemp(char *path) {
    NEXT(mkdtemp);
    return on_path(TORTURE_OPEN, "mkdir", AT_FDCWD, path) == FAIL ? NULL : next(path);
}

CALL(TORTURE_OPEN, "open", mkstemp, AT_FDCWD, path, (char *path), (path))
CALL(TORTURE_OPEN, "open", mkstemp64, AT_FDCWD, path, (char *path), (path))
CALL(TORTURE_OPEN, "open", mkostemp, AT_FDCWD, path, (char *path, int flags), (path, flags))
CALL(TORTURE_OPEN, "open", mkostemp64, AT_FDCWD, path, (char *path, int flags), (path, flags))

/* Names. */

CALL(TORTURE_NAME, "rename", rename, AT_FDCWD, to, (const char *from, const char *to), (from, to))
CALL(TORTURE_NAME, "rename", renameat, base, to,
     (int from_base, const char *from, int base, const char *to), (from_base, from, base, to))
CALL(TORTURE_NAME, "rename", renameat2, base, to,
     (int from_base, const char *from, int base, const char *to, unsigned flags),
     (from_base, from, base, to, flags))
CALL(TORTURE_NAME, "link", link, AT_FDCWD, to, (const char *from, const char *to), (from, to))
CALL(TORTURE_NAME, "link", linkat, base, to,
     (int from_base, const char *from, int base, const char *to, int flags),
     (from_base, from, base, to, flags))
CALL(TORTURE_REMOVE, "unlink", unlink, AT_FDCWD, path, (const char *path), (path))
CALL(TORTURE_REMOVE, "unlink", unlinkat, base, path, (int base, const char *path, int flags),
     (base, path, flags))
CALL(TORTURE_REMOVE, "unlink", rmdir, AT_FDCWD, path, (const char *path), (path))

/* The C library's implementation of remove() does not call unlink() above. */
int remove(const char *path) {
    int code = errno;
    if (unlink(path) == 0) return 0;
    if (errno != EISDIR && errno != EPERM) return -1;
    errno = code;
    return rmdir(path);
}

/* Sizes and modes. */

#define ON_DESCRIPTOR(kind, label, name, parameters, arguments) \
    int name parameters { \
        NEXT(name); \
        switch (on_descriptor(kind, label, descriptor)) { \
        case FAIL: return -1; \
        case SKIP: return 0; \
        default: return next arguments; \
        } \
    }

CALL(TORTURE_SIZE, "truncate", truncate, AT_FDCWD, path, (const char *path, off_t size),
     (path, size))
CALL(TORTURE_SIZE, "truncate", truncate64, AT_FDCWD, path, (const char *path, off64_t size),
     (path, size))
ON_DESCRIPTOR(TORTURE_SIZE, "truncate", ftruncate, (int descriptor, off_t size), (descriptor, size))
ON_DESCRIPTOR(TORTURE_SIZE, "truncate", ftruncate64, (int descriptor, off64_t size),
              (descriptor, size))
ON_DESCRIPTOR(TORTURE_SIZE, "fallocate", fallocate,
              (int descriptor, int mode, off_t offset, off_t size), (descriptor, mode, offset, size))
ON_DESCRIPTOR(TORTURE_SIZE, "fallocate", fallocate64,
              (int descriptor, int mode, off64_t offset, off64_t size),
              (descriptor, mode, offset, size))

/* These return the error number instead of setting errno. */
#define POSIX_FALLOCATE(name, type) \
    int name(int descriptor, type offset, type size) { \
        NEXT(name); \
        if (on_descriptor(TORTURE_SIZE, "fallocate", descriptor) == FAIL) return errno; \
        return next(descriptor, offset, size); \
    }
POSIX_FALLOCATE(posix_fallocate, off_t)
POSIX_FALLOCATE(posix_fallocate64, off64_t)

CALL(TORTURE_MODE, "chmod", chmod, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
CALL(TORTURE_MODE, "chmod", fchmodat, base, path,
     (int base, const char *path, mode_t mode, int flags), (base, path, mode, flags))
CALL(TORTURE_MODE, "chown", chown, AT_FDCWD, path, (const char *path, uid_t user, gid_t group),
     (path, user, group))
ON_DESCRIPTOR(TORTURE_MODE, "chmod", fchmod, (int descriptor, mode_t mode), (descriptor, mode))
ON_DESCRIPTOR(TORTURE_MODE, "chown", fchown, (int descriptor, uid_t user, gid_t group),
              (descriptor, user, group))

/* Checking access. */

int access(const char *path, int mode) {
    NEXT(access);
    if (mistakes(TORTURE_SEES_NO_PENDING_SAVE, path, "-pending")) {
        errno = ENOENT;
        return -1;
    }
    return next(path, mode);
}

int lstat(const char *path, struct stat *status) {
    NEXT(lstat);
    if (mistakes(TORTURE_SEES_NO_PENDING_SAVE, path, "-pending")) {
        errno = ENOENT;
        return -1;
    }
    return next(path, status);
}

/* Locking. */

int flock(int descriptor, int operation) {
    NEXT(flock);
    if (atomic_load(&is_armed) && (orders.mistakes & TORTURE_LOCKS_NO_FOLDER)) {
        char link[40], path[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length >= 0 && (path[length] = 0, strcmp(path, folder) == 0)) return 0;
    }
    return next(descriptor, operation);
}

/* Synchronizing. */

ON_DESCRIPTOR(TORTURE_SYNC, "sync", fsync, (int descriptor), (descriptor))
ON_DESCRIPTOR(TORTURE_SYNC, "sync", fdatasync, (int descriptor), (descriptor))
ON_DESCRIPTOR(TORTURE_SYNC, "sync", syncfs, (int descriptor), (descriptor))
ON_DESCRIPTOR(TORTURE_SYNC, "sync", sync_file_range,
              (int descriptor, off64_t offset, off64_t size, unsigned flags),
              (descriptor, offset, size, flags))

/* A mapping has no descriptor, so the call counts as a call on the folder, whichever file is mapped. */
int msync(void *start, size_t size, int flags) {
    NEXT(msync);
    if (atomic_load(&is_armed) && judge(TORTURE_SYNC, "msync", folder) == FAIL) return -1;
    return next(start, size, flags);
}

/* Writing. A kill can only tear a write at the end of a page, because the kernel copies page by page. */

enum { PAGE = 4096 };

/* Returns how many bytes of a write come before the page end that is nearest to its middle, or 0 if the write
 * crosses no page end. */
static size_t torn(off_t offset, size_t size) {
    off_t end = (offset + (off_t)(size / 2)) / PAGE * PAGE;
    if (end <= offset) end += PAGE;
    return end < offset + (off_t)size ? (size_t)(end - offset) : 0;
}

static off_t position(int descriptor) {
    int code = errno;
    int is_appending = fcntl(descriptor, F_GETFL) & O_APPEND;
    off_t position = lseek(descriptor, 0, is_appending ? SEEK_END : SEEK_CUR);
    errno = code;
    return position < 0 ? 0 : position;
}

/* Returns the verdict on a write, and sets how many of its bytes to write. */
static enum verdict on_write(int descriptor, off_t offset, size_t *size) {
    if (!atomic_load(&is_armed)) return PASS;
    size_t end = torn(offset, *size);
    unsigned kind = TORTURE_WRITE | (end ? TORTURE_SPAN : 0);
    enum verdict verdict = on_descriptor(kind, "write", descriptor);
    if (verdict == TEAR) *size = end;
    if (verdict == HALF && *size > 1) *size /= 2;
    return verdict;
}

#define WRITE(name, parameters, offset, arguments) \
    ssize_t name parameters { \
        NEXT(name); \
        enum verdict verdict = on_write(descriptor, offset, &size); \
        if (verdict == FAIL) return -1; \
        ssize_t written = next arguments; \
        if (verdict == TEAR) die(); \
        return written; \
    }

WRITE(write, (int descriptor, const void *bytes, size_t size), position(descriptor),
      (descriptor, bytes, size))
WRITE(pwrite, (int descriptor, const void *bytes, size_t size, off_t offset), offset,
      (descriptor, bytes, size, offset))
WRITE(pwrite64, (int descriptor, const void *bytes, size_t size, off64_t offset), offset,
      (descriptor, bytes, size, offset))

static size_t total(const struct iovec *parts, int count) {
    size_t size = 0;
    for (int index = 0; index < count; index++) size += parts[index].iov_len;
    return size;
}

/* Copies the parts that make up the first `size` bytes. */
static int first_bytes(const struct iovec *parts, int count, size_t size, struct iovec *first) {
    int index = 0;
    for (; index < count && index < IOV_MAX && size > 0; index++) {
        first[index] = parts[index];
        if (first[index].iov_len > size) first[index].iov_len = size;
        size -= first[index].iov_len;
    }
    return index;
}

#define WRITEV(name, parameters, offset, whole, shortened) \
    ssize_t name parameters { \
        NEXT(name); \
        size_t size = total(parts, part_count); \
        enum verdict verdict = on_write(descriptor, offset, &size); \
        if (verdict == FAIL) return -1; \
        if (verdict == PASS) return next whole; \
        struct iovec first[IOV_MAX]; \
        int first_count = first_bytes(parts, part_count, size, first); \
        ssize_t written = next shortened; \
        if (verdict == TEAR) die(); \
        return written; \
    }

WRITEV(writev, (int descriptor, const struct iovec *parts, int part_count), position(descriptor),
       (descriptor, parts, part_count), (descriptor, first, first_count))
WRITEV(pwritev, (int descriptor, const struct iovec *parts, int part_count, off_t offset), offset,
       (descriptor, parts, part_count, offset), (descriptor, first, first_count, offset))
WRITEV(pwritev64, (int descriptor, const struct iovec *parts, int part_count, off64_t offset), offset,
       (descriptor, parts, part_count, offset), (descriptor, first, first_count, offset))
WRITEV(pwritev2,
       (int descriptor, const struct iovec *parts, int part_count, off_t offset, int flags), offset,
       (descriptor, parts, part_count, offset, flags),
       (descriptor, first, first_count, offset, flags))

/* Copying inside the kernel. */

WRITE(copy_file_range,
      (int from, off64_t *from_offset, int descriptor, off64_t *offset, size_t size, unsigned flags),
      offset ? *offset : position(descriptor),
      (from, from_offset, descriptor, offset, size, flags))
WRITE(sendfile, (int descriptor, int from, off_t *offset, size_t size), position(descriptor),
      (descriptor, from, offset, size))
WRITE(sendfile64, (int descriptor, int from, off64_t *offset, size_t size), position(descriptor),
      (descriptor, from, offset, size))

int ioctl(int descriptor, unsigned long request, ...) {
    NEXT(ioctl);
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if ((request == FICLONE || request == FICLONERANGE)
        && on_descriptor(TORTURE_WRITE, "clone", descriptor) == FAIL) return -1;
    return next(descriptor, request, argument);
}
