// How to add a rule:
//
// 1. Write the promise into the documentation of the contract, in `Sources/CairnStore`, and a row for it into
//    `docs/contract-promises.md`.
// 2. Write the rule into the array of its topic, in `Rules/<Topic>Rules.swift`. That registers it. A new array
//    is added to `ConformanceTopic.all`.
// 3. Write an engine that breaks the promise into `Tests/BrokenEngineSupport/Flaws/<Topic>Flaws.swift`, and see
//    that the rule notices it: `swift test --filter Broken.engines`.

/// Rules about one side of the contract.
public struct ConformanceTopic: Sendable {
    /// The name, such as `saving`.
    public let name: String
    /// Its rules, the simplest first.
    public let rules: [ConformanceRule]

    init(_ name: String, _ rules: [ConformanceRule]) {
        self.name = name
        self.rules = rules.map { rule in
            var rule = rule
            rule.topic = name
            return rule
        }
    }

    /// The whole contract, in the order in which an engine is written.
    public static let all: [ConformanceTopic] = [
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
        ConformanceTopic("references", referenceRules),
        ConformanceTopic("files", fileRules),
        ConformanceTopic("damage", damageRules),
        ConformanceTopic("several handles", handleRules),
        ConformanceTopic("several processes", processRules),
    ]

    /// Returns the topic of that name. Returns `nil` if there is none.
    public static func named(_ name: String) -> ConformanceTopic? {
        all.first { $0.name == name }
    }
}

extension ConformanceRule {
    /// Every rule of the kit: a rule is in it by being written in a topic's array.
    public static let all: [ConformanceRule] = ConformanceTopic.all.flatMap(\.rules)
}
