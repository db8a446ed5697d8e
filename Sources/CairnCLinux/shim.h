// Calls of Linux's C library that its headers show only to _GNU_SOURCE, which Swift's module of
// them does not define: as stdio.h and unistd.h declare them.
#ifdef __linux__
extern int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned int flags);
extern int syncfs(int descriptor);
#endif
