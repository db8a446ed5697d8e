import CairnStore
import CairnTestSupport
import Foundation
import Synchronization
import Testing

@testable import CairnFiles

@Suite struct `Replacing a file with known contents` {
    @Test func `gives the new one its name, and leaves nothing else`() throws {
        let files = try ExchangeFixture()

        let replacement = try files.prepare().replace(files.expected)

        #expect(replacement.isDone)
        #expect(files.text == "new")
        #expect(try files.textsBeside() == [])
    }

    @Test func `works for a file with the longest possible name`() throws {
        // An exchange would need a temporary name that is too long. The temporary name of a new file is short
        // enough.
        let files = try ExchangeFixture(name: String(repeating: "n", count: 255 - 16))

        let replacement = try files.prepare().replace(files.expected)

        #expect(replacement.isDone)
        #expect(files.text == "new")
        #expect(try files.textsBeside() == [])
    }

    @Test func `leaves a file of another program where it is`() throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        try files.replace(with: "another")
        let other = try FileIdentity(at: files.file.path)

        let replacement = try pending.replace(files.expected)

        #expect(replacement.isAnotherFile)
        #expect(files.text == "another")
        #expect(try FileIdentity(at: files.file.path) == other)
        #expect(try files.textsBeside() == [])
    }

    @Test func `leaves the file unchanged if another program wrote to it`() throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        try Data("overwritten".utf8).write(to: URL(fileURLWithPath: files.file.path))

        let replacement = try pending.replace(files.expected)

        #expect(replacement.isAnotherFile)
        #expect(files.text == "overwritten")
        #expect(try files.textsBeside() == [])
    }

    @Test(arguments: [true, false])
    func `leaves a file that has another name, even since the last moment`(
        _ isLate: Bool
    ) throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        let alias = files.folder.file("alias").path
        let path = files.file.path
        @Sendable func makeLink() { #expect(link(path, alias) == 0) }
        let old = try FileIdentity(at: path)
        if !isLate { makeLink() }

        let replacement = try pending.replace(
            files.expected, swap: files.swap(before: { if isLate, $0 == 1 { makeLink() } }))

        #expect(replacement.isAnotherFile)
        #expect(try FileIdentity(at: path) == old)
        #expect(files.text == "old")
        #expect(try files.textsBeside() == ["old"])
    }

    @Test func `leaves a symbolic link of another program, even one to the file itself`() throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        let aside = files.folder.file("aside").path
        #expect(rename(files.file.path, aside) == 0)
        #expect(symlink(aside, files.file.path) == 0)

        let replacement = try pending.replace(files.expected)

        #expect(replacement.isAnotherFile)
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: files.file.path)
        #expect(target == aside)
        #expect(files.text == "old")
        #expect(try files.textsBeside() == ["old"])
    }

    @Test func `leaves a folder of another program, with its contents`() throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        #expect(unlink(files.file.path) == 0)
        #expect(mkdir(files.file.path, 0o700) == 0)
        try PosixFile.write(Data("inside".utf8), toNew: files.file.path + "/file")

        let replacement = try pending.replace(files.expected)

        #expect(replacement.isAnotherFile)
        #expect(try PosixFile.read(files.file.path + "/file") == Data("inside".utf8))
        #expect(try files.textsBeside() == [])
    }

    @Test func `creates no file if the file was removed`() throws {
        let files = try ExchangeFixture()
        var pending: PendingFile? = try files.prepare()
        #expect(unlink(files.file.path) == 0)

        let error = #expect(throws: FileFailure.self) { _ = try pending?.replace(files.expected) }
        pending = nil

        #expect(error?.code == ENOENT)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.folder.url.path) == [])
    }

    /// Another program puts a second file at the path, either after the first exchange or right before the
    /// exchange that puts the first file back. The last file stays, as if no exchange had happened.
    @Test(arguments: [true, false])
    func `leaves the later of two files of another program`(_ isLate: Bool) throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        try files.replace(with: "first")

        let replacement = try pending.replace(
            files.expected,
            swap: files.swap(
                before: { if $0 == 2, isLate { try files.replace(with: "second") } },
                after: { if $0 == 1, !isLate { try files.replace(with: "second") } }))

        #expect(replacement.isAnotherFile)
        #expect(files.text == "second")
        // Only the owner of the file can decide that it is not needed.
        #expect(try files.textsBeside() == ["first"])
        files.file.settleLeftovers()
        #expect(files.text == "second")
        #expect(try files.textsBeside() == ["first"])
    }

    @Test func `creates no file if another program removes it during the exchange`() throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        try files.replace(with: "another")

        let replacement = try pending.replace(
            files.expected, swap: files.swap(after: { _ in unlink(files.file.path) }))

        #expect(replacement.isAnotherFile)
        #expect(files.text == nil)
        #expect(try files.textsBeside() == ["another"])
    }

    @Test func `reports that its outcome is unknown if it cannot put a file back`() throws {
        let files = try ExchangeFixture()
        var pending: PendingFile? = try files.prepare()
        try files.replace(with: "another")
        let failure = FileFailure(operation: "exchange", path: "", code: EIO)

        let replacement = try pending?.replace(
            files.expected, swap: files.swap(before: { if $0 == 2 { throw failure } }))
        pending = nil

        #expect(replacement?.failure == failure)
        #expect(try files.textsBeside() == ["another"])
        files.file.settleLeftovers()
        #expect(files.text == "another")
        #expect(try files.textsBeside() == [])
    }

    @Test func `ends even if other programs keep replacing the file`() throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        try files.replace(with: "0")

        let replacement = try pending.replace(
            files.expected,
            swap: files.swap(before: { if $0 > 1 { try files.replace(with: "\($0)") } }))

        #expect(replacement.failure?.code == EBUSY)
        #expect(files.text != "new")
    }
}

@Suite struct `Replacing a file on a file system that cannot exchange names` {
    private static let swap: FileExchange.Swap = { (_, _) throws(FileFailure) in false }

    @Test func `gives the new one its name, and leaves nothing else`() throws {
        let files = try ExchangeFixture()

        let replacement = try files.prepare().replace(files.expected, swap: Self.swap)

        #expect(replacement.isDone)
        #expect(files.text == "new")
        #expect(try files.textsBeside() == [])
    }

    @Test func `leaves a file that another program put there before the last check`() throws {
        let files = try ExchangeFixture()
        var pending: PendingFile? = try files.prepare()
        try files.replace(with: "another")

        let replacement = try pending?.replace(files.expected, swap: Self.swap)
        pending = nil

        #expect(replacement?.isAnotherFile == true)
        #expect(files.text == "another")
        #expect(try files.textsBeside() == [])
    }
}

@Suite struct `Replacing a folder with known contents` {
    private let folder: TemporaryFolder
    private let file: DurableFile
    private let expected: FileStamp

    init() throws {
        folder = try TemporaryFolder()
        file = DurableFile(folder.file("store"))
        #expect(mkdir(file.path, 0o700) == 0)
        try PosixFile.write(Data("old".utf8), toNew: file.path + "/main")
        expected = try #require(try file.stamp())
    }

    private func prepare() throws -> PendingFile {
        try DurableFolder(file).prepare(["main": Array("new".utf8), "more": Array("new".utf8)])
    }

    /// Returns the contents of the files in the folder at the path, by name.
    private func texts() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: file.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, String(decoding: try PosixFile.read(file.path + "/" + $0), as: UTF8.self))
            })
    }

    @Test func `gives the new one its name, and leaves nothing else`() throws {
        let replacement = try prepare().replace(expected)

        #expect(replacement.isDone)
        #expect(try texts() == ["main": "new", "more": "new"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["store"])
    }

    @Test func `leaves a folder of another program, with its contents`() throws {
        let pending = try prepare()
        #expect(rename(file.path, folder.file("aside").path) == 0)
        #expect(mkdir(file.path, 0o700) == 0)
        try PosixFile.write(Data("mine".utf8), toNew: file.path + "/letter")

        let replacement = try pending.replace(expected)

        #expect(replacement.isAnotherFile)
        #expect(try texts() == ["letter": "mine"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.sorted() == ["aside", "store"])
    }

    @Test func `is refused on a file system that cannot exchange names`() throws {
        var pending: PendingFile? = try prepare()

        let error = #expect(throws: FileFailure.self) {
            _ = try pending?.replace(expected) { (_, _) throws(FileFailure) in false }
        }
        pending = nil

        #expect(error?.code == EINVAL)
        #expect(try texts() == ["main": "old"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["store"])
    }
}
