/// The identity of a managed object: which store, which root entity, which key.
///
/// Trivially copyable, 16 bytes, no reference counting. Equality and hash are store, root entity
/// and key; the concrete entity is payload, so the ID of an object known through a supertype and
/// its concrete ID are one. Keys are unique in a root entity's hierarchy, not in a store.
@frozen public struct ObjectID: Sendable {
    /// The row's key inside its root entity, from 1.
    public let key: Int64
    /// The store, or for a temporary ID the space it was made in. Process-wide, never reused.
    public let store: StoreNumber
    /// The root of the entity's inheritance tree.
    public let rootEntity: EntityNumber
    /// The entity the object is of; its root where only that is known.
    public let entity: EntityNumber

    /// Creates an ID; only engines and the graph do.
    @inlinable public init(
        store: StoreNumber, rootEntity: EntityNumber, entity: EntityNumber, key: Int64
    ) {
        self.store = store
        self.rootEntity = rootEntity
        self.entity = entity
        self.key = key
    }

    /// Whether the object has not been saved, and was not given a permanent ID, yet.
    @inlinable public var isTemporary: Bool { store.isTemporary }
    /// The same as ``isTemporary``, by Core Data's name.
    @inlinable public var isTemporaryID: Bool { store.isTemporary }
}

extension ObjectID: Hashable {
    /// Whether both name one object: store, root entity and key. The concrete entity does not
    /// count.
    @inlinable public static func == (left: ObjectID, right: ObjectID) -> Bool {
        left.key == right.key && left.store == right.store && left.rootEntity == right.rootEntity
    }

    /// Hashes what `==` compares.
    @inlinable public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(UInt64(store.rawValue) << 16 | UInt64(rootEntity.rawValue))
    }
}
