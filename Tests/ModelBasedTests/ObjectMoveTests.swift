import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Random changes and moves between two stores, on a context and on a naive graph. The graph says whether a move
/// or a save must be refused, and what each store must contain after each save.
///
/// `CAIRN_SEED` sets the seed of the first sequence.
@Suite struct `Moves between stores and a naive graph` {
    private static let first = TestSetting.number("CAIRN_SEED") ?? 1
    private static let count = 12 * TestSetting.scale
    /// Each engine with the next one, in both directions. A service alone is paired with a file, because a save over
    /// several stores can have only one service.
    private static let pairs = everyEngine.indices.flatMap { index in
        let next = everyEngine.count > 1 ? everyEngine[(index + 1) % everyEngine.count] : .sqlite
        let pair = [everyEngine[index], next]
        return [pair, pair.reversed()]
    }

    @Test(arguments: pairs, [false, true])
    func `agree after every step of a random sequence`(
        _ engines: [StoreType], _ usesChild: Bool
    ) throws {
        var tally: [String: Int] = [:]
        for seed in Self.first..<Self.first + Self.count {
            do {
                try MoveRun(engines, usesChild: usesChild).run(seed: seed, &tally)
            } catch {
                Issue.record("seed \(seed), \(engines.map(\.rawValue)): \(error)")
                return
            }
        }
        // Most steps do what they are for.
        #expect(tally["moved", default: 0] > Self.count)
        #expect(tally["refused to move", default: 0] > Self.count)
        #expect(tally["saved", default: 0] > Self.count)
    }

    @Test(arguments: MoveRun.Defect.allCases)
    func `disagree if there is a defect`(_ defect: MoveRun.Defect) throws {
        var tally: [String: Int] = [:]
        #expect(throws: Disagreement.self) {
            for seed in 1...20 {
                try MoveRun([.inMemory, .inMemory], usesChild: false, defect)
                    .run(seed: seed, &tally)
            }
        }
    }
}

/// A thing in the naive graph. Numbers identify things.
private struct NaiveThing: Equatable, CustomStringConvertible {
    var store: Int
    var owner: Int?
    var spouse: Int?
    var hint: Int?
    /// In order.
    var likes: [Int] = []

    var description: String {
        "in \(store), owner \(owner ?? 0), spouse \(spouse ?? 0), hint \(hint ?? 0), likes \(likes)"
    }
}

private enum MoveStep: Sendable {
    case insert(store: Int)
    case own(Int, by: Int?)
    case marry(Int, Int?)
    case hint(Int, Int?)
    case like(Int, Int)
    case unlike(Int)
    case delete(Int)
    case move([Int], store: Int)
    case save, rollback
}

/// A sequence of steps on new stores.
struct MoveRun: Sendable {
    /// An error that the run must find.
    enum Defect: CaseIterable, Sendable { case movesNothing, losesHints, reversesLikes }

    private static let model = Result {
        try ManagedObjectModel([
            EntityDescription(
                "Thing",
                [
                    .attribute("number", .integer64),
                    .toOne("owner", "Thing", inverse: "parts"),
                    .toMany("parts", "Thing", inverse: "owner", deleteRule: .cascade),
                    .toOne("spouse", "Thing", inverse: "spouse"), .toOne("hint", "Thing"),
                    .toMany("likes", "Thing", inverse: "fans", isOrdered: true),
                    .toMany("fans", "Thing", inverse: "likes"),
                ])
        ])
    }

    private let engines: [StoreType]
    private let folder: TemporaryFolder
    private let coordinator: PersistentStoreCoordinator
    private let parent: ContextHandle
    private let usesChild: Bool
    private let defect: Defect?

    init(_ engines: [StoreType], usesChild: Bool, _ defect: Defect? = nil) throws {
        self.engines = engines
        self.usesChild = usesChild
        self.defect = defect
        folder = try TemporaryFolder()
        coordinator = try Self.coordinator(engines, folder)
        parent = ContextHandle(coordinator: coordinator)
    }

    private static func coordinator(
        _ engines: [StoreType], _ folder: TemporaryFolder
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model.get())
        for (index, type) in engines.enumerated() {
            try coordinator.addPersistentStore(
                ofType: type, at: folder.url(of: type, "\(index).store"))
        }
        return coordinator
    }

    /// Runs random steps.
    ///
    /// - Throws: ``Disagreement``.
    func run(seed: Int, _ tally: inout [String: Int]) throws {
        let handle = usesChild ? ContextHandle(parent: parent) : parent
        tally = try handle.performAndWait { [tally] context in
            var random = SeededRandom(seed: UInt64(seed))
            var state = State(tally: tally)
            var trace: [String] = []
            context.retainsRegisteredObjects = true
            for _ in 0..<60 {
                let step = state.step(using: &random)
                trace.append("\(step)")
                do {
                    try apply(step, in: context, &state)
                } catch {
                    throw Disagreement("\(error)\nafter \(trace.joined(separator: "\n    "))")
                }
            }
            return state.tally
        }
        if engines.contains(.inMemory) { return }
        let before = try content(of: coordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let again = try Self.coordinator(engines, folder)
        guard try content(of: again) == before else {
            throw Disagreement("the stores contain something else when they are opened again")
        }
        for store in again.persistentStores { try again.remove(store) }
    }

    /// The naive graph, and the context's objects.
    fileprivate struct State {
        var things: [Int: NaiveThing] = [:]
        var saved: [Int: NaiveThing] = [:]
        var objects: [Int: ManagedObject] = [:]
        var last = 0
        /// Whether an object is going to move, or was told to.
        var hasMoves = false
        var tally: [String: Int]

        init(tally: [String: Int]) { self.tally = tally }
    }

    // MARK: The real graph

    private func apply(
        _ step: MoveStep, in context: ManagedObjectContext, _ state: inout State
    ) throws {
        func object(_ number: Int?) throws -> ManagedObject? {
            try number.map { number in
                guard let object = state.objects[number] else {
                    throw Disagreement("\(number) is not in the context")
                }
                return object
            }
        }
        switch step {
        case .insert(let store):
            let object = try context.insert("Thing", ["number": state.last + 1])
            try context.assign(object, to: coordinator.persistentStores[store])
            state.objects[state.last + 1] = object
        case .own(let part, let owner):
            try object(part)?.setValue(object(owner), forKey: "owner")
        case .marry(let one, let other):
            try object(one)?.setValue(object(other), forKey: "spouse")
        case .hint(let one, let other):
            if defect == .losesHints { break }
            try object(one)?.setValue(object(other), forKey: "hint")
        case .like(let one, let other):
            guard let one = try object(one), let other = try object(other) else { break }
            try one.orderedObjects("likes").insert(other, at: 0)
        case .unlike(let one): try object(one)?.orderedObjects("likes").remove(at: 0)
        case .delete(let number): if let object = try object(number) { try context.delete(object) }
        case .move(let numbers, let store):
            if defect == .movesNothing { break }
            let moved = try numbers.compactMap(object)
            let error = try graphError {
                try context.move(moved, to: coordinator.persistentStores[store])
            }
            let expected = state.mayMove(numbers, to: store)
            state.tally[expected ? "moved" : "refused to move", default: 0] += 1
            if case .relationshipAcrossStores? = error, !expected { return }
            guard error == nil, expected else {
                throw Disagreement("expected \(expected): \(error as Any)")
            }
            if defect == .reversesLikes, let first = moved.first {
                let likes: OrderedObjects<ManagedObject> = try first.orderedObjects("likes")
                try likes.replaceAll(with: likes.reversed())
            }
        case .save: return try save(context, &state)
        case .rollback:
            context.rollback()
            return try rollBack(&state, in: context)
        }
        context.processPendingChanges()
        state.apply(step)
        try checkStores(context, state)
    }

    /// Checks that fetches find each object in its store, before a save, too.
    private func checkStores(_ context: ManagedObjectContext, _ state: State) throws {
        for (index, store) in coordinator.persistentStores.enumerated() {
            var request = FetchRequest<ManagedObject>("Thing")
            request.affectedStores = [store]
            let found = try context.count(for: request)
            let expected = state.things.values.count { $0.store == index }
            if found != expected {
                throw Disagreement("the store \(index) has \(found) objects, not \(expected)")
            }
        }
    }

    private func save(_ context: ManagedObjectContext, _ state: inout State) throws {
        let error = try graphError {
            try context.save()
            if usesChild { try parent.performAndWait { try $0.save() } }
        }
        if let error {
            // A child's row cannot lead to objects of both stores.
            let mayBeRefused = state.isAcross || usesChild && state.hasMoves
            guard case .relationshipAcrossStores = error, mayBeRefused else {
                throw Disagreement("a save was refused: \(error)")
            }
            state.tally["refused to save", default: 0] += 1
            context.rollback()
            if usesChild {
                try parent.performAndWait { $0.rollback() }
                context.reset()
            }
            try rollBack(&state, in: context)
        } else {
            if state.isAcross { throw Disagreement("a save across stores was not refused") }
            state.tally["saved", default: 0] += 1
            state.saved = state.things
            state.hasMoves = false
        }
        let found = try content(of: coordinator)
        guard found == state.saved else {
            let wrong = Set(found.keys).union(state.saved.keys).sorted().filter {
                found[$0] != state.saved[$0]
            }
            let lines = wrong.map {
                "\($0): \(found[$0] as Any) is stored, expected \(state.saved[$0] as Any)"
            }
            throw Disagreement(lines.joined(separator: "; "))
        }
        // A child gets the new IDs with its next call.
        _ = try context.count(for: FetchRequest<ManagedObject>("Thing"))
        for (number, object) in state.objects {
            let store = state.saved[number].map { coordinator.persistentStores[$0.store].number }
            guard object.objectID.store == store,
                try object.value(forKey: "number") as? Int64 == Int64(number)
            else { throw Disagreement("\(number) has the ID \(object.objectID)") }
        }
    }

    private func rollBack(_ state: inout State, in context: ManagedObjectContext) throws {
        state.things = state.saved
        state.hasMoves = false
        state.objects = [:]
        for object in try context.fetch(FetchRequest<ManagedObject>("Thing")) {
            guard let number = try object.value(forKey: "number") as? Int64 else { continue }
            state.objects[Int(number)] = object
        }
    }

    /// Returns what all stores contain, as a new context reads it.
    private func content(of coordinator: PersistentStoreCoordinator) throws -> [Int: NaiveThing] {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let numbers = coordinator.persistentStores.map(\.number)
            var found: [Int: NaiveThing] = [:]
            func number(_ object: ManagedObject?) throws -> Int? {
                try (object?.value(forKey: "number") as? Int64).map { Int($0) }
            }
            for object in try context.fetch(FetchRequest<ManagedObject>("Thing")) {
                func one(_ name: String) throws -> Int? {
                    try number(object.value(forKey: name) as? ManagedObject)
                }
                guard let own = try number(object), found[own] == nil else {
                    throw Disagreement("\(object.objectID) is stored twice, or has no number")
                }
                found[own] = NaiveThing(
                    store: numbers.firstIndex(of: object.objectID.store) ?? -1,
                    owner: try one("owner"), spouse: try one("spouse"), hint: try one("hint"),
                    likes: try object.orderedObjects("likes").compactMap(number))
            }
            return found
        }
    }
}

// MARK: - The naive graph

extension MoveRun.State {
    /// Returns a random step that is possible now.
    fileprivate func step(using random: inout SeededRandom) -> MoveStep {
        let numbers = things.keys.sorted()
        guard numbers.count > 2, let one = numbers.randomElement(using: &random),
            let other = numbers.filter({ $0 != one }).randomElement(using: &random)
        else { return .insert(store: Int.random(in: 0...1, using: &random)) }
        // Links usually lead to the same store.
        let near = numbers.filter { $0 != one && things[$0]?.store == things[one]?.store }
        let partner =
            Int.random(in: 0..<12, using: &random) == 0
            ? other : near.randomElement(using: &random) ?? other
        let isUnset = Int.random(in: 0..<3, using: &random) == 0
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<4 where numbers.count < 12:
            return .insert(store: Int.random(in: 0...1, using: &random))
        case 4..<9:
            // Things do not own themselves.
            let owner = closure([one]).contains(partner) ? nil : partner
            return .own(one, by: isUnset ? nil : owner)
        case 9..<12: return .marry(one, isUnset ? nil : partner)
        case 12..<14: return .hint(one, isUnset ? nil : partner)
        case 14..<17:
            return things[one]?.likes.contains(partner) == true ? .unlike(one) : .like(one, partner)
        case 17..<20: return things[one]?.likes.isEmpty == false ? .unlike(one) : .hint(one, nil)
        case 20:
            let deleted = closure([one])
            let isHint = things.contains {
                !deleted.contains($0.key) && $0.value.hint.map(deleted.contains) == true
            }
            return isHint ? .hint(one, nil) : .delete(one)
        case 21..<31:
            let store = Int.random(in: 0...1, using: &random)
            let several = Int.random(in: 0..<3, using: &random) == 0 ? [one, other] : [one]
            // Everything that is connected can always move.
            let all = Int.random(in: 0..<3, using: &random) == 0 ? Array(connected([one])) : several
            return .move(all.sorted(), store: store)
        case 31: return .rollback
        default: return .save
        }
    }

    /// What things lead to, in any direction.
    private func links() -> [(Int, Int)] {
        things.flatMap { number, thing in
            ([thing.owner, thing.spouse, thing.hint].compactMap(\.self) + thing.likes)
                .map { (number, $0) }
        }
    }

    private func connected(_ numbers: Set<Int>) -> Set<Int> {
        var found = numbers
        let links = links()
        while true {
            let more = links.filter { found.contains($0.0) != found.contains($0.1) }
            if more.isEmpty { return found }
            for (one, other) in more { found.formUnion([one, other]) }
        }
    }

    /// The things and all that they own.
    private func closure(_ numbers: [Int]) -> Set<Int> {
        var found = Set(numbers)
        while true {
            let more = things.filter {
                !found.contains($0.key) && $0.value.owner.map(found.contains) == true
            }
            if more.isEmpty { return found }
            found.formUnion(more.keys)
        }
    }

    fileprivate func mayMove(_ numbers: [Int], to store: Int) -> Bool {
        let moved = closure(numbers)
        return links().allSatisfy { one, other in
            if moved.contains(one) == moved.contains(other) { return true }
            return things[moved.contains(one) ? other : one]?.store == store
        }
    }

    fileprivate var isAcross: Bool {
        links().contains { things[$0.0]?.store != things[$0.1]?.store }
    }

    fileprivate mutating func apply(_ step: MoveStep) {
        switch step {
        case .insert(let store):
            last += 1
            things[last] = NaiveThing(store: store)
        case .own(let part, let owner): things[part]?.owner = owner
        case .marry(let one, let other):
            for number in [one, other].compactMap(\.self) {
                if let former = things[number]?.spouse { things[former]?.spouse = nil }
                things[number]?.spouse = nil
            }
            things[one]?.spouse = other
            if let other { things[other]?.spouse = one }
        case .hint(let one, let other): things[one]?.hint = other
        case .like(let one, let other): things[one]?.likes.insert(other, at: 0)
        case .unlike(let one): things[one]?.likes.removeFirst()
        case .delete(let number):
            let deleted = closure([number])
            for number in deleted {
                things[number] = nil
                objects[number] = nil
            }
            for number in things.keys {
                things[number]?.likes.removeAll(where: deleted.contains)
                if things[number]?.spouse.map(deleted.contains) == true {
                    things[number]?.spouse = nil
                }
            }
        case .move(let numbers, let store):
            hasMoves = true
            for number in closure(numbers) { things[number]?.store = store }
        case .save, .rollback: break
        }
    }
}
