import CairnModel

/// The bits of `NSFlagsKey`.
enum AttributeFlag {
    static let external = 4
    static let preserved = 16
}
