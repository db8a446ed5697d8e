#pragma once

// Moves every thread of the process to one processor. Returns 0 if the system does not support this.
int processors_use_one(void);
// Lets every thread run on the same processors as before `processors_use_one`, which must have returned 1.
void processors_use_all(void);
