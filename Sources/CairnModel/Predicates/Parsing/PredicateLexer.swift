import Foundation

/// Splits a predicate's text into tokens.
///
/// Works on Unicode scalars, so a combining mark after a quote belongs to the string, not to the quote.
struct PredicateLexer {
    private let text: String
    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) {
        self.text = text
        scalars = Array(text.unicodeScalars)
    }

    /// Returns all tokens. The last one is `.end`.
    mutating func tokens() throws(FetchPredicateError) -> [PredicateToken] {
        var tokens: [PredicateToken] = []
        repeat {
            while let scalar = peek(), scalar.isSpace { index += 1 }
            let start = index
            tokens.append(PredicateToken(kind: try nextKind(), start: start))
        } while tokens.last?.kind != .end
        StepCounter.report(scalars.count)
        return tokens
    }

    private mutating func nextKind() throws(FetchPredicateError) -> PredicateToken.Kind {
        guard let scalar = peek() else { return .end }
        switch scalar {
        case "'", "\"": return .string(try string(closedBy: scalar))
        case "%": return .placeholder(try placeholder())
        case "$": return .variable(try name(after: "$", "a variable's name"))
        case "@":
            return .collectionOperator(try name(after: "@", "a collection operator's name"))
        case "#": return .word(try escapedName(), isEscaped: true)
        case _ where scalar.isDigit || scalar == "." && peek(1)?.isDigit == true:
            return .number(try number())
        case _ where scalar.beginsName: return .word(word(), isEscaped: false)
        default: return .symbol(try symbol())
        }
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        index + distance < scalars.count ? scalars[index + distance] : nil
    }

    /// Throws a syntax error at an index of `scalars`.
    ///
    /// This function throws the error instead of returning it because the position is computed by counting
    /// from the start of the text. That must happen at most once for a text, not once for each token.
    private func fail(
        at scalarIndex: Int, found: String? = nil, expected: String
    ) throws(FetchPredicateError) -> Never {
        let found =
            found
            ?? (scalarIndex < scalars.count ? "“\(Character(scalars[scalarIndex]))”" : "the end")
        throw .syntax(
            text: text, position: Self.characterPosition(of: scalarIndex, in: scalars),
            found: found, expected: expected)
    }

    /// Converts an index of scalars to a position in characters, by counting from the start of the text.
    static func characterPosition(of index: Int, in scalars: some Collection<Unicode.Scalar>) -> Int
    {
        StepCounter.report(index)
        var prefix = String.UnicodeScalarView()
        prefix.append(contentsOf: scalars.prefix(index))
        return String(prefix).count
    }

    // MARK: Words

    private mutating func name(
        after mark: Unicode.Scalar, _ expected: String
    ) throws(FetchPredicateError) -> String {
        index += 1
        guard let scalar = peek(), scalar.beginsName else {
            try fail(at: index, expected: expected)
        }
        return plainName()
    }

    /// Reads `#name`, or `#"any name"` for a name that is not an identifier.
    private mutating func escapedName() throws(FetchPredicateError) -> String {
        guard let quote = peek(1), quote == "\"" || quote == "'" else {
            return try name(after: "#", "a name")
        }
        index += 1
        return try string(closedBy: quote)
    }

    private mutating func plainName() -> String {
        let start = index
        while let scalar = peek(), scalar.continuesName { index += 1 }
        return text(of: scalars[start..<index])
    }

    /// Returns scalars as text. Scalars are appended one by one, because appending a sequence makes the runtime look up
    /// its types. ASCII is written as bytes, which takes a tenth of that.
    private func text(of scalars: ArraySlice<Unicode.Scalar>) -> String {
        guard scalars.allSatisfy(\.isASCII) else {
            var text = String.UnicodeScalarView()
            for scalar in scalars { text.append(scalar) }
            return String(text)
        }
        return String(unsafeUninitializedCapacity: scalars.count) { bytes in
            for (offset, scalar) in scalars.enumerated() { bytes[offset] = UInt8(scalar.value) }
            return scalars.count
        }
    }

    /// Reads a name or a selector, which is a sequence of names that are each followed by a colon.
    private mutating func word() -> String {
        var word = plainName()
        while peek() == ":" {
            index += 1
            word += ":" + plainName()
        }
        return word
    }

    private mutating func symbol() throws(FetchPredicateError) -> PredicateToken.Symbol {
        for (symbol, first, second) in Self.symbols where peek() == first {
            guard second == nil || peek(1) == second else { continue }
            index += second == nil ? 1 : 2
            return symbol
        }
        try fail(at: index, expected: "a name, a value or an operator")
    }

    /// The symbols, each with its one or two scalars.
    private static let symbols:
        [(PredicateToken.Symbol, first: Unicode.Scalar, second: Unicode.Scalar?)] =
            PredicateToken.Symbol.allCases.compactMap { symbol in
                let scalars = symbol.rawValue.unicodeScalars
                return scalars.first.map { (symbol, $0, scalars.dropFirst().first) }
            }

    /// Skips C's length letters. They have no meaning here, because an argument's type includes its width.
    private mutating func placeholder() throws(FetchPredicateError) -> Character {
        index += 1
        while let scalar = peek(), "hlqLzjt".unicodeScalars.contains(scalar) { index += 1 }
        let letterIndex = index
        index += 1
        switch letterIndex < scalars.count ? scalars[letterIndex] : "\0" {
        case "@": return "@"
        case "K": return "K"
        case "d", "i", "u", "D", "U", "x", "X", "o", "c", "C": return "d"
        case "f", "F", "e", "E", "g", "G", "a", "A": return "f"
        case "s", "S": return "s"
        default:
            try fail(at: letterIndex, expected: "a placeholder: %@, %K, %d, %f or %s")
        }
    }

    // MARK: Values

    private mutating func string(
        closedBy quote: Unicode.Scalar
    ) throws(FetchPredicateError) -> String {
        index += 1
        var content = String.UnicodeScalarView()
        while let scalar = peek(), scalar != quote {
            index += 1
            content.append(scalar == "\\" ? try escaped() : scalar)
        }
        guard peek() == quote else { try fail(at: index, expected: "a closing \(quote)") }
        index += 1
        return String(content)
    }

    /// Reads one of C's escape sequences. Any other scalar after a backslash stands for itself.
    private mutating func escaped() throws(FetchPredicateError) -> Unicode.Scalar {
        guard let scalar = peek() else {
            try fail(at: index, expected: "a letter after the backslash")
        }
        index += 1
        switch scalar {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "0": return "\0"
        case "x": return try escapedNumber(digitCount: 2)
        case "u": return try escapedNumber(digitCount: 4)
        default: return scalar
        }
    }

    private mutating func escapedNumber(digitCount: Int) throws(FetchPredicateError)
        -> Unicode.Scalar
    {
        let start = index
        var digits = ""
        while digits.count < digitCount, let scalar = peek(), scalar.properties.isASCIIHexDigit {
            digits.unicodeScalars.append(scalar)
            index += 1
        }
        guard digits.count == digitCount,
            let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        else {
            try fail(at: start, expected: "\(digitCount) hexadecimal digits of a character")
        }
        return scalar
    }

    private mutating func number() throws(FetchPredicateError) -> Value {
        let start = index
        if peek() == "0", let radix = peek(1).flatMap(Self.radix) {
            index += 2
            let digits = plainName()
            // `Int64(_:radix:)` would accept a sign, but a name never begins with one.
            guard let value = Int64(digits, radix: radix) else {
                try fail(
                    at: start, found: "“0\(scalars[start + 1])\(digits)”",
                    expected: "a 64-bit integer")
            }
            return .integer(value)
        }
        let literal = decimalLiteral()
        if let scalar = peek(), scalar.continuesName {
            try fail(at: index, expected: "the end of the number")
        }
        guard let value = Self.value(ofDecimalLiteral: literal) else {
            try fail(at: start, found: "“\(literal)”", expected: "a number within range")
        }
        return value
    }

    private static func radix(_ letter: Unicode.Scalar) -> Int? {
        switch letter {
        case "x", "X": 16
        case "o", "O": 8
        case "b", "B": 2
        default: nil
        }
    }

    /// Reads digits, and a fraction and an exponent if they are complete.
    private mutating func decimalLiteral() -> String {
        let start = index
        skipDigits()
        if peek() == ".", peek(1)?.isDigit == true {
            index += 1
            skipDigits()
        }
        if peek() == "e" || peek() == "E" {
            let signCount = peek(1) == "+" || peek(1) == "-" ? 1 : 0
            if peek(1 + signCount)?.isDigit == true {
                index += 1 + signCount
                skipDigits()
            }
        }
        return text(of: scalars[start..<index])
    }

    private mutating func skipDigits() {
        while peek()?.isDigit == true { index += 1 }
    }

    /// Returns the value of a literal. An integer of more than 64 bits becomes a decimal, so that it stays
    /// exact. Returns `nil` if the value is out of range.
    private static func value(ofDecimalLiteral literal: String) -> Value? {
        if literal.unicodeScalars.allSatisfy(\.isDigit) {
            if let integer = Int64(literal) { return .integer(integer) }
            guard literal.unicodeScalars.count <= 38 else { return nil }
            return Decimal(string: literal).map(Value.decimal)
        }
        let double = Double(literal.hasPrefix(".") ? "0" + literal : literal)
        guard let double, double.isFinite else { return nil }
        return .double(double)
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
    // ASCII scalars are tested with a few comparisons, which give the same results as Unicode's tables but
    // are faster. Most predicates contain only ASCII.

    fileprivate var isSpace: Bool {
        isASCII ? self == " " || ("\t"..."\r").contains(self) : properties.isWhitespace
    }

    /// Whether a property's name may begin with the scalar.
    fileprivate var beginsName: Bool {
        isASCII ? self == "_" || isASCIILetter : properties.isAlphabetic
    }

    fileprivate var continuesName: Bool {
        isASCII ? beginsName || isDigit : properties.isAlphabetic || properties.isXIDContinue
    }

    private var isASCIILetter: Bool {
        ("a"..."z").contains(self) || ("A"..."Z").contains(self)
    }
}

extension String {
    /// Whether the lexer would read the string as a single name of a key path.
    var isPredicateName: Bool {
        guard let first = unicodeScalars.first, first.beginsName else { return false }
        return unicodeScalars.dropFirst().allSatisfy(\.continuesName)
    }
}
