/// An invariant that does not hold. Thrown by `checkInvariants()` of structures that manage their own
/// memory.
struct BrokenInvariant: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
