import Foundation

/// Finds patterns in comments that make prose slow to read.
enum ProseRules {
    /// A pattern to avoid, and advice on what to write instead.
    struct Pattern {
        let expression: String
        let advice: String
    }

    static let patterns = [
        Pattern(expression: #"\banew\b"#, advice: "“again”, not “anew”"),
        Pattern(expression: #"\bbehind\b"#, advice: "“after”, not “behind”"),
        Pattern(
            expression: #"(?:[;.,:] |^|\()nil: "#,
            advice: "a sentence for nil: “Returns `nil` if …”"),
        Pattern(
            expression: #"(?<!if there )\b(?:is|are|was|were) none\b"#,
            advice: "what is, not “there is none”: “if the store contains no model”"),
        Pattern(
            expression:
                #"(?:^|[.:;(—] ?|\b(?:and|or|for|of|to|by|with|that|than|as|what|from|but) )"#
                + #"[Ww]ho\b"#,
            advice: "the actor’s name, not “who” alone"),
        Pattern(expression: #"\bso many\b"#, advice: "“as many as”, or the number"),
        Pattern(
            expression:
                #"(?:, |^)where (?:there is|there are|it is|they are|that is|nothing|nobody)\b"#,
            advice: "“if” or “when” for a condition, not “where”"),
        Pattern(
            expression:
                #"(?<!in )(?<!take )(?<!takes )(?<!taken )(?<!took )(?<!taking )\bplaces?\b"#,
            advice: "index, offset, slot, path, position or location, not “place”"),
    ]

    /// Returns advice on the comments of a source, with line numbers.
    static func findings(in source: String) -> [String] {
        source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .flatMap { number, line -> [String] in
                guard let comment = comment(of: line) else { return [] }
                return patterns.filter {
                    comment.range(of: $0.expression, options: .regularExpression) != nil
                }.map { "line \(number + 1): \($0.advice)" }
            }
    }

    /// Returns the names that contain the word “place”, which is ambiguous: it can mean index, offset, slot,
    /// path, position or location. String literals are ignored.
    static func vagueNames(in source: String) -> [String] {
        source.split(separator: "\n").flatMap { line -> [String] in
            // This quick test rejects most lines. A regular expression takes a hundred times as long.
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
