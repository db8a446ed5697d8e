/// A managed object class whose objects change themselves or others before they are saved, such as to
/// note the date.
///
/// In Core Data, a class overrides `willSave` for this. A save of classes that do not conform costs
/// nothing extra.
public protocol SavePreparing: ManagedObject {
    /// Called before a save for each object with changes, and again for each object that a hook of this
    /// kind, its own or another object's, has changed since, until nothing changes any more.
    ///
    /// Setting a value to its current value, or setting a primitive value, is not a change. A save
    /// whose hooks still change objects after 1,000 rounds throws `GraphError.hooksNeverSettle`.
    func prepareForSave()
}
