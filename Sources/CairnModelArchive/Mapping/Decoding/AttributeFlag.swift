import CairnModel

/// Bits of `NSFlagsKey`.
enum AttributeFlag {
    static let external = 4
    static let preserved = 16
}
