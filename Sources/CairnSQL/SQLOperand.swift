import CairnModel

/// One side of a comparison, translated to SQL.
package enum SQLOperand {
    case null
    /// A value that is not translated yet, because its form depends on the other side.
    case constant(Value)
    case expression(SQLText, Kind)

    /// The meaning of an expression's values, which determines what they can be compared with.
    package enum Kind: Hashable, Sendable {
        /// Integers and Booleans.
        case integer
        /// Floats and doubles.
        case real
        /// Seconds since 2001.
        case date
        case decimal, text, uri, uuid, binary, transformable
        /// The key of an object with the given root entity.
        case object(EntityNumber)
        /// A value of which SQL can only tell whether it is `nil`.
        case opaque

        /// Returns `nil` for a type whose values SQL cannot compare.
        package init?(_ type: AttributeType) {
            switch type {
            case .integer16, .integer32, .integer64, .boolean: self = .integer
            case .double, .float: self = .real
            case .date: self = .date
            case .decimal: self = .decimal
            case .string: self = .text
            case .uri: self = .uri
            case .uuid: self = .uuid
            case .binary: self = .binary
            case .transformable: self = .transformable
            case .undefined, .objectID, .composite: return nil
            }
        }

        /// Whether values of this kind have an order.
        package var isOrdered: Bool {
            switch self {
            case .integer, .real, .date, .decimal, .text, .uri, .uuid: true
            case .binary, .transformable, .object, .opaque: false
            }
        }
    }
}
