// Nothing: the target is there for the compiler flags that pkg-config knows.
