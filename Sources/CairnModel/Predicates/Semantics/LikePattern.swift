/// A compiled `LIKE` pattern. `*` matches any number of scalars, `?` matches one, and `\` escapes the next
/// scalar.
///
/// Matching takes at most as many steps as the length of the text times the length of the pattern. A step
/// looks at one byte. Matching fails with an error after 2,000,000 steps, plus 100 for each byte of the
/// text. The limit does not depend on time, so the same text and pattern have the same result everywhere.
package struct LikePattern: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        /// A byte of the UTF-8 of a literal part.
        case byte(UInt8)
        case one
        case any
    }

    private let source: String
    private let pieces: [Piece]
    private let options: PredicateComparison.Options

    /// Compiles a pattern. Its literal parts are folded according to the options.
    package init(_ pattern: String, _ options: PredicateComparison.Options = []) {
        source = pattern
        self.options = options
        var pieces: [Piece] = []
        var literal = String.UnicodeScalarView()
        var isEscaped = false
        func endLiteral(_ pieces: inout [Piece]) {
            pieces += PredicateText.folded(String(literal), options).utf8.map(Piece.byte)
            literal = String.UnicodeScalarView()
        }
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped, "?" where !isEscaped:
                endLiteral(&pieces)
                if scalar == "?" {
                    pieces.append(.one)
                } else if pieces.last != .any {
                    pieces.append(.any)
                }
            default: literal.append(scalar)
            }
            isEscaped = false
        }
        if isEscaped { literal.append("\\") }
        endLiteral(&pieces)
        self.pieces = pieces
    }

    /// The number of steps that matching an empty text may take.
    private static let baseStepLimit = 2_000_000
    /// The number of additional steps for each byte of the text.
    private static let stepsPerByte = 100

    /// Returns whether the pattern matches the whole text.
    ///
    /// - Throws: `.matchingLimit` if matching takes too many steps.
    package func matches(_ text: String) throws(FetchPredicateError) -> Bool {
        var folded = options.isEmpty ? text : PredicateText.folded(text, options)
        let result = folded.withUTF8 { utf8 in
            Result { () throws(FetchPredicateError) in
                try matches(folded: UnsafeRawBufferPointer(utf8))
            }
        }
        return try result.get()
    }

    /// Returns whether the pattern matches a whole text, which is UTF-8 and already folded according to the
    /// options.
    ///
    /// - Throws: `.matchingLimit` if matching takes too many steps.
    package func matches(
        folded text: UnsafeRawBufferPointer
    ) throws(FetchPredicateError) -> Bool {
        let stepLimit = Self.baseStepLimit + Self.stepsPerByte * text.count
        guard let outcome = outcome(text, stepLimit: stepLimit) else {
            throw .matchingLimit(pattern: source, stepLimit: stepLimit)
        }
        return outcome
    }

    /// Returns whether the text matches, or `nil` if that takes more steps than the limit.
    ///
    /// After a mismatch, only the last `*` is extended by a scalar. Extending earlier ones is never
    /// necessary.
    private func outcome(_ text: UnsafeRawBufferPointer, stepLimit: Int) -> Bool? {
        pieces.withUnsafeBufferPointer { pieces in
            var (offset, piece) = (0, 0)
            var lastAny: (piece: Int, offset: Int)?
            var stepsLeft = stepLimit
            while offset < text.count {
                stepsLeft -= 1
                if stepsLeft < 0 { return nil }
                if piece < pieces.count {
                    switch pieces[piece] {
                    case .any:
                        lastAny = (piece, offset)
                        piece += 1
                        continue
                    case .one:
                        piece += 1
                        offset = Self.end(ofScalarAt: offset, in: text)
                        continue
                    case .byte(text[offset]):
                        piece += 1
                        offset += 1
                        continue
                    case .byte: break
                    }
                }
                guard let any = lastAny else { return false }
                offset = Self.end(ofScalarAt: any.offset, in: text)
                lastAny = (any.piece, offset)
                piece = any.piece + 1
            }
            return pieces[piece...].allSatisfy { $0 == .any }
        }
    }

    /// Returns the offset after the end of a scalar. All bytes of a scalar except for the first have the form
    /// 10xxxxxx.
    private static func end(ofScalarAt offset: Int, in text: UnsafeRawBufferPointer) -> Int {
        var end = offset + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
