import CairnModel

/// The bits of `_P`, which duplicates information from other keys.
struct PropertyFlags: OptionSet {
    let rawValue: Int64

    static let optional = Self(rawValue: 0x02)
    static let readOnly = Self(rawValue: 0x04)
    static let transient = Self(rawValue: 0x08)
    static let withoutValidation = Self(rawValue: 0x30)
    static let withoutUserInfo = Self(rawValue: 0x40)
    static let withoutModifier = Self(rawValue: 0x80)
    static let spotlight = Self(rawValue: 0x100)
    static let ordered = Self(rawValue: 0x400)
    static let cloudEncryption = Self(rawValue: 0x800)
    /// The bits of a property for which nothing else is set.
    static let always = Self(rawValue: 0xF1)
}
