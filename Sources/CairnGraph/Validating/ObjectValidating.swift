/// A managed object class that checks whole objects, in addition to the model's rules.
///
/// In Core Data, a class overrides `validateForInsert`, `validateForUpdate` and `validateForDelete` for
/// this, and calls `super`, which checks the model's rules. Here these three cannot be overridden: they
/// check the model's rules and then call this method.
public protocol ObjectValidating: ManagedObject {
    /// Checks the object before a save inserts, updates or deletes it. A save calls this for each object
    /// with changes, after it has checked the model's rules, and reports what both refuse together.
    ///
    /// The method may change the object and others. What it changes is checked by the model's rules;
    /// another object that it changes is checked again completely. A save whose checks still change
    /// other objects after 1,000 rounds throws `GraphError.hooksNeverSettle`.
    ///
    /// Inside of this method, ``ManagedObject/validateForInsert()``, `validateForUpdate` and
    /// `validateForDelete` of the same object check the model's rules only.
    ///
    /// - Parameter operation: what the save does with the object.
    /// - Throws: any error that says what is wrong. It becomes part of `GraphError.validation`.
    func checkObject(for operation: SaveOperation) throws
}
