import Cairn
import Foundation

/// A program that has all stores of a bank open, and fetches again and again what they hold together.
///
///     ready                  waits until it may begin
///     problem TEXT
///     fetched COUNT          after it was told to come to its end
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
        // Whatever was saved last, and however it ended.
        try fetch(coordinator)
        Conversation.say("fetched \(count + 1)")
        try coordinator.removeAll()
    }

    /// The context is new, so that each fetch sees what was saved last.
    private func fetch(_ coordinator: PersistentStoreCoordinator) throws {
        let total = try ContextHandle(coordinator: coordinator).performAndWait { context in
            try subject.total(context)
        }
        let expected = subject.engines.count * Bank.openingBalance
        if total != expected { Conversation.say("problem a fetch finds \(total) in all stores") }
    }
}
