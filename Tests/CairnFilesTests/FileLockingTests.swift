import CairnTestSupport
import Foundation
import Testing

@testable import CairnFiles

@Suite struct `Locks on files` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> Int32 {
        try PosixFile.open(folder.file("lock").path, O_RDWR | O_CREAT)
    }

    @Test func `are shared, or exclusive, by descriptor`() throws {
        let (one, other) = (try open(), try open())
        defer {
            close(one)
            close(other)
        }

        let shared = [
            try PosixFile.lock(one, isShared: true, ""),
            try PosixFile.lock(other, isShared: true, ""),
        ]
        let refused = try PosixFile.lock(one, "")
        PosixFile.unlock(other)
        let taken = try PosixFile.lock(one, "")

        #expect(shared == [true, true])
        #expect(!refused)
        #expect(taken)
    }

    @Test func `fail with the name of the file`() {
        #expect {
            _ = try PosixFile.lock(-1, "/some/file")
        } throws: {
            let failure = $0 as? FileFailure
            return failure?.operation == "flock" && failure?.path == "/some/file"
        }
    }
}

@Suite struct `Leftovers in a folder` {
    @Test func `are found by their prefix and the rest of their name`() throws {
        let folder = try TemporaryFolder()
        for name in ["a.new-1", "a.new-x", "b.new-1", "a"] {
            try Data().write(to: folder.file(name))
        }

        let paths = Leftovers.paths(in: folder.url.path, prefix: "a.new-") { Int($0) != nil }

        #expect(paths == [folder.file("a.new-1").path])
    }

    @Test func `in a missing folder are an empty list`() {
        #expect(Leftovers.paths(in: "/no/such/folder", prefix: "") { _ in true } == [])
    }
}
