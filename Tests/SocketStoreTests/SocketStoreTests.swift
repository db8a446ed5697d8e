import CairnConformance
import SocketStoreSupport
import Testing

@Suite struct `Socket store and the kit` {
    /// Rules of other topics that require files, or self-checks, which the engine lacks.
    private static let notApplicable: Set<String> = [
        "metadata and the model can be read without opening the store",
        "metadata can be read while another process has the store open",
        "a store cannot be moved while another process has it open, nor opened during a move",
        "moving a store removes the files that the save of a killed process left",
        "a store's byte count is the size of its file and its existing companion files",
        "a store without damage finds no disagreements with its rows",
    ]

    /// Topics of features that the engine lacks: files, a history, parallel and grouped saves.
    private static let otherTopics: Set<String> = [
        "files", "copies", "history", "damage", "parallel saves", "grouped saves",
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
