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
