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
