import Foundation

extension FetchPredicate: CustomStringConvertible {
    /// The predicate as text that ``init(format:arguments:)`` reads back as the same predicate.
    ///
    /// Apart from forms that no text gives: an empty `and` or `or` (written as what it means), one
    /// with a single part, and composites as constants.
    public var description: String {
        switch self {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.description
        case .and(let parts): Self.join(parts, " AND ", ofNone: "TRUEPREDICATE")
        case .or(let parts): Self.join(parts, " OR ", ofNone: "FALSEPREDICATE")
        case .not(let part): "NOT (\(part))"
        }
    }

    private static func join(
        _ parts: [FetchPredicate], _ word: String, ofNone none: String
    ) -> String {
        parts.isEmpty ? none : parts.map(\.descriptionAsPart).joined(separator: word)
    }

    private var descriptionAsPart: String {
        switch self {
        case .and, .or: "(\(self))"
        default: description
        }
    }
}

extension PredicateComparison: CustomStringConvertible {
    /// The comparison as text.
    public var description: String {
        let word =
            switch modifier {
            case .direct: ""
            case .any: "ANY "
            case .all: "ALL "
            case .none: "NONE "
            }
        return "\(word)\(left) \(`operator`.description)\(options.description) \(right)"
    }
}

extension PredicateComparison.Operator: CustomStringConvertible {
    /// The operator as text.
    public var description: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        case .equal: "=="
        case .notEqual: "!="
        case .like: "LIKE"
        case .matches: "MATCHES"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .contains: "CONTAINS"
        case .in: "IN"
        case .between: "BETWEEN"
        }
    }
}

extension PredicateComparison.Options: CustomStringConvertible {
    /// The options as text in brackets; nothing where there are none.
    public var description: String {
        let letters = [
            contains(.caseInsensitive) ? "c" : "", contains(.diacriticInsensitive) ? "d" : "",
            contains(.normalized) ? "n" : "",
        ].joined()
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}

extension FetchExpression: CustomStringConvertible {
    /// The expression as text.
    public var description: String {
        switch self {
        case .constant(let value): value.predicateText
        case .list(let items): "{\(Self.join(items))}"
        case .keyPath(let names): names.isEmpty ? "SELF" : Self.path(names)
        case .evaluatedObject: "SELF"
        case .variable(let name): "$\(name)"
        case .keyPathOf(let base, let names):
            names.isEmpty ? "\(base)" : "\(base).\(Self.join(names))"
        case .function(let name, let arguments): Self.call(name, arguments)
        case .subquery(let collection, let variable, let predicate):
            "SUBQUERY(\(collection), $\(variable), \(predicate))"
        case .conditional(let test, let then, let otherwise):
            "TERNARY(\(test), \(then), \(otherwise))"
        }
    }

    private static func join(_ items: [FetchExpression]) -> String {
        items.map(\.description).joined(separator: ", ")
    }

    /// The first name is escaped where it would be read as a keyword.
    private static func path(_ names: [String]) -> String {
        let path = join(names)
        return PredicateToken.Keyword(rawValue: names[0].lowercased()) == nil ? path : "#" + path
    }

    /// A name that is no identifier is quoted.
    private static func join(_ names: [String]) -> String {
        names.map { name in
            let word = name.hasPrefix("@") ? String(name.dropFirst()) : name
            return word.isPredicateName ? name : "#" + Value.quoted(name)
        }.joined(separator: ".")
    }

    private static func call(_ name: String, _ arguments: [FetchExpression]) -> String {
        let symbol: String? =
            switch PredicateFunction(rawValue: name) {
            case .add: "+"
            case .subtract: "-"
            case .multiply: "*"
            case .divide: "/"
            case .power: "**"
            default: nil
            }
        if let symbol, arguments.count == 2 { return "(\(arguments[0]) \(symbol) \(arguments[1]))" }
        return "\(name)(\(join(arguments)))"
    }
}

extension Value {
    /// The value as a literal of a predicate, or as a cast of one.
    var predicateText: String {
        switch self {
        case .null: "NULL"
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): "\(value)"
        case .double(let value): Self.text(value)
        case .float(let value): "CAST(\(Self.text(Double(value))), \"Float\")"
        case .decimal(let value): "CAST(\"\(value)\", \"NSDecimalNumber\")"
        case .string(let value): Self.quoted(value)
        case .date(let value):
            "CAST(\(Self.text(value.timeIntervalSinceReferenceDate)), \"NSDate\")"
        case .binary(let value): "CAST(\"\(value.base64EncodedString())\", \"NSData\")"
        case .uuid(let value): "CAST(\"\(value.uuidString)\", \"NSUUID\")"
        case .uri(let value): "CAST(\(Self.quoted(value.absoluteString)), \"NSURL\")"
        case .transformable(let value):
            "CAST(\"\(value.base64EncodedString())\", \"Transformable\")"
        case .composite(let elements):
            "composite of " + elements.keys.sorted().joined(separator: ", ")
        case .objectID(let value): "CAST(\"\(value.predicateText)\", \"NSManagedObjectID\")"
        }
    }

    private static func text(_ value: Double) -> String {
        value.isFinite ? "\(value)" : "CAST(\"\(value)\", \"Double\")"
    }

    fileprivate static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            case "\0": quoted += "\\0"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
