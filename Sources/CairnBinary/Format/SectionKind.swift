/// What a section of a binary file holds.
enum SectionKind: UInt32 {
    /// Packed rows of one root entity, by key.
    case rows = 1
    /// Pairs of one many-to-many, by owner, then member.
    case pairs = 2
    /// Places of the members of one ordered one-to-many, by member.
    case order = 3

    /// Bytes of a pair, and which of its order keys count.
    static let pairByteCount = 40
    static let hasOrderKey: UInt64 = 1
    static let hasInverseOrderKey: UInt64 = 2
    static let allFlags: UInt64 = 3
    /// Bytes of a place.
    static let placeByteCount = 24
}
