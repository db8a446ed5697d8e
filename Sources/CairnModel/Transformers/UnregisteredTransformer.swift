/// An attribute whose transformer is not registered, so that its values are read as `Data`.
package struct UnregisteredTransformer: Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity that declares the attribute.
    package let entity: String
    /// The name of the transformable attribute.
    package let attribute: String
    /// The transformer's name in the model.
    package let transformer: ValueTransformerName

    /// A sentence that contains the attribute and the transformer's name.
    package var description: String {
        "No transformer “\(transformer)” is registered for \(entity).\(attribute)."
    }
}
