import CairnTestSupport
import Foundation
import Synchronization
import Testing

@testable import CairnFiles

@Suite struct `A file that belongs to another one` {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder
    private var main: String { folder.file("main").path }
    private var path: String { folder.file("main-lock").path }

    init() throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        try Data("main".utf8).write(to: folder.file("main"))
    }

    private func code(_ body: () throws(FileFailure) -> Void) -> Int32? {
        do {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    private func lock() throws(FileFailure) -> Bool {
        try FileLock(ifFree: path, of: main) != nil
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test(arguments: ["file", "missing"])
    func `is not opened through a symbolic link`(_ name: String) throws {
        let target = outside.file(name)
        if name == "file" { try Data("mine".utf8).write(to: target) }
        #expect(symlink(target.path, path) == 0)

        let opening = code { () throws(FileFailure) in _ = try lock() }
        let reading = code { () throws(FileFailure) in
            _ = try HeldFile(companion: path, O_RDONLY)
        }
        let checking = code { () throws(FileFailure) in
            try PosixFile.requireCompanion(path, isWritten: false)
        }

        #expect([opening, reading, checking] == [ELOOP, ELOOP, ELOOP])
        #expect((try? Data(contentsOf: target)) == (name == "file" ? Data("mine".utf8) : nil))
    }

    @Test func `is opened only if it is a regular file, without waiting for a pipe`() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = code { () throws(FileFailure) in _ = try HeldFile(companion: path, O_RDONLY) }
        let checked = code { () throws(FileFailure) in
            try PosixFile.requireCompanion(path, isWritten: false)
        }
        #expect(unlink(path) == 0)
        #expect(mkdir(path, 0o700) == 0)

        let directory = code { () throws(FileFailure) in _ = try lock() }

        #expect([pipe, checked, directory] == [EINVAL, EINVAL, EISDIR])
    }

    @Test func `may be removed by another program while it is checked`() throws {
        let isDone = Mutex(false)
        DispatchQueue.global().async { [path] in
            while !isDone.withLock({ $0 }) {
                close(open(path, O_CREAT | O_RDWR, 0o600))
                unlink(path)
            }
        }
        defer { isDone.withLock { $0 = true } }

        let codes = (0..<100_000).compactMap { _ in
            code { () throws(FileFailure) in
                try PosixFile.requireCompanion(path, isWritten: true)
            }
        }

        #expect(codes == [])
    }

    @Test func `is neither written nor given other permissions if it has another name`() throws {
        let other = outside.file("other")
        try Data("mine".utf8).write(to: other)
        #expect(chmod(other.path, 0o600) == 0)
        #expect(chmod(main, 0o644) == 0)
        #expect(link(other.path, path) == 0)

        let writing = code { () throws(FileFailure) in
            try PosixFile.requireCompanion(path, isWritten: true)
        }
        let reading = code { () throws(FileFailure) in
            try PosixFile.requireCompanion(path, isWritten: false)
        }
        _ = try lock()

        #expect(writing == EMLINK)
        #expect(reading == nil)
        #expect(mode(other.path) == 0o600)
    }

    @Test func `takes the permissions of the other file, now and when they change`() throws {
        let held = umask(0o077)
        defer { umask(held) }
        #expect(chmod(main, 0o664) == 0)

        _ = try lock()
        let first = mode(path)
        #expect(chmod(main, 0o640) == 0)
        _ = try lock()

        #expect(first == 0o664)
        #expect(mode(path) == 0o640)
    }

    @Test func `may be in folders, which are not reached through links either`() throws {
        #expect(chmod(main, 0o640) == 0)
        let support = folder.file(".main_SUPPORT").path
        let inner = support + "/in"
        for path in [support, inner, inner] {
            try PosixFile.makeCompanionFolder(path, of: main)
        }
        try PosixFile.write(Data("value".utf8), toNewCompanion: inner + "/value", of: main)
        let modes = [support, inner, inner + "/value"].map(mode)
        let value = try HeldFile(companion: inner + "/value", of: main, O_RDONLY).readData()

        var codes: [Int32?] = []
        for moved in [inner, support] {
            let aside = outside.file((moved as NSString).lastPathComponent).path
            #expect(rename(moved, aside) == 0)
            #expect(symlink(aside, moved) == 0)
            codes.append(
                code { () throws(FileFailure) in
                    _ = try HeldFile(companion: inner + "/value", of: main, O_RDONLY)
                })
            codes.append(
                code { () throws(FileFailure) in
                    try PosixFile.write(Data(), toNewCompanion: inner + "/new", of: main)
                })
            PosixFile.removeCompanion(inner + "/value", of: main)
            #expect(unlink(moved) == 0)
            #expect(rename(aside, moved) == 0)
        }

        #expect(modes == [0o750, 0o750, 0o640])
        #expect(value == Data("value".utf8))
        #expect(codes == [ELOOP, ELOOP, ELOOP, ELOOP])
        #expect(try FileManager.default.contentsOfDirectory(atPath: inner) == ["value"])
    }

    @Test func `is staged and read without following a link, which it replaces`() throws {
        let target = outside.file("target")
        try Data("mine".utf8).write(to: target)
        let staged = StagedFile(folder.file("main-pending").path)
        for path in [staged.path, staged.path + StagedFile.suffix] {
            #expect(symlink(target.path, path) == 0)
        }

        let reading = code { () throws(FileFailure) in _ = try staged.read() }
        try staged.stage(Array("journal".utf8), modeOf: main)
        try staged.publish()

        #expect(reading == ELOOP)
        #expect(try staged.read() == Array("journal".utf8))
        #expect(try Data(contentsOf: target) == Data("mine".utf8))
    }

    @Test func `is opened through a link that this process has created for that purpose`() throws {
        let target = outside.file("target")
        try Data("value".utf8).write(to: target)
        #expect(symlink(target.path, path) == 0)
        PosixFile.followLinks(inFolder: folder.url.path)

        let value = try HeldFile(companion: path, O_RDONLY).readData()

        #expect(value == Data("value".utf8))
    }

    @Test func `in a folder is listed, but not through a link`() throws {
        let names = ["a", "b", ".c"]
        for name in names { try Data().write(to: outside.file(name)) }
        try FileManager.default.createSymbolicLink(
            at: folder.file("main-link"), withDestinationURL: outside.url)
        let held = try HeldFile(
            companion: outside.url.path, of: outside.url.path, O_RDONLY | O_DIRECTORY)

        let listed = [try held.names(), try held.names()]
        let linked = code { () throws(FileFailure) in
            _ = try HeldFile(
                companion: folder.file("main-link").path, of: main, O_RDONLY | O_DIRECTORY)
        }

        #expect(listed.map { $0.sorted() } == [names.sorted(), names.sorted()])
        #expect(linked == ELOOP)
    }
}
