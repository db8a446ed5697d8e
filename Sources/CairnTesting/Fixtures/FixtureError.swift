/// The reason why a ``FixtureBuilder`` could not create an object that is valid to save.
public struct FixtureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The entity of the object.
    public let entity: String
    /// The property that has no valid value.
    public let property: String
    /// The reason why the builder found no value.
    public let reason: String

    /// A message that says what failed, why, and what to do.
    public var description: String {
        "No fixture of \(entity) can be made: \(reason). Set “\(property)” in the closure that"
            + " configures the object."
    }
}
