/// The identifiers and punctuation of a Swift file, without comments and string literals.
struct SourceTokens {
    private(set) var tokens: [Substring] = []
    private var rest: Substring

    init(_ text: String) {
        rest = text[...]
        while let first = rest.first { takeToken(first) }
    }

    private mutating func takeToken(_ first: Character) {
        if rest.hasPrefix("//") {
            rest = rest.drop { !$0.isNewline }
        } else if rest.hasPrefix("/*") {
            dropComment()
        } else if first == "\"" || first == "#" && rest.drop(while: { $0 == "#" }).first == "\"" {
            dropText()
        } else if Self.isPartOfName(first) {
            let name = rest.prefix(while: Self.isPartOfName)
            tokens.append(name)
            rest = rest[name.endIndex...]
        } else {
            if !first.isWhitespace { tokens.append(rest.prefix(1)) }
            rest = rest.dropFirst()
        }
    }

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "`"
    }

    /// Comments can be nested.
    private mutating func dropComment() {
        var depth = 0
        repeat {
            if rest.hasPrefix("/*") {
                depth += 1
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix("*/") {
                depth -= 1
                rest = rest.dropFirst(2)
            } else {
                rest = rest.dropFirst()
            }
        } while depth > 0 && !rest.isEmpty
    }

    /// Interpolations are dropped with the string. A quote in an interpolation ends the string too early,
    /// which does no harm because no class is declared there.
    private mutating func dropText() {
        let hashes = String(repeating: "#", count: rest.prefix { $0 == "#" }.count)
        rest = rest.dropFirst(hashes.count)
        let quotes = rest.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
        rest = rest.dropFirst(quotes.count)
        let end = quotes + hashes
        while !rest.isEmpty, !rest.hasPrefix(end) {
            rest = rest.dropFirst(hashes.isEmpty && rest.first == "\\" ? 2 : 1)
        }
        rest = rest.dropFirst(end.count)
    }
}
