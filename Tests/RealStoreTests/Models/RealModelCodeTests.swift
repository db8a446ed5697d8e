import Cairn
import CairnModelCode
import CairnTestSupport
import Foundation
import Testing

@Suite(.enabled(if: Corpus.isThere))
struct `Classes that are written from the models of the corpus` {
    /// Puts each model in a separate enum, so that a single compilation is enough.
    @Test func `compile`() throws {
        let folder = try TemporaryFolder()
        var sources: [URL] = []
        var seen: Set<String> = []
        for (number, url) in (Corpus.models + Corpus.elements).enumerated() {
            let model = try ManagedObjectModel(contentsOf: url)
            let text = ModelCode(model, name: "Real").wholeText(handWritten: [])
            guard seen.insert(text).inserted else { continue }
            let body = text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("import ") && !$0.hasPrefix("//") }
                .joined(separator: "\n")
            let source = folder.url.appending(path: "Model\(number).swift")
            try Data("import Cairn\nimport Foundation\nenum Model\(number) {\n\(body)\n}\n".utf8)
                .write(to: source)
            sources.append(source)
        }

        let messages = try SwiftCompiler.check(sources)

        #expect(messages == "", "\(messages.prefix(4_000))")
        #expect(sources.count > 50)
    }
}
