import CairnModel

/// A property that a class declares, but that its entity lacks or declares differently.
public struct ClassMisfit: Sendable, Hashable {
    /// The class that declares the property.
    public let className: String
    /// The entity with which the class was compared.
    public let entity: String
    /// The name of the property.
    public let property: String
    /// The Swift type that the class declares.
    public let declared: String
    /// The declaration in the model that would fit the Swift type.
    public let expected: String
    /// The declaration in the model. `nil` if the entity has no property with this name.
    public let found: String?
    /// Advice on how to correct the mistake.
    public let advice: String
}

extension ClassMisfit: CustomStringConvertible {
    /// The declarations in the class and in the model, and advice, in one line.
    public var description: String {
        let declaration = "The class \(className) declares “\(property): \(declared)”"
        guard let found else {
            return
                "\(declaration), but the entity \(entity) has no property “\(property)”. \(advice)"
        }
        return
            "\(declaration), which needs \(expected), but \(entity).\(property) is \(found). \(advice)"
    }
}
