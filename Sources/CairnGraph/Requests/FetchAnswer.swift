import CairnModel

/// The results of a fetch request of any result type.
public enum FetchAnswer<Element: ManagedObject> {
    case managedObjects(FetchResults<Element>)
    case objectIDs([ObjectID])
    /// Entries that are `nil` are left out of the dictionaries.
    case dictionaries([[String: Value]])
    case count(Int)
}
