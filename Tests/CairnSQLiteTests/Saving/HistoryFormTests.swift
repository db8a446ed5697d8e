import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// Compares the rows that Cairn writes into Core Data's history tables with those that Core Data wrote.
@Suite struct `History rows beside Core Data's` {
    /// What a column contains in the rows of a table, in the form “table kind column”.
    private typealias Fields = [String: Set<String?>]

    private static let tables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

    /// Reads the types of all columns in the rows after the given keys, and the values of those columns
    /// that Core Data never changes. The changes are told apart by their kind.
    private func fields(
        after keys: [String: String], in store: SavingStore
    ) throws -> Fields {
        var fields: Fields = [:]
        for table in Self.tables {
            let columns = try store.sql("SELECT name FROM pragma_table_info('\(table)')")
                .compactMap(\.self).filter { !$0.hasPrefix("ZTOMBSTONE") }
            for kind in table == "ACHANGE" ? ["0", "1", "2"] : [""] {
                let rows =
                    "FROM \(table) WHERE Z_PK > \(keys[table] ?? "0")"
                    + (kind.isEmpty ? "" : " AND ZCHANGETYPE = \(kind)")
                for column in columns {
                    fields["\(table) \(kind) \(column)"] = Set(
                        try store.sql("SELECT DISTINCT typeof(\(column)) \(rows)"))
                }
                fields["\(table) \(kind) Z_ENT"] = Set(
                    try store.sql("SELECT DISTINCT Z_ENT \(rows)"))
                if kind == "1" {
                    fields["\(table) \(kind) length"] = Set(
                        try store.sql(
                            "SELECT DISTINCT ZENTITY || ':' || length(ZCOLUMNS) \(rows)"))
                }
            }
        }
        return fields
    }

    /// Inserts two objects, updates one and deletes the other. Returns `false` if the store does not allow
    /// that, because it has a trigger that needs a function of the app.
    private func change(_ entity: Entity, in store: SavingStore) throws -> Bool {
        guard let keys = try? store.reserve(2, entity.name),
            (try? store.insert(
                store.row(entity.name, keys.lowerBound), store.row(entity.name, keys.upperBound - 1)
            ))
                != nil
        else { return false }
        var request = SaveRequest(
            updated: [try store.update(entity.name, keys.lowerBound, from: 1)],
            deleted: [
                RowDeletion(id: try store.id(entity.name, keys.upperBound - 1), previousVersion: 1)
            ])
        request.author = "author"
        request.contextName = "context"
        try store.save(request)
        return true
    }

    @Test func `have the same fields, for each kind of change`() throws {
        guard Corpus.isThere else { return }
        var compared: [String: Int] = [:]
        for path in Corpus.storePathsWithModel {
            let folder = try TemporaryFolder()
            guard let opened = try CorpusStore(path, in: folder),
                let store = try? SavingStore(opened.request)
            else { continue }
            defer { try? store.store.close() }
            guard store.store.knownHistory.withLock({ $0.tables != nil }) else { continue }
            let theirs = try fields(after: [:], in: store)
            var keys: [String: String] = [:]
            for table in Self.tables {
                keys[table] = try store.sql("SELECT max(Z_PK) FROM \(table)")[0]
            }
            let updated = try store.sql("SELECT ZENTITY FROM ACHANGE WHERE ZCHANGETYPE = 1")
            let entities = store.model.entities.filter { !$0.isAbstract }.map { entity in
                let number = store.store.schema.map.schema(of: entity)?.storeNumber ?? 0
                return (entity, updated.contains("\(number)"))
            }
            let entity = try (entities.filter(\.1) + entities).first { try change($0.0, in: store) }
            guard entity != nil else { continue }

            let ours = try fields(after: keys, in: store)

            for (field, found) in ours {
                let expected = theirs[field, default: []]
                // The store has no changes of this kind, or none with a value in this column.
                if expected.isEmpty || field.hasSuffix("AUTHORTS") || field.hasSuffix("NAMETS") {
                    continue
                }
                if field.hasSuffix(" length") {
                    let numbers = Set(expected.map { $0?.prefix { $0 != ":" } })
                    let known = found.filter { numbers.contains($0?.prefix { $0 != ":" }) }
                    #expect(known.isSubset(of: expected), "\(path) \(field)")
                } else {
                    #expect(found.isSubset(of: expected), "\(path) \(field)")
                }
                compared[field, default: 0] += 1
            }
        }
        #expect(compared["ACHANGE 0 ZENTITYPK"] ?? 0 >= 3)
        #expect(compared["ACHANGE 1 ZCOLUMNS"] ?? 0 >= 1)
        #expect(compared["ACHANGE 2 ZCOLUMNS"] ?? 0 >= 1)
        #expect(compared["ATRANSACTION  ZTIMESTAMP"] ?? 0 >= 3)
    }
}
