import CairnModel

/// The declaration of a property that a class requires from the model.
public enum PropertyShape: Sendable {
    /// An attribute of one of the types.
    case attribute([AttributeType], isOptional: Bool)
    /// A to-one relationship whose destination is an object of the class.
    case toOne(ManagedObject.Type)
    /// A to-many relationship whose members are objects of the class.
    case toMany(ManagedObject.Type, isOrdered: Bool)
}
