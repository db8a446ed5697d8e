import CairnTestSupport
import Foundation
import Testing

/// Each Swift file in `Fixtures/Mistakes` contains a mistake that programs often make. A text file next to it
/// contains the compiler's messages. `CAIRN_RECORD=1` writes the text files again.
@Suite struct `Mistakes in typed classes` {
    private static let folder = Repository.file("Fixtures/Mistakes")

    private static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".swift") }.map { String($0.dropLast(6)) }.sorted()
    }()

    /// Whether this compiler has the version with which the text files were recorded.
    private static let isRecordedCompiler: Bool = {
        #if compiler(>=6.3) && !compiler(>=6.4)
        return true
        #else
        return false
        #endif
    }()

    @Test(.enabled(if: isRecordedCompiler), arguments: names)
    func `are explained by the compiler`(_ name: String) throws {
        let source = Self.folder.appending(path: "\(name).swift")
        let golden = Self.folder.appending(path: "\(name).txt")

        let messages = CompilerMessages(try SwiftCompiler.check([source], macros: true)).description

        if TestSetting.text("CAIRN_RECORD") != nil { try Data(messages.utf8).write(to: golden) }
        #expect(messages == (try? String(contentsOf: golden, encoding: .utf8)))
        #expect(!messages.isEmpty)
    }

    @Test func `are as many as their recorded messages`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)

        #expect(Self.names.count >= 20)
        #expect(
            files.filter { $0.hasSuffix(".txt") }.sorted() == Self.names.map { "\($0).txt" })
    }
}
