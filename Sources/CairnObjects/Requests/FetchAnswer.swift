import CairnModel

/// The results of a fetch request of any result type.
public enum FetchAnswer<Element: ManagedObject> {
    /// The objects, in the order of the request's sort descriptors.
    case managedObjects(FetchResults<Element>)
    /// The IDs of the objects, in the order of the request's sort descriptors.
    case objectIDs([ObjectID])
    /// Entries that are `nil` are left out of the dictionaries.
    case dictionaries([[String: Value]])
    /// The number of matches, after the request's offset and limit were applied.
    case count(Int)
}
