#define _GNU_SOURCE
#include "BaselinesProcessors.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>

#ifdef __linux__
// Threads that end in the meantime are skipped.
static void set_all_threads(const cpu_set_t *processors) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) { return; }
    for (struct dirent *task; (task = readdir(tasks));) {
        int number = atoi(task->d_name);
        if (number > 0) { sched_setaffinity(number, sizeof *processors, processors); }
    }
    closedir(tasks);
}

static cpu_set_t before;

int processors_use_one(void) {
    if (sched_getaffinity(0, sizeof before, &before) != 0) { return 0; }
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, &before)) { continue; }
        CPU_SET(processor, &one);
        break;
    }
    set_all_threads(&one);
    return 1;
}

void processors_use_all(void) { set_all_threads(&before); }
#else
int processors_use_one(void) { return 0; }
void processors_use_all(void) {}
#endif
