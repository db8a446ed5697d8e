import CairnModel

/// A computed entry of the dictionaries that a fetch returns.
///
/// Applied to a single value, `sum`, `count`, `min`, `max` and `average` summarise the objects of a
/// group, or all matches if the request does not group. Applied to a to-many relationship, they summarise
/// each object's members.
public struct ExpressionDescription: Sendable, Hashable, Codable {
    /// The name of the entry in the dictionary, in `havingPredicate` and in sort descriptors.
    public var name: String
    /// The expression that is computed for each match or group. `SELF` is the object's ID.
    public var expression: FetchExpression
    /// The type that the value is converted to. A value that cannot be converted becomes `nil`. If the
    /// type is `nil`, the value is not converted.
    public var resultType: AttributeType?

    /// Creates the description of an entry from an expression. By default, the value is not converted.
    public init(_ name: String, _ expression: FetchExpression, resultType: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.resultType = resultType
    }

    /// Creates the description of an entry from text, such as `sum(seconds)`, `count(SELF)` or
    /// `price * 2`.
    ///
    /// - Throws: `.predicate` if the text is not an expression.
    public init(
        _ name: String, format: String, resultType: AttributeType? = nil
    ) throws(GraphError) {
        do {
            self.init(name, try FetchExpression(format: format), resultType: resultType)
        } catch {
            throw .predicate(error)
        }
    }
}

/// An entry of the dictionaries that a fetch returns.
///
/// ```swift
/// request.propertiesToFetch = ["artist.name", .expression(total)]
/// ```
public enum PropertyToFetch: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The value at a key path: of an attribute, of a to-one relationship, at the end of a path through
    /// to-one relationships, or of a path with a collection operator. The entry's name is the path. The
    /// value of a to-one relationship is the destination's ID.
    case keyPath(String)
    /// A computed value.
    case expression(ExpressionDescription)

    /// Creates an entry from a key path.
    public init(stringLiteral path: String) { self = .keyPath(path) }

    /// The name of the value in the dictionary.
    package var name: String {
        switch self {
        case .keyPath(let path): path
        case .expression(let description): description.name
        }
    }
}

extension PropertyToFetch: Codable {
    /// Reads a key path from a string, and a computed value from the description of its entry.
    ///
    /// - Throws: The errors of the decoder; `DecodingError.dataCorrupted` if the expression's text is no expression.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let path = try? container.decode(String.self) {
            self = .keyPath(path)
        } else {
            self = .expression(try container.decode(ExpressionDescription.self))
        }
    }

    /// Writes a key path as a string, and a computed value as the description of its entry.
    ///
    /// - Throws: The errors of the encoder, and of encoding the expression.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .keyPath(let path): try container.encode(path)
        case .expression(let description): try container.encode(description)
        }
    }
}
