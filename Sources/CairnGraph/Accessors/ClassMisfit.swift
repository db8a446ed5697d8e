import CairnModel

/// A property that a class declares and its entity does not have, or has as another one.
public struct ClassMisfit: Sendable, Hashable {
    /// The class that declares the property.
    public let className: String
    /// The entity whose objects were to have the class.
    public let entity: String
    /// The name of the property.
    public let property: String
    /// What the class declares: the Swift type.
    public let declared: String
    /// What the model would have to say for that type.
    public let expected: String
    /// What the model says. `nil` if the entity has no property of this name.
    public let found: String?
    /// What to do.
    public let advice: String
}

extension ClassMisfit: CustomStringConvertible {
    /// What the class declares, what the model says, and what to do, in one line.
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
