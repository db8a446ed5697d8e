import CairnTestSupport
import Foundation

/// A fenced code block of a page in the repository.
struct PageBlock {
    /// The text after the opening fence: a language, followed by a path if the block is a file.
    let title: String
    let lines: [String]

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// Returns the blocks of a page, in order.
    ///
    /// - Parameter path: The path of the page, relative to the top folder of the repository.
    static func all(of path: String) throws -> [PageBlock] {
        let page = try Repository.text(path)
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
