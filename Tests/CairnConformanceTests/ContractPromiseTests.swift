import CairnConformance
import Foundation
import Testing

@Suite struct `Promises of the contract` {
    private let sentences = ContractSentences.all
    private let promises: ContractPromises

    init() throws { promises = try ContractPromises() }

    @Test func `are each proved by a rule, or none`() {
        let unknown = sentences.subtracting(promises.proofs.keys)
            .subtracting(promises.descriptions)

        #expect(unknown == [], "write a rule, and name both in docs/contract-promises.md")
    }

    @Test func `stand in the documentation word for word`() {
        let stale = promises.descriptions.union(promises.proofs.keys).subtracting(sentences)

        #expect(stale == [])
    }

    @Test func `name rules that there are, at least one each`() {
        let rules = Set(ConformanceRule.all.map(\.words))
        let missing = promises.proofs.values.joined().filter { !rules.contains($0) }
        let unproved = promises.proofs.filter(\.value.isEmpty).map(\.key)

        #expect(missing == [])
        #expect(unproved == [])
    }

    @Test func `are found at all`() {
        #expect(sentences.count > 150)
        #expect(promises.proofs["Never an empty batch."] != nil)
        #expect(promises.descriptions.contains("What to open, and how."))
    }
}

/// The sentences of the documentation comments that make the contract.
enum ContractSentences {
    private static let files = [
        "Stores/PersistentStore.swift", "Stores/StoreCapabilities.swift",
        "Stores/SelfCheckingStore.swift", "Stores/ReferencingStore.swift", "Files/FileStore.swift",
        "Opening/OpenRequest.swift", "Opening/StoreOption.swift", "Files/StoreFile.swift",
        "Metadata/StoreMetadata.swift", "Metadata/MetadataValue.swift",
        "Snapshots/StoreSnapshot.swift", "Saving/SaveRequest.swift",
        "Saving/SaveTransaction.swift", "Fetching/FetchPlan.swift", "Fetching/BoundSort.swift",
        "Fetching/CompletedStages.swift", "Fetching/RowCursor.swift",
        "Snapshots/StoreGeneration.swift", "Fetching/RelatedIDs.swift",
        "Fetching/RelatedQuestion.swift", "Fetching/RelatedAnswer.swift",
        "Fetching/ReadPreferences.swift",
        "Fetching/StoreChanges.swift", "Deadlines/StoreDeadline.swift",
        "Saving/BegunSave.swift", "Saving/SaveID.swift", "Saving/CommitOutcome.swift",
    ]

    static var all: Set<String> {
        Set(
            files.flatMap { name in
                let file = repositoryFile("Sources/CairnStore/\(name)")
                let text = try? String(contentsOf: file, encoding: .utf8)
                return paragraphs(text ?? "").flatMap(sentences)
            })
    }

    /// Paragraphs of documentation; lists of errors, preconditions and parameters are none.
    private static func paragraphs(_ text: String) -> [String] {
        var paragraphs: [String] = []
        var current: [String] = []
        func end() {
            if let first = current.first, !first.hasPrefix("- ") {
                paragraphs.append(current.joined(separator: " "))
            }
            current = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard line.hasPrefix("///") else {
                end()
                continue
            }
            let words = line.dropFirst(3).trimmingCharacters(in: .whitespaces)
            if words.isEmpty || words.hasPrefix("- ") { end() }
            if !words.isEmpty { current.append(words) }
        }
        end()
        return paragraphs
    }

    /// A sentence ends with a full stop before a capital letter or code.
    private static func sentences(_ paragraph: String) -> [String] {
        var sentences: [String] = []
        var current = ""
        for word in paragraph.split(separator: " ") {
            let begins = word.first.map { $0.isUppercase || $0 == "`" } ?? false
            if current.hasSuffix("."), begins {
                sentences.append(current)
                current = ""
            }
            current += (current.isEmpty ? "" : " ") + word
        }
        return sentences + [current]
    }
}
