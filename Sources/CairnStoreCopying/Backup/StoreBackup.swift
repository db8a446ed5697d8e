import CairnFiles
import CairnModel
import CairnStore
import Foundation

/// Writes the states that several stores have at one moment to a new folder.
///
/// The folder gets its name when it is complete and durable. A crash leaves at most a hidden folder, which the
/// next backup to the same folder removes.
package struct StoreBackup {
    /// A store, and the engine to whose stores its rows are copied if its own engine cannot copy it.
    package typealias Source = (store: any PersistentStore, rows: any FileStore.Type)

    /// A store's copy in the folder.
    private struct Member {
        let source: any PersistentStore
        let engine: any FileStore.Type
        let url: URL
        var content: Content

        var location: StoreLocation { .file(url) }
    }

    /// What a copy is made from: `nil` before the states are taken.
    private enum Content {
        case files((any StateToCopy)?)
        case rows(StoreFilling?, into: any PersistentStore)
    }

    private let destination: URL
    private let work: WorkFolder
    private var members: [Member] = []
    private var moment = Date.distantPast

    /// The parts of the work, as shares of its duration: copying the stores, and reading the copies.
    private static let copyingShare = 0.8

    /// Creates the folder under a temporary name, and prepares the copies. Takes no states yet.
    ///
    /// - Parameters:
    ///   - sources: the stores. There is at least one.
    ///   - folder: the folder of the backup. Nothing may exist there; the folder that it is in exists.
    /// - Throws: `.destinationExists`; `.store`: `.folderMissing`, `.fileFailure`, and the errors of creating a
    ///   store.
    package init(of sources: [Source], to folder: URL) throws(StoreCopyError) {
        destination = folder.resolvedForComparison
        if destination.isThere { throw .destinationExists(.file(destination)) }
        let prefix = StorePlacement.prefix(of: destination)
        for abandoned in WorkFolder.abandoned(prefix: prefix) { abandoned.remove() }
        do {
            try StoreLocation.file(destination).requireFolder()
            work = try StorePlacement.makeWorkFolder(prefix: prefix)
        } catch {
            throw .store(error)
        }
        do {
            var names = BackupNames()
            for source in sources {
                members.append(try member(source, named: names.name(of: source)))
            }
        } catch {
            discard()
            throw .store(error)
        }
    }

    private var folder: URL { URL(fileURLWithPath: work.path, isDirectory: true) }

    private func member(_ source: Source, named name: String) throws(StoreError) -> Member {
        let url = folder.appending(path: name)
        if let engine = type(of: source.store) as? any FileStore.Type,
            try source.store.stateToCopy() != nil
        {
            return Member(
                source: source.store, engine: engine, url: url, content: .files(nil))
        }
        var request = source.store.request
        request.location = .file(url)
        request.isReadOnly = false
        request.createsMissing = true
        request.options = [:]
        request.newStoreIdentifier = try source.store.metadata().identifier
        return Member(
            source: source.store, engine: source.rows, url: url,
            content: .rows(nil, into: try source.rows.open(request)))
    }

    /// Takes the newest state of each store. Takes no longer than taking a snapshot of each.
    ///
    /// - Throws: the errors of taking states and snapshots.
    package mutating func takeStates() throws(StoreError) {
        for index in members.indices {
            switch members[index].content {
            case .files: members[index].content = .files(try members[index].source.stateToCopy())
            case .rows(_, let copy):
                members[index].content = .rows(
                    try StoreFilling(
                        of: copy, from: members[index].source, allowsUnexplainedValues: true),
                    into: copy)
            }
        }
        moment = Date()
    }

    /// Writes the states to the folder, and gives the folder its name.
    ///
    /// - Parameter report: called with the part of the work that is done, from 0 to 1, on the calling thread. Its
    ///   result decides whether to continue.
    /// - Returns: the main files of the copies, in the order of the stores.
    /// - Throws: `.cancelled`, `.destinationExists`; `.store`: the errors of writing a state, and of reading and
    ///   saving rows. Nothing is left then, except that the folder is complete but may not survive a power failure
    ///   if only its entry could not be made durable.
    package mutating func run(
        reporting report: (Double) -> StoreCopyDecision
    ) throws(StoreCopyError) -> [URL] {
        let stores: [BackupManifest.Store]
        let hasName: Bool
        do {
            stores = try write(report)
            try BackupManifest(moment: moment, stores: stores).write(inFolder: folder)
            try StoreError.onFiles(try PosixFile.syncFolder(work.path))
            hasName = try StoreError.onFiles(
                try PosixFile.publish(work.path, as: destination.path))
            if hasName {
                try StoreError.onFiles(
                    try PosixFile.syncFolder(destination.deletingLastPathComponent().path))
            }
        } catch {
            throw StoreCopyError(error, at: .file(destination))
        }
        guard hasName else { throw .destinationExists(.file(destination)) }
        return stores.map { destination.appending(path: $0.name) }
    }

    private mutating func write(
        _ report: (Double) -> StoreCopyDecision
    ) throws(StoreError) -> [BackupManifest.Store] {
        let byteCounts = try members.map { member throws(StoreError) in
            max(1, try Self.byteCount(of: member))
        }
        let total = byteCounts.reduce(0, +)
        var done = 0.0
        for index in members.indices {
            let expected = byteCounts[index]
            try copy(members[index], expected) { byteCount throws(StoreError) in
                let part = (done + min(expected, byteCount)) / total * Self.copyingShare
                if report(part) == .cancel { throw .cancelled }
            }
            done += expected
            // Later saves may reuse the space of the state.
            members[index].content = .files(nil)
        }
        var stores: [BackupManifest.Store] = []
        done = 0
        for (index, member) in members.enumerated() {
            let expected = byteCounts[index]
            let entry = try Self.entry(of: member) { byteCount throws(StoreError) in
                let part = (done + min(expected, byteCount)) / total * (1 - Self.copyingShare)
                if report(Self.copyingShare + part) == .cancel { throw .cancelled }
            }
            stores.append(entry)
            done += expected
        }
        return stores
    }

    private static func byteCount(of member: Member) throws(StoreError) -> Double {
        switch member.content {
        case .files(let state): Double(state?.byteCount ?? 0)
        case .rows: Double(try (member.source as? any SelfCheckingStore)?.byteCount() ?? 0)
        }
    }

    /// Writes a copy, and makes it durable.
    private func copy(
        _ member: Member, _ byteCount: Double, _ report: (Double) throws(StoreError) -> Void
    ) throws(StoreError) {
        switch member.content {
        case .files(let state):
            try state?.write(to: member.location) { count throws(StoreError) in
                try report(Double(count))
            }
        case .rows(var filling?, let copy):
            let result = Result { () throws(StoreError) in
                try filling.run { progress in
                    let part =
                        Double(progress.objectCount) / Double(max(1, progress.totalObjectCount))
                    // The only error is that the backup is cancelled.
                    return (try? report(byteCount * part)) == nil ? .cancel : .proceed
                }
            }
            let closing = Result { () throws(StoreError) in try copy.close() }
            _ = try result.get()
            try closing.get()
        case .rows(nil, _): return
        }
        try StoreError.onFiles(try StoreFileSet(member.engine, at: member.url).synchronize())
    }

    private static func entry(
        of member: Member, _ report: (Double) throws(StoreError) -> Void
    ) throws(StoreError) -> BackupManifest.Store {
        let files = StoreFileSet(member.engine, at: member.url)
        var byteCount: Int64 = 0
        let sums = try BackupManifest.File.all(of: files) { count throws(StoreError) in
            byteCount += count
            try report(Double(byteCount))
        }
        // Reading the copy's metadata shows that the engine accepts the copy.
        let identifier = try member.engine.metadata(at: member.location).identifier
        for file in files.scratch { unlink(file.path) }
        return BackupManifest.Store(
            name: member.url.lastPathComponent, type: member.engine.type.rawValue,
            identifier: identifier, configuration: member.source.request.configuration,
            path: member.source.request.location.fileURL?.resolvedForComparison.path, files: sums)
    }

    /// Removes the folder, unless it has got its name.
    package func discard() {
        for member in members {
            if case .rows(_, let copy) = member.content { try? copy.close() }
        }
        work.remove()
    }
}

/// The names of the stores in a backup. No two of them differ only in their extensions, because stores with such
/// names may share a folder of large values.
private struct BackupNames {
    private var stems: Set<String> = []

    /// Returns the name of the store's file, with a number if another store has a similar name.
    mutating func name(of source: StoreBackup.Source) -> String {
        let name =
            source.store.request.location.fileURL?.lastPathComponent
            ?? "Memory.\(source.rows.type.rawValue.lowercased())"
        let parts = URL(fileURLWithPath: name)
        let stem = parts.deletingPathExtension().lastPathComponent
        var (unique, number) = (stem, 1)
        while !stems.insert(unique.lowercased()).inserted {
            number += 1
            unique = "\(stem)-\(number)"
        }
        return parts.pathExtension.isEmpty ? unique : "\(unique).\(parts.pathExtension)"
    }
}
