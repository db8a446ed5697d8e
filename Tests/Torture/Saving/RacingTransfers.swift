import Cairn
import Foundation

/// A program that moves amounts between the stores of a bank while other programs do the same. It prints
/// these lines:
///
///     ready                  waits until it may begin
///     began N
///     saved N
///     problem TEXT
///     conflicts COUNT        at its end
struct RacingTransfers: Codable, Sendable {
    var subject: BankSubject
    /// Distinguishes the program's saves from those of the others.
    var number: Int
    var seconds: Double
    var planted: PlantedDefect?

    /// An upper limit for the number of saves that a program makes.
    static let mostSaves = 1_000_000

    func run() throws {
        let registry = try PlantedDefect.plant(planted, in: Engines.registry)
        let coordinator = try subject.coordinator(registry: registry)
        try Fault.arm(nil, folder: subject.folder)
        Conversation.say("ready")
        _ = Conversation.hear()
        let end = Date(timeIntervalSinceNow: seconds)
        let handle = ContextHandle(coordinator: coordinator)
        var save = number * Self.mostSaves
        var conflicts = 0
        while Date() < end {
            save += 1
            Conversation.say("began \(save)")
            try checkTotal(coordinator)
            while try !handle.performAndWait({ [save] in try transfer(save, $0) }) {
                conflicts += 1
            }
            Conversation.say("saved \(save)")
        }
        Conversation.say("conflicts \(conflicts)")
        try coordinator.removeAll()
    }

    /// Uses a new context, because a context that already has the accounts keeps their values.
    private func checkTotal(_ coordinator: PersistentStoreCoordinator) throws {
        let total = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try subject.total(context)
        }
        let expected = subject.engines.count * Bank.openingBalance
        if total != expected { Conversation.say("problem a fetch finds \(total) in all stores") }
    }

    /// Returns `false` if another program saved in between.
    private func transfer(_ save: Int, _ context: ManagedObjectContext) throws -> Bool {
        do {
            try subject.transfer(save, in: context)
            try context.save()
            return true
        } catch GraphError.mergeConflicts {
            context.rollback()
            try context.refreshAllObjects()
            return false
        } catch {
            Conversation.say("problem \(error)")
            throw error
        }
    }
}
