import Cairn
import GraphSupport
import Testing

/// What can be undone after a merge: the decision of a merge policy is not an action of its own.
@Suite struct `Undo after a merge` {
    private static let policies: [MergePolicyType] = [
        .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]

    /// Returns a stack with a saved item whose `a` and `b` are 1.
    private func stack(_ type: StoreType) throws -> ItemStack {
        let stack = try ItemStack(type)
        try stack.inContext { context in
            _ = try context.insert("Item", ["name": "x", "code": "x", "a": 1, "b": 1])
            try context.save()
        }
        return stack
    }

    /// Sets `a` to 2 in a separate event, sets `a` to 5 and `b` to 7 in another context, and saves.
    private func saveConflict(
        _ context: ManagedObjectContext, _ item: ManagedObject, in stack: ItemStack
    ) throws {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        try item.setValue(2, forKey: "a")
        context.processPendingChanges()
        try stack.inContext { other in
            try other.item("x")?.setValue(5, forKey: "a")
            try other.item("x")?.setValue(7, forKey: "b")
            try other.save()
        }
        try context.save()
    }

    @Test(arguments: everyEngine, policies)
    func `restores what the user's change replaced, and redo restores the policy's choice`(
        _ type: StoreType, _ policy: MergePolicyType
    ) throws {
        let stack = try stack(type)
        try stack.handle(StandardMergePolicy(policy)).performAndWait { context in
            let item = try #require(try context.item("x"))
            try saveConflict(context, item, in: stack)
            let decided = [try item["a"], try item["b"]]
            let count = context.undoManager?.undoCount

            context.undo()
            let undone = [try item["a"], try item["b"]]
            try context.save()
            context.redo()
            let redone = [try item["a"], try item["b"]]
            try context.save()

            #expect(decided == Self.decision(policy))
            #expect(count == 1)
            #expect(undone == [1, decided[1]])
            #expect(redone == decided)
        }
        try stack.inContext { context in
            let item = try #require(try context.item("x"))
            #expect([try item["a"], try item["b"]] == Self.decision(policy))
        }
    }

    /// Returns the values of `a` and `b` after the policy's decision.
    private static func decision(_ policy: MergePolicyType) -> [Value] {
        switch policy {
        case .error, .overwrite: [2, 1]
        case .mergeByPropertyObjectTrump: [2, 7]
        case .mergeByPropertyStoreTrump, .rollback: [5, 7]
        }
    }

    @Test(arguments: everyEngine)
    func `reverts the change if the policy refuses the save`(_ type: StoreType) throws {
        let stack = try stack(type)
        try stack.inContext { context in
            let item = try #require(try context.item("x"))
            #expect(throws: GraphError.self) { try saveConflict(context, item, in: stack) }

            context.undo()

            #expect(try item["a"] == 1)
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: everyEngine)
    func `does not revert an insertion that became the stored object`(_ type: StoreType) throws {
        let stack = try stack(type)
        try stack.handle(.mergeByPropertyStoreTrump).performAndWait { context in
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            // Another item already has the code.
            let new = try context.insert("Item", ["name": "y", "code": "x"])
            try context.save()

            context.undo()
            context.redo()
            try context.save()

            #expect(new.managedObjectContext === context)
            #expect(try context.item("x") === new)
            #expect(try context.count(for: FetchRequest<ManagedObject>("Item")) == 1)
        }
    }

    @Test(arguments: everyEngine)
    func `does not revert changes merged from others`(_ type: StoreType) throws {
        let stack = try stack(type)
        try stack.inContext { context in
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            let item = try #require(try context.item("x"))
            try item.setValue(2, forKey: "a")
            context.processPendingChanges()
            try stack.inContext { other in
                try other.item("x")?.setValue(7, forKey: "b")
                try other.save()
            }
            try context.refreshAllObjects()
            let count = manager.undoCount

            context.undo()

            #expect(count == 1)
            #expect(try item["a"] == 1)
            #expect(try item["b"] == 7)
            #expect(!context.hasChanges)
        }
    }
}
