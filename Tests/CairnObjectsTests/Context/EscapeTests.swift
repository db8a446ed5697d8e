import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

@testable import CairnObjects

/// The compiler's diagnostics for code that takes objects out of their context's turns.
@Suite(.serialized) struct `The compiler` {
    private static let allowed = """
        func run(_ handle: ContextHandle) async throws -> ObjectID {
            try await handle.perform { context in
                let song = try context.insertNewObject(forEntityName: "Song")
                try song.setValue("Blue", forKey: "title")
                return song.objectID
            }
        }
        """

    private static let refused = [
        """
        func run(_ parent: ContextHandle) throws {
            try parent.performAndWait { context in
                let song = try context.insertNewObject(forEntityName: "Song")
                try ContextHandle(parent: parent).performAndWait { child in
                    try child.delete(song)
                }
            }
        }
        """,
        """
        func run(_ handle: ContextHandle) async throws {
            let song = try await handle.perform { context in
                try context.insertNewObject(forEntityName: "Song")
            }
            _ = song
        }
        """,
        """
        func run(_ handle: ContextHandle) throws {
            var stolen: ManagedObject?
            try handle.performAndWait { context in
                stolen = try context.insertNewObject(forEntityName: "Song")
            }
            _ = stolen
        }
        """,
        """
        func run(_ handle: ContextHandle) async throws {
            try await handle.perform { context in
                let song = try context.insertNewObject(forEntityName: "Song")
                Task.detached { try song.setValue("Blue", forKey: "title") }
            }
        }
        """,
        """
        func run(_ handle: ContextHandle) async throws {
            try await handle.perform { context in
                Task.detached { try context.save() }
            }
        }
        """,
    ]

    @Test func `accepts code that stays inside a turn`() throws {
        let messages = try compile(Self.allowed)

        #expect(messages == "")
    }

    @Test(arguments: refused)
    func `refuses to let an object or its context out of a turn`(_ code: String) throws {
        let messages = try compile(code)

        #expect(messages.contains("error:"))
        #expect(messages.contains("Sendable") || messages.contains("data race"))
    }

    /// Returns the compiler's diagnostics for code that imports the graph.
    private func compile(_ code: String) throws -> String {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "cairn-escape-\(UUID().uuidString).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("import CairnObjects\nimport CairnStack\nimport CairnModel\n\(code)\n".utf8).write(
            to: file)
        let compiler = try ChildProcess(
            "swiftc",
            [
                // Compiling to SIL is necessary because the checks of sending run there.
                "-emit-sil", "-o", "/dev/null", "-swift-version", "6",
                "-I", try Repository.builtModules().path, "-I", Self.systemModule.path, file.path,
            ], errorOutput: .kept)
        _ = try compiler.output()
        return compiler.errorText
    }

    /// The system module that the graph's modules import. Builds do not copy it.
    private static let systemModule = Repository.file("Sources/CairnCLinux")
}
