import CairnModel

/// The reasons why an object's values changed other than by being set or fetched.
public struct SnapshotEvents: OptionSet, Sendable {
    /// The bits, which have the values of `NSSnapshotEventType`.
    public let rawValue: UInt
    /// Creates a set from any bits. Bits without a name in this type have no meaning.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The object was removed, because its insertion was undone or its deletion was redone.
    public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
    /// The object was restored, because its deletion was undone or its insertion was redone.
    public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
    /// Changes of the object were undone or redone.
    public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
    /// The context's changes were rolled back.
    public static let rollback = SnapshotEvents(rawValue: 1 << 4)
    /// The object was refreshed or changes by others were merged into it, and it kept its own changes.
    public static let refresh = SnapshotEvents(rawValue: 1 << 5)
    /// A merge policy resolved a conflict between the object and its store.
    public static let mergePolicy = SnapshotEvents(rawValue: 1 << 6)
}
