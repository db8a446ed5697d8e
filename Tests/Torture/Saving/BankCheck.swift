import Cairn
import CairnStore
import Foundation

/// Checks the stores of a bank in a separate process in which no call fails. All stores must contain the same
/// saves. It prints these lines:
///
///     ready                  waits until it may begin, if others check at the same time
///     state K                the saves in the stores
///     doubt TEXT             the stores are refused because a save is in doubt
///     problem TEXT
struct BankCheck: Codable, Sendable {
    var subject: BankSubject
    /// The order in which the stores are opened separately. If `nil`, they are opened together.
    var order: [Int]?
    /// The last acknowledged save.
    var acknowledged: Int
    /// The last save that was begun.
    var begun: Int
    var planted: PlantedDefect?
    /// Whether others check at the same time.
    var waits = false
    /// Whether the check saves once more, and looks for leftover files.
    var finishes = true
    /// Opens the stores in spite of a save in doubt, and does not compare them.
    var overrides = false

    func run() throws {
        if waits {
            Conversation.say("ready")
            _ = Conversation.hear()
        }
        do {
            try Fault.arm(nil, folder: subject.folder)
        } catch {
            // Without the fault library, a process makes no mistakes.
        }
        do {
            let registry = try PlantedDefect.plant(planted, in: Engines.registry)
            let found = try readState(registry)
            Conversation.say("state \(found)")
            if finishes { try finish(registry, found) }
        } catch GraphError.store(.saveInDoubt(let save)) {
            Conversation.say("doubt \(save)")
        } catch {
            Conversation.say("problem \(error)")
        }
    }

    private func readState(_ registry: StoreRegistry) throws -> Int {
        var states = Array(repeating: 0, count: subject.engines.count)
        for indices in order.map({ $0.map { [$0] } }) ?? [Array(subject.engines.indices)] {
            let coordinator = try subject.coordinator(
                indices: indices, registry: registry,
                options: overrides ? [.overridesSaveInDoubt: true] : [:])
            if indices.count == 1 {
                states[indices[0]] = try subject.state(of: indices[0], in: coordinator)
            }
            try coordinator.removeAll()
        }
        // No save is pending, so each store can be examined separately.
        if order == nil {
            for index in states.indices { states[index] = try state(of: index, registry) }
        }
        let most = states.max() ?? 0
        if overrides { return most }
        if Set(states).count > 1 { throw HarnessFailure("the stores have \(states) saves") }
        guard (acknowledged...begun).contains(most) else {
            throw HarnessFailure(
                "\(most) saves are there, of \(acknowledged) acknowledged and \(begun) begun")
        }
        return most
    }

    private func state(of index: Int, _ registry: StoreRegistry) throws -> Int {
        let coordinator = try subject.coordinator(indices: [index], registry: registry)
        let state = try subject.state(of: index, in: coordinator)
        try coordinator.removeAll()
        return state
    }

    // MARK: Continuing

    private func finish(_ registry: StoreRegistry, _ found: Int) throws {
        let coordinator = try subject.coordinator(registry: registry)
        for store in coordinator.persistentStores {
            let wrong = try (store as? any SelfCheckingStore)?.findDisagreements() ?? []
            if let first = wrong.first { throw HarnessFailure("a store disagrees: \(first)") }
        }
        if !overrides {
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                try subject.transfer(found + 1, in: context)
                try context.save()
            }
        }
        try coordinator.removeAll()
        if !overrides {
            for index in subject.engines.indices
            where try state(of: index, registry) != found + 1 {
                throw HarnessFailure("store \(index) does not keep another save")
            }
        }
        try checkFolder()
    }

    /// Checks that closed stores leave no files that do not belong to them.
    private func checkFolder() throws {
        var known = Set(subject.files.map(\.lastPathComponent))
        for (file, engine) in zip(subject.files, subject.engines) {
            let type = try Engines.registry.fileEngine(ofType: StoreType(engine), for: .file(file))
            known.formUnion(
                type.companionFiles(of: .file(file)).map(\.url.lastPathComponent)
                    .filter { !$0.contains("-pending") })
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: subject.folder)
        let strange = Set(names).subtracting(known).sorted()
        if !strange.isEmpty { throw HarnessFailure("files are left over: \(strange)") }
    }
}
