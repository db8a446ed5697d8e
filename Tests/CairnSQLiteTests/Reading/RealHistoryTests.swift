import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// The persistent history that Core Data wrote into the stores of the corpus.
@Suite struct `History of corpus stores` {
    @Test(arguments: Corpus.wholeStorePaths)
    func `has the transactions and changes that the tables have`(_ path: String) throws {
        let folder = try TemporaryFolder()
        guard let opened = try CorpusStore(path, in: folder) else { return }
        let subject = try SavingStore(opened.request)
        defer { try? subject.store.close() }
        guard subject.store.hasHistory else {
            #expect(throws: StoreError.self) { try subject.store.newestHistoryPosition() }
            return
        }

        let found = try subject.store.history(after: nil, limit: .max)

        func number(_ query: String) throws -> Int? {
            try subject.sql(query).first?.flatMap { $0 }.flatMap(Int.init)
        }
        let changes = found.flatMap(\.changes)
        #expect(found.count == (try number("SELECT count(*) FROM ATRANSACTION")))
        #expect(changes.count == (try number("SELECT count(*) FROM ACHANGE")))
        for kind in 0...2 {
            let expected = try number(
                "SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = \(kind)")
            #expect(changes.count { $0.changeType.rawValue == kind } == expected)
        }
        // The columns of an update stand for its properties; those without any changed only Z_OPT.
        let updates = changes.filter { $0.changeType == .update }
        #expect(updates.allSatisfy { !$0.updatedProperties.contains("") })
        let texts = Set(found.flatMap { [$0.author, $0.contextName, $0.processID, $0.bundleID] })
        let stored = Set(try subject.sql("SELECT ZNAME FROM ATRANSACTIONSTRING"))
        #expect(stored.subtracting(texts) == [])
        let keys = Set(
            changes.filter { $0.changeType != .delete }.map(\.changedObjectID.key))
        let storedKeys = try subject.sql(
            "SELECT DISTINCT ZENTITYPK FROM ACHANGE WHERE ZCHANGETYPE != 2")
        #expect(keys.count == storedKeys.count)
    }

    @Test func `is found in some of them`() throws {
        guard Corpus.isThere else { return }
        var count = 0
        for path in Corpus.wholeStorePaths {
            let folder = try TemporaryFolder()
            guard let opened = try CorpusStore(path, in: folder) else { continue }
            let store = try SQLiteStore.open(opened.request)
            if store.hasHistory { count += 1 }
            try store.close()
        }
        #expect(count >= 1)
    }
}

extension SQLiteStore {
    fileprivate var hasHistory: Bool { knownHistory.withLock { $0.tables != nil } }
}
