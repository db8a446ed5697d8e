import Cairn
import CairnStore
import Foundation
import MigrationSupport
import TortureShim

/// A program of the new version that opens old stores and may meet a fault. It prints these lines:
///
///     ready                  waits until it may begin
///     opened COUNT           the number of stores that this process migrated
///     unopened typed|untyped|inUse ERROR
///     look                   waits until the harness has looked at the stores
///     stuck ERROR            fails although all calls succeed
///     problem TEXT
///     done true|false        whether the fault happened
struct MigratingProgram: Codable, Sendable {
    var subject: MigrationSubject
    var fault: Fault?
    var planted: PlantedDefect?
    /// The file for the list of mutating calls.
    var trace: String?
    /// The delay after it may begin. If `nil`, the program does not wait for permission.
    var delay: UInt32?
    /// Whether the program compares the objects with those that the rules predict.
    var compares = false

    func run() throws {
        let registry = try PlantedDefect.plant(planted, in: Engines.registry)
        let migrator = try ObservedMigrator(copies: subject.copies)
        if let delay {
            Conversation.say("ready")
            _ = Conversation.hear()
            usleep(delay)
        }
        try Fault.arm(fault, folder: subject.folder, trace: trace)
        for attempt in 1...2 {
            do {
                let coordinator = try subject.openMigrating(with: migrator, registry: registry)
                Conversation.say("opened \(migrator.count)")
                defer { try? coordinator.removeAll() }
                try subject.complete(coordinator)
                if compares { try compare(coordinator) }
                break
            } catch {
                Conversation.say("unopened \(kind(of: error)) \(error)")
                if fault == nil { break }
                if attempt == 2 { Conversation.say("stuck \(error)") }
                torture_relent()
                Conversation.say("look")
                _ = Conversation.hear()
            }
        }
        Conversation.say("done \(torture_was_done())")
    }

    private func kind(of error: any Error) -> String {
        guard let error = error as? GraphError else { return "untyped" }
        if case .store(.locked) = error { return "inUse" }
        return "typed"
    }

    private func compare(_ coordinator: PersistentStoreCoordinator) throws {
        for file in subject.files {
            guard let store = coordinator.persistentStore(for: file) else {
                Conversation.say("problem it has not opened \(file.lastPathComponent)")
                continue
            }
            let found = try subject.differences(of: store, at: file)
            if let first = found.first { Conversation.say("problem it sees that \(first)") }
        }
    }
}

/// A program of the old version that opens the stores, saves, and keeps them open for a while. It prints
/// these lines:
///
///     ready                  waits until it may begin
///     opened | late          late: the stores are being migrated, or are of the new version
///     saved                  its metadata are in the first store
///     problem TEXT
///     closed
struct OlderProgram: Codable, Sendable {
    var subject: MigrationSubject
    /// The delay after it may begin.
    var delay: UInt32
    /// Whether the program waits for a command to close the stores.
    var holds: Bool

    static let savedKey = "older"

    func run() throws {
        Conversation.say("ready")
        _ = Conversation.hear()
        usleep(delay)
        do {
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try subject.change.versions.old, registry: Engines.registry)
            for file in subject.files {
                try coordinator.addPersistentStore(ofType: subject.type, at: file)
            }
            Conversation.say("opened")
            if let store = coordinator.persistentStore(for: subject.files[0]) { try save(store) }
            if holds { _ = Conversation.hear() }
            try compare(coordinator)
            try coordinator.removeAll()
            Conversation.say("closed")
        } catch let error as GraphError where isLate(error) {
            Conversation.say("late")
        }
    }

    /// Returns whether the error means that the stores are being or were migrated.
    private func isLate(_ error: GraphError) -> Bool {
        switch error {
        case .store(.modelMismatch), .store(.locked), .store(.busy), .store(.fileReplaced): true
        default: false
        }
    }

    private func save(_ store: any PersistentStore) throws {
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        try transaction.prepare(SaveRequest(metadata: [Self.savedKey: .string("saved")]))
        _ = try transaction.commit()
        Conversation.say("saved")
    }

    private func compare(_ coordinator: PersistentStoreCoordinator) throws {
        for file in subject.files {
            guard let store = coordinator.persistentStore(for: file) else { continue }
            let found = try StoreImage(store).differences(from: subject.image(before: file))
            if let first = found.first { Conversation.say("problem the older sees that \(first)") }
        }
    }
}
