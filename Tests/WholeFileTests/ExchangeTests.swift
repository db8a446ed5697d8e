import CairnStore
import CairnTestSupport
import Foundation
import Synchronization
import Testing

@testable import CairnFiles

/// A folder with a file of a known content, and a new content that is to replace it.
private struct ExchangeFixture {
    let folder: TemporaryFolder
    let file: DurableFile
    let expected: FileStamp

    init(name: String = "store") throws {
        folder = try TemporaryFolder()
        file = DurableFile(folder.file(name))
        try file.write(Array("old".utf8))
        expected = try #require(try file.stamp())
    }

    func prepare() throws -> PendingFile { try file.prepare(Array("new".utf8)) }

    /// Does what another program does: writes a file elsewhere and renames it over the path.
    func replace(with text: String) throws {
        let other = folder.file("made by another program").path
        try PosixFile.write(Data(text.utf8), toNew: other)
        #expect(rename(other, file.path) == 0)
    }

    var text: String? {
        FileManager.default.contents(atPath: file.path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The texts of the files beside the store's, hidden ones too.
    func textsBeside() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        return names.filter { $0 != file.name }.sorted().map {
            String(
                decoding: FileManager.default.contents(atPath: folder.file($0).path) ?? Data(),
                as: UTF8.self)
        }
    }

    /// The folder as a process leaves it that was killed after the exchange of names.
    @discardableResult
    func killAfterExchange() throws -> FileExchange {
        let exchange = try killBeforeExchange()
        #expect(try PosixFile.exchange(exchange.path, file.path))
        return exchange
    }

    /// The folder as a process leaves it that was killed right before the exchange of names.
    func killBeforeExchange() throws -> FileExchange {
        let made = folder.file("made by the killed process").path
        try PosixFile.write(Data("new".utf8), toNew: made)
        let exchange = FileExchange(of: try FileStamp(named: made), for: expected, at: file)
        #expect(rename(made, exchange.path) == 0)
        return exchange
    }

    /// Exchanges names, and does something else before each exchange and after it.
    func swap(
        before: @escaping @Sendable (Int) throws -> Void = { _ in },
        after: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) -> FileExchange.Swap {
        let calls = Counter()
        return { (path, other) throws(FileFailure) in
            let number = calls.next()
            try Self.rethrowing { try before(number) }
            let isDone = try PosixFile.exchange(path, other)
            try Self.rethrowing { try after(number) }
            return isDone
        }
    }

    private static func rethrowing(_ body: () throws -> Void) throws(FileFailure) {
        do {
            try body()
        } catch {
            throw error as? FileFailure
                ?? FileFailure(operation: "test", path: "\(error)", code: EIO)
        }
    }
}

/// Counts from 1.
private final class Counter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

extension PendingFile.Replacement {
    fileprivate var isDone: Bool { if case .done = self { true } else { false } }
    fileprivate var isAnotherFile: Bool { if case .anotherFile = self { true } else { false } }
    fileprivate var failure: FileFailure? {
        if case .unknown(let failure) = self { failure } else { nil }
    }
}

@Suite struct `Replacing a known content` {
    @Test func `puts the new one in its place, and leaves nothing beside it`() throws {
        let files = try ExchangeFixture()

        let replacement = try files.prepare().replace(files.expected)

        #expect(replacement.isDone)
        #expect(files.text == "new")
        #expect(try files.textsBeside() == [])
    }

    @Test func `does so for a file with the longest name that there is`() throws {
        // The temporary name of an exchange would be too long; that of a new file is not.
        let files = try ExchangeFixture(name: String(repeating: "n", count: 255 - 16))

        let replacement = try files.prepare().replace(files.expected)

        #expect(replacement.isDone)
        #expect(files.text == "new")
        #expect(try files.textsBeside() == [])
    }

    @Test func `leaves a file of another program in its place`() throws {
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

    @Test func `leaves the file as it is if another program wrote into it`() throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        try Data("overwritten".utf8).write(to: URL(fileURLWithPath: files.file.path))

        let replacement = try pending.replace(files.expected)

        #expect(replacement.isAnotherFile)
        #expect(files.text == "overwritten")
        #expect(try files.textsBeside() == [])
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

    @Test func `leaves a folder of another program, with what is in it`() throws {
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

    @Test func `makes no file where the file was removed`() throws {
        let files = try ExchangeFixture()
        var pending: PendingFile? = try files.prepare()
        #expect(unlink(files.file.path) == 0)

        let error = #expect(throws: FileFailure.self) { _ = try pending?.replace(files.expected) }
        pending = nil

        #expect(error?.code == ENOENT)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.folder.url.path) == [])
    }

    /// A second file at the path: after the first exchange, or right before the one that puts the
    /// first file back. The last one stays, as if nothing had been exchanged.
    @Test(arguments: [true, false])
    func `leaves the last of two files of another program`(_ isLate: Bool) throws {
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
        // Nobody but its owner may say that it is not needed.
        #expect(try files.textsBeside() == ["first"])
        files.file.settleLeftovers()
        #expect(files.text == "second")
        #expect(try files.textsBeside() == ["first"])
    }

    @Test func `makes no file where another program removes it during the exchange`() throws {
        let files = try ExchangeFixture()
        let pending = try files.prepare()
        try files.replace(with: "another")

        let replacement = try pending.replace(
            files.expected, swap: files.swap(after: { _ in unlink(files.file.path) }))

        #expect(replacement.isAnotherFile)
        #expect(files.text == nil)
        #expect(try files.textsBeside() == ["another"])
    }

    @Test func `says that its outcome is unknown if it cannot put a file back`() throws {
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

    @Test func `ends if other programs replace the file without end`() throws {
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

@Suite struct `Replacing a known content on a file system that cannot exchange names` {
    private static let swap: FileExchange.Swap = { (_, _) throws(FileFailure) in false }

    @Test func `puts the new one in its place, and leaves nothing beside it`() throws {
        let files = try ExchangeFixture()

        let replacement = try files.prepare().replace(files.expected, swap: Self.swap)

        #expect(replacement.isDone)
        #expect(files.text == "new")
        #expect(try files.textsBeside() == [])
    }

    @Test func `leaves a file that another program put there before the last look`() throws {
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

@Suite struct `Replacing a folder of a known content` {
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

    /// The files in the folder at the path, by their names.
    private func texts() throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: file.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, String(decoding: try PosixFile.read(file.path + "/" + $0), as: UTF8.self))
            })
    }

    @Test func `puts the new one in its place, and leaves nothing beside it`() throws {
        let replacement = try prepare().replace(expected)

        #expect(replacement.isDone)
        #expect(try texts() == ["main": "new", "more": "new"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["store"])
    }

    @Test func `leaves a folder of another program, with what is in it`() throws {
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

@Suite struct `What a process leaves that is killed while it replaces a file` {
    @Test func `is removed if no names were exchanged`() throws {
        let files = try ExchangeFixture()
        _ = try files.killBeforeExchange()

        files.file.settleLeftovers()

        #expect(files.text == "old")
        #expect(try files.textsBeside() == [])
    }

    @Test func `is the old file, which is removed`() throws {
        let files = try ExchangeFixture()
        try files.killAfterExchange()

        files.file.settleLeftovers()

        #expect(files.text == "new")
        #expect(try files.textsBeside() == [])
    }

    @Test func `is a file of another program, which is put back`() throws {
        let files = try ExchangeFixture()
        try files.replace(with: "another")
        try files.killAfterExchange()

        files.file.settleLeftovers()

        #expect(files.text == "another")
        #expect(try files.textsBeside() == [])
    }

    @Test func `is a file of another program, which stays if something newer is at the path`()
        throws
    {
        let files = try ExchangeFixture()
        try files.replace(with: "another")
        try files.killAfterExchange()
        try files.replace(with: "newer")

        files.file.settleLeftovers()

        #expect(files.text == "newer")
        #expect(try files.textsBeside() == ["another"])
    }

    @Test func `is not what has a similar name`() throws {
        let files = try ExchangeFixture()
        let fingerprint = files.expected.fingerprint
        for name in [
            ".store.replacing-", ".store.replacing-\(fingerprint)",
            ".store.replacing-\(fingerprint)-\(fingerprint)-\(fingerprint)",
            ".other.replacing-\(fingerprint)-\(fingerprint)", ".store.saving-12345678",
        ] {
            try PosixFile.write(Data("mine".utf8), toNew: files.folder.file(name).path)
        }

        let hasLeftovers = files.file.hasLeftovers
        files.file.settleLeftovers()

        #expect(!hasLeftovers)
        #expect(try files.textsBeside() == Array(repeating: "mine", count: 5))
    }
}

@Suite struct `A whole-file store after a process was killed while it replaced the file` {
    /// Another store's file was taken out by a save that then was killed.
    private struct Killed {
        let counters: CounterStore
        let store: any PersistentStore
        let other: Data

        init(_ type: String) throws {
            counters = try CounterStore(type)
            store = try counters.open()
            try counters.insert(store, counters.row(store, 1, value: 7))
            let file = DurableFile(counters.file)
            let expected = try #require(try file.stamp())
            let new = counters.folder.file("new").path
            try FileManager.default.copyItem(atPath: file.path, toPath: new)
            let another = try CounterStore(type)
            try another.open().close()
            other = try Data(contentsOf: another.file)
            try PosixFile.write(other, toNew: counters.folder.file("other").path)
            #expect(rename(counters.folder.file("other").path, file.path) == 0)
            let exchange = FileExchange(of: try FileStamp(named: new), for: expected, at: file)
            #expect(rename(new, exchange.path) == 0)
            #expect(try PosixFile.exchange(exchange.path, file.path))
            // The lock of the killed process.
            try PosixFile.write(Data(), toNew: file.path + "-lock")
        }
    }

    @Test(arguments: CounterStore.typeNames)
    func `puts the other file back when it is opened`(_ type: String) throws {
        let killed = try Killed(type)

        let opened = try killed.counters.open()

        #expect(try Data(contentsOf: killed.counters.file) == killed.other)
        #expect(try killed.counters.rows(opened).isEmpty)
        #expect(try killed.counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `puts the other file back when a process saves that has it open`(_ type: String) throws {
        let killed = try Killed(type)

        let error = #expect(throws: StoreError.self) {
            try killed.counters.insert(killed.store, killed.counters.row(killed.store, 2, value: 8))
        }

        guard case .fileReplaced? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: killed.counters.file) == killed.other)
        #expect(try killed.counters.files() == ["counters"])
    }

    @Test(arguments: CounterStore.typeNames)
    func `puts the other file back when it is to be used alone`(_ type: String) throws {
        let killed = try Killed(type)
        try killed.store.close()

        try killed.counters.engine.withExclusiveUse(of: .file(killed.counters.file)) {
            () throws(StoreError) in
            // It is the other file that nobody else may open meanwhile.
            #expect((try? DurableFile(killed.counters.file).hold())?.lock(isShared: true) == false)
        }

        #expect(try Data(contentsOf: killed.counters.file) == killed.other)
        #expect(try killed.counters.files() == ["counters"])
    }
}
