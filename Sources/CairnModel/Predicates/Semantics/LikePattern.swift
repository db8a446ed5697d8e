/// A `LIKE` pattern, compiled: `*` any number of scalars, `?` one, `\` takes the next literally.
///
/// Matching costs at most text length × pattern length, whatever the pattern.
public struct LikePattern: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        case scalar(Unicode.Scalar)
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
            pieces += PredicateText.folded(String(literal), options).unicodeScalars.map(
                Piece.scalar)
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
        let folded = options.isEmpty ? text : PredicateText.folded(text, options)
        return matches(Array(folded.unicodeScalars))
    }

    /// On a mismatch, only the last `*` takes one scalar more: the earlier ones never need to.
    private func matches(_ text: [Unicode.Scalar]) -> Bool {
        var (place, piece) = (0, 0)
        var lastAny: (piece: Int, place: Int)?
        while place < text.count {
            if piece < pieces.count, pieces[piece] == .any {
                lastAny = (piece, place)
                piece += 1
            } else if piece < pieces.count,
                pieces[piece] == .one || pieces[piece] == .scalar(text[place])
            {
                piece += 1
                place += 1
            } else if let any = lastAny {
                lastAny = (any.piece, any.place + 1)
                (piece, place) = (any.piece + 1, any.place + 1)
            } else {
                return false
            }
        }
        return pieces[piece...].allSatisfy { $0 == .any }
    }
}
