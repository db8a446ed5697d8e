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
///     longest MILLISECONDS   of a save, from its beginning to its end, at its end
struct RacingTransfers: Codable, Sendable {
    var subject: BankSubject
    /// Distinguishes the program's saves from those of the others.
    var number: Int
    var seconds: Double
    var planted: PlantedDefect?

    /// An upper limit for the number of saves that a program makes.
    static let mostSaves = 1_000_000

    /// Enough that a fetch often meets a save of another program between its commits.
    private static let fetchesPerSave = 20

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
        var longest = Duration.zero
        while Date() < end {
            save += 1
            Conversation.say("began \(save)")
            for _ in 0..<Self.fetchesPerSave { try checkTotal(coordinator) }
            let start = ContinuousClock.now
            while try !handle.performAndWait({ [save] in try transfer(save, $0) }) {
                conflicts += 1
            }
            longest = max(longest, ContinuousClock.now - start)
            Conversation.say("saved \(save)")
        }
        Conversation.say("conflicts \(conflicts)")
        Conversation.say("longest \(Int(longest / .milliseconds(1)))")
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
        } catch let error as GraphError where error.isConflict {
            context.rollback()
            try context.refreshAllObjects()
            return false
        } catch {
            Conversation.say("problem \(error)")
            throw error
        }
    }
}

extension GraphError {
    /// Whether another program changed or moved an object in between.
    fileprivate var isConflict: Bool {
        switch self {
        case .mergeConflicts, .objectGone: true
        default: false
        }
    }
}
