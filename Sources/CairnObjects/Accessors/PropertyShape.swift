import CairnModel

/// The kind of property that a class declares, for comparison with the model.
public enum PropertyShape: Sendable {
    /// An attribute of one of the types. If `isOptional` is `false`, the attribute must be required.
    case attribute([AttributeType], isOptional: Bool)
    /// A to-one relationship whose destination is an object of the class.
    case toOne(ManagedObject.Type)
    /// A to-many relationship whose members are objects of the class.
    case toMany(ManagedObject.Type, isOrdered: Bool)
}
