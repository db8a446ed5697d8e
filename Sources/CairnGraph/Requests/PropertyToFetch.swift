import CairnModel

/// What a fetch returns: objects, their IDs, dictionaries, or how many there are.
public typealias FetchResultType = FetchRequestTemplate.ResultType

extension FetchRequestTemplate.ResultType {
    /// The same as `managedObjects`, by Core Data's name.
    public static let managedObjectResultType = Self.managedObjects
    /// The same as `objectIDs`, by Core Data's name.
    public static let managedObjectIDResultType = Self.objectIDs
    /// The same as `dictionaries`, by Core Data's name.
    public static let dictionaryResultType = Self.dictionaries
    /// The same as `count`, by Core Data's name.
    public static let countResultType = Self.count
}

/// One entry of the dictionaries that a fetch returns.
///
/// ```swift
/// request.propertiesToFetch = ["artist.name", .expression(total)]
/// ```
public enum PropertyToFetch: Sendable, Hashable, ExpressibleByStringLiteral {
    /// An attribute or to-one, or what a path over to-ones or with a collection operator gives;
    /// the entry has the path as its name. Of a to-one the destination's ID.
    case keyPath(String)
    /// A computed value.
    case expression(ExpressionDescription)

    /// A key path.
    public init(stringLiteral path: String) { self = .keyPath(path) }

    /// Under which name the value is in the dictionary.
    public var name: String {
        switch self {
        case .keyPath(let path): path
        case .expression(let description): description.name
        }
    }
}
