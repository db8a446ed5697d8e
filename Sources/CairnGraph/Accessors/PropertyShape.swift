import CairnModel

/// What a class says of one of its properties.
public enum PropertyShape: Sendable {
    /// An attribute of one of the types.
    case attribute([AttributeType], isOptional: Bool)
    /// A to-one whose destination is an object of the class.
    case toOne(ManagedObject.Type)
    /// A to-many whose members are objects of the class.
    case toMany(ManagedObject.Type, isOrdered: Bool)
}
