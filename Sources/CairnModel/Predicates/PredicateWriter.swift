import Foundation

/// Writes predicates as text.
///
/// All parts are appended to one string, so no part is copied once for each level around it. Writing stops
/// at ``FetchPredicate/depthLimit``, so it never needs more stack than writing a predicate that was parsed.
struct PredicateWriter {
    /// The text written so far.
    private(set) var text = ""
    /// The number of nested levels that may still be written.
    private var room = FetchPredicate.depthLimit + 1

    mutating func write(_ predicate: FetchPredicate) {
        nested { writer in
            switch predicate {
            case .constant(let value): writer.append(value ? "TRUEPREDICATE" : "FALSEPREDICATE")
            case .comparison(let comparison): writer.write(comparison)
            case .and(let parts): writer.write(parts, " AND ", ofNone: "TRUEPREDICATE")
            case .or(let parts): writer.write(parts, " OR ", ofNone: "FALSEPREDICATE")
            case .not(let part):
                writer.append("NOT (")
                writer.write(part)
                writer.append(")")
            }
        }
    }

    private mutating func write(
        _ parts: [FetchPredicate], _ word: String, ofNone none: String
    ) {
        if parts.isEmpty { append(none) }
        for (index, part) in parts.enumerated() {
            if index > 0 { append(word) }
            switch part {
            case .and, .or:
                append("(")
                write(part)
                append(")")
            default: write(part)
            }
        }
    }

    mutating func write(_ comparison: PredicateComparison) {
        switch comparison.modifier {
        case .direct: break
        case .any: append("ANY ")
        case .all: append("ALL ")
        case .none: append("NONE ")
        }
        write(comparison.left)
        append(" \(comparison.operator)\(comparison.options) ")
        write(comparison.right)
    }

    mutating func write(_ expression: FetchExpression) {
        nested { writer in
            switch expression {
            case .constant(let value): writer.append(value.predicateText)
            case .list(let items): writer.write(items, between: "{", "}")
            case .keyPath(let names): writer.append(names.isEmpty ? "SELF" : Self.path(names))
            case .evaluatedObject: writer.append("SELF")
            case .variable(let name): writer.append("$\(name)")
            case .keyPathOf(let base, let names):
                writer.write(base)
                if !names.isEmpty { writer.append(".\(Self.join(names))") }
            case .function(let name, let arguments): writer.write(callOf: name, arguments)
            case .subquery(let collection, let variable, let predicate):
                writer.append("SUBQUERY(")
                writer.write(collection)
                writer.append(", $\(variable), ")
                writer.write(predicate)
                writer.append(")")
            case .conditional(let test, let then, let otherwise):
                writer.append("TERNARY(")
                writer.write(test)
                writer.append(", ")
                writer.write(then)
                writer.append(", ")
                writer.write(otherwise)
                writer.append(")")
            }
        }
    }

    private mutating func write(callOf name: String, _ arguments: [FetchExpression]) {
        let symbol: String? =
            switch PredicateFunction(rawValue: name) {
            case .add: "+"
            case .subtract: "-"
            case .multiply: "*"
            case .divide: "/"
            case .power: "**"
            default: nil
            }
        guard let symbol, arguments.count == 2 else {
            return write(arguments, between: "\(name)(", ")")
        }
        append("(")
        write(arguments[0])
        append(" \(symbol) ")
        write(arguments[1])
        append(")")
    }

    private mutating func write(
        _ items: [FetchExpression], between opening: String, _ closing: String
    ) {
        append(opening)
        for (index, item) in items.enumerated() {
            if index > 0 { append(", ") }
            write(item)
        }
        append(closing)
    }

    // MARK: Text

    private mutating func append(_ part: String) {
        StepCounter.report(part.utf8.count)
        text += part
    }

    private mutating func nested(_ body: (inout PredicateWriter) -> Void) {
        guard room > 0 else { return append("…") }
        room -= 1
        body(&self)
        room += 1
    }

    /// Returns the text of a path. The first name is escaped if it would be parsed as a keyword.
    private static func path(_ names: [String]) -> String {
        let path = join(names)
        return PredicateToken.Keyword(rawValue: names[0].lowercased()) == nil ? path : "#" + path
    }

    /// Returns the names joined with dots. Names that are not identifiers are quoted.
    private static func join(_ names: [String]) -> String {
        names.map { name in
            let word = name.hasPrefix("@") ? String(name.dropFirst()) : name
            return word.isPredicateName ? name : "#" + Value.quoted(name)
        }.joined(separator: ".")
    }
}

extension Value {
    /// The value as a literal of a predicate, or as a cast of a literal.
    fileprivate var predicateText: String {
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
