import CairnConformance
import Foundation
import Testing

/// docs/contract-promises.md quotes the contract's comments and names the kit's rules correctly.
@Suite struct `Promises of the contract` {
    /// The comments of the contract, read once for all tests.
    private static let contract = Result { try ContractComments() }

    private let text: String
    private let comments: ContractComments

    init() throws {
        text = try ContractPromises.text()
        comments = try Self.contract.get()
    }

    private func defects(
        of text: String, rules: Set<String> = ContractPromiseCheck.rulesOfTheKit
    ) -> [String] {
        ContractPromiseCheck(page: ContractPromises(text), comments: comments, rules: rules).defects
            .sorted()
    }

    /// Returns the page without the lines that contain the given text.
    private func page(without words: String) -> String {
        text.split(separator: "\n").filter { !$0.contains(words) }.joined(separator: "\n")
    }

    @Test func `are each proved by a rule for each error, and each rule proves a promise`() {
        let defects = defects(of: text)

        #expect(defects == [], "see how to read it, at the top of docs/contract-promises.md")
    }

    @Test func `are found at all`() {
        let page = ContractPromises(text)

        #expect(comments.members.count > 150)
        #expect(page.rows.count > 150)
        #expect(comments.protocols.isSuperset(of: ["PersistentStore", "FileStore", "RowCursor"]))
        #expect(comments.members["RowCursor.next(atMost:)"]?.errors.contains(.predicate) == true)
        #expect(page.descriptions.contains("The row layouts of ``model``."))
    }

    @Test func `are reported as missing if a rule is removed from the page`() {
        let rule = "if no key is left, reserving a key throws an error that names the entity"

        let found = defects(of: text.replacingOccurrences(of: rule, with: ""))

        #expect(found.contains("the rule “\(rule)” proves no promise on the page"))
        #expect(
            found.contains(
                "“Throws `.keysExhausted`.” of SaveTransaction.reserveKeys(_:) has no rule"))
    }

    @Test func `are not proved by a rule that does not exist`() {
        let changed = text.replacingOccurrences(
            of: "| a transaction that", with: "| no transaction that")

        let found = defects(of: changed)

        #expect(found.contains { $0.hasPrefix("there is no rule “no transaction that") })
        #expect(found.contains { $0.hasPrefix("the rule “a transaction that") })
    }

    @Test func `are reported as missing if the kit has a new rule`() {
        let rules = ContractPromiseCheck.rulesOfTheKit.union(["water runs downhill"])

        #expect(
            defects(of: text, rules: rules)
                == ["the rule “water runs downhill” proves no promise on the page"])
    }

    @Test func `are reported as missing if a member has a new error`() {
        let found = defects(of: page(without: "| `.keysExhausted` |"))

        #expect(
            found.contains(
                "SaveTransaction.reserveKeys(_:) may throw .keysExhausted, of which nothing is said"
            ))
        #expect(found.contains("the page does not name .keysExhausted"))
    }

    @Test func `are reported as missing if no rule checks an error and nothing excuses it`() {
        let found = defects(of: page(without: "| `PersistentStore.outcome(of:)` |"))

        #expect(
            found == [
                "PersistentStore.outcome(of:) may throw .commitOutcomeUnknown, of which nothing is said"
            ])
    }

    @Test func `are reported as missing if there is a new member`() throws {
        let start = try #require(text.range(of: "### `StoreSnapshot.changes(since:)`"))
        let end = try #require(text[start.upperBound...].range(of: "\n##"))

        let found = defects(
            of: text.replacingCharacters(in: start.lowerBound..<end.lowerBound, with: ""))

        #expect(found.contains("StoreSnapshot.changes(since:) has no promise on the page"))
    }

    @Test func `are reported if a sentence is missing or invented by the page`() {
        let sentence = "If a creation fails, no file is left that was not there before."
        let changed = text.replacingOccurrences(of: sentence, with: "Creation is quick.")

        let found = defects(of: changed)

        #expect(found.contains("“\(sentence)” of PersistentStore.open(_:) is not on the page"))
        #expect(found.contains("PersistentStore.open(_:) does not say “Creation is quick.”"))
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
