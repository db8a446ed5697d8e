/// Identifies the state that a snapshot shows.
///
/// Every commit that changes rows, pairs or metadata increases it, including commits by other
/// processes.
public struct StoreGeneration: RawRepresentable, Sendable, Hashable, Comparable {
    /// Comparable within one opened store only: some engines count from 1 with each opening.
    public let rawValue: UInt64

    /// Takes the engine's number for a state.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// Takes the engine's number for a state.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether the left state is the older one, of two states of one opened store.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
