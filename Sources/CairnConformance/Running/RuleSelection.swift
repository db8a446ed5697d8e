/// The rules of the kit that a command line selects.
package struct RuleSelection: Sendable {
    /// The selected rules, in the kit's order.
    package let rules: [ConformanceRule]

    /// Selects rules by topic and by their words.
    ///
    /// - Parameters:
    ///   - topics: The names of the topics. If the array is empty, all topics are selected.
    ///   - words: A part of the rules' words. Upper and lower case are not distinguished. If it is all
    ///     words of a rule, only that rule is selected. If `nil`, all rules of the topics are selected.
    /// - Throws: ``RuleSelectionError``.
    package init(topics: [String] = [], words: String? = nil) throws(RuleSelectionError) {
        var chosen: [ConformanceRule] = []
        for name in topics {
            guard let topic = ConformanceTopic.named(name) else {
                throw RuleSelectionError(
                    description: "There is no topic “\(name)”. The topics are: "
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
                description: "No rule contains “\(words)” in its name. List the rules with --list.")
        }
    }
}

/// An error that explains why no rules were selected.
package struct RuleSelectionError: Error, Sendable, CustomStringConvertible {
    /// What was requested, and what is available.
    package let description: String
}
