// How to add a rule:
//
// 1. Add the promise to the documentation of the contract, in `Sources/CairnStore`, and a row for it to
//    `docs/contract-promises.md`.
// 2. Add the rule to the array of its topic, in `Rules/<Topic>Rules.swift`. This registers the rule. Add
//    new arrays to `ConformanceTopic.all`.
// 3. Add an engine that breaks the promise to `Tests/BrokenEngineSupport/Flaws/<Topic>Flaws.swift`, and
//    check that the rule detects it: `swift test --filter Broken.engines`.

/// The rules about one part of the contract.
package struct ConformanceTopic: Sendable {
    /// The name of the topic, such as `saving`.
    package let name: String
    /// The rules of the topic, the simplest first.
    package let rules: [ConformanceRule]

    init(_ name: String, _ rules: [ConformanceRule]) {
        self.name = name
        self.rules = rules.map { rule in
            var rule = rule
            rule.topic = name
            return rule
        }
    }

    /// The topics of the whole contract, in the order in which an engine is usually written.
    package static let all: [ConformanceTopic] = [
        ConformanceTopic("opening", openingRules + closingRules),
        ConformanceTopic("identity", identityRules),
        ConformanceTopic("values", valueRules),
        ConformanceTopic("reading", readingRules + CallRules.ofReading),
        ConformanceTopic("saving", savingRules),
        ConformanceTopic("transactions", transactionRules),
        ConformanceTopic("conflicts", conflictRules),
        ConformanceTopic("named saves", namedSaveRules),
        ConformanceTopic("derived attributes", derivationRules),
        ConformanceTopic(
            "relationships", relationshipRules + CallRules.ofRelationships + pairRules),
        ConformanceTopic("fetching", fetchingRules + cursorRules + partRules),
        ConformanceTopic("snapshots", snapshotRules + CallRules.ofSnapshots),
        ConformanceTopic("concurrency", concurrencyRules + CallRules.ofConcurrency),
        ConformanceTopic("parallel saves", parallelSaveRules),
        ConformanceTopic("reopening", reopeningRules),
        ConformanceTopic("files", fileRules),
        ConformanceTopic("damage", damageRules),
        ConformanceTopic("several handles", handleRules),
        ConformanceTopic("several processes", processRules),
    ]

    /// Returns the topic with a name, or `nil` if no topic has the name.
    package static func named(_ name: String) -> ConformanceTopic? {
        all.first { $0.name == name }
    }
}

extension ConformanceRule {
    /// All rules of the kit. A rule is part of the kit if it is in a topic's array.
    public static let all: [ConformanceRule] = ConformanceTopic.all.flatMap(\.rules)
}
