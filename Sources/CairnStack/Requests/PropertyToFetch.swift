import CairnModel

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
