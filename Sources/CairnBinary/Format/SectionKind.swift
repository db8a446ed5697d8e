/// The kind of a section of a binary file.
enum SectionKind: UInt32 {
    /// Packed rows of one root entity, sorted by key.
    case rows = 1
    /// The pairs of one many-to-many, sorted by owner, then by member.
    case pairs = 2
    /// The order keys of the members of one ordered one-to-many, sorted by member.
    case order = 3

    /// The number of bytes in a pair.
    static let pairByteCount = 40
    /// The flags of a pair, which say which of its order keys exist.
    static let hasOrderKey: UInt64 = 1
    static let hasInverseOrderKey: UInt64 = 2
    static let allFlags: UInt64 = 3
    /// The number of bytes in an entry of an `order` section: the key of the owner, the key of the member,
    /// and the order key.
    static let orderEntryByteCount = 24
}
