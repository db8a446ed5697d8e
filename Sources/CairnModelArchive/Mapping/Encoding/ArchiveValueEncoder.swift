import CairnModel
import Foundation

/// Encodes values, predicates and expressions in an archive.
struct ArchiveValueEncoder {
    typealias Node = BinaryPropertyList.Node

    var builder = KeyedArchiveBuilder()
    private var texts: [String: Int] = [:]

    /// Returns the object number of a string. Equal strings share one object.
    mutating func number(of text: String) -> Int {
        if let number = texts[text] { return number }
        let number = builder.add(plain: .string(text))
        texts[text] = number
        return number
    }

    /// Returns a reference to a string, or a reference to null if the string is `nil`.
    mutating func string(_ text: String?) -> Node {
        .reference(text.map { number(of: $0) } ?? 0)
    }

    mutating func number(ofUserInfo userInfo: [String: String]) -> Int {
        var entries: [(key: Int, value: Int)] = []
        for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
            entries.append((number(of: key), number(of: value)))
        }
        return builder.add(dictionary: entries)
    }

    /// Returns the object number of a value, or 0 for null and for values that archives of models cannot
    /// contain.
    mutating func number(of value: Value) -> Int {
        switch value {
        case .null, .composite, .objectID: return 0
        case .boolean(let value): return builder.add(plain: .boolean(value))
        case .integer(let value): return builder.add(plain: .integer(value))
        case .double(let value): return builder.add(plain: .real(value))
        case .float(let value): return builder.add(plain: .real(Double(value)))
        case .string(let text): return number(of: text)
        case .date(let date):
            return builder.add(plain: .date(date.timeIntervalSinceReferenceDate))
        case .binary(let data): return builder.add(plain: .data(Array(data)))
        case .decimal(let decimal): return number(of: decimal)
        case .uuid(let uuid):
            let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
            return builder.add("NSUUID", [("NS.uuidbytes", .data(bytes))])
        case .uri(let url):
            return builder.add(
                "NSURL", [("NS.base", .reference(0)), ("NS.relative", string(url.absoluteString))])
        case .transformable(let data): return number(ofArchive: Array(data))
        }
    }

    /// Returns the object number of the root object of an archive, or of the bytes themselves if they are not
    /// an archive.
    private mutating func number(ofArchive bytes: [UInt8]) -> Int {
        do throws(ModelArchiveError) {
            return try KeyedArchiveExtractor.graft(KeyedArchive(bytes), into: &builder)
        } catch {
            return builder.add(plain: .data(bytes))
        }
    }

    private mutating func number(of decimal: Decimal) -> Int {
        builder.add(ArchivedDecimal.className, ArchivedDecimal.fields(of: decimal))
    }

    /// Returns the validation rules as two parallel arrays, or no fields if there are no rules.
    mutating func validation(_ rules: [ValidationRule]) -> [(String, Node)] {
        if rules.isEmpty { return [] }
        var predicates: [Int] = []
        var warnings: [Int] = []
        for rule in rules {
            let (predicate, warning) = ValidationEncoder.compiled(rule)
            predicates.append(number(of: predicate))
            warnings.append(number(of: warning))
        }
        return [
            ("NSValidationPredicates", .reference(builder.add(list: predicates))),
            ("NSValidationWarnings", .reference(builder.add(list: warnings))),
        ]
    }

    /// Returns the object number of the expression with this text. If the text cannot be restored from the
    /// expression, also returns the text under one of Cairn's own keys.
    mutating func expression(text: String) -> (number: Int, extra: [(String, Node)]) {
        let expression = ExpressionText.expression(text)
        let number = number(of: expression ?? .constant(.null))
        let isKept = expression.map { ExpressionText.text($0) } == text
        return (number, isKept ? [] : [(ArchiveKey.expressionText, string(text))])
    }
}
