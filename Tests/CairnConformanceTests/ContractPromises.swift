import Foundation

/// docs/contract-promises.md: which sentence of the contract is proved by which rules.
struct ContractPromises {
    /// The sentences that promise something, with the words of their rules.
    private(set) var proofs: [String: [String]] = [:]
    /// The sentences that promise nothing.
    private(set) var descriptions: Set<String> = []

    init() throws {
        let file = repositoryFile("docs/contract-promises.md")
        var promise: String?
        var isDescribing = false
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("## ") {
                isDescribing = line == "## No promises"
                promise = nil
            } else if line.hasPrefix("  - "), let promise {
                proofs[promise, default: []].append(String(line.dropFirst(4)))
            } else if line.hasPrefix("- ") {
                let sentence = String(line.dropFirst(2))
                promise = isDescribing ? nil : sentence
                if isDescribing { descriptions.insert(sentence) } else { proofs[sentence] = [] }
            }
        }
    }
}

/// A file of the repository, found from this one.
func repositoryFile(_ path: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../\(path)")
        .standardizedFileURL
}
