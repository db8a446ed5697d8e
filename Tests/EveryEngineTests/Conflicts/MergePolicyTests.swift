import Cairn
import CairnTestSupport
import GraphSupport
import Testing

/// How a context resolves conflicts with changes that other contexts saved.
@Suite struct `A merge policy on every engine` {
    private func insert(
        _ names: [String], in stack: ItemStack
    ) throws {
        try stack.inContext { context in
            for name in names {
                _ = try context.insert("Item", ["name": name, "code": name, "a": 1, "b": 1])
            }
            try context.save()
        }
    }

    private func change(
        _ name: String, _ key: String, to value: Int, in stack: ItemStack
    ) throws {
        try stack.inContext { context in
            try context.item(name)?.setValue(value, forKey: key)
            try context.save()
        }
    }

    @Test(arguments: everyEngine)
    func `of errors lists every object with its three snapshots`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y", "z"], in: stack)

        try stack.inContext { context in
            let items = try ["x", "y", "z"].compactMap { try context.item($0) }
            try items[0].setValue(2, forKey: "a")
            try items[1].setValue(2, forKey: "a")
            try context.delete(items[2])
            try change("x", "b", to: 3, in: stack)
            try change("z", "b", to: 3, in: stack)
            try stack.inContext { other in
                if let y = try other.item("y") { try other.delete(y) }
                try other.save()
            }
            var conflicts: [MergeConflict] = []
            do { try context.save() } catch GraphError.mergeConflicts(let found) {
                conflicts = found.sorted { $0.objectID.key < $1.objectID.key }
            }

            #expect(conflicts.map(\.objectID) == items.map(\.objectID))
            #expect(conflicts.map { $0.objectSnapshot?["a"] } == [2, 2, nil])
            #expect(conflicts.map { $0.cachedSnapshot?["a"] } == [1, 1, 1])
            #expect(conflicts.map { $0.persistedSnapshot?["b"] } == [3, nil, 3])
            #expect(conflicts.map(\.oldVersion) == [1, 1, 1])
            #expect(conflicts.map(\.newVersion) == [2, 0, 2])
            #expect(context.hasChanges)
            #expect(items[2].isDeleted)
        }
    }

    @Test(arguments: everyEngine)
    func `of a program's own decides property by property, and may change any value`(
        _ type: StoreType
    ) throws {
        let stack = try ItemStack(type)
        try insert(["x"], in: stack)
        let policy = ClosureMergePolicy { conflicts, resolver in
            for conflict in conflicts {
                try resolver.merge(conflict) { $0 == "a" ? .store : .object }
                try resolver.object(of: conflict)?.setValue("merged", forKey: "code")
            }
        }

        try stack.handle(policy).performAndWait { context in
            let item = try #require(try context.item("x"))
            try item.setValue(5, forKey: "a")
            try item.setValue(5, forKey: "b")
            try change("x", "a", to: 7, in: stack)
            try change("x", "b", to: 7, in: stack)
            try context.save()
        }

        try stack.inContext { context in
            let item = try #require(try context.item("x"))
            #expect(try item["a"] == 7)
            #expect(try item["b"] == 5)
            #expect(try item["code"] == "merged")
        }
    }

    private struct Refusal: Error {}

    @Test(arguments: everyEngine)
    func `that throws fails the save and leaves the context unchanged`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y"], in: stack)
        let policy = ClosureMergePolicy { conflicts, resolver in
            for conflict in conflicts { try resolver.discard(conflict) }
            throw Refusal()
        }

        try stack.handle(policy).performAndWait { context in
            let (x, y) = (try #require(try context.item("x")), try #require(try context.item("y")))
            try x.setValue(5, forKey: "a")
            try context.delete(y)
            try change("x", "a", to: 7, in: stack)
            try change("y", "a", to: 7, in: stack)
            let error = #expect(throws: GraphError.self) { try context.save() }

            guard case .mergePolicyFailed(let reason)? = error, reason is Refusal else {
                Issue.record("not the policy's error: \(String(describing: error))")
                return
            }
            #expect(try x["a"] == 5)
            #expect(x.isUpdated)
            #expect(y.isDeleted)
        }
    }

    @Test(arguments: everyEngine)
    func `is asked three times at most`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try insert(["x"], in: stack)
        let asked = Counter()
        let policy = ClosureMergePolicy { conflicts, resolver in
            asked.increment()
            // Another context saves again while the conflict is being resolved.
            let value = asked.count + 10
            try stack.inContext { context in
                try context.item("x")?.setValue(value, forKey: "a")
                try context.save()
            }
            for conflict in conflicts { try resolver.overwrite(conflict) }
        }

        try stack.handle(policy).performAndWait { context in
            let item = try #require(try context.item("x"))
            try item.setValue(5, forKey: "b")
            try change("x", "a", to: 7, in: stack)

            #expect(throws: GraphError.self) { try context.save() }
            #expect(asked.count == 3)
            #expect(try item["b"] == 5)
        }
    }

    @Test(arguments: everyEngine)
    func `of errors refuses a box whose items others changed, even without a conflict of items`(
        _ type: StoreType
    ) throws {
        let stack = try ItemStack(type)
        try insert(["x", "y"], in: stack)
        try stack.inContext { context in
            let box = try context.insert("Box", ["name": "box"])
            try context.item("x")?.setValue(box, forKey: "box")
            try context.save()
        }

        try stack.inContext { context in
            let box = try context.only("Box")
            try context.item("y")?.setValue(box, forKey: "box")
            try stack.inContext { other in
                try other.item("x")?.setValue(nil, forKey: "box")
                try other.save()
            }
            var conflicts: [MergeConflict] = []
            do { try context.save() } catch GraphError.mergeConflicts(let found) {
                conflicts = found
            }

            #expect(conflicts.map(\.objectID) == [box.objectID])
            #expect(context.hasChanges)
        }
        let stored = try stack.inContext { try $0.only("Box").names("items", "name") }
        #expect(stored == [])
    }
}
