import Foundation

/// Finds patterns in comments that make prose slow to read.
enum ProseRules {
    /// A pattern to avoid, and advice on what to write instead.
    struct Pattern {
        /// A word that every match contains. Searching for it is much faster than matching.
        let word: String
        let expression: String
        let advice: String
    }

    static let patterns = [
        Pattern(word: "anew", expression: #"\banew\b"#, advice: "“again”, not “anew”"),
        Pattern(
            word: "behind", expression: #"\bbehind\b"#, advice: "“after”, not “behind”"),
        Pattern(
            word: "nil: ", expression: #"(?:[;.,:] |^|\()nil: "#,
            advice: "a sentence for nil: “Returns `nil` if …”"),
        Pattern(
            word: "none", expression: #"(?<!if there )\b(?:is|are|was|were) none\b"#,
            advice: "what is, not “there is none”: “if the store contains no model”"),
        Pattern(
            word: "ho",
            expression:
                #"(?:^|[.:;(—] ?|\b(?:and|or|for|of|to|by|with|that|than|as|what|from|but) )"#
                + #"[Ww]ho\b"#,
            advice: "the actor’s name, not “who” alone"),
        Pattern(
            word: "so many", expression: #"\bso many\b"#, advice: "“as many as”, or the number"),
        Pattern(
            word: "where ",
            expression:
                #"(?:, |^)where (?:there is|there are|it is|they are|that is|nothing|nobody)\b"#,
            advice: "“if” or “when” for a condition, not “where”"),
        Pattern(
            word: "place",
            expression:
                #"(?<![Ii]n )(?<!take )(?<!takes )(?<!taken )(?<!took )(?<!taking )\bplaces?\b"#,
            advice: "index, offset, slot, path, position or location, not “place”"),
    ]

    /// Returns advice on the comments of a source, with line numbers.
    static func findings(in source: String) -> [String] {
        source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .flatMap { number, line -> [String] in
                guard line.contains("//"), mayHaveFindings(line), let comment = comment(of: line)
                else { return [] }
                return advice(on: comment, line: number + 1)
            }
    }

    /// What a line contains that has an article at the end of a literal, or before an inserted value.
    private static let articles = ["a \\(", "A \\(", "n \\(", "a \"", "n \""]

    /// Returns the numbers of the lines in which a literal has “a” or “an” directly before an inserted value.
    static func fixedArticles(in source: String) -> [Int] {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.filter { index in
            let line = lines[index]
            guard articles.contains(where: line.contains), !line.contains(/^ *\/\//) else {
                return false
            }
            if line.contains(/"(?:[^"]*[ (])?[Aa]n? \\\(/) { return true }
            guard line.contains(/[ "]an? " *\+?$/), index + 1 < lines.count else { return false }
            return lines[index + 1].contains(/^ *\+? *"\\\(/)
        }.map { $0 + 1 }
    }

    /// Returns advice on the text of a Markdown page, with line numbers. Code is ignored.
    static func findings(inPage page: String) -> [String] {
        var isCode = false
        return page.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .flatMap { number, line -> [String] in
                if line.hasPrefix("```") || line.contains(/^ +```/) { isCode.toggle() }
                if isCode || line.hasPrefix("    ") { return [] }
                guard mayHaveFindings(line) else { return [] }
                // Code spans, names in quotation marks, and the targets of links.
                let text = line.replacing(/`[^`]*`|“[^”]*”|\]\([^)]*\)/, with: "x")
                return advice(on: text, line: number + 1)
            }
    }

    /// This quick test rejects most lines. A regular expression takes a hundred times as long.
    private static func mayHaveFindings(_ line: Substring) -> Bool {
        patterns.contains { line.contains($0.word) }
    }

    private static func advice(on text: Substring, line: Int) -> [String] {
        patterns.filter {
            text.contains($0.word)
                && text.range(of: $0.expression, options: .regularExpression) != nil
        }.map { "line \(line): \($0.advice)" }
    }

    /// Returns the names that contain the word “place”, which is ambiguous: it can mean index, offset, slot,
    /// path, position or location. String literals are ignored.
    static func vagueNames(in source: String) -> [String] {
        source.split(separator: "\n").flatMap { line -> [String] in
            guard line.utf8.count > 4, line.contains("lace") else { return [] }
            let code = line.prefix(upTo: comment(of: line)?.startIndex ?? line.endIndex)
                .replacing(/"[^"]*"/, with: "")
            return code.matches(of: /\w*[pP]lace(s|[A-Z]\w*)?\b/).map { String($0.output.0) }
                .filter { $0.firstMatch(of: /[rR]eplace|[pP]laceholder|InPlace|inPlace/) == nil }
        }
    }

    private static func comment(of line: Substring) -> Substring? {
        guard let match = line.firstMatch(of: /(?:^|\s)\/\/+ ?(.*)$/) else { return nil }
        return match.1
    }
}
