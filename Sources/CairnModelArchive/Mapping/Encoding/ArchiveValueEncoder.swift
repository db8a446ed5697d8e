import CairnModel
import Foundation

/// Writes values, predicates and expressions into an archive.
struct ArchiveValueEncoder {
    typealias Node = BinaryPropertyList.Node

    var builder = KeyedArchiveBuilder()
    private var texts: [String: Int] = [:]

    /// The number of a text; equal texts are one object.
    mutating func number(of text: String) -> Int {
        if let number = texts[text] { return number }
        let number = builder.add(plain: .string(text))
        texts[text] = number
        return number
    }

    /// A reference to a text; to nothing for nil.
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

    /// The number of a value; 0 for nil and for what archives of models cannot hold.
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

    /// The object in an archive; the bytes themselves where they are no archive.
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

    /// The validation of an attribute, as two arrays side by side; nothing where there is none.
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

    /// The expression of a text, and the text itself under a key of ours where the expression
    /// would not give it back.
    mutating func expression(text: String) -> (number: Int, extra: [(String, Node)]) {
        let expression = ExpressionText.expression(text)
        let number = number(of: expression ?? .constant(.null))
        let isKept = expression.map { ExpressionText.text($0) } == text
        return (number, isKept ? [] : [(ArchiveKey.expressionText, string(text))])
    }
}
