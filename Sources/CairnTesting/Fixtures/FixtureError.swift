/// The error of a ``FixtureBuilder`` that cannot create an object that is valid to save.
public struct FixtureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity of which no object could be created.
    public let entity: String
    /// The property for which there is no valid value.
    public let property: String
    /// The reason that the builder found no value.
    public let reason: String

    /// A text with the failure, its reason, and what to do.
    public var description: String {
        "A fixture of \(entity) could not be created: \(reason). Set “\(property)” in the closure that"
            + " configures the object."
    }
}
