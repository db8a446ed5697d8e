import Cairn
import CairnTestSupport
import GraphSupport
import Testing

/// Saves that would store a unique value twice.
@Suite struct `Unique values` {
    private func insertStored(in stack: ItemStack) throws {
        try stack.inContext { context in
            _ = try context.insert("Item", ["name": "stored", "code": "k", "a": 1, "b": 1])
            _ = try context.insert("Item", ["name": "other", "code": "o", "a": 9])
            try context.save()
        }
    }

    /// Saves a new item that has the code of the stored item, and a label that refers to the new item.
    /// Returns the values that result.
    private func saveNew(
        in stack: ItemStack, under policy: MergePolicyType
    ) throws -> [String] {
        try stack.handle(StandardMergePolicy(policy)).performAndWait { context in
            let new = try context.insert("Item", ["name": "new", "code": "k", "a": 2])
            let label = try context.insert("Label", ["text": "mine"])
            try label.setValue(new, forKey: "item")
            try context.save()
            #expect(!context.hasChanges)
        }
        return try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Item")
            request.sortDescriptors = [FetchSortDescriptor("name")]
            return try context.fetch(request).map { item in
                let labels = try item.names("labels", "text")
                let values = try ["name", "a", "b"].map { try item[$0].text }
                return (values + labels).joined(separator: " ")
            }
        }
    }

    @Test(arguments: everyEngine)
    func `are refused with an error that names the constraint and all objects`(_ type: StoreType)
        throws
    {
        let stack = try ItemStack(type)
        try insertStored(in: stack)

        try stack.inContext { context in
            let stored = try #require(try context.item("stored"))
            let new = try context.insert("Item", ["name": "new", "code": "k"])
            let twins = try (0..<2).map { _ in try context.insert("Item", ["code": "twin"]) }
            var conflicts: [ConstraintConflict] = []
            do { try context.save() } catch GraphError.constraintConflicts(let found) {
                conflicts = found.sorted { left, right in
                    left.constraintValues["code"].text < right.constraintValues["code"].text
                }
            }

            #expect(conflicts.map(\.constraint) == [["code"], ["code"]])
            #expect(conflicts.map { $0.constraintValues["code"] } == ["k", "twin"])
            #expect(conflicts.map(\.databaseObject) == [stored.objectID, nil])
            #expect(conflicts.first?.databaseSnapshot?["name"] == "stored")
            #expect(conflicts.map(\.conflictingObjects) == [[new.objectID], twins.map(\.objectID)])
            #expect(conflicts.first?.conflictingSnapshots.first?["name"] == "new")
            #expect(new.isInserted)
        }
    }

    @Test(arguments: everyEngine)
    func `stay with the stored object if the store trumps`(_ type: StoreType) throws {
        for policy in [MergePolicyType.mergeByPropertyStoreTrump, .rollback] {
            let stack = try ItemStack(type)
            try insertStored(in: stack)

            let items = try saveNew(in: stack, under: policy)

            #expect(items == ["other 9 nil", "stored 1 1 mine"])
        }
    }

    @Test(arguments: everyEngine)
    func `move the new object's values to the stored one if the object trumps`(
        _ type: StoreType
    ) throws {
        let stack = try ItemStack(type)
        try insertStored(in: stack)

        let items = try saveNew(in: stack, under: .mergeByPropertyObjectTrump)

        #expect(items == ["new 2 1 mine", "other 9 nil"])
    }

    @Test(arguments: everyEngine)
    func `go to the new object instead of the stored one if it overwrites`(
        _ type: StoreType
    ) throws {
        let stack = try ItemStack(type)
        try insertStored(in: stack)

        let items = try saveNew(in: stack, under: .overwrite)

        #expect(items == ["new 2 nil mine", "other 9 nil"])
    }

    @Test(arguments: everyEngine)
    func `that a change would duplicate are resolved by the policy`(_ type: StoreType) throws {
        let expected: [MergePolicyType: [String]] = [
            .mergeByPropertyStoreTrump: ["o 3", "k 1"], .rollback: ["o 9", "k 1"],
            .mergeByPropertyObjectTrump: ["k 3"], .overwrite: ["k 3"],
        ]
        for (policy, codes) in expected {
            let stack = try ItemStack(type)
            try insertStored(in: stack)
            try stack.handle(StandardMergePolicy(policy)).performAndWait { context in
                let other = try #require(try context.item("other"))
                try other.setValue("k", forKey: "code")
                try other.setValue(3, forKey: "a")
                try context.save()
            }
            let found = try stack.inContext { context in
                var request = FetchRequest<ManagedObject>("Item")
                request.sortDescriptors = [FetchSortDescriptor("name")]
                return try context.fetch(request).map {
                    "\(try $0["code"].text) \(try $0["a"].text)"
                }
            }
            #expect(found == codes, "\(policy)")
        }
    }

    @Test(arguments: everyEngine)
    func `that only new objects share stay with one of them`(_ type: StoreType) throws {
        let expected: [MergePolicyType: String] = [
            .mergeByPropertyStoreTrump: "0", .rollback: "0", .mergeByPropertyObjectTrump: "2",
            .overwrite: "2",
        ]
        for (policy, name) in expected {
            let stack = try ItemStack(type)
            try stack.handle(StandardMergePolicy(policy)).performAndWait { context in
                for number in 0..<3 {
                    _ = try context.insert("Item", ["name": "\(number)", "code": "k"])
                }
                try context.save()
            }
            let names = try stack.inContext { context in
                try context.fetch(FetchRequest<ManagedObject>("Item")).map { try $0["name"].text }
            }
            #expect(names == [name], "\(policy)")
        }
    }
}

extension Value? {
    fileprivate var text: String { (self ?? .null).text }
}

extension Value {
    /// The value as text, for lists of expected values.
    fileprivate var text: String {
        switch self {
        case .string(let value): value
        case .integer(let value): "\(value)"
        default: "nil"
        }
    }
}
