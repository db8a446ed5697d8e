// Intentionally empty. The target exists only for the compiler flags from pkg-config.
