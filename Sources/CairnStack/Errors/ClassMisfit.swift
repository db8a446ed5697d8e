import CairnModel

/// A mismatch between a property that a class declares and the entity: the entity lacks the property or
/// declares it differently.
public struct ClassMisfit: Sendable, Hashable {
    /// The name of the class that declares the property.
    package let className: String
    /// The name of the entity that the class was compared with.
    package let entity: String
    /// The name of the property in the class.
    package let property: String
    /// The Swift type that the class declares.
    package let declared: String
    /// A description of what that type requires in the model.
    package let expected: String
    /// A description of the property in the model. `nil` if the entity has no property of this name.
    package let found: String?
    /// How to correct the mistake.
    package let advice: String

    package init(
        className: String, entity: String, property: String, declared: String, expected: String,
        found: String?, advice: String
    ) {
        self.className = className
        self.entity = entity
        self.property = property
        self.declared = declared
        self.expected = expected
        self.found = found
        self.advice = advice
    }
}

extension ClassMisfit: CustomStringConvertible {
    /// One line that contains the declaration, the property in the model, and the advice.
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
