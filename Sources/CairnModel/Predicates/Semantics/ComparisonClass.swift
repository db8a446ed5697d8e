/// A class of types whose values can be compared with each other.
enum ComparisonClass: Sendable, Hashable {
    /// Integers, decimals, floating-point numbers, Booleans as 0 and 1, and dates as seconds since 2001.
    case number
    case text, uuid, uri, binary, transformable, composite, object

    init?(_ type: AttributeType) {
        switch type {
        case .undefined: return nil
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date:
            self = .number
        case .string: self = .text
        case .binary: self = .binary
        case .uuid: self = .uuid
        case .uri: self = .uri
        case .transformable: self = .transformable
        case .objectID: self = .object
        case .composite: self = .composite
        }
    }

    /// Whether values of the class have an order.
    var isOrdered: Bool {
        switch self {
        case .number, .text, .uuid, .uri: true
        case .binary, .transformable, .composite, .object: false
        }
    }
}

extension AttributeType {
    /// Whether values of the type have an order, so that they can be compared with `<`, sorted, and used with
    /// `@min` and `@max`.
    package var isOrdered: Bool { ComparisonClass(self)?.isOrdered ?? false }
}

extension Value {
    /// The widest attribute type that can store the value. `nil` for `.null`.
    package var type: AttributeType? {
        switch self {
        case .null: nil
        case .boolean: .boolean
        case .integer: .integer64
        case .double: .double
        case .float: .float
        case .decimal: .decimal
        case .string: .string
        case .date: .date
        case .binary: .binary
        case .uuid: .uuid
        case .uri: .uri
        case .transformable: .transformable
        case .composite: .composite
        case .objectID: .objectID
        }
    }
}
