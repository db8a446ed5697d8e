import CairnModel

/// What a request of any result type found.
public enum FetchAnswer<Element: ManagedObject> {
    case managedObjects(FetchResults<Element>)
    case objectIDs([ObjectID])
    /// Entries that are nil are absent.
    case dictionaries([[String: Value]])
    case count(Int)
}
