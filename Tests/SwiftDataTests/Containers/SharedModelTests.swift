import CairnTestSupport
import Foundation
import Testing
import TodoModels
import TodoPrograms

/// The folder of models and the commands of Examples/SharedModel.
@Suite struct `The example with a shared model` {
    @Test(arguments: ["SQLite", "LMDB", "XML", "Binary"])
    func `carries out its commands on an engine`(_ engine: String) async throws {
        let folder = try TemporaryFolder()
        let flags = ["--engine", engine, "--store", folder.file("todo").path]
        let first = try ProgramOptions(flags).todoStore()
        #expect(try await first.answer(["add", "Home", "Buy milk"]) == ["added"])
        #expect(try await first.answer(["add", "Home", "Fix roof", "high", "attic"]) == ["added"])
        #expect(try await first.answer(["add", "Work", "Write", "low"]) == ["added"])

        let second = try ProgramOptions(flags).todoStore()

        let open = try await second.answer(["open"])
        #expect(
            open == [
                "Home: Fix roof (high) at attic", "Home: Buy milk (normal)", "Work: Write (low)",
            ])
        #expect(try await second.answer(["done", "Buy milk"]) == ["finished: 1"])
        #expect(try await second.answer(["drop", "Work"]) == ["deleted"])
        #expect(try await second.answer(["open"]) == ["Home: Fix roof (high) at attic"])
        await #expect(throws: ProgramFailure.self) { try await second.answer(["dance"]) }
        withExtendedLifetime(folder) {}
    }
}
