import CairnModel

/// An engine that can change a store to another version of its model without copying all of it.
///
/// Stores of engines that do not conform are migrated by copying, as are stores whose changes an
/// engine refuses.
package protocol InPlaceMigratingStore: FileStore {
    /// Returns the steps that turn a store of one version of a model into a store of another
    /// version. Returns `nil` if the store has to be copied.
    ///
    /// The steps are listed in the order in which they are taken. This method does not look at any
    /// store.
    ///
    /// - Parameters:
    ///   - changes: which entities and properties of the two versions are the same.
    ///   - configuration: the configuration whose entities the store holds. If `nil`, the store
    ///     holds all entities.
    ///   - defersCleanup: as in ``migrateInPlace(_:_:defersCleanup:reporting:)``.
    /// - Precondition: a migration between the two versions can be inferred
    ///   (``CairnModel/InferenceVerdict/isPossible``).
    static func stepsInPlace(
        _ changes: ModelCorrespondence, configuration: String?, defersCleanup: Bool
    ) -> [InPlaceStep]?

    /// Changes the store at a location to another version of its model, in one transaction.
    ///
    /// No one else can have the store open. If the process is killed at any moment, the store is
    /// either of the old version or of the new one. Objects keep their keys and versions. The store
    /// keeps its identifier and the application's metadata.
    ///
    /// Returns `false`, and leaves the store unchanged, if it has to be copied. That is the case if
    /// ``stepsInPlace(_:configuration:defersCleanup:)`` returns `nil`, or if the store's content demands it.
    ///
    /// - Parameters:
    ///   - request: how the store is opened with the new version.
    ///   - changes: which entities and properties of the two versions are the same. The old version
    ///     is the one that the store was written with.
    ///   - defersCleanup: whether work that takes long and that no object needs is left to
    ///     ``finishDeferredStep()``. If `false`, such work of earlier migrations is done as well.
    ///   - report: called after each step, on the calling thread, with the number of steps that are
    ///     done and the number of all steps, the last of which is the commit. Its result decides
    ///     whether to continue.
    /// - Throws: `.cancelled` if `report` returned `false`; `.locked` if this process or another has the store open; `.migrationRefused` if
    ///   the store's content contradicts the new version; the errors of `open`. The store is
    ///   unchanged after an error.
    static func migrateInPlace(
        _ request: OpenRequest, _ changes: ModelCorrespondence, defersCleanup: Bool,
        reporting report: (_ done: Int, _ total: Int) -> Bool
    ) throws(StoreError) -> Bool

    /// Whether a migration has left work to ``finishDeferredStep()``.
    ///
    /// - Throws: the errors of reading the store.
    func hasDeferredSteps() throws(StoreError) -> Bool

    /// Does one step of the work that migrations have left out, in one transaction. Others can use the store, but
    /// savers wait until the step is done.
    ///
    /// - Returns: `false` if there was nothing to do.
    /// - Throws: the errors of a save.
    func finishDeferredStep() throws(StoreError) -> Bool
}

/// A step of a migration in place, for people.
package struct InPlaceStep: Sendable {
    /// A short clause, such as “drop table ZNOTE”.
    package let text: String
    /// The entities of the old version whose rows the step reads or changes, without their subentities. Empty if the
    /// step takes the same time for any number of rows.
    package let entities: [Entity]

    /// Creates a step. Without entities, its time does not depend on the number of rows.
    package init(_ text: String, rowsOf entities: [Entity] = []) {
        self.text = text
        self.entities = entities
    }
}
