import CairnModel

/// Decodes archived predicates and expressions.
struct PredicateDecoder {
    /// The maximum depth. Archives share objects, so a small archive can expand to a huge or infinite tree.
    private static let depthLimit = FetchPredicate.depthLimit + 50
    private var remainingNodeCount = 20_000
    /// Whether calls of methods are read as functions whose first argument is the object.
    let readsMethods: Bool

    init(readsMethods: Bool = false) { self.readsMethods = readsMethods }

    /// Returns the predicate, or the reason that it could not be decoded. Never throws.
    static func predicate(_ value: ArchivedValue) -> ArchivedPredicate {
        guard let object = value.object else { return .absent }
        do {
            var decoder = PredicateDecoder()
            return .readable(try decoder.predicate(object, depth: 0))
        } catch {
            guard let text = try? object.string(ArchiveKey.unreadableText),
                let reason = try? object.string(ArchiveKey.unreadableReason)
            else { return .unreadable(text: "", reason: error.reason) }
            return .unreadable(text: text, reason: reason)
        }
    }

    /// Returns the expression, or `nil` if it could not be decoded.
    static func expression(_ value: ArchivedValue) -> FetchExpression? {
        var decoder = PredicateDecoder()
        do {
            return try decoder.expression(value, depth: 0)
        } catch {
            return nil
        }
    }

    mutating func predicate(
        _ object: ArchivedObject, depth: Int
    ) throws(UnreadablePredicate) -> FetchPredicate {
        try step(depth)
        if object.fields[ArchiveKey.unreadableText] != nil {
            throw UnreadablePredicate("it was already kept as text")
        }
        switch object.className {
        case "NSComparisonPredicate": return try comparison(object, depth: depth)
        case "NSCompoundPredicate": return try compound(object, depth: depth)
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        default:
            throw UnreadablePredicate("a predicate has the unsupported class \(object.className)")
        }
    }

    /// Counts a node and checks the limits.
    mutating func step(_ depth: Int) throws(UnreadablePredicate) {
        remainingNodeCount -= 1
        guard depth < Self.depthLimit, remainingNodeCount > 0 else {
            throw UnreadablePredicate("the predicate is too large")
        }
    }

    private mutating func compound(
        _ object: ArchivedObject, depth: Int
    ) throws(UnreadablePredicate) -> FetchPredicate {
        var parts: [FetchPredicate] = []
        for part in try Self.reading({ () throws(ModelArchiveError) in
            try object.elements("NSSubpredicates")
        }) {
            guard let part = part.object else { throw UnreadablePredicate("a part is missing") }
            parts.append(try predicate(part, depth: depth + 1))
        }
        switch try Self.integer(object, "NSCompoundPredicateType") {
        case 0?:
            guard let part = parts.first, parts.count == 1 else {
                throw UnreadablePredicate("a NOT has \(parts.count) predicates instead of one")
            }
            guard case .comparison(var comparison) = part, comparison.modifier == .any,
                try Self.value(object, ArchiveKey.isNone).boolean == true
            else { return .not(part) }
            comparison.modifier = .none
            return .comparison(comparison)
        case 1?: return .and(parts)
        case 2?: return .or(parts)
        default: throw UnreadablePredicate("a compound predicate has an unknown type")
        }
    }

    private mutating func comparison(
        _ object: ArchivedObject, depth: Int
    ) throws(UnreadablePredicate) -> FetchPredicate {
        guard let archived = try Self.object(object, "NSPredicateOperator") else {
            throw UnreadablePredicate("a comparison has no operator")
        }
        let code = try Self.integer(archived, "NSOperatorType") ?? -1
        guard let `operator` = PredicateComparison.Operator(archivedCode: code) else {
            throw UnreadablePredicate("an operator has the unknown code \(code)")
        }
        // `NSInPredicateOperator` uses the key `NSFlags` instead of `NSOptions`.
        let options = try Self.integer(archived, "NSOptions")
        let flags = try Self.integer(archived, "NSFlags")
        let modifier: PredicateComparison.Modifier =
            switch try Self.integer(archived, "NSModifier") ?? 0 {
            case 0: .direct
            case 1: .all
            case 2: .any
            default: throw UnreadablePredicate("a comparison has an unknown modifier")
            }
        let left = try expression(Self.value(object, "NSLeftExpression"), depth: depth + 1)
        let right = try expression(Self.value(object, "NSRightExpression"), depth: depth + 1)
        return .comparison(
            PredicateComparison(
                left, `operator`, right, modifier: modifier,
                options: PredicateComparison.Options(archivedFlags: options ?? flags ?? 0)))
    }

    static func value(
        _ object: ArchivedObject, _ key: String
    ) throws(UnreadablePredicate) -> ArchivedValue {
        try reading { () throws(ModelArchiveError) in try object.value(key) }
    }
    static func object(
        _ object: ArchivedObject, _ key: String
    ) throws(UnreadablePredicate) -> ArchivedObject? { try value(object, key).object }
    static func string(
        _ object: ArchivedObject, _ key: String
    ) throws(UnreadablePredicate) -> String? { try value(object, key).string }
    static func integer(
        _ object: ArchivedObject, _ key: String
    ) throws(UnreadablePredicate) -> Int? {
        try value(object, key).integer.flatMap { Int(exactly: $0) }
    }

    /// Converts an archive error to an `UnreadablePredicate`. Damage inside a predicate makes only the
    /// predicate unreadable, not the whole model.
    static func reading<Result>(
        _ body: () throws(ModelArchiveError) -> Result
    ) throws(UnreadablePredicate) -> Result {
        do {
            return try body()
        } catch {
            throw UnreadablePredicate(error.detail)
        }
    }
}

extension PredicateComparison.Operator {
    /// Creates an operator from a value of `NSPredicateOperatorType`.
    init?(archivedCode code: Int) {
        guard let match = Self.allCases.first(where: { $0.archivedCode == code }) else {
            return nil
        }
        self = match
    }

    /// The value in `NSPredicateOperatorType`.
    var archivedCode: Int {
        switch self {
        case .lessThan: 0
        case .lessThanOrEqual: 1
        case .greaterThan: 2
        case .greaterThanOrEqual: 3
        case .equal: 4
        case .notEqual: 5
        case .matches: 6
        case .like: 7
        case .beginsWith: 8
        case .endsWith: 9
        case .in: 10
        case .contains: 99
        case .between: 100
        }
    }
}

extension PredicateComparison.Options {
    /// Creates options from `NSComparisonPredicateOptions`: 1 for case, 2 for diacritics, 4 for normalised.
    init(archivedFlags flags: Int) {
        self.init(rawValue: UInt8(flags & 7))
    }
}

/// The result of decoding an archived predicate.
enum ArchivedPredicate {
    case absent
    case readable(FetchPredicate)
    case unreadable(text: String, reason: String)

    /// The predicate, or `nil` if it is absent or unreadable.
    var predicate: FetchPredicate? {
        if case .readable(let predicate) = self { predicate } else { nil }
    }

    /// The condition for a template, or `nil` if there is no predicate.
    var condition: FetchRequestTemplate.Condition? {
        switch self {
        case .absent: nil
        case .readable(let predicate): .predicate(predicate)
        case .unreadable(let text, let reason): .unreadable(text: text, reason: reason)
        }
    }
}

/// The reason that an archived predicate cannot be represented as a `FetchPredicate`.
struct UnreadablePredicate: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
