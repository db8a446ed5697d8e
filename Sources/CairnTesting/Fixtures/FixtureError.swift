/// Why a ``FixtureBuilder`` could not make an object that is valid to save.
public struct FixtureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The entity of the object.
    public let entity: String
    /// The property that has no valid value.
    public let property: String
    /// Why the builder found no value.
    public let reason: String

    /// What failed, why, and what to do.
    public var description: String {
        "No fixture of \(entity) can be made: \(reason). Set “\(property)” in the closure that"
            + " configures the object."
    }
}
