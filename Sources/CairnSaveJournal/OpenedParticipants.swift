import CairnFiles
import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The stores of an unfinished save, opened for writing with separate handles.
struct OpenedParticipants {
    let recovery: SaveRecovery
    let files: SaveFiles
    /// The row layouts of the saver's model. If `nil`, each store is opened with the model that it
    /// contains.
    let layouts: RowLayouts?

    private var stores: [any PersistentStore] = []
    /// The identifiers of the stores that could not be opened and are left out. They can get their
    /// part of the save later.
    private(set) var leftOut: Set<String> = []
    /// Why stores can never get their part of the save, by the index of the participant: their file
    /// is now another store, or has another version of the model.
    private(set) var refusals: [Int: String] = [:]

    init(_ files: SaveFiles, recovery: SaveRecovery) {
        self.recovery = recovery
        self.files = files
        layouts = files.layouts
    }

    /// Opens a participant. Returns `nil` if the doubt is overridden and the store is left out or
    /// can never get its part.
    ///
    /// - Throws: `.saveInDoubt` if the store is missing, cannot be written, or was replaced by
    ///   another store; `.savePending` if it may be possible to open it later.
    mutating func open(at index: Int) throws(StoreError) -> (any PersistentStore)? {
        let (participant, file) = files.participants[index]
        let location = file.location
        do throws(StoreError) {
            let store = try open(participant, location)
            stores.append(store)
            let identifier = try store.metadata().identifier
            guard identifier == participant.identifier else {
                let refusal =
                    "\(location) is now another store: its identifier is \(identifier), not"
                    + " \(participant.identifier)"
                refusals[index] = refusal
                throw files.doubt(refusal)
            }
            return store
        } catch {
            let reason: StoreError
            switch error {
            case .cancelled, .deadlineExceeded: throw error
            case .saveInDoubt: reason = error
            case .busy, .locked, .fileFailure, .engineFailure:
                throw .savePending(
                    files.interruption("\(location) cannot be opened: \(error.description)"))
            case .notFound, .folderMissing:
                reason = files.doubt("its store \(location) is missing")
            case .readOnly:
                reason = files.doubt("its store \(location) cannot be written")
            case .modelMismatch:
                refusals[index] =
                    "\(location) has another version of the model than the save, as a backup may have"
                reason = files.doubt(refusals[index] ?? "")
            default:
                reason = files.doubt(
                    "its store \(location) cannot be opened: \(error.description)")
            }
            guard recovery.overridesDoubt else { throw reason }
            if refusals[index] == nil { leftOut.insert(participant.identifier) }
            return nil
        }
    }

    private func open(
        _ participant: Participant, _ location: StoreLocation
    ) throws(StoreError) -> any PersistentStore {
        guard let url = location.fileURL, FileManager.default.fileExists(atPath: url.path) else {
            throw .notFound(location)
        }
        guard access(url.path, W_OK) == 0 else { throw .readOnly(location) }
        let engine = try recovery.engine(participant.type, location)
        var known = layouts
        if known == nil { known = try Self.layouts(of: engine, at: location) }
        guard let layouts = known else { throw .sourceModelMissing(location) }
        return try engine.open(
            OpenRequest(
                location: location, model: layouts.model, layouts: layouts,
                configuration: participant.configuration, createsMissing: false))
    }

    private static func layouts(
        of engine: any FileStore.Type, at location: StoreLocation
    ) throws(StoreError) -> RowLayouts? {
        guard let description = try engine.model(at: location) else { return nil }
        let hashes = try engine.metadata(at: location).entityVersionHashes
        guard let model = try? ManagedObjectModel(description, recordedHashes: hashes) else {
            return nil
        }
        return RowLayouts(model)
    }

    /// Returns whether a store has the save.
    ///
    /// - Throws: `.savePending` if the store cannot tell now.
    func outcome(
        of id: SaveID, in store: any PersistentStore
    ) throws(StoreError) -> CommitOutcome {
        do throws(StoreError) {
            return try store.outcome(of: id)
        } catch {
            switch error {
            case .cancelled, .deadlineExceeded: throw error
            default:
                throw .savePending(
                    files.interruption(
                        "\(store.request.location) does not answer: \(error.description)"))
            }
        }
    }

    /// Reads the part of a participant from the journal.
    ///
    /// - Parameters:
    ///   - outcome: whether the store contains the save. A store that has forgotten the name would
    ///     refuse it, so the part then has no name.
    ///   - layouts: the row layouts of the journal's model.
    /// - Throws: `.saveInDoubt`.
    func request(
        at index: Int, of journal: SaveFile, _ layouts: RowLayouts,
        for store: any PersistentStore, answering outcome: CommitOutcome
    ) throws(StoreError) -> SaveRequest {
        let codec = RequestCodec(layouts: layouts, store: store.number)
        guard var request = codec.decode(journal.requests[index]) else {
            let path = files.participants[index].0.path
            throw files.doubt("the part of \(path) in its journal cannot be read")
        }
        request.id = outcome == .forgotten ? nil : journal.id
        return request
    }

    /// Runs a step of a store's part of the save. If a store was changed by others in the meantime,
    /// it cannot be given its part any more. All other failures are treated as temporary.
    ///
    /// - Throws: `.saveInDoubt`, `.savePending`, `.cancelled`, `.deadlineExceeded`.
    func attempting<Result>(
        _ store: any PersistentStore, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            let location = store.request.location
            switch error {
            case .rowConflicts, .referenceConflicts, .uniquenessConflicts:
                throw files.doubt(
                    "\(location) is not in the state that the save changes: it was restored from a"
                        + " backup, or changed by a program that does not support save journals")
            case .unsupported, .unsupportedValue, .keysExhausted, .saveNameTooSmall:
                throw files.doubt("\(location) refused its part of the save: \(error.description)")
            case .cancelled, .deadlineExceeded: throw error
            default:
                throw .savePending(
                    files.interruption("\(location) cannot be written: \(error.description)"))
            }
        }
    }

    /// Closes all stores.
    mutating func close() {
        // Committed changes are durable even if closing a store fails.
        for store in stores { try? store.close() }
        stores = []
    }
}
