import CairnStore
import CairnTestSupport
import Foundation
import Synchronization
import Testing

@testable import CairnFiles

/// A folder with a file of known content, and a prepared replacement for that content.
struct ExchangeFixture {
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

    /// Replaces the file as another program would: by writing a file elsewhere and renaming it over the path.
    func replace(with text: String) throws {
        let other = folder.file("made by another program").path
        try PosixFile.write(Data(text.utf8), toNew: other)
        #expect(rename(other, file.path) == 0)
    }

    var text: String? {
        FileManager.default.contents(atPath: file.path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the contents of the other files in the folder, including hidden files.
    func textsBeside() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        return names.filter { $0 != file.name }.sorted().map {
            String(
                decoding: FileManager.default.contents(atPath: folder.file($0).path) ?? Data(),
                as: UTF8.self)
        }
    }

    /// Leaves the folder as a process does that is killed right after the exchange of names.
    @discardableResult
    func killAfterExchange() throws -> FileExchange {
        let exchange = try killBeforeExchange()
        #expect(try PosixFile.exchange(exchange.path, file.path))
        return exchange
    }

    /// Leaves the folder as a process does that is killed right before the exchange of names.
    func killBeforeExchange() throws -> FileExchange {
        let made = folder.file("made by the killed process").path
        try PosixFile.write(Data("new".utf8), toNew: made)
        let exchange = FileExchange(of: try FileStamp(named: made), for: expected, at: file)
        #expect(rename(made, exchange.path) == 0)
        return exchange
    }

    /// Returns a function that exchanges names and calls the closures before and after each exchange.
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

/// Counts calls, starting at 1.
final class Counter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

extension PendingFile.Replacement {
    var isDone: Bool { if case .done = self { true } else { false } }
    var isAnotherFile: Bool { if case .anotherFile = self { true } else { false } }
    var failure: FileFailure? {
        if case .unknown(let failure) = self { failure } else { nil }
    }
}
