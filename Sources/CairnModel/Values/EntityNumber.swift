/// The place of an entity in its compiled model, from 1.
///
/// Root entities sorted by name without regard to case, each followed depth-first by its
/// subentities in the same order: the numbers that Core Data gives (`Z_ENT`). A store written with
/// an older model may number differently; its engine maps by name.
@frozen public struct EntityNumber: RawRepresentable, Sendable, Hashable, Comparable {
    /// From 1; 0 is no entity.
    public let rawValue: UInt16

    /// Takes the number of an entity, unchecked.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// Takes the number of an entity, unchecked.
    @inlinable public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// Whether the left entity has the lower number, as every superentity has beside its
    /// subentities.
    @inlinable public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}
