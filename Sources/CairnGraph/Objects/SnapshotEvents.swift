import CairnModel
import CairnStore

/// Why an object got other values than by being set or fetched.
public struct SnapshotEvents: OptionSet, Sendable {
    /// One bit for each, with the values of `NSSnapshotEventType`.
    public let rawValue: UInt
    /// Takes any bits; those without a name here mean nothing.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// It goes: its insertion was undone or, which is the same, its deletion redone.
    public static let undoInsertion = SnapshotEvents(rawValue: 1 << 1)
    /// It is back: its deletion was undone or, which is the same, its insertion redone.
    public static let undoDeletion = SnapshotEvents(rawValue: 1 << 2)
    /// Changes of it were undone, or redone.
    public static let undoUpdate = SnapshotEvents(rawValue: 1 << 3)
    /// The context's changes were rolled back.
    public static let rollback = SnapshotEvents(rawValue: 1 << 4)
    /// It was refreshed, or others' changes were merged, and it kept its own.
    public static let refresh = SnapshotEvents(rawValue: 1 << 5)
    /// A merge policy decided between it and its store.
    public static let mergePolicy = SnapshotEvents(rawValue: 1 << 6)
}
