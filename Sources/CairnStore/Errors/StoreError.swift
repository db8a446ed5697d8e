import CairnFiles
import CairnModel
import CairnRows
import Foundation

/// The reason that a store could not do what the coordinator asked.
public enum StoreError: Error, Sendable {
    /// There is no store at the location, and none was to be created.
    case notFound(StoreLocation)
    /// A store was to be created in a folder that does not exist. Create the folder and try again.
    case folderMissing(StoreLocation, folder: URL)
    /// The file is not a store of this type. `found` says what it looks like.
    case notAStore(StoreLocation, expected: StoreType, found: String)
    /// No registered engine recognizes the file as one of its stores. `found` says what it looks
    /// like, and `known` lists the types that were tried.
    case unrecognized(StoreLocation, found: String, known: [StoreType])
    /// No engine of this type is registered. `known` lists the registered types.
    case unknownType(StoreType, known: [StoreType])
    /// The store was written with a model that is incompatible with the one used to open it.
    /// `differences` names each entity that differs.
    case modelMismatch(StoreLocation, differences: [ModelDifference])
    /// The store cannot be migrated to the model without a mapping model. `findings` names each
    /// entity and property that prevents it, and says why. The store is unchanged.
    case migrationRefused(StoreLocation, findings: [InferenceFinding])
    /// The store has to be migrated, but it contains no model and matches none of the models that
    /// were given.
    case sourceModelMissing(StoreLocation)
    /// The store cannot be migrated to the model without a mapping model, and Cairn cannot execute
    /// mapping models yet. `name` is the name of a mapping model between the two versions, or `nil`
    /// if inferring one was not allowed. The store is unchanged.
    case mappingModelNeeded(StoreLocation, name: String?)
    /// The disk has too little free space for the operation. Both numbers are in bytes.
    ///
    /// If `needed` is not `nil`, the space was checked before anything was written. If it is `nil`,
    /// a write found the disk full: the save did not take place, and the store is unchanged.
    case spaceMissing(StoreLocation, needed: Int64?, available: Int64)
    /// The engine does not accept this option, or not this value of it.
    case invalidOption(StoreOption, detail: String)
    /// The store has a feature that Cairn does not handle. `advice` says what can be done.
    case unsupported(StoreLocation, feature: String, advice: String)
    /// A save was requested, but the store was opened for reading or can only be opened for
    /// reading.
    case readOnly(StoreLocation)
    /// The store was closed.
    case closed(StoreLocation)
    /// Others held the store's lock for longer than the engine's option allows saves to wait.
    case busy(StoreLocation, waited: Duration)
    /// The store is in use in a way that excludes this use, by another process or by this one.
    case locked(StoreLocation, holder: String)
    /// A file of the open store was removed or renamed, so nothing was saved. `path` names the
    /// file.
    ///
    /// Thrown by saves. Reading continues with the file that was opened. If the same file gets its
    /// name back, the store can be saved again. Otherwise, save the objects to another store.
    case fileRemoved(StoreLocation, path: String)
    /// Another file has taken the name of a file of the open store, so nothing was saved. `path`
    /// names the file. The other file is not changed.
    ///
    /// Thrown by saves, and by reads that would have to open the other file: an engine that reads
    /// whole files then reads nothing more, and SQLite continues to read with the connections that
    /// it has. To use the other file, remove the store from its coordinator and add it again.
    case fileReplaced(StoreLocation, path: String)
    /// The store's file has several names (hard links), so it can only be opened for reading.
    ///
    /// Locks and logs are found by the file's name, so users of different names would overwrite
    /// each other's saves. An engine that replaces the file would leave the other names with the old
    /// content. Remove the other names, or copy the store.
    case hardLinked(StoreLocation, linkCount: Int)
    /// Rows were changed or deleted after the context read them. Lists every conflict, not only the
    /// first.
    case rowConflicts([RowConflict])
    /// References would lead to no object, or to an object that does not lead back, because others saved
    /// after the context read its objects. Lists every conflict, not only the first.
    case referenceConflicts([ReferenceConflict])
    /// Values that must be unique occur more than once. Lists every conflict, not only the first.
    case uniquenessConflicts([UniquenessConflict])
    /// Nothing was done, because an earlier save over several stores is unfinished: one of its
    /// stores could not be written yet. The next save to one of these stores, or read from one,
    /// finishes it. Until then, the stores accept no other save. Free some disk space, or close the
    /// program that keeps a store locked, and try again.
    case savePending(InterruptedSave)
    /// A save over several stores was interrupted and cannot be finished, because a store or the
    /// journal is missing or damaged. Nothing was changed. Restore what is missing. Alternatively,
    /// open the stores with the option `overridesSaveInDoubt`: every store that is able to then
    /// completes its own part of the save.
    case saveInDoubt(InterruptedSave)
    /// The name of the save (``SaveRequest/id``) is not greater than the greatest name that the store
    /// has forgotten, so that the store could not tell later whether the save took place. Nothing was
    /// saved. `greatest` is the greatest name that the store knows.
    ///
    /// Repeat the save with the name ``SaveID/init(after:)``. The coordinator does so, unless the
    /// caller gave the name.
    case saveNameTooSmall(StoreLocation, greatest: SaveID)
    /// A value that the store could not return unchanged. The names are those of its entity and
    /// attribute.
    case unsupportedValue(entity: String, attribute: String, reason: String)
    /// No key is left for objects of the entity.
    case keysExhausted(entity: String)
    /// The stored bytes cannot be parsed. `location` names the table, element or byte offset.
    case corrupt(StoreLocation, location: String, detail: String)
    /// A predicate cannot be evaluated on the rows. `.matchingLimit` means that a pattern takes too
    /// many steps on one value. Nothing was changed.
    case predicate(FetchPredicateError)
    /// The operation was cancelled. Either its task was cancelled during a fetch whose plan is
    /// ``FetchPlan/isCancellable`` or while waiting for a lock of the store, or the
    /// ``SaveRequest/reporter`` ended the save. Nothing was changed, and the store can still be
    /// used.
    case cancelled
    /// The ``StoreDeadline`` of the call passed. Nothing was changed, and the store can still be
    /// used.
    case deadlineExceeded
    /// A file that contains a large value is missing.
    case externalDataMissing(ExternalReference, path: String)
    /// The operating system refused a file operation.
    case fileFailure(FileFailure)
    /// The engine's library failed.
    case engineFailure(EngineFailure)
    /// The commit may or may not have taken place. Ask the store before trying again.
    case commitOutcomeUnknown(EngineFailure)
}

/// A file operation that the operating system refused.
public typealias FileFailure = CairnFiles.FileFailure
