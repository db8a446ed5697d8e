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

    /// A kind of object that holds a lock, and what it locks.
    enum Holder: CaseIterable {
        case fileLock, heldFile, growingFile, folderLocks

        fileprivate func lock(_ file: URL) throws -> (any Sendable)? {
            switch self {
            case .fileLock: return try FileLock(ifFree: file.path)
            case .heldFile:
                let held = try HeldFile(opening: file.path, O_RDWR | O_CREAT)
                return held.lock(isShared: false) ? held : nil
            case .growingFile:
                try Data().write(to: file)
                let growing = try GrowingFile(file, isReadOnly: false)
                return growing.lock(isShared: false) ? growing : nil
            case .folderLocks:
                let folder = file.deletingLastPathComponent().path
                return try HeldFile.locking([folder], isShared: false)
            }
        }
    }

    /// A child that was forked without `exec` has copies of the descriptors. `dup` makes the same copies.
    @Test(arguments: Holder.allCases)
    func `end with their owner, even if its descriptors were copied`(_ holder: Holder) throws {
        let file = folder.file("lock")
        var first = try holder.lock(file)
        let paths = [file.path, folder.url.path]
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .filter {
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\($0)")
                return target.map(paths.contains) ?? false
            }.compactMap(Int32.init).map { dup($0) }
        defer { for copy in copies { close(copy) } }

        let whileHeld = try holder.lock(file) != nil
        let isHeld = first != nil
        first = nil
        let afterwards = try holder.lock(file) != nil

        #expect(isHeld && !whileHeld && afterwards)
        #expect(!copies.isEmpty)
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

        let paths = PosixFile.leftovers(in: folder.url.path, prefix: "a.new-") { Int($0) != nil }

        #expect(paths == [folder.file("a.new-1").path])
    }

    @Test func `in a missing folder are an empty list`() {
        #expect(PosixFile.leftovers(in: "/no/such/folder", prefix: "") { _ in true } == [])
    }
}
