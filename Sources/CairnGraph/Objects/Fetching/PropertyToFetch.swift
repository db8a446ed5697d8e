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

/// A computed entry of the dictionaries that a fetch returns.
///
/// `sum`, `count`, `min`, `max` and `average` of a single value summarise the objects of a group,
/// or all matches where nothing is grouped by; of a to-many they summarise each object's members.
public struct ExpressionDescription: Sendable, Hashable {
    /// The entry's name in the dictionary, in `havingPredicate` and in sort descriptors.
    public var name: String
    /// Computed for each match or group. `SELF` is the object's ID.
    public var expression: FetchExpression
    /// What the value is converted to; one that does not convert is nil. nil: as it comes.
    public var resultType: AttributeType?

    /// Describes an entry.
    public init(_ name: String, _ expression: FetchExpression, resultType: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.resultType = resultType
    }

    /// Describes an entry by text: `sum(seconds)`, `count(SELF)`, `price * 2`.
    ///
    /// - Throws: `.predicate` where the text is no expression.
    public init(
        _ name: String, format: String, resultType: AttributeType? = nil
    ) throws(GraphError) {
        do throws(FetchPredicateError) {
            self.init(name, try FetchExpression(format: format), resultType: resultType)
        } catch {
            throw .predicate(error)
        }
    }
}

/// What a request of any result type found.
public enum FetchAnswer<Element: ManagedObject> {
    case managedObjects(FetchResults<Element>)
    case objectIDs([ObjectID])
    /// Entries that are nil are absent.
    case dictionaries([[String: Value]])
    case count(Int)
}
