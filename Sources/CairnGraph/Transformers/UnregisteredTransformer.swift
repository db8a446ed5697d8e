/// An attribute whose transformer is not registered, so that its values are read as `Data`.
public struct UnregisteredTransformer: Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity that declares the attribute.
    public let entity: String
    /// The name of the attribute.
    public let attribute: String
    /// The name that the model gives the transformer.
    public let transformer: ValueTransformerName

    /// One sentence with the attribute and the name.
    public var description: String {
        "No transformer “\(transformer)” is registered for \(entity).\(attribute)."
    }
}
