import CairnFiles
import CairnModel
import Foundation

/// Why a store could not do what the coordinator asked.
public enum StoreError: Error, Sendable {
    /// Nothing is at the location, and it was not to be created.
    case notFound(StoreLocation)
    /// A store was to be made in a folder that is not there. Make the folder and try again.
    case folderMissing(StoreLocation, folder: URL)
    /// A file is there and is not a store of this type. `found` says what it looks like.
    case notAStore(StoreLocation, expected: StoreType, found: String)
    /// No registered engine takes what is there for a store of its own. `found` says what it looks
    /// like, `known` lists the types that were asked.
    case unrecognized(StoreLocation, found: String, known: [StoreType])
    /// No engine of this type is registered. `known` lists those that are.
    case unknownType(StoreType, known: [StoreType])
    /// The store was written with a model this one cannot open. Names each entity that differs.
    case modelMismatch(StoreLocation, differences: [ModelDifference])
    /// The store cannot be migrated to the model without a mapping model. Names each entity and
    /// property, and says why. The store is as it was.
    case migrationRefused(StoreLocation, findings: [InferenceFinding])
    /// The store has to be migrated, contains no model, and fits none of the models that were given.
    case sourceModelMissing(StoreLocation)
    /// The store cannot be migrated to the model without a mapping model, and migrations by mapping
    /// models are not there yet. `name` is that of a mapping model that stands between the two
    /// versions; `nil` if inferring one was not allowed. The store is as it was.
    case mappingModelNeeded(StoreLocation, name: String?)
    /// The disk has too little free space for what was asked, in bytes.
    ///
    /// If `needed` is known, the space was looked for before anything was written. If it is `nil`, a write
    /// found the disk full: what was being saved was not saved, and the store is as it was.
    case spaceMissing(StoreLocation, needed: Int64?, available: Int64)
    /// The engine does not take this option, or not this value.
    case invalidOption(StoreOption, detail: String)
    /// The store has a feature that this version does not handle; `advice` says what can be done.
    case unsupported(StoreLocation, feature: String, advice: String)
    /// A save was asked of a store that was opened, or can only be opened, for reading.
    case readOnly(StoreLocation)
    /// The store was closed.
    case closed(StoreLocation)
    /// Others held the store's lock for as long as the engine's option allows to wait.
    case busy(StoreLocation, waited: Duration)
    /// Somebody has the store open in a way that excludes us: another process, or this one.
    case locked(StoreLocation, holder: String)
    /// A file of the open store was removed or renamed, so nothing was saved. `path` names the file.
    ///
    /// Thrown by saves. Reading continues with the file that was opened. If the same file gets its
    /// name back, the store can be saved again; otherwise save the objects to another store.
    case fileRemoved(StoreLocation, path: String)
    /// Another file has the name of a file of the open store, so nothing was saved. `path` names the
    /// file. The bytes of the other file are untouched.
    ///
    /// Thrown by saves, and by reads that would have to open the other file: an engine of whole
    /// files then reads nothing more, and SQLite reads with the connections that it has. Remove the
    /// store from its coordinator and add it again to use the other file.
    case fileReplaced(StoreLocation, path: String)
    /// The store's file has more than one name (hard link), so it can only be opened for reading.
    ///
    /// Locks and logs are found by the file's name: two users of two names would overwrite each
    /// other's saves. Remove the other names, or copy the store.
    case hardLinked(StoreLocation, linkCount: Int)
    /// Rows changed or went since the context read them. Lists all of them, not the first.
    case rowConflicts([RowConflict])
    /// Unique values occur twice. Lists all of them, not the first.
    case uniquenessConflicts([UniquenessConflict])
    /// Nothing was done, because an earlier save over several stores is not finished: one of them could
    /// not be written yet. It is finished by whoever next saves to one of the stores, or reads from it.
    /// Until then they take no other save. Free some disk space, or close what keeps the store locked,
    /// and try again.
    case savePending(InterruptedSave)
    /// A save over several stores was interrupted and cannot be finished, because a store or the journal
    /// is missing or damaged. Nothing was changed. Bring back what is missing; or open the store with
    /// the option `overridesSaveInDoubt`: every store that can then takes its part of the save.
    case saveInDoubt(InterruptedSave)
    /// A value that the store would not give back equal. Names the attribute.
    case unsupportedValue(entity: String, attribute: String, reason: String)
    /// No key is left for the entity.
    case keysExhausted(entity: String)
    /// Stored bytes cannot be parsed. `location` names the table, element or byte offset.
    case corrupt(StoreLocation, location: String, detail: String)
    /// A predicate cannot be evaluated on the rows; `.matchingLimit` says that a pattern takes too many
    /// steps on one value. Nothing was changed.
    case predicate(FetchPredicateError)
    /// The task was cancelled: while it fetched, if the plan is ``FetchPlan/isCancellable``, or while it
    /// waited for a lock of the store; or the ``SaveRequest/reporter`` ended the save. Nothing was changed, and the store can be used as before.
    case cancelled
    /// The ``StoreDeadline`` of the call passed. Nothing was changed, and the store can be used as
    /// before.
    case deadlineExceeded
    /// A file that holds a large value is not there.
    case externalDataMissing(ExternalReference, path: String)
    /// The operating system refused a file operation.
    case fileFailure(FileFailure)
    /// The engine's library failed.
    case engineFailure(EngineFailure)
    /// The commit may or may not have happened; ask the store before trying again.
    case commitOutcomeUnknown(EngineFailure)
}

/// A file operation that the operating system refused.
public typealias FileFailure = CairnFiles.FileFailure
