import CairnModel

/// An engine that can change a store to another version of its model without copying all of it.
///
/// Engines that do not conform, and changes that an engine refuses, are migrated by copying.
public protocol InPlaceMigratingStore: FileStore {
    /// Returns the steps by which a store of one version of a model becomes one of another version.
    ///
    /// The steps are for people: each is a short clause, in the order in which they are taken. Returns
    /// `nil` if the store has to be copied. Does not look at any store.
    ///
    /// - Parameters:
    ///   - changes: which entities and properties of the two versions are the same.
    ///   - configuration: the entities that the store holds. `nil` means all.
    /// - Precondition: a migration between the two versions can be inferred
    ///   (``CairnModel/InferenceVerdict/isPossible``).
    static func stepsInPlace(
        _ changes: ModelCorrespondence, configuration: String?
    ) -> [String]?

    /// Changes the store at a location to another version of its model, in one transaction.
    ///
    /// Nobody else can have the store open. The process may be killed at any moment: the store is then
    /// of the one version or of the other. Objects keep their keys and versions, and the store its
    /// identifier and the application's metadata.
    ///
    /// Returns `false`, and leaves the store as it was, if it has to be copied: because
    /// ``stepsInPlace(_:configuration:)`` returns `nil`, or because of what the store contains.
    ///
    /// - Parameters:
    ///   - request: how the store is opened with the new version.
    ///   - changes: which entities and properties of the two versions are the same. The old version
    ///     is the one that the store was written with.
    /// - Throws: `.locked` if this process or another has the store open; `.migrationRefused` if the
    ///   store's content contradicts the new version; what `open` throws. The store is as it was.
    static func migrateInPlace(
        _ request: OpenRequest, _ changes: ModelCorrespondence
    ) throws(StoreError) -> Bool
}
