/// What does not hold in a structure that manages its own memory, found by a `checkInvariants()`.
struct BrokenInvariant: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
