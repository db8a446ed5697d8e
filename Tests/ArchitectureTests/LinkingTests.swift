import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Products` {
    private static let libraries = ["libsqlite3", "liblmdb", "libxml2"]
    /// The modules that copy, move, replace and remove stores, and one of their types, which would reveal
    /// their code if it were linked under another module's name.
    private static let copying = ["CairnStoreCopying", "CairnGraphFiles", "StoreCopier"]

    /// Returns the URL of a program that the package builds. It is in the same directory as the test
    /// executable.
    private func program(_ name: String) throws -> URL {
        let tests = try #require(Bundle.main.executableURL)
        return tests.deletingLastPathComponent().appending(path: name)
    }

    /// Returns the names of the engines' C libraries that a program is linked with.
    private func libraries(of name: String) throws -> [String] {
        let bytes = try Data(contentsOf: try program(name), options: .mappedIfSafe)
        return Self.libraries.filter { library in
            // The dynamic section stores library names after a zero byte: `\0libsqlite3.so.0\0`.
            bytes.range(of: Data("\0\(library).".utf8)) != nil
        }
    }

    /// Returns the given names that occur in the program's module and type metadata.
    private func names(_ names: [String], in program: String) throws -> [String] {
        let bytes = try Data(contentsOf: try self.program(program), options: .mappedIfSafe)
        return names.filter { bytes.range(of: Data("\0\($0)\0".utf8)) != nil }
    }

    @Test func `contain no store copying unless a program imports it`() throws {
        #expect(try names(Self.copying, in: "MemoryOnlyProgram") == [])
        #expect(try names(Self.copying, in: "BinaryOnlyProgram") == Self.copying)
    }

    @Test func `link only what a program uses`() throws {
        #expect(try libraries(of: "MemoryOnlyProgram") == [])
        #expect(try libraries(of: "BinaryOnlyProgram") == [])
        #expect(try libraries(of: "TestWorker") == Self.libraries)
    }

    @Test func `make a working program without the umbrella`() throws {
        let process = try ChildProcess(program("MemoryOnlyProgram").path, [])

        let text = String(decoding: try process.output(), as: UTF8.self)

        #expect(try process.end() == .code(0))
        #expect(text == "notes: 1\n")
    }

    @Test func `move and destroy stores without the umbrella`() throws {
        let folder = try TemporaryFolder()
        let process = try ChildProcess(program("BinaryOnlyProgram").path, [folder.url.path])

        let text = String(decoding: try process.output(), as: UTF8.self)

        #expect(try process.end() == .code(0))
        #expect(text == "moved: [\"second\"], destroyed: []\n")
    }
}
