/// A store that this process has opened, or a space of temporary IDs.
///
/// One per store identifier, location and numbering of entities for the life of the process, so an
/// ID stays valid when its store is closed and opened again.
@frozen public struct StoreNumber: RawRepresentable, Sendable, Hashable {
    /// Bit 31 set: a space of temporary IDs; clear: an opened store.
    public let rawValue: UInt32

    /// Takes a number that this process gave out. Only its store directory and contexts make new
    /// ones.
    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Whether this is a space of temporary IDs: the highest bit.
    @inlinable public var isTemporary: Bool { rawValue & 0x8000_0000 != 0 }
}
