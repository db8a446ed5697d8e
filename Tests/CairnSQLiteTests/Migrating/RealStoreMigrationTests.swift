import CairnModel
import CairnModelFiles
import CairnStore
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import MigrationSupport
import Testing

@testable import CairnSQLite

/// Stores written by Core Data, migrated from their version of the model to each later one.
@Suite(.enabled(if: Corpus.isThere)) struct `Real stores migrated in place` {
    /// A store and a later version of its model.
    struct Trial: Sendable, CustomTestStringConvertible {
        let path: String
        let old: ManagedObjectModel
        let new: ManagedObjectModel
        let names: String

        var testDescription: String { "\(path): \(names)" }
    }

    private static let trials: [Trial] = Corpus.wholeStorePaths.flatMap { path -> [Trial] in
        let folders = Set(Corpus.models(beside: path).map { $0.deletingLastPathComponent() })
        for folder in folders.sorted(by: { $0.path < $1.path })
        where ["xcdatamodeld", "momd"].contains(folder.pathExtension) {
            let found = (try? VersionedModel(contentsOf: folder)).map { trials(of: path, $0) } ?? []
            if !found.isEmpty { return found }
        }
        return []
    }

    private static func trials(of path: String, _ model: VersionedModel) -> [Trial] {
        guard let folder = try? TemporaryFolder(),
            let copy = try? Corpus.copy(path, into: folder.url),
            let hashes = try? SQLiteStore.metadata(at: .file(copy)).entityVersionHashes,
            let index = model.names.firstIndex(where: {
                model.versions[$0]?.entityVersionHashes == hashes
            }), let old = model.versions[model.names[index]]
        else { return [] }
        return model.names[(index + 1)...].compactMap { name in
            guard let new = model.versions[name],
                InferenceVerdict(from: old, to: new).isPossible,
                SQLiteStore.stepsInPlace(
                    ModelCorrespondence(from: old, to: new), configuration: nil,
                    defersCleanup: false) != nil
            else { return nil }
            return Trial(
                path: path, old: old, new: new, names: "\(model.names[index]) → \(name)")
        }
    }

    @Test func `are not missing from the corpus`() { #expect(Self.trials.count >= 5) }

    @Test(arguments: trials)
    func `have the objects that the rules produce, or are refused with reasons`(
        _ trial: Trial
    ) throws {
        let subject = try MigrationSubject(
            copyOf: trial.path, ModelCorrespondence(from: trial.old, to: trial.new))
        let source = try columns(of: subject.url)

        do {
            let isMigrated = try SQLiteStore.migrateInPlace(
                subject.request(trial.new), subject.changes, defersCleanup: false
            ) { _, _ in true }
            guard isMigrated else {
                // Core Data before framework version 836 made uniqueness constraints part of the table.
                let tables = try PlainSQL(subject.url).integer(
                    "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%CONSTRAINT%UNIQUE%'")
                #expect(tables > 0)
                let store = try SQLiteStore.open(subject.request(trial.old))
                let objects = try StoreImage(store)
                try store.close()
                #expect(objects == subject.before)
                return
            }
        } catch StoreError.migrationRefused(_, let findings) {
            #expect(!findings.isEmpty)
            return
        }

        try compare(try columns(of: subject.url), with: source)
        let check = CoreDataStoreCheck(sql: try PlainSQL(subject.url), model: trial.new)
        let problems = try check.problems()
        #expect(problems == [])
        let store = try SQLiteStore.open(subject.request(trial.new))
        try subject.checkObjects(in: store)
        try store.close()
    }

    // MARK: By SQL

    /// Returns the values of each column of the root entities' tables, by key, without entity numbers.
    private func columns(of file: URL) throws -> [String: [Int64: PlainSQL.Cell]] {
        let sql = try PlainSQL(file)
        var columns: [String: [Int64: PlainSQL.Cell]] = [:]
        let tables = try sql.rows(
            "SELECT m.name, i.name FROM sqlite_master AS m, pragma_table_info(m.name) AS i"
                + " WHERE m.type = 'table' AND m.name GLOB 'Z[^_]*' AND i.name NOT GLOB 'Z[0-9]*'"
                + " AND i.name NOT IN ('Z_PK', 'Z_ENT')")
        for table in tables {
            guard let name = table[0].text, let column = table[1].text else { continue }
            for row in try sql.rows("SELECT Z_PK, \"\(column)\" FROM \"\(name)\"") {
                guard let key = row[0].integer, row[1] != .null else { continue }
                columns["\(name).\(column)", default: [:]][key] = row[1]
            }
        }
        return columns
    }

    /// Checks that columns with the same name have the same values as before, except in removed rows.
    private func compare(
        _ migrated: [String: [Int64: PlainSQL.Cell]], with source: [String: [Int64: PlainSQL.Cell]]
    ) throws {
        var compared = 0
        for (column, values) in migrated {
            guard let before = source[column] else { continue }
            let different = values.filter { key, value in
                before[key].map { $0 != value } ?? false
            }
            #expect(different.isEmpty, "\(column)")
            compared += values.count
        }
        #expect(compared > 0 || source.values.allSatisfy(\.isEmpty))
    }
}
