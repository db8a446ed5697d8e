import CairnModel

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
