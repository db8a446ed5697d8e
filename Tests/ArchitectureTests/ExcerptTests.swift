import CairnTestSupport
import Foundation
import Testing

/// Pages that explain the code of an example quote it.
@Suite struct `Excerpts` {
    /// Returns the Swift code of a page, block by block, as lines without indentation, with the numbers of the
    /// blocks' first lines.
    private func blocks(of page: String) -> [(line: Int, lines: [Substring])] {
        var blocks: [(line: Int, lines: [Substring])] = []
        var isCode = false
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = line.trimmingPrefix { $0 == " " }
            if text.hasPrefix("```") {
                isCode = text == "```swift"
                if isCode { blocks.append((index + 2, [])) }
            } else if isCode, !text.isEmpty {
                blocks[blocks.count - 1].lines.append(text)
            }
        }
        return blocks
    }

    /// Returns whether the lines are in the source, in this order. Other lines may be between them.
    private func contains(_ source: String, _ lines: [Substring]) -> Bool {
        var next = lines.startIndex
        for line in source.split(separator: "\n") where next < lines.endIndex {
            if line.trimmingPrefix(while: { $0 == " " }) == lines[next] { next += 1 }
        }
        return next == lines.endIndex
    }

    @Test(arguments: ["docs/servers.md", "docs/adding-an-engine.md"])
    func `are in one file of the project, line by line`(_ page: String) throws {
        let sources = try ["Examples", "Sources", "Tests"].flatMap { try SourceFiles.all(in: $0) }
        let blocks = blocks(of: try Repository.text(page))

        #expect(blocks.count >= 4)
        for (number, lines) in blocks {
            #expect(
                sources.contains { contains($0.text, lines) }, "\(page), line \(number)")
        }
    }
}
