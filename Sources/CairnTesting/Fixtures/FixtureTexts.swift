/// Strings for an attribute of a fixture, beginning with the best.
struct FixtureTexts {
    /// The maximum length, in characters, of the numbers and words that are tried for a pattern.
    private static let widest = 16

    private let name: String
    private let number: Int
    /// The allowed lengths in UTF-16 code units, which rules count.
    private let lengths: ClosedRange<Int>

    init(name: String, number: Int, lengths: ClosedRange<Int>) {
        (self.name, self.number, self.lengths) = (name, number, lengths)
    }

    /// A readable string, and then strings that match common patterns: digits, words, codes, an email
    /// address.
    var all: [String] {
        let natural = "\(name) \(number)"
        let patterned = ["\(name)\(number)"] + digits + words + codes + addresses
        return [fitted(natural)] + patterned.filter { lengths.contains($0.utf16.count) }
    }

    /// Returns the string, lengthened or shortened if needed. A string that is too short is padded with `x`.
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

    /// The number with the fewest possible digits, and padded to more digits.
    private var digits: [String] { Self.padded(String(number), with: "0") }

    /// The number as letters, like the column names of a spreadsheet.
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
