import Cairn
import Foundation

/// Candidates for the value of a fixture's attribute. The best candidate comes first. They respect the ranges
/// and lengths of the model's rules, but other rules may refuse them.
struct FixtureCandidates {
    /// The number of fixture numbers that are tried before giving up.
    private static let attempts = 100

    private let name: String
    private let type: AttributeType
    private let bounds: FixtureBounds
    private let number: Int
    private let composite: CompositeDescription?
    private let model: ManagedObjectModel

    /// - Parameter number: The number of the object, which distinguishes its values from those of other
    ///   objects.
    init(_ attribute: Attribute, number: Int) {
        self.init(attribute.description, attribute.entity.model, number: number)
    }

    private init(_ description: AttributeDescription, _ model: ManagedObjectModel, number: Int) {
        name = description.name
        type = description.type
        bounds = FixtureBounds(description)
        composite = description.compositeName.flatMap { model.composite(named: $0) }
        self.number = number
        self.model = model
    }

    /// The candidates. Empty if the test must provide values of this type itself.
    var values: [Value] {
        switch type {
        case .integer16, .integer32, .integer64: numbers.map(bounds.integer)
        case .double: numbers.map { .double(bounds.real($0)) }
        case .float: numbers.map { .float(Float(bounds.real($0))) }
        case .decimal: numbers.map { .decimal(bounds.decimal($0)) }
        case .date:
            numbers.map { .date(Date(timeIntervalSinceReferenceDate: bounds.real($0))) }
        case .boolean: number.isMultiple(of: 2) ? [true, false] : [false, true]
        case .string:
            FixtureTexts(name: name, number: number, lengths: bounds.lengths).all.map(Value.string)
        case .binary:
            FixtureTexts(name: name, number: number, lengths: bounds.lengths).all
                .map { .binary(Data($0.utf8)) }
        case .uuid: [.uuid(uuid)]
        case .uri:
            URL(string: "https://example.com/\(number)").map { [.uri($0)] } ?? []
        case .composite: composite.flatMap(elements).map { [.composite($0)] } ?? []
        case .undefined, .transformable, .objectID: []
        }
    }

    private var numbers: Range<Int> { number..<(number + Self.attempts) }

    /// A version 4 UUID that ends with the number.
    private var uuid: UUID {
        let n = withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).bigEndian) { Array($0) }
        return UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0x40, 0, 0x80 | n[0] & 0x3f, n[1], n[2], n[3], n[4], n[5], n[6],
                n[7]
            ))
    }

    /// Returns the elements of a composite that are required or have a default. Returns `nil` if there is no
    /// candidate for one of them.
    private func elements(of composite: CompositeDescription) -> [String: Value]? {
        var elements: [String: Value] = [:]
        for element in composite.elements {
            if !element.defaultValue.isNull {
                elements[element.name] = element.defaultValue
            } else if !element.isOptional {
                let candidates = FixtureCandidates(element, model, number: number)
                guard let value = candidates.values.first else { return nil }
                elements[element.name] = value
            }
        }
        return elements
    }
}

/// Candidates for the text of a fixture's attribute. The best candidate comes first.
struct FixtureTexts {
    /// The largest length of the numbers and words that are tried for a pattern, in characters.
    private static let widest = 16

    private let name: String
    private let number: Int
    /// The allowed lengths in UTF-16 code units, which is how rules count.
    private let lengths: ClosedRange<Int>

    init(name: String, number: Int, lengths: ClosedRange<Int>) {
        (self.name, self.number, self.lengths) = (name, number, lengths)
    }

    /// A readable text, followed by forms that common patterns require: digits, words, codes, an address.
    var all: [String] {
        let natural = "\(name) \(number)"
        let patterned = ["\(name)\(number)"] + digits + words + codes + addresses
        return [fitted(natural)] + patterned.filter { lengths.contains($0.utf16.count) }
    }

    /// Returns the text, shortened or padded with `x` to an allowed length.
    private func fitted(_ text: String) -> String {
        let length = text.utf16.count
        if length < lengths.lowerBound {
            return text + String(repeating: "x", count: lengths.lowerBound - length)
        }
        if length <= lengths.upperBound { return text }
        let digits = String(number, radix: 36)
        var prefix = name.prefix(max(0, lengths.upperBound - digits.utf16.count))
        while prefix.utf16.count + digits.utf16.count > lengths.upperBound, !prefix.isEmpty {
            prefix.removeLast()
        }
        return String((prefix + digits).suffix(lengths.upperBound))
    }

    /// The number with as few digits as possible, then with leading zeros.
    private var digits: [String] { Self.padded(String(number), with: "0") }

    /// The number in letters, like the column names of a spreadsheet.
    private var words: [String] {
        Self.padded(letters, with: "a") + Self.padded(letters.uppercased(), with: "A")
    }

    /// Letters and digits, such as `AB0001`.
    private var codes: [String] {
        (1...4).flatMap { width -> [String] in
            let head = String(repeating: "A", count: width)
            return digits.prefix(8).flatMap { ["\(head)\($0)", "\(head)-\($0)"] }
        }
    }

    private var addresses: [String] {
        ["user\(number)@example.com", "https://example.com/\(number)"]
    }

    private var letters: String {
        var (rest, letters) = (Int(number.magnitude), "")
        while rest > 0 {
            let (quotient, remainder) = (rest - 1).quotientAndRemainder(dividingBy: 26)
            letters = String(UnicodeScalar(UInt8(97 + remainder))) + letters
            rest = quotient
        }
        return letters.isEmpty ? "a" : letters
    }

    private static func padded(_ text: String, with character: Character) -> [String] {
        guard text.count < widest else { return [text] }
        return (text.count...widest).map {
            String(repeating: character, count: $0 - text.count) + text
        }
    }
}
