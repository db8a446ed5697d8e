import CairnFiles
import CairnModel
import CairnRows
import CairnThreads
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
    /// Code of the program for the objects of this entity threw the error in a migration, or the
    /// objects that it changed could not be saved. The store is unchanged.
    case migrationFailed(StoreLocation, entity: String, any Error)
    /// The store has to be migrated, but it contains no model and matches none of the models that
    /// were given.
    case sourceModelMissing(StoreLocation)
    /// The store has to be migrated, there is no mapping model for all of the way to the new version,
    /// and inferring one was not allowed. The store is unchanged.
    case mappingModelNeeded(StoreLocation)
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
    ///
    /// A service's store also throws this error, from saves and new snapshots, after another store took
    /// its address, for example because another program migrated it. `path` names the address.
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
    /// The store's history cannot be read from the given position, or the store keeps none. Nothing
    /// was changed.
    case historyUnavailable(StoreLocation, HistoryGap)
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

/// A failure of the library that an engine uses.
public struct EngineFailure: Error, Sendable, Hashable {
    /// The engine whose library failed.
    public var type: StoreType
    /// The store that the library was working on.
    public var location: StoreLocation
    /// The operation that failed, in the engine's terms.
    public var operation: String
    /// The library's code.
    public var code: Int
    /// The library's own message.
    public var message: String
    /// Whether the same call may succeed a moment later without anyone's intervention, for example
    /// after a lost connection. The coordinator then repeats a save a few times within half a
    /// second. `false` for a disk that is full or failed.
    public var isTransient: Bool

    /// Creates a failure. By default, it is not transient.
    public init(
        type: StoreType, location: StoreLocation, operation: String, code: Int, message: String,
        isTransient: Bool = false
    ) {
        self.type = type
        self.location = location
        self.operation = operation
        self.code = code
        self.message = message
        self.isTransient = isTransient
    }
}

/// A save over several stores that was interrupted after its first commit and before its last.
public struct InterruptedSave: Error, Sendable, Hashable {
    /// The name of the save in its stores, or `nil` if the name could not be read.
    public var id: SaveID?
    /// The locations of the stores that take part in the save, as far as they are known.
    public var stores: [StoreLocation]
    /// The reason why the save cannot be finished.
    public var detail: String

    /// Creates a description of an interrupted save. `detail` is a clause without a full stop.
    package init(id: SaveID?, stores: [StoreLocation], detail: String) {
        self.id = id
        self.stores = stores
        self.detail = detail
    }
}

extension InterruptedSave: CustomStringConvertible {
    /// The name of the save, its stores, and the reason why it is not finished.
    public var description: String {
        let names = stores.map(\.description).joined(separator: ", ")
        return
            "The save\(id.map { " \($0)" } ?? "") over several stores (\(names)) is not finished:"
            + " \(detail)\(detail.hasSuffix(".") ? "" : ".")"
    }
}

/// A row that changed in the store after the context read it.
public struct RowConflict: Sendable {
    /// The object whose change or deletion was refused.
    public var id: ObjectID
    /// The version that the change was based on.
    public var expectedVersion: Int64
    /// The row that the store contains now, or `nil` if it was deleted.
    public var stored: Row?

    /// Creates a conflict for an engine's `prepare` to report. Pass the row that the transaction
    /// found.
    public init(id: ObjectID, expectedVersion: Int64, stored: Row?) {
        self.id = id
        self.expectedVersion = expectedVersion
        self.stored = stored
    }
}

extension RowConflict: CustomStringConvertible {
    /// The object, the version that was read, and the version that the store contains now.
    public var description: String {
        let found = stored.map { "now has version \($0.version)" } ?? "has since been deleted"
        return "\(id) was read at version \(expectedVersion) and \(found)"
    }
}

/// A group of objects with equal values that must be unique.
public struct UniquenessConflict: Sendable {
    /// The name of the entity that declares the constraint.
    public var entity: String
    /// The names of the properties whose combination of values must be unique.
    public var constraint: [String]
    /// The objects in the request that have the same values.
    public var requested: [ObjectID]
    /// The row in the store that already has the values, or `nil` if only objects of the request
    /// conflict.
    public var stored: Row?

    /// Creates a conflict for an engine's `prepare` to report. Pass the row that the transaction
    /// found.
    public init(entity: String, constraint: [String], requested: [ObjectID], stored: Row?) {
        self.entity = entity
        self.constraint = constraint
        self.requested = requested
        self.stored = stored
    }
}

extension UniquenessConflict: CustomStringConvertible {
    /// The constraint, the objects that have equal values, and the object that they conflict with.
    /// Does not contain the values.
    public var description: String {
        let objects = requested.map(\.description).joined(separator: ", ")
        let clash =
            stored.map { "the same values as the stored object \($0.id)" } ?? "the same values"
        let verb = requested.count == 1 ? "has" : "have"
        return "\(entity) (\(constraint.joined(separator: ", "))): \(objects) \(verb) \(clash)"
    }
}

/// References that a save would leave in a store although they lead to no object, or to an object that does
/// not lead back.
///
/// Reported for a relationship with an inverse. The members are the objects at the other end.
public struct ReferenceConflict: Sendable, Hashable {
    /// What is wrong with the references.
    public enum Reason: Sendable, Hashable {
        /// The save deletes the object, but the members refer to it and stay. Others saved these
        /// references after the object's relationship was read.
        case deleted
        /// The store does not contain the object that the save makes the members refer to, because others
        /// deleted it.
        case missing
        /// The relationship is one-to-one. The members refer to the object, but after the save the object
        /// refers to another object or to none.
        case oneSided
        /// The relationship must have members, and would have too few, because others took members away, too.
        /// The members are those that the save takes away.
        case tooFewMembers
    }

    /// What is wrong with the references.
    public var reason: Reason
    /// The object that the members refer to.
    public var object: ObjectID
    /// The name of the object's entity.
    public var entity: String
    /// The name of the object's relationship that the members belong to.
    public var relationship: String
    /// The objects that refer to ``object``, or referred to it before the save.
    public var members: [ObjectID]

    /// Creates a conflict for an engine's `prepare` or `commit` to report.
    public init(
        _ reason: Reason, object: ObjectID, entity: String, relationship: String,
        members: [ObjectID]
    ) {
        self.reason = reason
        self.object = object
        self.entity = entity
        self.relationship = relationship
        self.members = members
    }
}

extension ReferenceConflict: CustomStringConvertible {
    /// The object, the relationship, the first members, and what is wrong. Contains no values.
    public var description: String {
        let (limit, count) = (3, members.count)
        let named = members.prefix(limit).map(\.description).joined(separator: ", ")
        let list = count <= limit ? named : "\(named) and \(count - limit) more"
        let (refer, verb) = count == 1 ? ("refers", "is") : ("refer", "are")
        return switch reason {
        case .deleted:
            "\(entity) \(object) would be deleted while \(list) \(verb) in its relationship"
                + " “\(relationship)”"
        case .missing:
            "\(entity) \(object) has since been deleted, but \(list) would be in its relationship"
                + " “\(relationship)”"
        case .oneSided:
            "\(list) \(refer) to \(entity) \(object), whose relationship “\(relationship)” would"
                + " lead elsewhere"
        case .tooFewMembers:
            "\(entity) \(object) would have too few members in its relationship “\(relationship)”"
                + " without \(list)"
        }
    }
}

extension StoreError {
    /// Returns the value of an expression that works on files.
    ///
    /// - Throws: `.fileFailure` with the failure of the expression.
    package static func onFiles<Value>(
        _ value: @autoclosure () throws(FileFailure) -> Value
    ) throws(StoreError) -> Value {
        do {
            return try value()
        } catch {
            throw .fileFailure(error)
        }
    }
}

extension WaitOutcome {
    /// Checks that the wait ended with the store's lock taken.
    ///
    /// - Throws: `.busy` if the wait timed out, or `.deadlineExceeded` if a ``StoreDeadline`` ended
    ///   it; `.cancelled`.
    package func requireTaken(
        _ location: StoreLocation, waited timeout: Duration
    ) throws(StoreError) {
        switch self {
        case .taken: return
        case .timedOut:
            try StoreDeadline.check()
            throw .busy(location, waited: timeout)
        case .cancelled: throw .cancelled
        }
    }
}
