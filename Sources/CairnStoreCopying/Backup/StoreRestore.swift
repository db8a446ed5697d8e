import CairnFiles
import CairnStore
import Foundation

/// Replaces stores with their copies in a backup, all of them or none.
///
/// The copies are verified against the backup's manifest. Each store is prepared in a hidden folder beside its
/// destination; a ``RestoreRecord`` then lets all of them be replaced even if the process is killed.
package struct StoreRestore {
    /// A store of the backup, and what is to be replaced.
    package struct Member {
        let store: BackupManifest.Store
        let engine: any FileStore.Type
        let destination: URL
    }

    package typealias EngineOfType =
        @Sendable (StoreType, StoreLocation) throws(StoreError) ->
        any FileStore.Type

    private let folder: URL
    private let members: [Member]
    private let engine: EngineOfType

    /// Reads the backup. Nothing is changed.
    ///
    /// - Parameters:
    ///   - folder: the folder of the backup.
    ///   - destination: returns the file to replace with a store, or `nil` to leave out the store.
    ///   - engine: returns the engine of a type, for the store at a location.
    /// - Throws: `.store`: `.notFound` if the folder is not a backup; `.corrupt`, `.unsupported`, `.unknownType`,
    ///   `.fileFailure`.
    package init(
        fromFolder folder: URL,
        to destination: (BackupManifest.Store) throws(StoreError) -> URL?,
        engine: @escaping EngineOfType
    ) throws(StoreCopyError) {
        self.folder = folder.resolvedForComparison
        self.engine = engine
        do throws(StoreError) {
            var members: [Member] = []
            for store in try BackupManifest(ofFolder: self.folder).stores {
                guard let url = try destination(store)?.resolvedForComparison else { continue }
                if members.contains(where: { $0.destination == url }) {
                    throw .unsupported(
                        .file(url), feature: "two stores of the backup to be restored to it",
                        advice: "Name another location for one of them.")
                }
                members.append(
                    Member(
                        store: store, engine: try engine(StoreType(store.type), .file(url)),
                        destination: url))
            }
            self.members = members
        } catch {
            throw .store(error)
        }
    }

    /// The files that are replaced, in the order of the backup.
    package var destinations: [URL] { members.map(\.destination) }

    /// Verifies the copies and replaces the stores.
    ///
    /// - Parameter report: called with the part of the work that is done, from 0 to 1, on the calling thread. Its
    ///   result decides whether to continue. After the last call, the stores are replaced.
    /// - Throws: `.cancelled`; `.store`: `.corrupt` if a copy has other content than the backup wrote; `.locked` if a
    ///   store is open; `.notAStore`, `.savePending`, `.folderMissing`, `.hardLinked`, `.readOnly`, `.fileFailure`.
    ///   The stores are unchanged then, or, if a store could not be replaced after another one had been, the next
    ///   program that opens one of them finishes the restore.
    package func run(reporting report: (Double) -> StoreCopyDecision) throws(StoreCopyError) {
        guard !members.isEmpty else { return }
        let record: RestoreRecord
        let locks: [MigrationLock]
        var placements: [StorePlacement] = []
        do {
            for member in members {
                try RestoreRecord.settle(beside: member.destination, engine)
                try member.requireReplaceable()
            }
            locks = try RestoreRecord(members.map { $0.recorded(work: "") }).lock()
            for member in members { try RestoreRecord.requireNone(beside: member.destination) }
        } catch {
            throw StoreCopyError(error, at: .file(folder))
        }
        defer { withExtendedLifetime(locks) {} }
        do throws(StoreCopyError) {
            for member in members {
                placements.append(
                    try StorePlacement(
                        of: .file(member.destination), member.engine, replacing: member.engine))
            }
        } catch {
            for placement in placements { placement.discard() }
            throw error
        }
        record = RestoreRecord(
            zip(members, placements).map { $0.recorded(work: $1.path) })
        do {
            try prepare(placements, report)
            try whileUnused(members[...]) { () throws(StoreError) in
                try record.write()
                for placement in placements { try placement.complete(duringExclusiveUse: true) }
            }
            try record.remove()
        } catch {
            // The prepared stores are still needed if the restore has taken place.
            if !members.contains(where: { RestoreRecord.exists(beside: $0.destination) }) {
                for placement in placements { placement.discard() }
            }
            throw StoreCopyError(error, at: .file(folder))
        }
        for placement in placements { placement.discard() }
    }

    /// Copies the stores of the backup to the hidden folders, and verifies the copies.
    private func prepare(
        _ placements: [StorePlacement], _ report: (Double) -> StoreCopyDecision
    ) throws(StoreError) {
        let total = members.flatMap(\.store.files).reduce(1) { $0 + $1.byteCount }
        var done: Int64 = 0
        for (member, placement) in zip(members, placements) {
            guard let url = placement.temporary.fileURL else { continue }
            let backup = StoreFileSet(member.engine, at: folder.appending(path: member.store.name))
            let copy = StoreFileSet(member.engine, at: url)
            try requireNothingElse(backup, member.store)
            for file in member.store.files {
                try backup.copy(file, to: copy) { count throws(StoreError) in
                    done += count
                    if report(Double(done) / Double(total)) == .cancel { throw .cancelled }
                }
            }
            // The note of the restore must not survive a power failure that the prepared store does not.
            try StoreError.onFiles(try copy.synchronize())
            for path in [copy.folder, placement.path] {
                try StoreError.onFiles(try PosixFile.syncFolder(path))
            }
            let found = try member.engine.metadata(at: placement.temporary).identifier
            guard found == member.store.identifier else {
                throw .corrupt(
                    .file(backup.main), location: "its identifier",
                    detail: "it is \(found), not \(member.store.identifier)")
            }
        }
    }

    /// Checks that a store of the backup has no other files, such as the log of a program that changed the store.
    private func requireNothingElse(
        _ files: StoreFileSet, _ store: BackupManifest.Store
    ) throws(StoreError) {
        let known = Set(store.files.map(\.path))
        for root in files.data where root.isThere {
            for item in FileTree(root).items where !item.isFolder {
                let path = String(item.path.dropFirst(folder.path.count + 1))
                guard !known.contains(path), try item.byteCount() > 0 else { continue }
                throw .corrupt(
                    .file(files.main), location: "the file “\(path)”",
                    detail: "it is not part of the backup. A program has changed the copy since")
            }
        }
    }

    /// Runs a body while no one has one of the stores open.
    private func whileUnused(
        _ members: ArraySlice<Member>, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard let member = members.first else { return try body() }
        let location = StoreLocation.file(member.destination)
        guard member.destination.isThere else {
            try location.requireNoPendingSave()
            return try whileUnused(members.dropFirst(), body)
        }
        try member.engine.withExclusiveUseWithoutPendingSave(of: location) {
            () throws(StoreError) in try whileUnused(members.dropFirst(), body)
        }
    }
}

extension StoreRestore.Member {
    fileprivate func recorded(work: String) -> RestoreRecord.Store {
        RestoreRecord.Store(type: store.type, destination: destination.path, work: work)
    }

    /// - Throws: `.notAStore`, `.folderMissing`, `.unsupported`, `.fileFailure`.
    fileprivate func requireReplaceable() throws(StoreError) {
        guard destination.isThere else {
            return try StoreLocation.file(destination).requireFolder()
        }
        try ClosedStore(engine, ofType: engine.type, at: destination).requireStore()
    }
}

extension StoreFileSet {
    /// Copies a file of a store in a backup to the corresponding file of another store, and verifies the copy.
    ///
    /// - Throws: `.corrupt`, `.fileFailure`; the error of `report`.
    fileprivate func copy(
        _ file: BackupManifest.File, to other: StoreFileSet,
        reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        let source = folder + "/" + file.path
        let roots = zip([main] + data, [other.main] + other.data)
        let match = roots.first { source == $0.0.path || source.hasPrefix($0.0.path + "/") }
        guard let (root, target) = match else {
            throw changed(file, "it belongs to no part of the store")
        }
        let copy = URL(fileURLWithPath: target.path + source.dropFirst(root.path.count))
        guard URL(fileURLWithPath: source).isThere else { throw changed(file, "it is missing") }
        try StoreError.onFiles(try PosixFile.makeFolders(of: copy.path, in: other.folder))
        try StoreError.onFiles(
            try PosixFile.copy(source, toNew: copy.path, synchronizes: false))
        let found = try BackupManifest.File(of: copy, as: file.path, reporting: report)
        if found != file {
            throw changed(
                file,
                found.byteCount == file.byteCount
                    ? "its content is not what the backup wrote"
                    : "it has \(found.byteCount) bytes, not \(file.byteCount)")
        }
    }

    private func changed(_ file: BackupManifest.File, _ detail: String) -> StoreError {
        .corrupt(.file(main), location: "the file “\(file.path)”", detail: detail)
    }
}
