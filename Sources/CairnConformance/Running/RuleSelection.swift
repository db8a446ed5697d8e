/// Which rules of the kit are to run, as a command line says it.
public struct RuleSelection: Sendable {
    /// The chosen rules, in the kit's order.
    public let rules: [ConformanceRule]

    /// Chooses rules by topic and by their words.
    ///
    /// - Parameters:
    ///   - topics: names of topics. Empty chooses all topics.
    ///   - words: a part of the rules' words, in either case. The whole words of one rule choose that
    ///     rule alone. `nil` chooses all rules of the topics.
    /// - Throws: ``RuleSelectionError``.
    public init(topics: [String] = [], words: String? = nil) throws(RuleSelectionError) {
        var chosen: [ConformanceRule] = []
        for name in topics {
            guard let topic = ConformanceTopic.named(name) else {
                throw RuleSelectionError(
                    description: "There is no topic “\(name)”. Topics: "
                        + ConformanceTopic.all.map(\.name).joined(separator: ", ") + ".")
            }
            chosen += topic.rules
        }
        if topics.isEmpty { chosen = ConformanceRule.all }
        guard let words else {
            rules = chosen
            return
        }
        let exact = chosen.filter { $0.words == words || $0.description == words }
        let wanted = words.lowercased()
        rules =
            exact.isEmpty
            ? chosen.filter { $0.description.lowercased().contains(wanted) } : exact
        if rules.isEmpty {
            throw RuleSelectionError(
                description: "No rule has the words “\(words)”. List the rules with --list.")
        }
    }
}
