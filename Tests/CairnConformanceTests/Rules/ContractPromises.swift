import CairnConformance
import CairnModel
import CairnTestSupport
import Foundation

/// The sentences of the contract's comments, with the rules that prove them, as the rules' `proves` says.
struct ContractPromises {
    /// The beginning of a sentence of a comment, or an error of its list of errors.
    struct Quote: Hashable {
        /// The declaration, such as `PersistentStore.open(_:)`.
        let member: String
        /// The beginning of the sentence, or the error with its full stop. Empty for the whole comment.
        let words: String

        /// Reads the form of a rule's `proves`, such as `PersistentStore.open(_:): .notFound`.
        init(_ text: some StringProtocol) {
            let parts = text.split(separator: ": ", maxSplits: 1)
            member = String(parts.first ?? "")
            words = parts.count == 2 ? String(parts[1]) : ""
        }

        var errors: Set<StoreErrorCase> {
            guard words.hasPrefix(".") else { return [] }
            return Set(
                words.split(separator: ", ").compactMap {
                    StoreErrorCase(rawValue: String($0.dropFirst()))
                })
        }
    }

    /// A line of the list of what no rule proves.
    struct Unproved {
        let quote: Quote
        /// The reason. `nil` if the sentence promises nothing.
        let reason: String?
    }

    /// A rule or the twin of a rule. Rules that are made for each type of attributes are one rule, with
    /// `TYPE` in its name.
    struct Rule {
        let topic: String
        let name: String
        let proves: [Quote]
    }

    /// The name of the declaration in reasons that apply to all of them.
    static let everyOther = "every other member"
    /// What no rule proves.
    static let list = "Tests/CairnConformanceTests/Rules/Unproved.txt"

    var comments: ContractComments
    var rules: [Rule]
    var unproved: [Unproved]

    init(comments: ContractComments, rules: [ConformanceRule], unproved: String) {
        self.comments = comments
        self.rules = Self.rules(rules)
        self.unproved = unproved.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: " — ", maxSplits: 1)
            return Unproved(
                quote: Quote(parts[0]), reason: parts.count == 2 ? String(parts[1]) : nil)
        }
    }

    private static func rules(_ all: [ConformanceRule]) -> [Rule] {
        let counts = Dictionary(grouping: all, by: \.location).mapValues(\.count)
        let types = Set(AttributeType.allCases.map { "\($0)" })
        var names: Set<String> = []
        var rules: [Rule] = []
        for rule in all {
            var name = rule.words
            if counts[rule.location] ?? 0 > 1 {
                name = name.split(separator: " ").map { types.contains(String($0)) ? "TYPE" : $0 }
                    .joined(separator: " ")
            }
            let twin = rule.alternativePromise.map { ($0, rule.alternativeProves) }
            for (name, proves) in [(name, rule.proves)] + (twin.map { [$0] } ?? [])
            where names.insert(name).inserted {
                rules.append(Rule(topic: rule.topic, name: name, proves: proves.map(Quote.init)))
            }
        }
        return rules
    }

    // MARK: Defects

    /// The disagreements between the rules, the list and the comments, one sentence each.
    var defects: [String] {
        quoteDefects + sentenceDefects + errorDefects + memberDefects
    }

    /// Returns the sentences of its member that a quote begins. A quote of errors has none.
    private func sentences(of quote: Quote) -> Set<String> {
        guard !quote.words.isEmpty, quote.errors.isEmpty else { return [] }
        let all = comments.members[quote.member]?.sentences ?? []
        return Set(all.filter { $0.hasPrefix(quote.words) })
    }

    private var quoteDefects: [String] {
        var defects = rules.filter(\.proves.isEmpty).map { "the rule “\($0.name)” proves nothing" }
        for quote in rules.flatMap(\.proves) + unproved.map(\.quote)
        where quote.member != Self.everyOther {
            let found = sentences(of: quote).count
            let errors = comments.members[quote.member]?.errors ?? []
            if comments.members[quote.member] == nil {
                defects.append("there is no \(quote.member)")
            } else if found > 1 {
                defects.append("“\(quote.words)” begins \(found) sentences of \(quote.member)")
            } else if !quote.words.isEmpty, found == 0,
                quote.errors.isEmpty || !quote.errors.isSubset(of: errors)
            {
                defects.append("\(quote.member) does not say “\(quote.words)”")
            }
        }
        for line in unproved where line.reason == nil && line.quote.words.hasPrefix(".") {
            defects.append("\(line.quote.words) of \(line.quote.member) has no reason")
        }
        return defects
    }

    private var sentenceDefects: [String] {
        let quotes = Dictionary(grouping: rules.flatMap(\.proves), by: \.member)
        let listed = Dictionary(grouping: unproved.map(\.quote), by: \.member)
        return comments.members.flatMap { name, member in
            let proved = Set((quotes[name] ?? []).flatMap(sentences))
            let excused = Set((listed[name] ?? []).flatMap(sentences))
            return proved.intersection(excused).map { "“\($0)” of \(name) is proved and listed" }
                + Set(member.sentences).subtracting(proved).subtracting(excused)
                .map { "“\($0)” of \(name) is proved by no rule" }
        }
    }

    private var errorDefects: [String] {
        var defects: [String] = []
        var named = Set(unproved.flatMap(\.quote.errors))
        let quotes = Dictionary(grouping: rules.flatMap(\.proves), by: \.member)
        let general = unproved.filter { $0.quote.member == Self.everyOther }
        for (name, member) in comments.members {
            let proved = (quotes[name] ?? []).flatMap { quote in
                quote.errors.union(sentences(of: quote).flatMap(ContractComments.errors))
            }
            named.formUnion(proved)
            let excused = (unproved.filter { $0.quote.member == name } + general)
                .flatMap(\.quote.errors)
            defects += member.errors.subtracting(proved).subtracting(excused)
                .map { "no rule proves .\($0.rawValue) of \(name)" }
        }
        return defects
            + StoreErrorCase.allCases.filter { !named.contains($0) }
            .map { "nothing names .\($0.rawValue)" }
    }

    /// Each requirement of a protocol has a rule, or a reason why it has no rule.
    private var memberDefects: [String] {
        let known = Set(
            rules.flatMap(\.proves).map(\.member)
                + unproved.filter { $0.reason != nil }.map(\.quote.member))
        return comments.members.keys.filter { name in
            let parts = name.split(separator: ".")
            return parts.count == 2 && comments.protocols.contains(String(parts[0]))
                && !known.contains(name)
        }.map { "\($0) is proved by no rule" }
    }

    // MARK: Page

    /// The text of `docs/contract-promises.md`.
    var page: String {
        var lines = [Self.introduction]
        var rest = rules[...]
        while let first = rest.first {
            let section = rest.prefix { $0.topic == first.topic }
            rest = rest.dropFirst(section.count)
            let title = first.topic.prefix(1).uppercased() + first.topic.dropFirst()
            lines += ["", "## \(title)", "", "| Sentences | Rules |", "|---|---|"]
            lines += rows(of: section)
        }
        lines += [
            "", "## Not proved by a rule", "", Self.reasons, "", "| Sentences | Why |", "|---|---|",
        ]
        lines += Self.table(
            unproved.compactMap { line in line.reason.map { ($0, cell([line.quote])) } }
        ).map { "| \($0.values.joined(separator: "<br>")) | \($0.key) |" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the rows of a table. Rules that prove the same share a row.
    private func rows(of rules: ArraySlice<Rule>) -> [String] {
        Self.table(rules.map { (cell($0.proves), $0.name) })
            .map { "| \($0.key) | \($0.values.joined(separator: "<br>")) |" }
    }

    /// Returns the values of each key, in the order of the keys' first occurrences.
    private static func table(
        _ lines: [(key: String, value: String)]
    ) -> [(key: String, values: [String])] {
        var rows: [(key: String, values: [String])] = []
        for line in lines {
            if let index = rows.firstIndex(where: { $0.key == line.key }) {
                rows[index].values.append(line.value)
            } else {
                rows.append((line.key, [line.value]))
            }
        }
        return rows
    }

    private func cell(_ quotes: [Quote]) -> String {
        var members: [String] = []
        for quote in quotes where !members.contains(quote.member) { members.append(quote.member) }
        return members.map { member in
            let texts = quotes.filter { $0.member == member }.map(text).filter { !$0.isEmpty }
            let file = comments.members[member]?.file
            let name = file.map { "[`\(member)`](../\($0))" } ?? member
            return texts.isEmpty ? name : "\(name): \(texts.joined(separator: " "))"
        }.joined(separator: "<br>")
    }

    private func text(_ quote: Quote) -> String {
        if quote.words.isEmpty { return "" }
        if quote.words.hasPrefix(".") {
            return quote.words.split(separator: ", ").map { "`\($0)`" }.joined(separator: ", ")
        }
        return sentences(of: quote).contains(quote.words) ? quote.words : "\(quote.words)…"
    }

    private static let introduction = """
        # The promises of the contract

        Which rules of `CairnConformance` prove which sentences of the contract's documentation. The sentences are shortened;
        a link leads to each of their files. A code such as `.busy` is an error in a declaration's list, and `TYPE` is any
        attribute type.

        A test writes this page (`CAIRN_RECORD=1 swift test --filter Promises.of.the.contract`) from the rules, each of which
        quotes what it proves, and from `Tests/CairnConformanceTests/Rules/Unproved.txt`. It fails if a promise has no rule, if
        a rule quotes what the contract does not say, or if this page is out of date.
        """

    private static let reasons = """
        The kit works from outside an engine. `script/torture` and the tests of the engines check these errors.
        """
}
