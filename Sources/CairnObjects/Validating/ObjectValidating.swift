import CairnModel

/// A managed object class that checks whole objects, in addition to the model's rules.
///
/// In Core Data, a class overrides `validateForInsert`, `validateForUpdate` and `validateForDelete` for
/// this purpose, and calls `super`, which checks the model's rules. In Cairn, these three methods cannot
/// be overridden: they check the model's rules and then call this protocol's method.
public protocol ObjectValidating: ManagedObject {
    /// Checks the object before a save inserts, updates or deletes it. A save calls this for each object
    /// with changes, after it has checked the model's rules, and reports all broken rules and refusals
    /// together.
    ///
    /// The method may change the object and other objects. Its changes of the object are checked only
    /// against the model's rules. Other objects that it changes are checked again completely. A save
    /// whose checks still change other objects after 1,000 rounds throws `GraphError.hooksNeverSettle`.
    ///
    /// When this method calls ``ManagedObject/validateForInsert()``, `validateForUpdate` or
    /// `validateForDelete` of the same object, they check only the model's rules.
    ///
    /// - Parameter operation: The operation that the save performs on the object.
    /// - Throws: Any error that describes what is wrong. It becomes part of `GraphError.validation`.
    func checkObject(for operation: SaveOperation) throws
}

/// A managed object class that checks single values, in addition to the model's rules.
///
/// Core Data looks for methods named `validate<Key>:error:`. In Cairn, a class declares that it has a
/// check by conforming to this protocol. Saving objects of classes that do not conform has no extra cost.
public protocol ValueValidating: ManagedObject {
    /// Checks the value of one attribute. A save calls this before it checks the model's rules.
    /// ``ManagedObject/validateValue(_:forKey:)`` calls it for the value that it checks.
    ///
    /// A save calls this for every attribute of a new object, and for the changed attributes of other
    /// objects, except derived attributes. If the method changes `value`, the attribute is set to the new
    /// value.
    ///
    /// - Throws: Any error that describes what is wrong. A save makes it part of `GraphError.validation`.
    func checkValue(_ value: inout Value, forKey key: String) throws
}

/// The operation that a save performs on an object.
public enum SaveOperation: Sendable, Hashable {
    /// The save adds the object to a store.
    case insertion
    /// The save changes the stored object.
    case update
    /// The save removes the stored object.
    case deletion
}
