import CairnEngineKit
import CairnModel
import CairnStore
import Foundation

/// Copies a store of any engine to a new store of any engine that keeps files, or that copies stores of its service.
///
/// The copy contains one state of the source: every object with its key and version, every
/// relationship with its order, the model, and the application's values in the metadata. It has a
/// new identifier. Attributes that the destination derives are computed again, and `now()` becomes
/// the time of the copy. The history of the saves is only copied if ``copiesHistory`` is set.
///
/// The copy is created completely or not at all: it is written to a hidden folder next to the
/// destination, and put in place when it is complete and durable. A crash can leave that folder,
/// but never part of a store. PostgreSQL has a schema instead of the folder.
///
/// The copier holds a few megabytes of rows at a time, and the members of 256 owners of a to-many
/// relationship. The engines need additional memory: an atomic engine holds the whole store, and a
/// second time while it is saved.
public struct StoreCopier: Sendable {
    /// The engine of the copy. Its stores must be files, or belong to a service.
    public var engine: any PersistentStore.Type
    /// The options that ``engine`` opens the copy with.
    public var options: StoreOptions
    /// The engine of a store that the copy may replace. If `nil`, an existing store is not
    /// replaced, and copying throws an error. A store of a service is never replaced.
    ///
    /// The store to be replaced must not be open. If one of the two stores is a folder, the old
    /// store is moved to the hidden folder when the copy is put in place, and moved back if that
    /// fails. A crash in between leaves the old store in the hidden folder.
    public var replacedEngine: (any FileStore.Type)?
    /// Whether a value whose file is missing becomes `nil` in the copy. If `false`, a missing file
    /// ends the copy with an error. The default is `false`.
    public var allowsMissingExternalData = false
    /// Whether the copy leaves out values that the source's model does not explain, such as a column
    /// of a SQLite store that another program added. If `false`, such values end the copy with
    /// `.unsupported`, which names them. The default is `false`.
    public var allowsUnexplainedValues = false

    /// Whether the copy has the source's history: its transactions with their numbers, times and texts. The
    /// copy then continues the history. If the source keeps no history, the copy ends with
    /// `.historyUnavailable`. Copies in stores whose history is in memory (XML, Binary) have the newest
    /// transactions, with 100,000 changes or more. The default is `false`.
    ///
    /// A history cannot be copied together with a conversion to another ``model``.
    public var copiesHistory = false

    /// The version of the model for the copy. If `nil`, the copy has the source's model.
    ///
    /// The conversion of each entity and property is inferred from the two versions.
    public var model: ManagedObjectModel?

    /// Creates a copier to new stores of an engine. By default, it uses no options and replaces no
    /// store.
    public init(
        to engine: any PersistentStore.Type, options: StoreOptions = [:],
        replacing replacedEngine: (any FileStore.Type)? = nil
    ) {
        self.engine = engine
        self.options = options
        self.replacedEngine = replacedEngine
    }

    /// Copies the newest state of the source. Later saves to the source are not copied.
    ///
    /// - Parameters:
    ///   - source: the open store to copy.
    ///   - location: the file to create, whose folder must exist, or the address of a service.
    ///   - report: called after each batch, on the calling thread. Its result decides whether to
    ///     continue.
    /// - Returns: how much was copied.
    /// - Throws: `.cancelled`, `.destinationExists`; `.wouldNotLast`, `.storesAreNotFiles`, `.ontoItself`;
    ///   `.store`: `.unsupportedValue` for a value that the engine cannot store,
    ///   `.externalDataMissing` for a value whose file is missing unless ``allowsMissingExternalData``
    ///   is set, `.unsupported` for values that the model does not explain unless
    ///   ``allowsUnexplainedValues`` is set, `.migrationRefused`, and the errors of `open`, reads and saves of both engines. The
    ///   destination is then unchanged.
    package func makeCopy(
        of source: any PersistentStore, at location: StoreLocation,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> StoreCopyProgress {
        if copiesHistory, model != nil {
            throw .store(
                .unsupported(
                    location, feature: "a copy of a history with another version of the model",
                    advice: "Copy the store with its history, and migrate the copy."))
        }
        if let model {
            let verdict = InferenceVerdict(from: source.request.model, to: model)
            guard verdict.isPossible else {
                throw .store(
                    .migrationRefused(source.request.location, findings: verdict.refusals))
            }
        }
        let location = location.resolvedForComparison
        guard source.request.location.resolvedForComparison != location else {
            throw .ontoItself(location)
        }
        if let engine = engine as? any ServiceStore.Type {
            return try makeCopy(of: source, at: location, engine, report)
        }
        let engine = try fileEngine()
        let placement = try StorePlacement(of: location, engine, replacing: replacedEngine)
        defer { placement.discard() }
        let result: StoreCopyProgress
        do {
            result = try fill(placement.temporary, from: source, report)
        } catch {
            throw StoreCopyError(error, at: location)
        }
        try placement.putInPlace()
        return result
    }

    private func fileEngine() throws(StoreCopyError) -> any FileStore.Type {
        if let engine = engine as? any FileStore.Type { return engine }
        let isDurable = engine.capabilities.isDurable
        throw isDurable ? .storesAreNotFiles(engine.type) : .wouldNotLast(engine.type)
    }

    /// Makes the copy at a temporary location of a service.
    private func makeCopy(
        of source: any PersistentStore, at location: StoreLocation,
        _ engine: any ServiceStore.Type, _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> StoreCopyProgress {
        do {
            if try !engine.isOccupied(location) {
                let placement = try engine.placement(at: location, replacing: false)
                defer { placement.discard() }
                let made = try placement.makeLocation()
                let progress = try fill(made, from: source, report)
                if try placement.finish(with: made) { return progress }
            }
        } catch {
            throw StoreCopyError(error, at: location)
        }
        throw .destinationExists(location)
    }

    /// Creates and fills the copy at its temporary location, and closes it.
    private func fill(
        _ temporary: StoreLocation, from source: any PersistentStore,
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreError) -> StoreCopyProgress {
        var request = source.request
        if let model {
            request = OpenRequest(
                location: temporary, model: model, configuration: request.configuration(in: model))
        }
        request.location = temporary
        request.isReadOnly = false
        request.createsMissing = true
        request.options = options
        // Filling the copy is no part of its history.
        if copiesHistory { request.options[.tracksHistory] = nil }
        let (progress, newest) = try withStore(engine, request) { copy throws(StoreError) in
            var (filling, newest) = try filling(of: copy, from: source)
            return (try filling.run(report), newest)
        }
        guard copiesHistory else { return progress }
        request.createsMissing = false
        request.options[.tracksHistory] = true
        try withStore(engine, request) { copy throws(StoreError) in
            try copyHistory(of: source, upTo: newest, to: copy) { () throws(StoreError) in
                if report(progress) == .cancel { throw .cancelled }
            }
        }
        return progress
    }

    /// Opens a store, calls a closure with it, and closes it. If both fail, the first error is thrown.
    private func withStore<Result>(
        _ engine: any PersistentStore.Type, _ request: OpenRequest,
        _ body: (any PersistentStore) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let store = try engine.open(request)
        let result: Result
        do {
            result = try body(store)
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
        return result
    }

    /// Takes a state of the source, and the position of the newest transaction in that state if the history
    /// is copied.
    ///
    /// - Throws: `.busy` if other programs save so often that no state and its position can be read.
    private func filling(
        of copy: any PersistentStore, from source: any PersistentStore
    ) throws(StoreError) -> (StoreFilling, HistoryPosition?) {
        let history = copiesHistory ? source as? any HistoryStore : nil
        if copiesHistory, history == nil {
            throw .historyUnavailable(source.request.location, .notTracked)
        }
        for _ in 0..<1_000 {
            let newest = try history?.newestHistoryPosition()
            let filling = try StoreFilling(
                of: copy, from: source, allowsMissingExternalData: allowsMissingExternalData,
                allowsUnexplainedValues: allowsUnexplainedValues)
            if try history?.newestHistoryPosition() == newest { return (filling, newest) }
            filling.discard()
        }
        throw .busy(source.request.location, waited: .zero)
    }

    /// Copies the transactions up to a position.
    private func copyHistory(
        of source: any PersistentStore, upTo newest: HistoryPosition?,
        to copy: any PersistentStore, _ proceed: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let source = source as? any HistoryStore, let copy = copy as? any HistoryStore else {
            throw .historyUnavailable(copy.request.location, .notTracked)
        }
        // A store that writes its whole file with each save gets all that it can keep at once.
        var list = HistoryList()
        let isGathered = type(of: copy).capabilities.rewritesWholeFile
        var position: HistoryPosition?
        while let newest, position != newest {
            try proceed()
            let page = try source.history(after: position, limit: 100)
                .filter { $0.position.number <= newest.number }
            guard let last = page.last else { break }
            position = last.position
            let moved = page.map { $0.moved(to: copy.number) }
            if isGathered {
                for transaction in moved { list.append(transaction) }
            } else {
                try copy.addHistory(moved)
            }
        }
        if isGathered { try copy.addHistory(list.transactions) }
    }
}

extension PersistentHistoryTransaction {
    /// Returns the transaction with the IDs of another store's objects.
    fileprivate func moved(to store: StoreNumber) -> Self {
        var moved = self
        for index in moved.changes.indices {
            let id = moved.changes[index].changedObjectID
            moved.changes[index].changedObjectID = ObjectID(
                store: store, rootEntity: id.rootEntity, entity: id.entity, key: id.key)
        }
        return moved
    }
}

extension StoreCopier {
    /// Copies the newest state of the source to the location of the request, and opens the copy.
    /// The engine of the copy need not keep files.
    ///
    /// - Parameters:
    ///   - source: the open store to copy.
    ///   - request: the request with which the copy is opened. Its options are the copier's
    ///     options.
    ///   - report: called after each batch, on the calling thread. Its result decides whether to
    ///     continue.
    /// - Throws: the errors of ``makeCopy(of:at:reporting:)``. Nothing is left at the location
    ///   then.
    package func openCopy(
        of source: any PersistentStore, as request: OpenRequest,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> any PersistentStore {
        let isPlaced =
            request.location.fileURL != nil && engine is any FileStore.Type
            || engine is any ServiceStore.Type
        if !isPlaced, request.location.service != nil {
            // A failed copy would leave part of a store there.
            throw .store(
                .unsupported(
                    request.location,
                    feature: "a service as its location, to which a store cannot be copied",
                    advice: "Add the service's store, and save the objects to it."))
        }
        if isPlaced { _ = try makeCopy(of: source, at: request.location, reporting: report) }
        let copy: any PersistentStore
        do {
            copy = try engine.open(request)
        } catch {
            if isPlaced { removeCopy(at: request.location) }
            throw .store(error)
        }
        if isPlaced { return copy }
        do {
            var filling = try StoreFilling(
                of: copy, from: source, allowsMissingExternalData: allowsMissingExternalData,
                allowsUnexplainedValues: allowsUnexplainedValues)
            _ = try filling.run(report)
        } catch {
            try? copy.close()
            throw StoreCopyError(error, at: request.location)
        }
        return copy
    }

    /// Removes a copy that has just been created and is closed.
    package func removeCopy(at location: StoreLocation) {
        if let engine = engine as? any ServiceStore.Type {
            try? engine.remove(location)
            return
        }
        guard let url = location.fileURL, let engine = engine as? any FileStore.Type else { return }
        try? StoreFileSet(engine, at: url).remove()
    }
}

/// The reason why a store could not be copied, moved or replaced.
///
/// Programs receive it as a `GraphError`, which has cases with the same meaning.
package enum StoreCopyError: Error {
    /// A store, its engine or the operating system caused the failure.
    case store(StoreError)
    /// Something exists at the location at which a store was to be created. Nothing was changed.
    case destinationExists(StoreLocation)
    /// The caller cancelled the copy to this location. Nothing was left.
    case cancelled(StoreLocation)
    /// Stores of the copy's engine do not outlive the process.
    case wouldNotLast(StoreType)
    /// Stores of the copy's engine are neither files nor copied to its service.
    case storesAreNotFiles(StoreType)
    /// The source and the destination are the same store.
    case ontoItself(StoreLocation)

    /// Creates the error of a copy or a migration during which a store threw `error`.
    ///
    /// - Parameter location: the location of the copy, or of the store that was being migrated.
    init(_ error: StoreError, at location: StoreLocation) {
        self = if case .cancelled = error { .cancelled(location) } else { .store(error) }
    }
}

/// The result of a progress handler: whether the copy should continue.
public enum StoreCopyDecision: Sendable, Hashable {
    /// The copy continues.
    case proceed
    /// The copy ends with `.copyCancelled`, and nothing of it is left.
    case cancel
}

/// The progress of a copy of a store.
public struct StoreCopyProgress: Sendable, Hashable {
    /// The number of objects copied so far.
    public var objectCount = 0
    /// The number of objects in the source. Never less than `objectCount`.
    public var totalObjectCount: Int
    /// The number of pairs of objects and of positions in ordered relationships copied so far. They are
    /// copied after the objects. Their total number is not known in advance.
    public var pairCount = 0
    /// The values that are `nil` in the copy because the files with their bytes are missing. Empty
    /// unless ``StoreCopier/allowsMissingExternalData`` is set.
    public var missingValues: [MissingExternalValue] = []

    /// Creates the progress of a copy that has not begun.
    package init(totalObjectCount: Int) { self.totalObjectCount = totalObjectCount }

    /// Creates the progress of a migration in place, or of code, which is counted in steps.
    package init(steps: Int, of total: Int) { (objectCount, totalObjectCount) = (steps, total) }
}

/// Facts about the rows that a copy has written so far.
struct CopyNotes {
    /// The values that are `nil` in the copy because the files with their bytes are missing.
    var missingValues: [MissingExternalValue] = []
    /// The names of the files of external values that the copy shares with the source.
    var externalNames: Set<String> = []
    /// The sums of the objects and pairs that were written, or `nil` if they are not needed.
    var sums: ContentSums?
    /// The relationships whose pairs or positions were saved to the copy, each once.
    var writtenRelationships: [Relationship] = []
}

/// A value whose bytes a store keeps in a file that is missing.
public struct MissingExternalValue: Sendable, Hashable {
    /// The name of the object's entity.
    public var entity: String
    /// The object's key.
    public var key: Int64
    /// The name of the attribute that has the value.
    public var attribute: String
    /// The path at which the file should be.
    public var path: String

    /// Creates a description of a missing value.
    package init(entity: String, key: Int64, attribute: String, path: String) {
        self.entity = entity
        self.key = key
        self.attribute = attribute
        self.path = path
    }
}

extension ServiceStore {
    /// Returns whether a store, or anything else, is at the location.
    ///
    /// - Throws: the errors of ``metadata(at:)``.
    fileprivate static func isOccupied(_ location: StoreLocation) throws(StoreError) -> Bool {
        do {
            _ = try metadata(at: location)
            return true
        } catch .notFound {
            return false
        } catch .notAStore {
            return true
        } catch {
            throw error
        }
    }

    /// Removes a store that no program has to have open.
    ///
    /// - Throws: `.notFound`, `.notAStore`; `.locked` while others read it; `.engineFailure`, `.commitOutcomeUnknown`.
    package static func remove(_ location: StoreLocation) throws(StoreError) {
        let placement = try placement(at: location, replacing: true)
        defer { placement.discard() }
        guard try placement.finish(with: nil) else { throw .notFound(location) }
    }
}
