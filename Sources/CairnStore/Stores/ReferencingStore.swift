/// A store that identifies objects by text or UUIDs, as many services do.
///
/// The key in an ``ObjectID`` is a number all the same, so that IDs and rows are as small as those of
/// every other store. It stands for the object's reference in this process only. Whatever leaves the
/// process has references: what the store keeps, and the URIs of IDs.
public protocol ReferencingStore: PersistentStore {
    /// The references of the store's objects, as the ``StoreDirectory`` keeps them.
    ///
    /// Each saved object of these entities has a reference, which no other object has or had. The
    /// reference leads to the object in every process, and after the store is opened again. It has the
    /// same number in all snapshots and handles of a process. A reference that no object has can be asked
    /// for: it leads to no row. Objects of other entities, and those of stores without references, are
    /// identified by their keys, which URIs have.
    var references: StoreReferences { get }
}
