/* Makes a disk slow and steady: delays each fsync, fdatasync, and write to a descriptor that was opened with O_DSYNC
 * or O_SYNC, by CAIRN_SYNC_DELAY microseconds. Loaded by LD_PRELOAD; script/bench does that. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static void delay(void) {
    static int microseconds = -1;
    if (microseconds < 0) {
        const char *text = getenv("CAIRN_SYNC_DELAY");
        microseconds = text ? atoi(text) : 0;
    }
    usleep(microseconds);
}

static void delay_write(int descriptor) {
    if (fcntl(descriptor, F_GETFL) & O_DSYNC) delay();
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int descriptor) {
    delay();
    return NEXT(fsync)(descriptor);
}

int fdatasync(int descriptor) {
    delay();
    return NEXT(fdatasync)(descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    delay_write(descriptor);
    return NEXT(write)(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    delay_write(descriptor);
    return NEXT(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    delay_write(descriptor);
    return NEXT(pwrite64)(descriptor, bytes, count, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    delay_write(descriptor);
    return NEXT(pwritev)(descriptor, parts, count, offset);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t offset) {
    delay_write(descriptor);
    return NEXT(pwritev64)(descriptor, parts, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    delay_write(descriptor);
    return NEXT(writev)(descriptor, parts, count);
}
