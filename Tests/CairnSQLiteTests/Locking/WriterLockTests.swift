import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// The lock file of a store, which stays open between saves.
@Suite(.serialized) struct `The lock of writers` {
    private let folder: TemporaryFolder
    private let subject: SavingStore
    private let files: SQLiteFiles

    init() throws {
        folder = try TemporaryFolder()
        subject = try SavingStore([EntityDescription("Item")], in: folder)
        files = try SQLiteFiles(subject.store.request.location)
    }

    private func isTaken() throws -> Bool {
        do {
            _ = try WriterLock(of: files, timeout: .zero)
            return false
        } catch .busy {
            return true
        }
    }

    @Test func `is free between saves, and held during each`() throws {
        for key in Int64(1)...3 {
            try subject.insert(try subject.row("Item", key))
            #expect(try !isTaken())
            let save = try subject.store.beginSave()
            #expect(try isTaken())
            save.rollback()
        }
    }

    @Test func `excludes another save of the same store`() throws {
        try subject.insert(try subject.row("Item", 1))
        let idle = IdleLockFile()
        var first: WriterLock? = try WriterLock(of: files, timeout: .zero, keptOpenBy: idle)
        first = nil
        first = try WriterLock(of: files, timeout: .zero, keptOpenBy: idle)

        let error = #expect(throws: StoreError.self) {
            try WriterLock(of: files, timeout: .zero, keptOpenBy: idle)
        }

        withExtendedLifetime(first) {}
        guard case .busy? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    #if os(Linux)
    @Test func `uses one descriptor, however many saves there are`() throws {
        for key in Int64(1)...3 { try subject.insert(try subject.row("Item", key)) }
        let open = try openLockFiles()
        try subject.store.close()

        #expect(open == 1)
    }

    private func openLockFiles() throws -> Int {
        let descriptors = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).count {
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: descriptors + "/" + $0)
            return target == files.lock
        }
    }
    #endif

    @Test(arguments: [false, true])
    func `uses the new file at its path after somebody removed or moved the file`(
        _ moves: Bool
    ) throws {
        try subject.insert(try subject.row("Item", 1))
        #expect((moves ? rename(files.lock, files.lock + "-old") : unlink(files.lock)) == 0)

        let save = try subject.store.beginSave()
        let isTaken = try isTaken()
        save.rollback()

        #expect(isTaken)
        #expect(try !self.isTaken())
    }
}
