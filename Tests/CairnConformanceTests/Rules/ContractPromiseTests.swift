import CairnConformance
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// The rules of the kit prove every promise of the contract's comments. `CAIRN_RECORD=1` writes
/// docs/contract-promises.md again.
@Suite struct `Promises of the contract` {
    /// The comments of the contract, read once for all tests.
    private static let contract = Result { try ContractComments() }
    private static let pagePath = "docs/contract-promises.md"

    private let comments: ContractComments
    private let list: String
    private let promises: ContractPromises

    init() throws {
        comments = try Self.contract.get()
        list = try Repository.text(ContractPromises.list)
        promises = ContractPromises(
            comments: comments, rules: ConformanceRule.all, unproved: list)
    }

    /// Returns the defects that other rules, or another list of what no rule proves, would have.
    private func defects(
        rules: [ConformanceRule] = ConformanceRule.all, list: String? = nil
    ) -> [String] {
        ContractPromises(comments: comments, rules: rules, unproved: list ?? self.list).defects
            .sorted()
    }

    @Test func `are each proved by a rule for each error, and each rule proves a promise`() {
        let defects = promises.defects.sorted()

        #expect(defects == [], "see how to add a rule, in ConformanceRule.swift")
    }

    @Test func `are on the page with the rules that prove them`() throws {
        let page = promises.page
        if TestSetting.text("CAIRN_RECORD") != nil {
            try Data(page.utf8).write(to: Repository.file(Self.pagePath))
        }

        let recorded = try Repository.text(Self.pagePath)

        #expect(recorded == page, "write the page again with CAIRN_RECORD=1")
    }

    @Test func `are found at all`() {
        let rows = promises.page.split(separator: "\n").filter { $0.hasPrefix("| [`") }

        #expect(comments.members.count > 150)
        #expect(promises.rules.count > 240)
        #expect(rows.count > 200)
        #expect(comments.protocols.isSuperset(of: ["PersistentStore", "FileStore", "RowCursor"]))
        #expect(comments.members["RowCursor.next(atMost:)"]?.errors.contains(.predicate) == true)
    }

    @Test func `are reported as missing without the rule that proves them`() {
        let rule = "if no key is left, reserving a key throws an error that names the entity"

        let found = defects(rules: ConformanceRule.all.filter { $0.words != rule })

        #expect(
            found == [
                "no rule proves .keysExhausted of SaveTransaction.reserveKeys(_:)",
                "nothing names .keysExhausted",
            ])
    }

    @Test func `are reported as missing if they are new`() {
        var changed = promises
        changed.comments.members["StoreSnapshot.end()"]?.sentences.append("Returns at once.")
        changed.comments.members["StoreSnapshot.end()"]?.errors.insert(.busy)

        let found = changed.defects.sorted()

        #expect(
            found == [
                "no rule proves .busy of StoreSnapshot.end()",
                "“Returns at once.” of StoreSnapshot.end() is proved by no rule",
            ])
    }

    @Test func `are reported as missing if a rule quotes what the contract does not say`() {
        let rule = ConformanceRule(
            "creation is quick",
            proves: [
                "PersistentStore.open(_:): Creation is quick.", "PersistentStore.open(_:): .busier",
                "PersistentStore.shut(): Closes", "StoreSnapshot.end(): .keysExhausted",
                "PersistentStore.close(): S",
            ]
        ) { _ in }

        let found = defects(rules: ConformanceRule.all + [rule])

        #expect(
            found == [
                "PersistentStore.open(_:) does not say “.busier”",
                "PersistentStore.open(_:) does not say “Creation is quick.”",
                "StoreSnapshot.end() does not say “.keysExhausted”",
                "there is no PersistentStore.shut()",
            ])
    }

    @Test func `are quoted unambiguously, and each rule quotes one`() {
        let rules = [
            ConformanceRule("water runs downhill") { _ in },
            ConformanceRule("it is not changed", proves: ["PersistentStore.open(_:): A"]) { _ in },
        ]

        let found = defects(rules: ConformanceRule.all + rules)

        #expect(found.contains("the rule “water runs downhill” proves nothing"))
        #expect(found.contains { $0.contains(/“A” begins \d+ sentences of PersistentStore.open/) })
    }

    @Test func `are reported as missing if no rule checks an error and nothing excuses it`() {
        let line = "PersistentStore.outcome(of:): .commitOutcomeUnknown — "

        let missing = defects(list: list.replacing(line, with: "# "))
        let unexplained = defects(list: list.replacing(line, with: line.dropLast(3) + "\n# "))

        #expect(missing == ["no rule proves .commitOutcomeUnknown of PersistentStore.outcome(of:)"])
        #expect(
            unexplained == [".commitOutcomeUnknown of PersistentStore.outcome(of:) has no reason"])
    }

    @Test func `are reported as missing if a requirement has no rule and no reason`() {
        let found = defects(list: list.replacing("FileStore.fileDescription — ", with: "# "))

        #expect(found == ["FileStore.fileDescription is proved by no rule"])
    }

    @Test func `are not on the list of what no rule proves`() {
        let found = defects(list: list + "PersistentStore.close(): Closing a store twice\n")

        #expect(
            found == [
                "“Closing a store twice has no effect.” of PersistentStore.close() is proved and listed"
            ])
    }

    @Test func `are read from comments together with labels and errors`() throws {
        let comments = ContractComments(
            source: """
                public protocol Store {
                    /// Opens. Closes `x`.
                    ///
                    /// - Parameter x: what. It is.
                    /// - Throws: `.busy`, or
                    ///   `.closed`; `.noSuchCase`.
                    func open<R>(_ x: (Int) -> R, with y: [Int: Int], z: Int) throws -> R
                }
                private struct Hidden {
                    /// Unseen.
                    var x = 1
                }
                """)

        let member = try #require(comments.members["Store.open(_:with:z:)"])
        #expect(comments.members.count == 1)
        #expect(member.sentences == ["Opens.", "Closes `x`."])
        #expect(member.errors == [.busy, .closed])
    }
}
