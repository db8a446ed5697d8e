import Cairn
import Foundation

/// Checks the stores of a bank in a process of its own, in which no call fails: all have the same
/// saves.
///
///     ready                  waits until it may begin, if others check at the same time
///     state K                the saves that the stores have
///     doubt TEXT             the stores are refused as in doubt
///     problem TEXT
struct BankCheck: Codable, Sendable {
    var subject: BankSubject
    /// The order in which the stores are opened, each by itself. `nil` opens all together.
    var order: [Int]?
    /// The last save that was acknowledged.
    var acknowledged: Int
    /// The last save that was begun.
    var begun: Int
    var planted: PlantedDefect?
    /// Whether others check at the same time.
    var waits = false
    /// Whether it saves once more, and looks for files that are left.
    var finishes = true
    /// Opens the stores in spite of doubt, and does not compare them.
    var overrides = false

    func run() throws {
        if waits {
            Conversation.say("ready")
            _ = Conversation.hear()
        }
        do {
            try Fault.arm(nil, folder: subject.folder)
        } catch {
            // A process without the library makes no mistakes.
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
        for places in order.map({ $0.map { [$0] } }) ?? [Array(subject.engines.indices)] {
            let coordinator = try subject.coordinator(
                places: places, registry: registry,
                options: overrides ? [.overridesSaveInDoubt: true] : [:])
            if places.count == 1 {
                states[places[0]] = try subject.state(of: places[0], in: coordinator)
            }
            try coordinator.removeAll()
        }
        // Nothing is left to do, so that each can be looked at by itself.
        if order == nil {
            for place in states.indices { states[place] = try state(of: place, registry) }
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

    private func state(of place: Int, _ registry: StoreRegistry) throws -> Int {
        let coordinator = try subject.coordinator(places: [place], registry: registry)
        let state = try subject.state(of: place, in: coordinator)
        try coordinator.removeAll()
        return state
    }

    // MARK: Going on

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
            for place in subject.engines.indices
            where try state(of: place, registry) != found + 1 {
                throw HarnessFailure("store \(place) does not keep another save")
            }
        }
        try checkFolder()
    }

    /// Stores that are closed leave no file that is not a part of one.
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
