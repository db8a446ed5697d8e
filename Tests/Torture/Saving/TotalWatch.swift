import Cairn
import Foundation

/// A program that has all stores of a bank open and repeatedly fetches their total. It prints these lines:
///
///     ready                  waits until it may begin
///     problem TEXT
///     fetched COUNT          after it was told to end
struct TotalWatch: Codable, Sendable {
    var subject: BankSubject
    var planted: PlantedDefect?

    func run() throws {
        let registry = try PlantedDefect.plant(planted, in: Engines.registry)
        let coordinator = try subject.coordinator(registry: registry)
        try fetch(coordinator)
        try Fault.arm(nil, folder: subject.folder)
        Conversation.say("ready")
        _ = Conversation.hear()
        var count = 0
        while !Conversation.hasLine {
            try fetch(coordinator)
            count += 1
        }
        _ = Conversation.hear()
        // Fetches the final state, regardless of how the last save ended.
        try fetch(coordinator)
        Conversation.say("fetched \(count + 1)")
        try coordinator.removeAll()
    }

    /// Uses a new context, so that each fetch sees the last save.
    private func fetch(_ coordinator: PersistentStoreCoordinator) throws {
        let total = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try subject.total(context)
        }
        let expected = subject.engines.count * Bank.openingBalance
        if total != expected { Conversation.say("problem a fetch finds \(total) in all stores") }
    }
}
