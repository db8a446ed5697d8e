/// An invariant that does not hold. Thrown by `checkInvariants()` of structures that manage their own
/// memory.
package struct BrokenInvariant: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
