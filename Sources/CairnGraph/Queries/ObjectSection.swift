/// The objects of a fetch that have one value in common.
public struct ObjectSection<Key, Object: ManagedObject> {
    /// The value.
    public let key: Key
    /// In the order of the fetch. At least one.
    public let objects: [Object]
}
