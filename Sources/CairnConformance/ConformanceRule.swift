import CairnStore

/// A promise of the store contract, and a test that checks whether an engine keeps it.
///
/// ```swift
/// ConformanceRule("a closed store throws .closed") { store in
///     try store.store.close()
///     try requireError("a snapshot is refused", .closed) { try store.store.snapshot() }
/// }
/// ```
///
/// A rule runs on a new, empty store of its own. It throws a ``RuleViolation`` if the engine breaks the
/// promise, so it works under any test framework, and without one. It throws `RuleNotApplicable` if the
/// engine does not have the feature that the promise is about.
public struct ConformanceRule: Sendable, CustomStringConvertible {
    /// The test of a rule.
    package typealias Body = @Sendable (StoreSubject) throws -> Void

    /// The name of the topic, such as `saving`. Empty for a rule that is not part of a
    /// `ConformanceTopic`.
    public internal(set) var topic = ""
    /// The promise, in the words of the contract.
    public let words: String
    /// The sentences of the contract's documentation that the rule proves, such as
    /// `PersistentStore.open(_:): Creates a missing store`: a declaration, a colon, and the beginning of
    /// one of the sentences of its comment, or an error of its list, such as `.busy`.
    package let proves: [String]
    /// The capability that the promise depends on. `nil` if every engine must keep the promise.
    package let need: CapabilityNeed?
    /// The promise of an engine without the capability. `nil` if `need` is `nil`.
    package let alternativePromise: String?
    /// The sentences that the twin proves, in the same form as in `proves`.
    package let alternativeProves: [String]
    /// The location of the rule in the source code.
    public let location: RuleLocation
    private let body: Body
    private let alternative: Body?

    /// Creates a rule that every engine must keep.
    package init(
        _ words: String, proves: [String] = [], file: StaticString = #fileID, line: UInt = #line,
        body: @escaping Body
    ) {
        self.words = words
        self.proves = proves
        need = nil
        alternativePromise = nil
        alternativeProves = []
        location = RuleLocation(file: "\(file)", line: Int(line))
        self.body = body
        alternative = nil
    }

    /// Creates a rule for engines with a capability, and its twin for engines without it. The twin tests
    /// what such engines promise instead, so that no engine skips the rule.
    package init(
        _ words: String, proves: [String], needs need: CapabilityNeed,
        alternative alternativePromise: String, alternativeProves: [String],
        file: StaticString = #fileID, line: UInt = #line, body: @escaping Body,
        otherwise: @escaping Body
    ) {
        self.words = words
        self.proves = proves
        self.need = need
        self.alternativePromise = alternativePromise
        self.alternativeProves = alternativeProves
        location = RuleLocation(file: "\(file)", line: Int(line))
        self.body = body
        self.alternative = otherwise
    }

    /// The topic and the promise.
    public var description: String { topic.isEmpty ? words : "\(topic): \(words)" }

    /// Tests the rule on a new store of the harness. Tests the rule's twin if the engine lacks the
    /// capability that the rule needs.
    ///
    /// - Parameters:
    ///   - harness: The harness of the engine under test.
    ///   - seed: The seed of all random values in the rule, to repeat an earlier run. If `nil`, a random seed
    ///     is chosen. A violation contains the seed.
    /// - Returns: Whether the rule or its twin was kept, or that the rule does not apply to the engine.
    /// - Throws: ``RuleViolation``, also for every other error that the rule throws.
    @discardableResult
    public func run(
        on harness: any StoreHarness, seed: UInt64? = nil
    ) throws(RuleViolation) -> RuleOutcome {
        let seed = seed ?? .random(in: 0 ... .max)
        let isAlternative = need.map { !$0.isMet(by: harness.engine) } ?? false
        let log = StepLog()
        let steps: [String]
        let failure: any Error
        do {
            let subject = try StoreSubject(harness, seed: seed, log: log)
            do {
                if isAlternative { try alternative?(subject) } else { try body(subject) }
            } catch {
                // The steps are read before the store is closed, because closing it is not part of the
                // rule.
                let steps = log.lastSteps
                try? subject.end()
                throw FailedRule(steps: steps, reason: error)
            }
            try subject.end()
            return isAlternative ? .alternativeKept : .kept
        } catch let rule as FailedRule {
            (steps, failure) = (rule.steps, rule.reason)
        } catch {
            (steps, failure) = ([], error)
        }
        if let exception = failure as? RuleNotApplicable {
            return .notApplicable(exception.reason)
        }
        var violation =
            failure as? RuleViolation
            ?? RuleViolation(detail: "the rule ended with the error: \(failure)", at: location)
        violation.rule = description
        violation.ruleLocation = location
        violation.seed = seed
        violation.steps = steps
        throw violation
    }
}

extension ConformanceRule {
    /// Returns the rules that a command line selects by topic and by their words, in the kit's order.
    ///
    /// - Parameters:
    ///   - topics: The names of the topics. If the array is empty, all topics are selected.
    ///   - words: A part of the rules' words. Upper and lower case are not distinguished. If it is all
    ///     words of a rule, only that rule is selected. If `nil`, all rules of the topics are selected.
    /// - Throws: ``RuleSelectionError``.
    package static func selected(
        topics: [String] = [], words: String? = nil
    ) throws(RuleSelectionError) -> [ConformanceRule] {
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
        guard let words else { return chosen }
        let exact = chosen.filter { $0.words == words || $0.description == words }
        if !exact.isEmpty { return exact }
        let wanted = words.lowercased()
        let rules = chosen.filter { $0.description.lowercased().contains(wanted) }
        if rules.isEmpty {
            throw RuleSelectionError(
                description: "No rule contains “\(words)” in its name. List the rules with --list.")
        }
        return rules
    }
}

/// An error that explains why no rules were selected.
package struct RuleSelectionError: Error, Sendable, CustomStringConvertible {
    /// What was requested, and what is available.
    package let description: String
}

/// The error that ended a rule's body, with the calls that the body made before.
private struct FailedRule: Error {
    let steps: [String]
    let reason: any Error
}

// How to add a rule:
//
// 1. Add the promise to the documentation of the contract, in `Sources/CairnStore`.
// 2. Add the rule to the array of its topic, in `Rules/<Topic>Rules.swift`, and quote the beginning of the
//    promise in its `proves`. This registers the rule. Add new arrays to `ConformanceTopic.all`.
//    `CAIRN_RECORD=1 swift test --filter Promises.of.the.contract` writes `docs/contract-promises.md`.
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
        ConformanceTopic("grouped saves", groupedSaveRules),
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
        ConformanceTopic("copies", copyRules),
        ConformanceTopic("history", historyRules),
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

/// A capability of engines that rules depend on.
package enum CapabilityNeed: String, Sendable, Hashable {
    /// The capability of the same meaning in `StoreCapabilities`: `isDurable`, `readsDuringSave`, `isShared`,
    /// `namedSaves` (other than `.forgotten`), `savesInParallel`, `groupsSaves` and `savesInParts`.
    case durability, readsDuringSave, sharing, namedSaves, parallelSaves, groupedSaves,
        savesInParts
    /// Stores are files, so the engine is a `FileStore`.
    case files
    /// Stores can keep a history, so the engine is a `HistoryStore`.
    case history

    /// Returns whether the engine has the capability.
    package func isMet(by engine: any PersistentStore.Type) -> Bool {
        switch self {
        case .durability: engine.capabilities.isDurable
        case .readsDuringSave: engine.capabilities.readsDuringSave
        case .sharing: engine.capabilities.isShared
        case .namedSaves: engine.capabilities.namedSaves != .forgotten
        case .parallelSaves: engine.capabilities.savesInParallel
        case .groupedSaves: engine.capabilities.groupsSaves
        case .savesInParts: engine.capabilities.savesInParts
        case .files: engine is any FileStore.Type
        case .history: engine is any HistoryStore.Type
        }
    }
}

/// The result of a rule that is not broken.
public enum RuleOutcome: Sendable, Hashable {
    /// The engine keeps the rule.
    case kept
    /// The engine lacks the capability that the rule needs, and keeps the rule's twin.
    case alternativeKept
    /// The engine does not have the feature that the rule is about. Nothing was tested.
    case notApplicable(String)
}

/// A line in the source code of the kit, or of an author's own rules.
public struct RuleLocation: Sendable, Hashable, CustomStringConvertible {
    /// The module and the file name, such as `CairnConformance/SavingRules.swift`.
    public let file: String
    /// The line in the file, from 1.
    public let line: Int

    /// The file and the line, such as `CairnConformance/SavingRules.swift:12`.
    public var description: String { "\(file):\(line)" }
}

/// An error that ends a rule because the engine does not have the feature that the rule is about. The
/// report counts the rule as not applicable, not as kept.
package struct RuleNotApplicable: Error, Sendable {
    /// The feature that the engine does not have.
    package let reason: String

    /// Creates an error.
    ///
    /// - Parameter reason: The feature that the engine does not have, such as “it has no option timeout”.
    package init(_ reason: String) { self.reason = reason }
}
