import CairnProcesses
import Foundation
import Testing

/// What happens if a value cannot be read and the program has set no `faultFailureHandler`.
@Suite struct `A failure that nobody handles` {
    @Test func `is a line on standard error, with the entity and the reason`() throws {
        let tests = try #require(Bundle.main.executableURL)
        let program = tests.deletingLastPathComponent().appending(path: "MemoryOnlyProgram")
        let process = try ChildProcess(program.path, ["lost-value"], errorOutput: .kept)

        let output = String(decoding: try process.output(), as: UTF8.self)
        let lines = process.errorText.split(separator: "\n")

        #expect(try process.end() == .code(0))
        #expect(output == "text: none\nis nil: true\nnotes: 1\n")
        #expect(lines.count == 2)
        #expect(
            lines.allSatisfy {
                $0.contains("error cairn:") && $0.contains("entity=Note")
                    && $0.contains("A value could not be read: The object x-coredata://")
            })
    }
}
