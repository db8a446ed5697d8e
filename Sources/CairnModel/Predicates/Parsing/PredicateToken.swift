/// A word of a predicate's text, and where it begins.
struct PredicateToken: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// A name, or a selector such as `add:to:`. Escaped (`#name`): never a keyword.
        case word(String, isEscaped: Bool)
        /// `@count` and its kin, without the `@`.
        case collectionOperator(String)
        case variable(String)
        case string(String)
        case number(Value)
        /// `@`, `K`, `d`, `f` or `s`, by the kind of argument it takes.
        case placeholder(Character)
        case symbol(Symbol)
        case end
    }

    /// If one symbol begins with another, the longer one comes first: the lexer takes the first that
    /// fits.
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

    /// Words that mean something of their own, in any case, unless escaped with `#`.
    enum Keyword: String, Sendable, CaseIterable {
        case and, or, not, `in`, between, like, matches, contains
        case beginsWith = "beginswith"
        case endsWith = "endswith"
        case any, some, all, none
        case null, `nil`, `true`, yes, `false`, no
        case `self`
        case truePredicate = "truepredicate"
        case falsePredicate = "falsepredicate"
    }

    var kind: Kind
    /// Unicode scalars before the token.
    var start: Int

    /// The keyword that the token represents. `nil` if the token is not a keyword or is escaped.
    var keyword: Keyword? {
        guard case .word(let word, isEscaped: false) = kind else { return nil }
        return Keyword(rawValue: word.lowercased())
    }

    /// The token as an error names it.
    var name: String {
        switch kind {
        case .word(let word, _): "“\(word)”"
        case .collectionOperator(let word): "“@\(word)”"
        case .variable(let word): "“$\(word)”"
        case .string: "a text"
        case .number: "a number"
        case .placeholder(let letter): "“%\(letter)”"
        case .symbol(let symbol): "“\(symbol.rawValue)”"
        case .end: "the end"
        }
    }
}
