import Cairn
import CairnStore
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import Testing

/// The histories of real stores are read, and copied to every engine.
@Suite(.enabled(if: Corpus.isThere)) struct `Histories of real stores` {
    /// Opens a store to read it. Returns `nil` if it keeps no history.
    private func open(_ store: RealStore, _ model: ManagedObjectModel) throws -> (any HistoryStore)?
    {
        let engine = try StoreRegistry.builtIn.engine(ofType: store.type)
        let opened = try engine.open(
            OpenRequest(
                location: .file(store.url), model: model, isReadOnly: true, createsMissing: false))
        guard let history = opened as? any HistoryStore else { return nil }
        do {
            _ = try history.newestHistoryPosition()
            return history
        } catch .historyUnavailable {
            try opened.close()
            return nil
        }
    }

    /// Returns the transactions without what a copy changes: the marks, and the identity of the store.
    private func transactions(_ store: any HistoryStore) throws -> [PersistentHistoryTransaction] {
        try store.history(after: nil, limit: .max).map { transaction in
            var transaction = transaction
            (transaction.position.mark, transaction.storeID) = (0, "")
            for index in transaction.changes.indices {
                let id = transaction.changes[index].changedObjectID
                transaction.changes[index].changedObjectID = ObjectID(
                    store: StoreNumber(rawValue: 1), rootEntity: id.rootEntity, entity: id.entity,
                    key: id.key)
            }
            return transaction
        }
    }

    @Test(arguments: Corpus.storePaths)
    func `are copied to every engine, in order and with all strings`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let source = try RealStore(path, in: folder)
        guard let model = try source.model(), let store = try open(source, model) else { return }
        defer { try? store.close() }
        let wanted = try transactions(store)
        let sql = try PlainSQL(source.url)
        func count(_ table: String) throws -> Int64? {
            try sql.rows("SELECT count(*) FROM \(table)").first?.first?.integer
        }
        let changeCount = wanted.reduce(0) { $0 + $1.changes.count }
        print("\(path): \(wanted.count) transactions, \(changeCount) changes")
        #expect(try Int64(wanted.count) == count("ATRANSACTION"))
        #expect(try Int64(changeCount) == count("ACHANGE"))
        let disagreements = try source.problems().filter { $0.hasPrefix("the history: ") }

        for type in ["SQLite", "LMDB", "XML", "Binary"] as [StoreType] {
            let copy = RealStore(folder.file("copy of \(type)"), type)
            var copier = Cairn.StoreCopier(to: try StoreRegistry.builtIn.engine(ofType: type))
            (copier.copiesHistory, copier.allowsMissingExternalData) = (true, true)
            copier.allowsUnexplainedValues = true
            try copier.copy(store, to: copy.url)

            let copied = try #require(try open(copy, model))
            defer { try? copied.close() }
            #expect(try transactions(copied) == wanted, "\(type)")
            #expect(try copy.problems().filter { $0.hasPrefix("the history: ") } == disagreements)
        }
    }
}
