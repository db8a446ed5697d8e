extension AttributeType {
    /// Returns whether every value of this type can be converted to another type without loss.
    ///
    /// Numbers convert to types that represent all of their values exactly: wider integers, decimals, and
    /// floating-point types with enough bits. Booleans become 0 and 1. Integers, UUIDs and URIs become
    /// strings. Returns `false` if both types are the same.
    package func convertsLosslessly(to other: AttributeType) -> Bool {
        switch self {
        case .boolean:
            [.integer16, .integer32, .integer64, .decimal, .double, .float].contains(other)
        case .integer16:
            [.integer32, .integer64, .decimal, .double, .float, .string].contains(other)
        case .integer32: [.integer64, .decimal, .double, .string].contains(other)
        case .integer64: [.decimal, .string].contains(other)
        case .float: other == .double
        case .uuid, .uri: other == .string
        case .undefined, .decimal, .double, .string, .date, .binary, .transformable, .objectID,
            .composite:
            false
        }
    }
}
