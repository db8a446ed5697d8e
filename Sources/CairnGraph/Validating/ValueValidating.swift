import CairnModel

/// A managed object class that checks single values, in addition to the model's rules.
///
/// Core Data looks for methods named `validate<Key>:error:`; a class says here that it has a check.
/// A save of classes that do not conform costs nothing extra.
public protocol ValueValidating: ManagedObject {
    /// Checks one attribute. A save calls this before it checks the model's rules, and
    /// ``ManagedObject/validateValue(_:forKey:)`` calls it for the value that it checks.
    ///
    /// A save calls this for every attribute of a new object and for the changed attributes of others,
    /// except derived ones. If the method changes `value`, the attribute gets the new value.
    ///
    /// - Throws: any error that says what is wrong. The save makes it part of
    ///   `GraphError.validation`.
    func checkValue(_ value: inout Value, forKey key: String) throws
}
