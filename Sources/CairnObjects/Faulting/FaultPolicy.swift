/// Determines what a context does when a fault is fired: how old a cached row may be, and what happens
/// to a fault whose row no longer exists.
struct FaultPolicy {
    /// See ``ManagedObjectContext/stalenessInterval``.
    var stalenessInterval: Double = -1
    /// See ``ManagedObjectContext/shouldDeleteInaccessibleFaults``.
    var deletesInaccessibleFaults = false

    /// How long ago a cached row may have been known to be current. `nil` means any time.
    var longestCacheAge: Duration? {
        guard stalenessInterval >= 0 else { return nil }
        // A `Duration` cannot be infinite, and a row is never older than a century.
        return .seconds(min(stalenessInterval, 3e9))
    }
}
