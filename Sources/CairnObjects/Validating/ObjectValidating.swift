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
