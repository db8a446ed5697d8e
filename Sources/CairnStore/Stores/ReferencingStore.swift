/// A store that identifies objects by text or UUIDs, as many services do.
///
/// The key in an ``ObjectID`` is a number even for such a store, so that IDs and rows stay as small
/// as those of other stores. The number stands for the object's reference, and is valid only in
/// this process. Everything that leaves the process, that is, the data in the store and the URIs of
/// IDs, contains references instead.
public protocol ReferencingStore: PersistentStore {
    /// The references of the store's objects, as the ``StoreDirectory`` keeps them.
    ///
    /// Each saved object of an entity with references has a reference that no other object has or
    /// ever had. The reference leads to the object in every process, and also after the store is
    /// opened again. In all snapshots and handles of one process it has the same number. A
    /// reference that belongs to no object can be asked for, and leads to no row. Objects of other
    /// entities, and objects of stores without references, are identified by their keys, which also
    /// appear in URIs.
    var references: StoreReferences { get }
}
