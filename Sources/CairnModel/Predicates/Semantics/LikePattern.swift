/// A `LIKE` pattern, compiled: `*` any number of scalars, `?` one, `\` takes the next literally.
///
/// Matching costs at most text length × pattern length, whatever the pattern.
public struct LikePattern: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        /// A byte of a literal's UTF-8.
        case byte(UInt8)
        case one
        case any
    }

    private let pieces: [Piece]
    private let options: PredicateComparison.Options

    /// Compiles the pattern; its literal parts are folded as the options say.
    public init(_ pattern: String, _ options: PredicateComparison.Options = []) {
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

    /// Whether the pattern describes the whole text.
    public func matches(_ text: String) -> Bool {
        var folded = options.isEmpty ? text : PredicateText.folded(text, options)
        return folded.withUTF8 { matches(folded: UnsafeRawBufferPointer($0)) }
    }

    /// Whether the pattern describes a whole text, which is UTF-8 and folded as the options say.
    ///
    /// On a mismatch, only the last `*` takes one scalar more: the earlier ones never need to.
    package func matches(folded text: UnsafeRawBufferPointer) -> Bool {
        pieces.withUnsafeBufferPointer { pieces in
            var (place, piece) = (0, 0)
            var lastAny: (piece: Int, place: Int)?
            while place < text.count {
                if piece < pieces.count {
                    switch pieces[piece] {
                    case .any:
                        lastAny = (piece, place)
                        piece += 1
                        continue
                    case .one:
                        piece += 1
                        place = Self.end(ofScalarAt: place, in: text)
                        continue
                    case .byte(text[place]):
                        piece += 1
                        place += 1
                        continue
                    case .byte: break
                    }
                }
                guard let any = lastAny else { return false }
                place = Self.end(ofScalarAt: any.place, in: text)
                lastAny = (any.piece, place)
                piece = any.piece + 1
            }
            return pieces[piece...].allSatisfy { $0 == .any }
        }
    }

    /// The place behind a scalar: all of its bytes but the first are 10xxxxxx.
    private static func end(ofScalarAt place: Int, in text: UnsafeRawBufferPointer) -> Int {
        var end = place + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
