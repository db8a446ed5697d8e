/// The number of an entity in its compiled model, from 1.
///
/// Root entities are sorted by name, ignoring case. Each is followed depth-first by its subentities in
/// the same order. These are the numbers that Core Data assigns (`Z_ENT`). A store that was written
/// with an older model may use other numbers; its engine maps them by name.
@frozen public struct EntityNumber: RawRepresentable, Sendable, Hashable, Comparable {
    /// The number, from 1. No entity has the number 0.
    public let rawValue: UInt16

    /// Creates an entity number. The number is not checked.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// Creates an entity number. The number is not checked.
    @inlinable public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// Whether the left number is lower. Every superentity has a lower number than its subentities.
    @inlinable public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}
