/// What a section of a binary file holds.
enum SectionKind: UInt32 {
    /// Packed rows of one root entity, by key.
    case rows = 1
    /// Pairs of one many-to-many, by owner, then member.
    case pairs = 2
    /// The order keys of the members of one ordered one-to-many, by member.
    case order = 3

    /// The bytes of a pair.
    static let pairByteCount = 40
    /// The flags of a pair, which say which of its order keys are given.
    static let hasOrderKey: UInt64 = 1
    static let hasInverseOrderKey: UInt64 = 2
    static let allFlags: UInt64 = 3
    /// The bytes of an entry in an `order` section: the keys of owner and member, and the order key.
    static let orderEntryByteCount = 24
}
