import CairnTestSupport
import Foundation
import Testing

/// The code in docs/adding-an-engine.md is taken from the example engine, which is built and tested.
@Suite struct `Page on adding an engine` {
    @Test func `shows code from the example or the contract`() throws {
        let page = try Repository.text("docs/adding-an-engine.md")
        let sources = try Self.sources.map {
            try Self.squeezed(Repository.text($0))
        }

        let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        let missing = blocks.flatMap { $0.split(separator: "\n") }.map { Self.squeezed(String($0)) }
            .filter { line in !line.isEmpty && !sources.contains { $0.contains(line) } }

        #expect(blocks.count >= 7)
        #expect(missing == [])
    }

    @Test(arguments: [("FolderStore", 250), ("LogStore", 280)])
    func `states the length of each example`(_ name: String, _ limit: Int) throws {
        let folder = Repository.file("Examples/\(name)/Sources/\(name)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)

        let count = try names.reduce(0) { count, name in
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            return count + text.count { $0 == "\n" }
        }
        let page = try Repository.text("docs/adding-an-engine.md")

        #expect(count <= limit)
        #expect(page.contains("in \(count) lines"))
    }

    private static let sources = [
        "Examples/FolderStore/Package.swift",
        "Examples/FolderStore/Sources/FolderStore/FolderStore.swift",
        "Examples/FolderStore/Sources/folder-conform/FolderConform.swift",
        "Examples/FolderStore/Tests/FolderStoreTests/FolderStoreTests.swift",
        "Examples/FolderStoreBenchmark/Sources/folder-bench/FolderBench.swift",
        "Examples/LogStore/Package.swift",
        "Examples/LogStore/Sources/LogStore/LogSave.swift",
        "Examples/LogStore/Sources/LogStore/LogStore.swift",
        "Sources/CairnAtomicStore/Forms/AtomicCodec.swift",
        "Sources/CairnConformance/Subject/PlanFinisher.swift",
        "Sources/CairnConformance/Subject/StoreSubject+Reading.swift",
        "Tests/CairnConformanceTests/FolderStoreInUseTests.swift",
    ]

    /// Returns the text without white space, because the page may format code differently.
    private static func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
