import CairnConformance
import CairnStore
import SocketStoreSupport
import Testing

@Suite struct `Socket store and the kit` {
    /// Rules of other topics that require files, or self-checks, which the engine lacks.
    private static let notApplicable: Set<String> = [
        "metadata and model are read without opening the store",
        "metadata is read without opening, while another process has the store open",
        "a store that another process has open is not moved, nor opened while it is moved",
        "what a killed save left is removed by a move",
        "a store takes the bytes of its file with all companion files that are there",
        "a sound store finds nothing that disagrees with its rows",
    ]

    /// Topics of features that the engine lacks: files and parallel saves.
    private static let otherTopics: Set<String> = [
        "files", "damage", "parallel saves", "references",
    ]

    @Test(arguments: ConformanceRule.all)
    func `keeps the whole contract except for features that it does not have`(
        _ rule: ConformanceRule
    ) throws {
        let outcome = try rule.run(on: SocketHarness())

        let isOfOthers = Self.otherTopics.contains(rule.topic)
        switch outcome {
        case .kept: #expect(!isOfOthers)
        case .alternativeKept: #expect(isOfOthers)
        case .notApplicable: #expect(Self.notApplicable.contains(rule.words))
        }
    }
}
