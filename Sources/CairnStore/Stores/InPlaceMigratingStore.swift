import CairnModel

/// An engine that can change a store to another version of its model without copying all of it.
///
/// Stores of engines that do not conform are migrated by copying, as are stores whose changes an
/// engine refuses.
package protocol InPlaceMigratingStore: FileStore {
    /// Returns the steps that turn a store of one version of a model into a store of another
    /// version. Returns `nil` if the store has to be copied.
    ///
    /// The steps are meant to be read by people. Each step is a short clause, and they are listed
    /// in the order in which they are taken. This method does not look at any store.
    ///
    /// - Parameters:
    ///   - changes: which entities and properties of the two versions are the same.
    ///   - configuration: the configuration whose entities the store holds. If `nil`, the store
    ///     holds all entities.
    /// - Precondition: a migration between the two versions can be inferred
    ///   (``CairnModel/InferenceVerdict/isPossible``).
    static func stepsInPlace(
        _ changes: ModelCorrespondence, configuration: String?
    ) -> [String]?

    /// Changes the store at a location to another version of its model, in one transaction.
    ///
    /// No one else can have the store open. If the process is killed at any moment, the store is
    /// either of the old version or of the new one. Objects keep their keys and versions. The store
    /// keeps its identifier and the application's metadata.
    ///
    /// Returns `false`, and leaves the store unchanged, if it has to be copied. That is the case if
    /// ``stepsInPlace(_:configuration:)`` returns `nil`, or if the store's content demands it.
    ///
    /// - Parameters:
    ///   - request: how the store is opened with the new version.
    ///   - changes: which entities and properties of the two versions are the same. The old version
    ///     is the one that the store was written with.
    ///   - report: called after each step, on the calling thread, with the number of steps that are
    ///     done and the number of all steps, the last of which is the commit. Its result decides
    ///     whether to continue.
    /// - Throws: `.cancelled` if `report` returned `false`; `.locked` if this process or another has the store open; `.migrationRefused` if
    ///   the store's content contradicts the new version; the errors of `open`. The store is
    ///   unchanged after an error.
    static func migrateInPlace(
        _ request: OpenRequest, _ changes: ModelCorrespondence,
        reporting report: (_ done: Int, _ total: Int) -> Bool
    ) throws(StoreError) -> Bool
}
