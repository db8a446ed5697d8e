import CairnProcesses
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Products` {
    private static let libraries = ["libsqlite3", "liblmdb", "libxml2"]
    /// The modules that copy, move, replace and remove stores, and a type of theirs, which would show
    /// them under other modules' names.
    private static let copying = ["CairnStoreCopying", "CairnGraphFiles", "StoreCopier"]

    /// A program that the package builds: it stands beside the tests' own.
    private func program(_ name: String) throws -> URL {
        let tests = try #require(Bundle.main.executableURL)
        return tests.deletingLastPathComponent().appending(path: name)
    }

    /// The C libraries of engines that a program asks the loader for, by name.
    private func libraries(of name: String) throws -> [String] {
        let bytes = try Data(contentsOf: try program(name), options: .mappedIfSafe)
        return Self.libraries.filter { library in
            // The dynamic section names libraries with a zero in front: `\0libsqlite3.so.0\0`.
            bytes.range(of: Data("\0\(library).".utf8)) != nil
        }
    }

    /// Those names that a program's descriptions of modules and types have.
    private func names(_ names: [String], in program: String) throws -> [String] {
        let bytes = try Data(contentsOf: try self.program(program), options: .mappedIfSafe)
        return names.filter { bytes.range(of: Data("\0\($0)\0".utf8)) != nil }
    }

    @Test func `copy no stores where a program does not ask for it`() throws {
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
