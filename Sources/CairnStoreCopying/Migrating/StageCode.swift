import CairnModel
import CairnStore

/// The code and the policies of one stage of a migration, and the two stores whose objects they get.
///
/// The migration has closed both stores, and no one else can open them.
package struct StageCode: Sendable {
    /// Runs the policies and the code of a stage. They need objects, so a module with objects implements it.
    ///
    /// - Throws: `.migrationFailed` with the error of the code or of saving its objects; `.cancelled` if the
    ///   report ends the migration; the errors of the stores.
    package typealias Runner =
        @Sendable (
            StageCode, (StoreCopyProgress) -> StoreCopyDecision
        ) throws(StoreError) -> Void

    /// Whether the stage has not begun yet. There is no migrated copy then, and the old store is writable.
    package var isBefore = false
    /// The mapping model, if objects are needed to execute it, and its key offsets.
    package let mapping: (rules: ResolvedMapping, keys: KeyOffsets)?
    /// The policies of the mapping model.
    package let policies: [String: ModelHistory.Policy]
    /// The classes of new objects.
    package let classes: (any Sendable)?
    /// The code to run.
    package let code: [ModelHistory.Code]
    /// Which entities and properties of the two versions are the same.
    package let correspondence: ModelCorrespondence
    /// The engine of both stores, and the type under which the program knows it.
    package let engine: any PersistentStore.Type
    package let type: StoreType
    /// The request for opening the store with the version before the stage.
    package var old: OpenRequest
    /// The request for opening the migrated copy.
    package var new: OpenRequest
    /// The location of the store that is migrated, for errors.
    package let location: StoreLocation
}
