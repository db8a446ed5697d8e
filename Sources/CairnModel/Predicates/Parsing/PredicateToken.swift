/// A token of a predicate's text, with its position.
struct PredicateToken: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// A name, or a selector such as `add:to:`. An escaped name (`#name`) is never a keyword.
        case word(String, isEscaped: Bool)
        /// The name of an operator such as `@count`, without the `@`.
        case collectionOperator(String)
        case variable(String)
        case string(String)
        case number(Value)
        /// `@`, `K`, `d`, `f` or `s`, according to the type of argument that the placeholder takes.
        case placeholder(Character)
        case symbol(Symbol)
        case end
    }

    /// If a symbol is a prefix of another one, the longer symbol comes first, because the lexer uses the
    /// first symbol that matches.
    enum Symbol: String, Sendable, CaseIterable {
        case power = "**"
        case equalTwice = "=="
        case lessOrEqual = "<="
        case equalOrLess = "=<"
        case greaterOrEqual = ">="
        case equalOrGreater = "=>"
        case notEqual = "!="
        case lessOrGreater = "<>"
        case andTwice = "&&"
        case orTwice = "||"
        case equal = "="
        case less = "<"
        case greater = ">"
        case not = "!"
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBrace = "{"
        case closeBrace = "}"
        case openBracket = "["
        case closeBracket = "]"
        case comma = ","
        case dot = "."
        case plus = "+"
        case minus = "-"
        case times = "*"
        case dividedBy = "/"
    }

    /// Words with a special meaning, in upper or lower case, unless they are escaped with `#`.
    enum Keyword: String, Sendable, CaseIterable {
        private static let byText = Dictionary(
            allCases.map { ($0.rawValue, $0) }, uniquingKeysWith: { $1 })

        /// Returns the keyword that a word is, or `nil` for other words. Looks in a table, because the initialiser that
        /// the compiler makes compares the word with one keyword after the other.
        init?(word: String) {
            guard word.utf8.count <= 14, let keyword = Self.byText[word.lowercased()] else {
                return nil
            }
            self = keyword
        }

        case and, or, not, `in`, between, like, matches, contains
        case beginsWith = "beginswith"
        case endsWith = "endswith"
        case any, some, all, none
        case null, `nil`, `true`, yes, `false`, no
        case `self`
        case truePredicate = "truepredicate"
        case falsePredicate = "falsepredicate"
    }

    let kind: Kind
    /// The number of Unicode scalars before the token.
    let start: Int
    /// The keyword that the token represents. `nil` if the token is escaped or is not a keyword. Determined once,
    /// because the parser asks for it about ten times.
    let keyword: Keyword?

    init(kind: Kind, start: Int) {
        self.kind = kind
        self.start = start
        if case .word(let word, isEscaped: false) = kind {
            keyword = Keyword(word: word)
        } else {
            keyword = nil
        }
    }

    /// A description of the token for error messages.
    var name: String {
        switch kind {
        case .word(let word, _): "“\(word)”"
        case .collectionOperator(let word): "“@\(word)”"
        case .variable(let word): "“$\(word)”"
        case .string: "a string"
        case .number: "a number"
        case .placeholder(let letter): "“%\(letter)”"
        case .symbol(let symbol): "“\(symbol.rawValue)”"
        case .end: "the end"
        }
    }
}
