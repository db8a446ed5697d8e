import Cairn
import CairnStore
import Foundation
import MigrationSupport

/// Old stores to copy for trials, with a second set for comparison.
struct MigrationSample: Sendable {
    let engine: StoreType
    let change: MigrationChange
    let copies: Bool
    private let folder: String
    private let reference: String

    /// The name that `--point` and reports use.
    var name: String { change.rawValue + (copies ? "-copy" : "") }

    /// Creates the stores in a process of the lane.
    init(_ engine: StoreType, _ change: MigrationChange, copies: Bool, _ lane: Lane) throws {
        (self.engine, self.change, self.copies) = (engine, change, copies)
        folder = try lane.newFolder("old")
        reference = try lane.newFolder("reference")
        for (folder, isClosed) in [(folder, change.isClosed), (reference, true)] {
            let making = MigrationMaking(
                subject: subject(in: folder), closesStores: isClosed)
            if let line = try lane.runSound(.makeOld(making)).first {
                throw HarnessFailure("old stores: \(line)")
            }
        }
    }

    /// Returns samples for all combinations of changes and ways of migration that the engine supports.
    static func all(of engine: StoreType, _ lane: Lane) throws -> [MigrationSample] {
        let type = try Engines.registry.fileEngine(ofType: engine, for: .memory("a trial"))
        return try MigrationChange.changes(of: engine).flatMap { change in
            let ways =
                change.allowsInPlace && type is any InPlaceMigratingStore.Type
                ? [false, true] : [true]
            return try ways.map { try MigrationSample(engine, change, copies: $0, lane) }
        }
    }

    /// Copies the old stores into a folder.
    func copy(to folder: String) throws -> MigrationSubject {
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: self.folder) {
            try files.copyItem(atPath: self.folder + "/" + name, toPath: folder + "/" + name)
        }
        return subject(in: folder)
    }

    private func subject(in folder: String) -> MigrationSubject {
        MigrationSubject(
            engine: engine.rawValue, change: change, copies: copies, folder: folder,
            reference: reference)
    }
}

/// An assignment to create old stores.
struct MigrationMaking: Codable, Sendable {
    var subject: MigrationSubject
    /// Whether the stores are closed before the process ends.
    var closesStores: Bool

    func run() throws {
        var left: [any PersistentStore] = []
        for (index, file) in subject.files.enumerated() {
            let store = try subject.fileEngine().open(
                OpenRequest(
                    location: .file(file), model: subject.change.versions.old,
                    configuration: subject.change.configuration(ofStore: file.lastPathComponent),
                    createsMissing: true))
            var random = try RandomStore(store, seed: UInt64(index) + 1, countOfEach: 3)
            try random.fill()
            closesStores ? try store.close() : left.append(store)
        }
        // Ends the process as if it had been killed.
        withExtendedLifetime(left) {
            if !closesStores { _exit(0) }
        }
    }
}
