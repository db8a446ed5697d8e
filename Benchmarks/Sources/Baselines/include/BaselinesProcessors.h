#pragma once

// Puts every thread of the process on one processor. Returns 0 where the system cannot.
int processors_use_one(void);
// Lets every thread run where it might before `processors_use_one`, which returned 1.
void processors_use_all(void);
