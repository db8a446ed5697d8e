import CairnTestSupport
import Foundation
import Testing

@Suite struct `Quick start of the README` {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `runs`() async throws {
        let folder = try TemporaryFolder()

        let titles = try await quickStart(in: folder.url)

        #expect(titles == ["string(\"The Dispossessed\")"])
    }

    @Test func `is the code that the test runs`() throws {
        let readme = try String(
            contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let source = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appending(path: "QuickStart.swift"), encoding: .utf8)

        let begin = try #require(source.range(of: "    // README: begin\n"))
        let end = try #require(source.range(of: "    // README: end\n"))
        let tested = source[begin.upperBound..<end.lowerBound]
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : String($0) }
            .joined(separator: "\n")

        #expect(readme.contains("```swift\nimport Cairn\n\n" + tested + "```"))
    }
}
