/* Tells ThreadSanitizer about the ordering that a contended Synchronization.Mutex creates; loaded by LD_PRELOAD.
 *
 * Without contention, locking is a compare-and-swap in the caller's code, which the sanitizer sees. With
 * contention, two functions of libswiftSynchronization do the locking. That library is not instrumented, so
 * the sanitizer sees no order between the threads, and would report every use of the data that the mutex
 * protects. The wrappers below add acquire and release annotations to these two functions. Nothing is
 * suppressed, so no race is hidden.
 *
 * The names are the mangled names of _MutexHandle._lockSlow(_:) and _unlockSlow() (Swift 6.3, Linux). The lock
 * word is at the beginning of the handle. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define HANDLE __attribute__((swift_context)) void *

void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void (*lock_function)(uint32_t, HANDLE);
typedef SWIFT void (*unlock_function)(HANDLE);

SWIFT void lock_slowly(uint32_t thread, HANDLE handle) __asm__(LOCK);
SWIFT void unlock_slowly(HANDLE handle) __asm__(UNLOCK);

static lock_function next_lock;
static unlock_function next_unlock;

__attribute__((constructor)) static void find(void)
{
    next_lock = (lock_function)dlsym(RTLD_NEXT, LOCK);
    next_unlock = (unlock_function)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slowly(uint32_t thread, HANDLE handle)
{
    next_lock(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slowly(HANDLE handle)
{
    if (__tsan_release) __tsan_release(handle);
    next_unlock(handle);
}
