import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Random edits in two and three contexts at the same time, saved under each policy and compared with a
/// simple model.
///
/// Each item of a round is a case: 5 engines × 5 policies × 8 rounds × 10 items are 2,000 cases.
/// `CAIRN_SEED` replaces the fixed seed.
@Suite struct `Random edits in several contexts` {
    private static let policies: [MergePolicyType] = [
        .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    private static let itemCount = 10

    @Test(arguments: everyEngine, policies)
    func `are saved as the merge policy says`(
        _ type: StoreType, _ policy: MergePolicyType
    ) throws {
        try run(type, policy, seed: TestSetting.number("CAIRN_SEED") ?? 20_261_121)
    }

    /// In one round of this seed, the writers change different items, and are in conflict only over the order
    /// in a box.
    @Test(arguments: everyEngine, policies)
    func `are saved as the policy says if only boxes are in conflict`(
        _ type: StoreType, _ policy: MergePolicyType
    ) throws {
        try run(type, policy, seed: 7_271_962_753_443_479_339)
    }

    private func run(_ type: StoreType, _ policy: MergePolicyType, seed: UInt64) throws {
        print("random conflicts: \(type), \(policy), CAIRN_SEED=\(seed)")
        var random = SeededRandom(seed: seed)
        let stack = try ItemStack(type)
        try stack.inContext { context in
            for name in ["box 0", "box 1"] { _ = try context.insert("Box", ["name": name]) }
            try context.save()
        }
        for round in 0..<8 * TestSetting.scale {
            try runRound(round, of: stack, policy, &random)
        }
    }

    private func runRound(
        _ round: Int, of stack: ItemStack, _ policy: MergePolicyType, _ random: inout SeededRandom
    ) throws {
        var items = MergedItems(try insertItems(round, in: stack, &random))
        let mine = try stack.handle(StandardMergePolicy(policy))
        let (edits, afterEdits) = try edit(mine, items, random)
        random = afterEdits
        // An even round has one other writer; an odd round has two, which save one after the other.
        for _ in 0...(round % 2) {
            let theirs = try stack.handle()
            let (others, next) = try edit(theirs, items, random)
            random = next
            try theirs.performAndWait { try $0.save() }
            items.save(others)
        }
        let expected = items.conflicts(with: edits) + items.boxConflicts(with: edits)
        let reported = try save(mine)
        items.save(edits, under: policy)

        let isRefused = policy == .error && !expected.isEmpty
        if policy == .error { #expect(reported ?? [] == expected.sorted(), "round \(round)") }
        if policy != .error { #expect(reported == nil, "round \(round)") }
        try stack.inContext { [items] in
            try Self.check($0, items, round, ofOrder: policy == .error)
        }
        try stack.inContext { try Self.clear($0) }
        if !isRefused, reported == nil {
            try mine.performAndWait { [items] context in
                #expect(!context.hasChanges)
                for name in items.stored.keys {
                    guard let item = edits.changed.contains(name) ? try context.item(name) : nil
                    else { continue }
                    #expect(try Self.state(of: item) == items.stored[name], "mine: \(name)")
                }
            }
        }
    }

    private func insertItems(
        _ round: Int, in stack: ItemStack, _ random: inout SeededRandom
    ) throws -> [String: ItemState] {
        var items: [String: ItemState] = [:]
        for number in 0..<Self.itemCount {
            let box = random.next() % 3
            items["\(round).\(number)"] = ItemState(
                a: Int(random.next() % 3), b: Int(random.next() % 3),
                box: box == 2 ? nil : "box \(box)")
        }
        try stack.inContext { [items] context in
            for (name, state) in items.sorted(by: { $0.key < $1.key }) {
                let item = try context.insert(
                    "Item", ["name": name, "code": name, "a": state.a, "b": state.b])
                if let box = state.box {
                    try item.setValue(
                        try context.only("Box", where: "name == '\(box)'"), forKey: "box")
                }
            }
            try context.save()
        }
        return items
    }

    private func edit(
        _ handle: ContextHandle, _ items: MergedItems, _ random: SeededRandom
    ) throws -> (MergedItems.Edits, SeededRandom) {
        try handle.performAndWait { context in
            // Reads both boxes before others save. A box that was first read during the save would already
            // have the new state.
            context.retainsRegisteredObjects = true
            for box in try context.fetch(FetchRequest<ManagedObject>("Box")) {
                _ = try box.value(forKey: "name")
            }
            var edits = MergedItems.Edits(items)
            var random = random
            try edits.change(context, using: &random)
            return (edits, random)
        }
    }

    /// Saves, and returns the names of the items and boxes in conflict if the save is refused.
    private func save(_ handle: ContextHandle) throws -> [String]? {
        try handle.performAndWait { context in
            do {
                try context.save()
                return nil
            } catch GraphError.mergeConflicts(let conflicts) {
                #expect(context.hasChanges)
                return conflicts.map { conflict in
                    guard case .string(let name)? = conflict.cachedSnapshot?["name"] else {
                        return "?"
                    }
                    return name
                }.sorted()
            }
        }
    }

    private static func state(of item: ManagedObject) throws -> ItemState {
        ItemState(
            a: Int(try item.value(forKey: "a") as? Int64 ?? -1),
            b: Int(try item.value(forKey: "b") as? Int64 ?? -1),
            box: try item.value(forKeyPath: "box.name") as? String)
    }

    private static func check(
        _ context: ManagedObjectContext, _ items: MergedItems, _ round: Int, ofOrder: Bool
    ) throws {
        var found: [String: ItemState] = [:]
        for item in try context.fetch(FetchRequest<ManagedObject>("Item")) {
            found[try item.value(forKey: "name") as? String ?? ""] = try state(of: item)
        }
        #expect(found == items.stored, "round \(round)")
        for box in try context.fetch(FetchRequest<ManagedObject>("Box")) {
            let name = try box.value(forKey: "name") as? String
            let members = items.stored.filter { $0.value.box == name }.map(\.key)
            let found = try box.names("items", "name")
            #expect(found.sorted() == members.sorted(), "round \(round)")
            if ofOrder { #expect(found == items.boxes[name ?? ""], "round \(round)") }
        }
    }

    private static func clear(_ context: ManagedObjectContext) throws {
        for item in try context.fetch(FetchRequest<ManagedObject>("Item")) {
            try context.delete(item)
        }
        try context.save()
    }
}
