import Cairn
import CairnStore
import Dispatch
import Foundation
import TortureShim

/// A program whose threads save to one store at the same time, so that their saves share commits, and which may
/// meet a fault. Every second save also changes the store's account, so that members of a group conflict. If there
/// are two stores, every fourth save reaches both. The program prints these lines:
///
///     began N
///     saved N
///     failed N definite|pending|unknown|untyped ERROR
///     done true|false        whether the fault happened
struct GroupingProgram: Codable, Sendable {
    var subject: BankSubject
    var fault: Fault?
    var planted: PlantedDefect?
    /// The file for the list of mutating calls.
    var trace: String?

    private static let threadCount = 6
    private static let savesPerThread = 4

    func run() throws {
        let registry = try PlantedDefect.plant(planted, in: Engines.registry)
        let coordinator = try subject.coordinator(registry: registry)
        try Fault.arm(fault, folder: subject.folder, trace: trace)
        DispatchQueue.concurrentPerform(iterations: Self.threadCount) { thread in
            do {
                try ContextHandle(coordinator: coordinator).performAndWait { context in
                    for index in 1...Self.savesPerThread {
                        make(thread * Self.savesPerThread + index, context)
                    }
                }
            } catch {
                Conversation.say("problem \(error)")
            }
        }
        do {
            try coordinator.removeAll()
        } catch {
            guard fault != nil else { throw error }
        }
        Conversation.say("done \(torture_was_done())")
    }

    private func make(_ save: Int, _ context: ManagedObjectContext) {
        Conversation.say("began \(save)")
        do {
            context.transactionAuthor = "\(save)"
            let stores = context.persistentStoreCoordinator?.persistentStores ?? []
            for (index, store) in stores.enumerated() where Self.reaches(index, save) {
                let receipt = try context.insertNewObject(forEntityName: "Receipt")
                try receipt.setValue(Int64(save), forKey: "save")
                try context.assign(receipt, to: store)
            }
            if save.isMultiple(of: 2) {
                let account = try context.all("Account").first {
                    try $0.value(forKey: "index") as? Int64 == 0
                }
                try account?.setValue(Int64(save), forKey: "balance")
            }
            try context.save(named: GroupingCheck.name(of: save))
            Conversation.say("saved \(save)")
        } catch {
            Conversation.say("failed \(save) \(kind(of: error)) \(error)")
            context.rollback()
            try? context.refreshAllObjects()
        }
    }

    /// Whether a save adds a receipt to the store at this index.
    static func reaches(_ store: Int, _ save: Int) -> Bool { store == 0 || save % 4 == 1 }

    private func kind(of error: any Error) -> String {
        switch error as? GraphError {
        case nil: "untyped"
        case .saveOutcomeUnknown?: "unknown"
        case .savePending?: "pending"
        default: "definite"
        }
    }
}

/// Checks, after a ``GroupingProgram`` has ended, that the stores have every acknowledged save and no failed one, that
/// a save that reaches two stores is in both or in none, and that each store knows exactly the names of the saves that
/// it has. It prints `problem TEXT` otherwise.
struct GroupingCheck: Codable, Sendable {
    var subject: BankSubject
    var acknowledged: [Int]
    var failed: [Int]
    /// All saves that were begun.
    var begun: [Int]

    /// Returns the name of a save.
    static func name(of save: Int) throws -> SaveID {
        let digits = String(save, radix: 16)
        let text = "00000000-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count)
        guard let name = UUID(uuidString: text + digits) else {
            throw HarnessFailure("no name for the save \(save)")
        }
        return SaveID(name)
    }

    func run() throws {
        do {
            // Opening them together ends a save that has reached one store only.
            try subject.coordinator().removeAll()
            let kept = try subject.files.indices.map(keptSaves)
            let (first, second) = (kept[0], kept.last ?? [])
            let torn = first.filter { GroupingProgram.reaches(kept.count - 1, $0) }
                .symmetricDifference(second)
            guard torn.isEmpty else { throw HarnessFailure("one store has \(torn.sorted())") }
            let coordinator = try subject.coordinator()
            for (store, kept) in zip(coordinator.persistentStores, kept) {
                try checkNames(store, kept)
            }
            try coordinator.removeAll()
        } catch {
            Conversation.say("problem \(error)")
        }
    }

    /// Returns the saves that a store has, which are those that it should have.
    private func keptSaves(_ index: Int) throws -> Set<Int> {
        // The content is compared with the history.
        let saves = try subject.content(of: index).saves
        let kept = Set(saves)
        guard kept.count == saves.count else { throw HarnessFailure("it has a save twice") }
        let lost = Set(acknowledged.filter { GroupingProgram.reaches(index, $0) })
            .subtracting(kept)
        guard lost.isEmpty else { throw HarnessFailure("store \(index) lost \(lost.sorted())") }
        let refused = kept.intersection(failed)
        guard refused.isEmpty else {
            throw HarnessFailure("store \(index) has \(refused.sorted()), which failed")
        }
        let strange = kept.subtracting(begun)
        guard strange.isEmpty else {
            throw HarnessFailure("store \(index) has \(strange.sorted())")
        }
        return kept
    }

    private func checkNames(_ store: any PersistentStore, _ kept: Set<Int>) throws {
        for save in begun {
            let outcome = try store.outcome(of: Self.name(of: save))
            let expected: CommitOutcome = kept.contains(save) ? .saved : .notSaved
            guard outcome == expected else {
                throw HarnessFailure("the outcome of the save \(save) is \(outcome)")
            }
        }
    }
}
