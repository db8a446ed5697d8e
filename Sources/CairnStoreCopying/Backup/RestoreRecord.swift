import CairnFiles
import CairnStore
import Foundation

/// The note beside each store of a restore that says which stores are being replaced, and by what.
///
/// The restore has taken place as soon as the note beside the first store has its name: whoever then finds a note
/// finishes the restore. Before that, the restore is undone. A process writes, follows and removes the notes while
/// it holds the ``MigrationLock`` of every store.
struct RestoreRecord: Codable, Sendable {
    /// A store that is replaced.
    struct Store: Codable, Sendable {
        /// The type of the engine.
        var type: String
        /// The path of the store's main file.
        var destination: String
        /// The path of the hidden folder with the store that takes its position.
        var work: String
    }

    private let id: UUID
    /// The folder of the first store when the note was written.
    private let folder: String
    private(set) var stores: [Store]

    init(_ stores: [Store]) {
        id = UUID()
        self.stores = stores
        folder = stores.first?.destination.pathParts.folder ?? ""
    }

    private static func file(beside path: String) -> StagedFile {
        let (folder, name) = path.pathParts
        return StagedFile("\(folder)/.\(TemporaryName.stem(of: name)).restoring")
    }

    /// Returns whether a restore of the store is under way, or was interrupted. Costs one system call.
    static func exists(beside url: URL) -> Bool { file(beside: url.path).exists }

    /// Checks that no restore of the store was interrupted. Call this before its files are moved, replaced or
    /// removed.
    ///
    /// - Throws: `.locked`.
    static func requireNone(beside url: URL) throws(StoreError) {
        guard exists(beside: url) else { return }
        throw .locked(
            .file(url),
            holder:
                "a restore that is under way or was interrupted. The next program that opens the store"
                + " finishes it")
    }

    // MARK: Writing

    private var files: [StagedFile] { stores.map { Self.file(beside: $0.destination) } }

    /// Writes the notes durably, the one beside the first store last. When this method returns, the restore has
    /// taken place.
    ///
    /// - Throws: `.fileFailure`. The restore does not take place then.
    func write() throws(StoreError) {
        do {
            for index in stores.indices.reversed() { try write(at: index) }
        } catch {
            // If the first note cannot be removed, others will follow it. The restore has to continue.
            if (try? files[0].remove()) == nil { return }
            try? remove()
            throw error
        }
    }

    private func write(at index: Int) throws(StoreError) {
        guard let content = try? JSONEncoder().encode(self) else { return }
        let path = stores[index].destination
        try StoreError.onFiles(try files[index].stage(Array(content), modeOf: path))
        try StoreError.onFiles(try files[index].publish())
        try StoreError.onFiles(try PosixFile.syncFolder(path.pathParts.folder))
    }

    /// Removes the notes, the one beside the first store last.
    ///
    /// - Throws: `.fileFailure`. The next program that finds a note then finds nothing left to do.
    func remove() throws(StoreError) {
        for file in files.reversed() { try StoreError.onFiles(try file.remove()) }
    }

    // MARK: Finishing

    /// Returns the note beside a store, or `nil` if there is no note.
    ///
    /// - Throws: `.corrupt`, `.fileFailure`.
    private static func read(beside path: String) throws(StoreError) -> RestoreRecord? {
        let file = file(beside: path)
        guard let bytes = try StoreError.onFiles(try file.read()) else { return nil }
        guard var record = try? JSONDecoder().decode(RestoreRecord.self, from: Data(bytes)),
            !record.stores.isEmpty
        else {
            throw .corrupt(
                .file(URL(fileURLWithPath: path)), location: file.path,
                detail:
                    "it is not the note of a restore. Restore the backup again after removing it")
        }
        record.followMove(of: path)
        return record
    }

    /// Changes the paths if the stores' folder was moved or renamed since.
    private mutating func followMove(of path: String) {
        let name = path.pathParts.name
        let isThere = stores.contains { $0.destination == path }
        guard !isThere, let old = stores.first(where: { $0.destination.pathParts.name == name })
        else { return }
        let (from, to) = (old.destination.pathParts.folder, path.pathParts.folder)
        func moved(_ path: String) -> String {
            path.hasPrefix(from + "/") ? to + path.dropFirst(from.count) : path
        }
        for index in stores.indices {
            stores[index].destination = moved(stores[index].destination)
            stores[index].work = moved(stores[index].work)
        }
    }

    /// Finishes or undoes the restore of a store that a process left unfinished. Waits while a process is
    /// restoring it. Has no effect if there is no note.
    ///
    /// - Parameter engine: returns the engine of a type, for the store at a location.
    /// - Throws: `.locked` if a program has one of the stores open; `.cancelled`, `.readOnly`, `.corrupt`,
    ///   `.unknownType`, `.fileFailure`.
    static func settle(
        beside url: URL,
        _ engine: (StoreType, StoreLocation) throws(StoreError) -> any FileStore.Type
    ) throws(StoreError) {
        while exists(beside: url), let found = try read(beside: url.path) {
            let locks = try found.lock()
            defer { withExtendedLifetime(locks) {} }
            guard let now = try read(beside: url.path) else { return }
            if now.id != found.id { continue }
            let isDecided = try read(beside: now.stores[0].destination)?.id == now.id
            if isDecided {
                for store in now.stores { try store.complete(engine) }
            }
            try now.remove()
            for store in now.stores {
                StorePlacement.removeAbandoned(at: URL(fileURLWithPath: store.destination))
            }
            return
        }
    }

    /// Takes the lock of each store. Every process takes them in the same order.
    func lock() throws(StoreError) -> [MigrationLock] {
        try stores.map(\.destination).sorted().map { path throws(StoreError) in
            try MigrationLock(waitingFor: URL(fileURLWithPath: path))
        }
    }
}

extension RestoreRecord.Store {
    /// Puts the prepared store at its destination, unless that was done before.
    fileprivate func complete(
        _ engine: (StoreType, StoreLocation) throws(StoreError) -> any FileStore.Type
    ) throws(StoreError) {
        guard URL(fileURLWithPath: work).isFolder else { return }
        let url = URL(fileURLWithPath: destination)
        let placement = try StorePlacement(
            resuming: work, at: url, engine(StoreType(type), .file(url)))
        try placement.complete()
        placement.discard()
    }
}
