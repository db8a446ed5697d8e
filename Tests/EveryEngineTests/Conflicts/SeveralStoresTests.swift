import Cairn
import GraphSupport
import Testing

/// A single save in two stores of different engines, with conflicting changes in each of them.
@Suite struct `A merge policy over several stores` {
    private static let policies: [MergePolicyType] = [
        .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    /// Pairs in which each engine is the first store once and the second store once.
    private static let engines = Array(
        zip(everyEngine, everyEngine.dropFirst() + everyEngine.prefix(1)))

    /// Saves an item in each store. Its `a` and `b` are 1.
    private func fill(_ stack: ItemStack) throws {
        try stack.inContext { context in
            for (number, store) in stack.stores.enumerated() {
                let item = try context.insert(
                    "Item", ["name": "\(number)", "code": "\(number)", "a": 1, "b": 1])
                try context.assign(item, to: store)
            }
            try context.save()
        }
    }

    private func values(_ context: ManagedObjectContext) throws -> [[Value]] {
        try ["0", "1"].map { name in
            let item = try #require(try context.item(name))
            return [try item["a"], try item["b"]]
        }
    }

    @Test(arguments: engines, policies)
    func `resolves the objects of both, and all or nothing is saved`(
        _ types: (StoreType, StoreType), _ policy: MergePolicyType
    ) throws {
        let stack = try ItemStack(types.0, types.1)
        try fill(stack)

        try stack.handle(StandardMergePolicy(policy)).performAndWait { context in
            let mine = try ["0", "1"].map { try #require(try context.item($0)) }
            for item in mine { try item.setValue(2, forKey: "a") }
            try stack.inContext { other in
                for name in ["0", "1"] {
                    try other.item(name)?.setValue(5, forKey: "a")
                    try other.item(name)?.setValue(7, forKey: "b")
                }
                try other.save()
            }
            var conflicts: Set<ObjectID> = []
            do {
                try context.save()
            } catch GraphError.mergeConflicts(let found) {
                conflicts = Set(found.map(\.objectID))
            }

            let wanted: [Value] =
                switch policy {
                case .error: [2, 1]
                case .overwrite: [2, 1]
                case .mergeByPropertyObjectTrump: [2, 7]
                case .mergeByPropertyStoreTrump, .rollback: [5, 7]
                }
            #expect(conflicts == (policy == .error ? Set(mine.map(\.objectID)) : []))
            #expect(try values(context) == [wanted, wanted])
            #expect(context.hasChanges == (policy == .error))
            let stored: [Value] = policy == .error ? [5, 7] : wanted
            #expect(try stack.inContext { try values($0) } == [stored, stored])
        }
    }

    @Test(arguments: engines)
    func `resolves the store that others changed, and saves in the other store too`(
        _ types: (StoreType, StoreType)
    ) throws {
        let stack = try ItemStack(types.0, types.1)
        try fill(stack)

        try stack.handle(.mergeByPropertyStoreTrump).performAndWait { context in
            for name in ["0", "1"] { try context.item(name)?.setValue(2, forKey: "a") }
            try stack.inContext { other in
                try other.item("1")?.setValue(5, forKey: "a")
                try other.save()
            }
            try context.save()
        }

        #expect(try stack.inContext { try values($0) } == [[2, 1], [5, 1]])
    }
}
