import CairnSQL
import CairnStore
import Foundation

extension SQLText {
    /// An upper bound for the entries that the text needs on the stack of SQLite's parser.
    var parserDepth: Int {
        var stack = ParserStack()
        for byte in text.utf8 { stack.read(byte) }
        return stack.deepest
    }

    /// Returns whether SQLite's parser can read the text with a number of stack entries.
    func fitsParser(with entryCount: Int) -> Bool {
        // Every entry stands for at least one byte.
        text.utf8.count <= entryCount || parserDepth <= entryCount
    }
}

/// The stack of SQLite's parser, as it may be at most.
///
/// An entry stands for a token, or for a complete expression, list or clause. Everything between two
/// parentheses becomes one entry when the second one is read, and a list never takes more than two.
private struct ParserStack {
    /// The most entries so far.
    private(set) var deepest = 0
    private var current = 0
    /// The entries before each open parenthesis, and those before the current item of its list.
    private var open: [(outside: Int, item: Int)] = []
    /// The entries before the current item of a list.
    private var item = 0
    private var word = ""
    private var isAfterDot = false
    /// The end of the quoted name or text that is being read.
    private var quote: UInt8?

    mutating func read(_ byte: UInt8) {
        if let end = quote {
            if byte == end { quote = nil }
        } else if byte.isPartOfWord {
            if word.isEmpty { begin() }
            word.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            // The parentheses of a function are preceded by an entry for DISTINCT.
            if byte == UInt8(ascii: "("), !word.isEmpty { current += 1 }
            endWord()
            readSign(byte)
        }
        deepest = max(deepest, current)
    }

    /// Adds an entry for a name or keyword. The second part of a name shares the entry of the first.
    private mutating func begin() {
        if !isAfterDot { current += 1 }
        isAfterDot = false
    }

    /// Ends a clause, if the word is a keyword that does so. Empty clauses also take entries.
    private mutating func endWord() {
        switch word {
        case "SELECT": current += 2
        case "FROM", "WHERE": current = item + 5
        case "JOIN": current = item + 6
        case "ON": current = item + 9
        default: break
        }
        word = ""
    }

    private mutating func readSign(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\n"): break
        case UInt8(ascii: "."):
            isAfterDot = true
            // A name with a dot takes three entries until it has been read.
            deepest = max(deepest, current + 2)
        case UInt8(ascii: "("):
            open.append((current, item))
            current += 1
            item = current
        case UInt8(ascii: ")"):
            guard let last = open.popLast() else { return }
            (current, item) = (last.outside + 1, last.item)
        case UInt8(ascii: ","): current = item + 2
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            quote = byte
            begin()
        default: current += 1
        }
    }
}

extension SQLiteStatement {
    /// Binds the parameters in order, starting after the statement's first `first` parameters.
    ///
    /// - Throws: `.engineFailure`.
    func bind(_ parameters: [SQLText.Parameter], after first: Int = 0) throws(StoreError) {
        for (index, parameter) in zip((first + 1)..., parameters) {
            switch parameter {
            case .integer(let value): try bind(value, at: index)
            case .real(let value): try bind(value, at: index)
            case .text(let value): try bind(value, at: index)
            case .blob(let value): try bind(value, at: index)
            case .uuid(let value):
                try bind(withUnsafeBytes(of: value.uuid) { Data($0) }, at: index)
            }
        }
    }
}

extension UInt8 {
    /// Whether the byte is part of a keyword, a number or a name without quotes.
    fileprivate var isPartOfWord: Bool {
        isLetterOrDigit || self == UInt8(ascii: "_") || self >= 0x80
    }

    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
    }
}
