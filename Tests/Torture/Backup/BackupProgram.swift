import Cairn
import CairnStore
import Foundation
import TortureShim

/// The stores of a bank with four saves, and a backup that was made after two of them.
struct BackupSubject: Codable, Sendable {
    var bank: BankSubject

    static let savesInBackup = 2
    static let saves = 4

    /// The backup that restores use, and the one that programs create.
    var backup: URL { URL(fileURLWithPath: bank.folder + "/backup") }
    var newBackup: URL { URL(fileURLWithPath: bank.folder + "/new") }

    /// Creates the stores and the backup.
    func make() throws {
        try bank.make()
        let coordinator = try bank.coordinator()
        for save in 1...Self.saves {
            try self.save(save, coordinator)
            if save == Self.savesInBackup { try coordinator.backUp(to: backup) }
        }
        try coordinator.removeAll()
    }

    func save(_ save: Int, _ coordinator: PersistentStoreCoordinator) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try bank.transfer(save, in: context)
            try context.save()
        }
    }

    /// Restores a backup to the stores, or to stores with the same names in another folder.
    func restore(from backup: URL, toFolder folder: String? = nil) throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try Bank.compiled.get(), registry: Engines.registry)
        let folder = folder ?? bank.folder
        let urls = bank.files.map { (name: $0.lastPathComponent, $0) }
        try coordinator.restore(
            fromBackup: backup,
            to: Dictionary(
                uniqueKeysWithValues: urls.map {
                    ($0.name, URL(fileURLWithPath: folder + "/" + $0.name))
                }))
    }
}

/// A program that backs up stores, or restores them, and may meet a fault. It prints these lines:
///
///     succeeded
///     failed typed|untyped ERROR
///     done true|false        whether the fault happened
struct BackupProgram: Codable, Sendable {
    var subject: BackupSubject
    var restores: Bool
    var fault: Fault?
    var planted: PlantedDefect?
    /// The file for the list of mutating calls.
    var trace: String?

    func run() throws {
        let coordinator = restores ? nil : try subject.bank.coordinator()
        try Fault.arm(fault, folder: subject.bank.folder, trace: trace)
        do {
            if let coordinator { try backUp(coordinator) } else { try restore() }
            Conversation.say("succeeded")
        } catch {
            Conversation.say("failed \(error is GraphError ? "typed" : "untyped") \(error)")
        }
        torture_relent()
        Conversation.say("done \(torture_was_done())")
    }

    private func backUp(_ coordinator: PersistentStoreCoordinator) throws {
        guard planted == .backsUpInPieces else {
            try coordinator.backUp(to: subject.newBackup)
            return
        }
        let made = subject.newBackup.appendingPathExtension("made")
        try coordinator.backUp(to: made)
        mkdir(subject.newBackup.path, 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: made.path).sorted() {
            rename(made.path + "/" + name, subject.newBackup.path + "/" + name)
        }
        rmdir(made.path)
    }

    private func restore() throws {
        guard planted == .restoresOneByOne else { return try subject.restore(from: subject.backup) }
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try Bank.compiled.get(), registry: Engines.registry)
        for (file, engine) in zip(subject.bank.files, subject.bank.engines) {
            try coordinator.replacePersistentStore(
                at: file,
                withPersistentStoreFrom: subject.backup.appending(path: file.lastPathComponent),
                type: StoreType(engine))
        }
    }
}

/// Checks stores and a backup after a program that met a fault, in a process in which no call fails. It prints a
/// line for each problem.
struct BackupCheck: Codable, Sendable {
    var subject: BackupSubject
    var restores: Bool
    /// Whether the program succeeded.
    var hasSucceeded: Bool
    /// The store that is opened first, alone.
    var first: Int

    private struct Problem: Error {
        let text: String
    }

    func run() throws {
        do {
            let state = try commonState()
            if restores { try checkRestored(state) } else { try checkBackedUp(state) }
            try checkFolder()
        } catch let problem as Problem {
            Conversation.say("problem \(problem.text)")
        } catch {
            Conversation.say("problem \(error)")
        }
    }

    /// Opens the stores one by one. Returns the number of saves that all of them have.
    private func commonState() throws -> Int {
        let count = subject.bank.engines.count
        let states = try (0..<count).map { offset in
            let index = (first + offset) % count
            let coordinator = try subject.bank.coordinator(indices: [index])
            defer { try? coordinator.removeAll() }
            return try subject.bank.state(of: index, in: coordinator)
        }
        guard Set(states).count == 1 else {
            throw Problem(text: "the stores have different numbers of saves: \(states)")
        }
        return states[0]
    }

    private func checkRestored(_ state: Int) throws {
        let allowed =
            hasSucceeded
            ? [BackupSubject.savesInBackup] : [BackupSubject.savesInBackup, BackupSubject.saves]
        guard allowed.contains(state) else { throw Problem(text: "the stores have \(state) saves") }
        try continueSaving(after: state)
        try subject.restore(from: subject.backup)
        guard try commonState() == BackupSubject.savesInBackup else {
            throw Problem(text: "restoring again has no effect")
        }
    }

    private func checkBackedUp(_ state: Int) throws {
        guard state == BackupSubject.saves else {
            throw Problem(text: "the stores have \(state) saves")
        }
        let isThere = FileManager.default.fileExists(atPath: subject.newBackup.path)
        guard isThere || !hasSucceeded else { throw Problem(text: "there is no backup") }
        if !isThere {
            let coordinator = try subject.bank.coordinator()
            try coordinator.backUp(to: subject.newBackup)
            try coordinator.removeAll()
        }
        var copy = subject
        copy.bank.folder += "/restored"
        mkdir(copy.bank.folder, 0o700)
        try subject.restore(from: subject.newBackup, toFolder: copy.bank.folder)
        let check = BackupCheck(subject: copy, restores: true, hasSucceeded: false, first: 0)
        guard try check.commonState() == BackupSubject.saves else {
            throw Problem(text: "the backup is of another state")
        }
        try continueSaving(after: state)
    }

    private func continueSaving(after state: Int) throws {
        let coordinator = try subject.bank.coordinator()
        try subject.save(state + 1, coordinator)
        try coordinator.removeAll()
    }

    private func checkFolder() throws {
        let strange = try FileManager.default.contentsOfDirectory(atPath: subject.bank.folder)
            .filter { name in
                [".copy-", "restoring", "migrating", "pending"].contains { name.contains($0) }
            }
        if !strange.isEmpty { throw Problem(text: "files are left over: \(strange)") }
    }
}
