import CairnModel
import CairnStore
import Foundation

extension SQLiteStore: InPlaceMigratingStore {
    /// Plans the SQL for a store that was created with the old version. The cost grows with the
    /// size of the two versions.
    package static func stepsInPlace(
        _ changes: ModelCorrespondence, configuration: String?
    ) -> [String]? {
        InPlacePlan.withoutStore(changes, configuration: configuration)?.steps
    }

    /// Changes the tables with SQL, in one transaction.
    ///
    /// The cost grows with the number of rows whose values, references or entity numbers change.
    /// Adding an optional attribute without a default value takes the same time in a store of any
    /// size. Dropping a column rewrites its table. This method also returns `false` if the database
    /// has triggers, columns or tables that do not allow a change.
    ///
    /// External files that no row refers to any more are removed after the commit.
    ///
    /// - Throws: The errors of ``CairnStore/InPlaceMigratingStore/migrateInPlace(_:_:)``;
    ///   `.readOnly` if the request or the file is read-only.
    package static func migrateInPlace(
        _ request: OpenRequest, _ changes: ModelCorrespondence
    ) throws(StoreError) -> Bool {
        _ = try SQLiteOptions(request.options)
        guard !request.isReadOnly else { throw .readOnly(request.location) }
        let files = try SQLiteFiles(request.location)
        try FileSniffer(files: files).requireDatabase()
        let obsolete = try SQLiteExclusiveUse(files: files).runTransaction {
            (connection) throws(StoreError) in
            try request.location.requireNoPendingSave()
            return try InPlaceMigration.run(request, changes, on: connection)
        }
        guard let obsolete else { return false }
        files.externalData.remove(obsolete)
        return true
    }
}
