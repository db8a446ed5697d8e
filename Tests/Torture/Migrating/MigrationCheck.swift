import Cairn
import CairnStore
import Foundation
import MigrationSupport

/// Checks stores after a migration that met a fault, in a process in which no call fails. It prints these
/// lines:
///
///     state old|new|mixed    the versions of the stores
///     problem TEXT
struct MigrationCheck: Codable, Sendable {
    var subject: MigrationSubject
    /// Whether leftover files are allowed before the migration is completed.
    var mayBeLeft: Bool
    /// Whether to run the migration again, which must then complete it.
    var finishes: Bool
    /// Whether leftover files are allowed even after that.
    var mayStay = false
    /// Whether the first store contains what ``OlderProgram`` saved.
    var wasSaved = false

    func run() throws {
        do {
            if !mayBeLeft { try checkFolder() }
            var states: Set<String> = []
            for file in subject.files { states.insert(try state(of: file)) }
            if states == ["new"] { try requireSplit(isFinished: false) }
            Conversation.say("state \(states.count == 1 ? states.first ?? "" : "mixed")")
            if finishes { try finish() }
        } catch let problem as Problem {
            Conversation.say("problem \(problem.text)")
        } catch {
            Conversation.say("problem \(error)")
        }
    }

    private struct Problem: Error {
        let text: String
    }

    /// Checks that the store has one version and exactly the objects of that version. Returns the version.
    private func state(of file: URL) throws -> String {
        let (old, new) = try subject.change.versions
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw Problem(text: "there is no store \(file.lastPathComponent)")
        }
        let isNew = try subject.isStore(file, of: new)
        guard try isNew || subject.isStore(file, of: old) else {
            throw Problem(text: "\(file.lastPathComponent) is of neither version")
        }
        let store = try subject.open(file, isNew ? new : old)
        defer { try? store.close() }
        if isNew {
            try requireMigrated(store, file)
        } else {
            let found = try StoreImage(store).differences(from: subject.image(before: file))
            if let first = found.first { throw Problem(text: "the old store: \(first)") }
            try requireSound(store)
        }
        return isNew ? "new" : "old"
    }

    /// Checks both stores of a split together, unless a save over both has to be finished first.
    private func requireSplit(isFinished: Bool) throws {
        guard subject.change == .split,
            !subject.files.contains(where: { PendingSaveFile(of: .file($0))?.exists ?? false })
        else { return }
        if let first = try subject.splitDifferences(isFinished: isFinished).first {
            throw Problem(text: "the split stores: \(first)")
        }
    }

    private func requireMigrated(_ store: any PersistentStore, _ file: URL) throws {
        // Objects that were moved are looked for in both stores.
        if subject.change == .split { return try requireSound(store) }
        if let first = try subject.differences(of: store, at: file).first {
            throw Problem(text: "the migrated store: \(first)")
        }
        try requireSound(store)
    }

    /// Checks that the engine finds no disagreement, and that the application's metadata exist.
    private func requireSound(_ store: any PersistentStore) throws {
        let found = try (store as? any SelfCheckingStore)?.findDisagreements() ?? []
        if let first = found.first { throw Problem(text: "disagreement: \(first)") }
        let values = try store.metadata().values
        guard values["note"] == .string("kept") else { throw Problem(text: "metadata are lost") }
        let isFirst = store.request.location == subject.files.first.map { .file($0) }
        if wasSaved, isFirst, values[OlderProgram.savedKey] != .string("saved") {
            throw Problem(text: "the save of the older program is lost")
        }
    }

    // MARK: Finishing

    /// Opens the stores again as the program does, which must migrate them, and saves to them.
    private func finish() throws {
        let migrator = try ObservedMigrator(copies: subject.copies)
        let coordinator = try subject.openMigrating(with: migrator, registry: Engines.registry)
        try subject.complete(coordinator)
        for file in subject.files {
            guard let store = coordinator.persistentStore(for: file) else {
                throw Problem(text: "\(file.lastPathComponent) was not opened")
            }
            try requireMigrated(store, file)
            try save(store)
        }
        try coordinator.removeAll()
        if !mayStay { try checkFolder() }
        try requireSplit(isFinished: true)
        for file in subject.files {
            guard try state(of: file) == "new",
                try subject.fileEngine().metadata(at: .file(file)).values["after"] != nil
            else { throw Problem(text: "a save after the migration is lost") }
        }
    }

    /// Saves, and checks that no key is used for two objects.
    private func save(_ store: any PersistentStore) throws {
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        let (old, new) = try subject.change.versions
        let held = try new.entities(forConfiguration: store.request.configuration)
        for root in new.entities
        where root.superentity == nil && old.entity(named: root.name) != nil && held.contains(root)
        {
            // The old stores have already reserved a thousand keys.
            let keys = try transaction.reserveKeys([root.number: 1])[root.number]
            guard let key = keys?.lowerBound, key > 1000 else {
                throw Problem(text: "\(root.name) gets a key that was given out")
            }
        }
        try transaction.prepare(SaveRequest(metadata: ["after": .string("saved")]))
        _ = try transaction.commit()
    }

    /// Checks that closed stores leave no files that do not belong to them.
    private func checkFolder() throws {
        let engine = try subject.fileEngine()
        let known = subject.files.flatMap { file in
            [file.lastPathComponent]
                + engine.companionFiles(of: .file(file)).map(\.url.lastPathComponent)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: subject.folder)
        let strange = Set(names).subtracting(known).sorted()
        if !strange.isEmpty { throw Problem(text: "files are left over: \(strange)") }
    }
}
