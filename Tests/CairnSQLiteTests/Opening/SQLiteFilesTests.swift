import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `A rollback journal beside a SQLite store` {
    private let folder: TemporaryFolder
    private let subject: SavingStore
    private var journal: String { subject.url.path + "-journal" }
    private var victim: String { folder.file("letter").path }

    init() throws {
        folder = try TemporaryFolder()
        subject = try SavingStore([EntityDescription("Item")], in: folder)
        try subject.insert(try subject.row("Item", 1))
        try subject.store.close()
        try Data("precious".utf8).write(to: folder.file("letter"))
    }

    /// Writes a journal without pages, in SQLite's format (fileformat2.html, “The Rollback Journal”).
    ///
    /// - Parameter name: the file that SQLite deletes after it has rolled the journal back.
    private func writeJournal(naming name: String) throws {
        let mark: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        func bytes(_ numbers: UInt32...) -> [UInt8] {
            numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        }
        let size = try FileManager.default.attributesOfItem(atPath: subject.url.path)[.size] as? Int
        let pageCount = UInt32((size ?? 0) / 4096)
        var content = mark + bytes(0, 0, pageCount, 512, 4096)
        content += [UInt8](repeating: 0, count: 512 - content.count)
        let text = Array(name.utf8)
        content += bytes(0x4000_0000 / 4096 + 1) + text
        content += bytes(UInt32(text.count), text.reduce(0) { $0 + UInt32($1) }) + mark
        try Data(content).write(to: URL(fileURLWithPath: journal))
    }

    @Test func `does not make SQLite delete the file that it names`() throws {
        try writeJournal(naming: victim)
        var reading = subject.store.request
        reading.isReadOnly = true

        let errors = [
            #expect(throws: StoreError.self) { try SavingStore(subject.store.request) },
            #expect(throws: StoreError.self) {
                try SQLiteStore.withExclusiveUse(of: .file(subject.url)) {}
            },
        ]
        _ = try? SQLiteStore.metadata(at: .file(subject.url))
        _ = try? SavingStore(reading)

        for error in errors {
            guard case .unsupported(_, let feature, _)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(feature.contains(journal))
        }
        #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
        #expect(unlink(journal) == 0)
        let opened = try SavingStore(subject.store.request)
        #expect(try opened.sql("SELECT Z_PK FROM ZITEM") == ["1"])
    }

    @Test func `is rolled back if it names none`() throws {
        try writeJournal(naming: "")

        let opened = try SavingStore(subject.store.request)

        #expect(try opened.sql("SELECT Z_PK FROM ZITEM") == ["1"])
        #expect(access(journal, F_OK) != 0)
    }
}
