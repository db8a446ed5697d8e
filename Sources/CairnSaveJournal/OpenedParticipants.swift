import CairnFiles
import CairnModel
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
    /// The identifiers of the stores that could not be opened and are left out.
    private(set) var leftOut: Set<String> = []

    init(recovery: SaveRecovery, files: SaveFiles, layouts: RowLayouts?) {
        self.recovery = recovery
        self.files = files
        self.layouts = layouts
    }

    /// Opens a participant. Returns `nil` if the store is left out.
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
                throw files.doubt(
                    "\(location) is now another store: its identifier is \(identifier), not"
                        + " \(participant.identifier)")
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
            default:
                reason = files.doubt(
                    "its store \(location) cannot be opened: \(error.description)")
            }
            guard recovery.overridesDoubt else { throw reason }
            leftOut.insert(participant.identifier)
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

    /// Closes all stores.
    mutating func close() {
        // Committed changes are durable even if closing a store fails.
        for store in stores { try? store.close() }
        stores = []
    }
}
