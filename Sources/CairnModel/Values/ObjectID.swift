/// The identity of a managed object, which consists of a store, a root entity and a key.
///
/// An ID is trivially copyable, has 16 bytes and needs no reference counting. Equality and hashing use
/// only the store, the root entity and the key. They ignore ``entity``, so an ID that knows only a
/// superentity of an object is equal to the ID that knows its exact entity. Keys are unique within the
/// hierarchy of a root entity, not within a store.
@frozen public struct ObjectID: Sendable {
    /// The key of the row within the root entity's hierarchy, counted from 1.
    public let key: Int64
    /// The store, or the space in which a temporary ID was created. Valid for the whole process, and never
    /// reused.
    public let store: StoreNumber
    /// The root of the entity's inheritance hierarchy.
    public let rootEntity: EntityNumber
    /// The object's entity, or its root entity if the exact entity is not known.
    public let entity: EntityNumber

    /// Creates an ID. Only engines and the object graph should do this.
    @inlinable public init(
        store: StoreNumber, rootEntity: EntityNumber, entity: EntityNumber, key: Int64
    ) {
        self.store = store
        self.rootEntity = rootEntity
        self.entity = entity
        self.key = key
    }

    /// Whether the ID is temporary. The ID of a new object is temporary until the object is saved or obtains
    /// a permanent ID.
    @inlinable public var isTemporary: Bool { store.isTemporary }
}

extension ObjectID: Hashable {
    /// Returns whether both identify the same object: whether they have the same store, root entity and key.
    /// The exact entity is ignored.
    @inlinable public static func == (left: ObjectID, right: ObjectID) -> Bool {
        left.key == right.key && left.store == right.store && left.rootEntity == right.rootEntity
    }

    /// Hashes the same parts that `==` compares.
    @inlinable public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(UInt64(store.rawValue) << 16 | UInt64(rootEntity.rawValue))
    }
}

extension ObjectID {
    /// Returns whether this ID comes before another one. The order does not depend on how the IDs were
    /// obtained: it is by store, then root entity, then key. Temporary IDs come last, the oldest first.
    package func precedes(_ other: ObjectID) -> Bool {
        if store != other.store { return store.rawValue < other.store.rawValue }
        if rootEntity != other.rootEntity { return rootEntity < other.rootEntity }
        return isTemporary ? key > other.key : key < other.key
    }
}

/// The number of an entity in its compiled model, counted from 1.
///
/// Root entities are sorted by name, ignoring case. Each is followed by its subentities in the same order,
/// depth first. Core Data assigns the same numbers (`Z_ENT`). A store that was written with an older model
/// may use other numbers; its engine maps them by name.
@frozen public struct EntityNumber: RawRepresentable, Sendable, Hashable, Comparable {
    /// The number. No entity has the number 0.
    public let rawValue: UInt16

    /// Creates an entity number. The number is not checked.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// Creates an entity number. The number is not checked.
    @inlinable public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// Returns whether the left number is lower. Every superentity has a lower number than its subentities.
    @inlinable public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The number of a store that this process has opened, or of a space of temporary IDs.
///
/// For the life of the process, there is one number for each combination of store identifier, location and
/// numbering of entities. Therefore, an ID remains valid if its store is closed and opened again.
@frozen public struct StoreNumber: RawRepresentable, Sendable, Hashable {
    /// The number. The highest bit is set for a space of temporary IDs.
    public let rawValue: UInt32

    /// Creates a store number from an existing number of this process. Only the store directory and contexts
    /// assign new numbers.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Whether the number belongs to a space of temporary IDs, which is indicated by the highest bit.
    @inlinable public var isTemporary: Bool { rawValue & 0x8000_0000 != 0 }
}
