/// What a context does when a fault is fired: how old a cached row may be, and what becomes of a fault
/// whose row is gone.
struct FaultPolicy {
    /// See ``ManagedObjectContext/stalenessInterval``.
    var stalenessInterval: Double = -1
    /// See ``ManagedObjectContext/shouldDeleteInaccessibleFaults``.
    var deletesInaccessibleFaults = false
}
