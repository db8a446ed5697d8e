import Foundation

/// A fenced block of a page of the repository.
struct PageBlock {
    /// What follows the opening fence: a language, and for a file its path.
    let title: String
    let lines: [String]

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// The folder of the repository.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the blocks of a page in their order.
    ///
    /// - Parameter path: from ``root``.
    static func all(of path: String) throws -> [PageBlock] {
        let page = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        var blocks: [PageBlock] = []
        var open: (title: String, lines: [String])?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let block = open {
                if line == "```" {
                    blocks.append(PageBlock(title: block.title, lines: block.lines))
                    open = nil
                } else {
                    open?.lines.append(String(line))
                }
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), [])
            }
        }
        return blocks
    }
}
