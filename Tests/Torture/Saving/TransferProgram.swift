import Cairn
import Foundation
import TortureShim

/// A program that saves to all stores of a bank and may meet a fault. It prints these lines:
///
///     began N
///     saved N
///     pending N              the save succeeded, but one store receives it only later
///     refused N              because an earlier save is pending
///     failed N typed|untyped ERROR
///     look                   waits until the harness has looked at the stores
///     problem TEXT
///     done true|false        whether the fault happened
struct TransferProgram: Codable, Sendable {
    var subject: BankSubject
    var saves: ClosedRange<Int>
    var fault: Fault?
    var planted: PlantedDefect?
    /// The file for the list of mutating calls.
    var trace: String?
    /// Whether the fault may happen while the stores are opened, and not only while saving.
    var isArmedAtOpening = false

    func run() throws {
        let registry = try PlantedDefect.plant(planted, in: Engines.registry)
        if isArmedAtOpening { try arm() }
        let coordinator = try open(registry)
        if !isArmedAtOpening { try arm() }
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for save in saves {
                var attempts = 1
                while try !make(save, context) {
                    attempts += 1
                    if attempts > 3 { throw HarnessFailure("save \(save) never succeeds") }
                }
            }
        }
        do {
            try coordinator.removeAll()
        } catch {
            guard fault != nil else { throw error }
        }
        Conversation.say("done \(torture_was_done())")
    }

    private func arm() throws { try Fault.arm(fault, folder: subject.folder, trace: trace) }

    private func open(_ registry: StoreRegistry) throws -> PersistentStoreCoordinator {
        do {
            return try subject.coordinator(registry: registry)
        } catch let error as GraphError where fault != nil {
            Conversation.say("failed 0 typed \(error)")
            look()
            return try subject.coordinator(registry: registry)
        }
    }

    private func look() {
        Conversation.say("look")
        _ = Conversation.hear()
        torture_relent()
    }

    /// Returns whether the save succeeded.
    private func make(_ save: Int, _ context: ManagedObjectContext) throws -> Bool {
        Conversation.say("began \(save)")
        do {
            try subject.transfer(save, in: context)
            try context.save()
            Conversation.say("saved \(save)")
            return true
        } catch GraphError.savePending {
            Conversation.say("pending \(save)")
            return true
        } catch GraphError.store(.savePending) {
            Conversation.say("refused \(save)")
            torture_relent()
        } catch let error as GraphError {
            Conversation.say("failed \(save) typed \(error)")
            look()
        } catch {
            Conversation.say("failed \(save) untyped \(error)")
            look()
        }
        context.rollback()
        try context.refreshAllObjects()
        return false
    }
}
