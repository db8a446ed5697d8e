/// A managed object class whose objects change themselves or other objects before they are saved, for
/// example to set a modification date.
///
/// In Core Data, a class overrides `willSave` for this purpose. Saving objects of classes that do not
/// conform has no extra cost.
public protocol SavePreparing: ManagedObject {
    /// Called before a save for each object with changes. Called again for each object that any object's
    /// `prepareForSave()` has changed since, until nothing changes any more.
    ///
    /// Setting a value to its current value, or setting a primitive value, is not a change. A save whose
    /// hooks still change objects after 1,000 rounds throws `GraphError.hooksNeverSettle`.
    func prepareForSave()
}
