/// An attribute whose transformer is not registered, so that its values are read as `Data`.
public struct UnregisteredTransformer: Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity that declares the attribute.
    public let entity: String
    /// The name of the transformable attribute.
    public let attribute: String
    /// The transformer's name in the model.
    public let transformer: ValueTransformerName

    /// A sentence that contains the attribute and the transformer's name.
    public var description: String {
        "No transformer “\(transformer)” is registered for \(entity).\(attribute)."
    }
}
