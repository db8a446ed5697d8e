import CairnStore
import Foundation

/// A folder beside a destination in which a store is made, to be put in place when it is complete.
///
/// The store has its final name in there, so its companion files have theirs.
struct StorePlacement {
    /// Where to make the store.
    let temporary: StoreLocation
    private let destination: URL
    private let engine: any PersistentStore.Type
    private let replacedEngine: (any PersistentStore.Type)?
    private let folder: URL
    private let asideFolder: URL

    /// Makes the folder.
    ///
    /// - Parameters:
    ///   - location: the destination, a file.
    ///   - replacedEngine: of the store that is there; nil: nothing may be there.
    /// - Throws: `.destinationExists`; `.store`: `.unsupported`, `.fileFailure`.
    init(
        of location: StoreLocation, _ engine: any PersistentStore.Type,
        replacing replacedEngine: (any PersistentStore.Type)?
    ) throws(GraphError) {
        guard let destination = location.fileURL else {
            throw .store(
                .unsupported(location, feature: "no file", advice: "Name a file to copy to."))
        }
        self.destination = destination
        self.engine = engine
        self.replacedEngine = replacedEngine
        let name = destination.lastPathComponent
        folder = destination.deletingLastPathComponent()
            .appending(path: ".\(name).copy-\(UUID().uuidString)", directoryHint: .isDirectory)
        asideFolder = folder.appending(path: "replaced", directoryHint: .isDirectory)
        temporary = .file(
            folder.appending(path: "new", directoryHint: .isDirectory).appending(path: name))
        try checkIsFree()
        try makeFolders()
    }

    private func makeFolders() throws(GraphError) {
        for path in [folder, folder.appending(path: "new"), asideFolder] {
            guard mkdir(path.path, 0o777) == 0 else {
                let code = errno
                discard()
                throw .store(
                    .fileFailure(FileFailure(operation: "mkdir", path: path.path, code: code)))
            }
        }
    }

    /// - Throws: `.destinationExists` where a file stands in the way and is not to be replaced.
    private func checkIsFree() throws(GraphError) {
        guard replacedEngine == nil else { return }
        for file in dataFiles(of: destination, engine) where file.isThere {
            throw .destinationExists(.file(file))
        }
    }

    /// Moves the store from the folder to the destination, the main file last, and makes that
    /// durable. The store must be closed.
    ///
    /// - Throws: `.destinationExists`; `.store`, a `.fileFailure`; all is as it was then.
    func putInPlace() throws(GraphError) {
        try checkIsFree()
        guard let made = temporary.fileURL else { return }
        let new = zip(dataFiles(of: made, engine), dataFiles(of: destination, engine))
            .filter { $0.0.isThere }
        var moves = FileMoves()
        do throws(FileFailure) {
            for (file, _) in new { try FileMoves.sync(file) }
            if let replacedEngine {
                // Without its main file a store is none, whatever still stands beside.
                for file in dataFiles(of: destination, replacedEngine) where file.isThere {
                    try moves.move(file, to: asideFolder.appending(path: file.lastPathComponent))
                }
            }
            for (file, place) in new.reversed() { try moves.move(file, to: place) }
            try FileMoves.sync(destination.deletingLastPathComponent())
        } catch {
            moves.undo()
            throw .store(.fileFailure(error))
        }
    }

    /// Removes the folder and what is left in it.
    func discard() {
        // A folder that cannot be removed is hidden, and does not hurt.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The files that hold a store's data, the main one first.
    private func dataFiles(of url: URL, _ engine: any PersistentStore.Type) -> [URL] {
        [url] + engine.companionFiles(of: .file(url)).filter { $0.role == .data }.map(\.url)
    }
}

extension URL {
    /// Whether a file, a folder or a link is there.
    fileprivate var isThere: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
