/// Identifies the state that a snapshot shows.
///
/// Every commit that changes rows, pairs or metadata increases it, including commits by other
/// processes.
public struct StoreGeneration: RawRepresentable, Sendable, Hashable, Comparable {
    /// The engine's number for the state. Comparable only within one opened store, because some
    /// engines count from 1 each time a store is opened.
    public let rawValue: UInt64

    /// Creates a generation from the engine's number for a state.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Creates a generation from the engine's number for a state.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Returns whether the left state is the older one. Both must be states of the same opened
    /// store.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
