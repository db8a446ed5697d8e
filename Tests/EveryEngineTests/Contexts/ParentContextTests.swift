import Cairn
import CairnTestSupport
import GraphSupport
import Testing

/// Contexts whose parent is another context.
@Suite struct `A child context` {
    @Test(arguments: everyEngine)
    func `sees unsaved changes of its parent, and saves only to its parent`(_ type: StoreType)
        throws
    {
        let stack = try ItemStack(type)
        let root = try stack.handle()
        let child = ContextHandle(parent: root)
        try root.performAndWait { context throws in
            let item = try context.insert("Item", ["name": "root's", "code": "1", "a": 1])
            try item.setValue(try context.insert("Box", ["name": "box"]), forKey: "box")
        }

        try child.performAndWait { context throws in
            let item = try #require(try context.item("root's"))
            #expect(item.objectID.isTemporary)
            #expect(!item.isInserted)
            #expect(try item.value(forKeyPath: "box.name") as? String == "box")
            let box = try context.only("Box")
            #expect(try box.names("items", "name") == ["root's"])
            try item.setValue(2, forKey: "a")
            let new = try context.insert("Item", ["name": "child's", "code": "2"])
            try box.orderedObjects("items").insert(new, at: 0)
            try context.save()
            #expect(!context.hasChanges)
            #expect(new.objectID.isTemporary)
        }

        try root.performAndWait { context throws in
            #expect(context.insertedObjects.count == 3)
            #expect(try context.item("root's")?["a"] == 2)
            #expect(try context.only("Box").names("items", "name") == ["child's", "root's"])
        }
        try stack.inContext { context throws in
            #expect(try context.count(for: FetchRequest<ManagedObject>("Item")) == 0)
        }
        try root.performAndWait { try $0.save() }
        try stack.inContext { context throws in
            #expect(try context.only("Box").names("items", "name") == ["child's", "root's"])
        }
    }

    @Test(arguments: everyEngine)
    func `gets permanent IDs when the root context saves`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        let root = try stack.handle()
        let child = ContextHandle(parent: root)
        let grandchild = ContextHandle(parent: child)
        let temporary = try grandchild.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            let item = try context.insert("Item", ["name": "x", "code": "1"])
            let box = try context.insert("Box", ["name": "box"])
            try item.setValue(box, forKey: "box")
            try context.save()
            return item.objectID
        }
        try child.performAndWait { try $0.save() }
        #expect(temporary.isTemporary)

        try root.performAndWait { try $0.save() }

        let stored = try stack.inContext { try #require(try $0.item("x")).objectID }
        try grandchild.performAndWait { context throws in
            let item = try #require(context.registeredObject(for: temporary))
            #expect(item.objectID == stored)
            #expect(context.registeredObject(for: stored) === item)
            #expect(try context.item("x") === item)
            let box = try #require(try item.value(forKey: "box") as? ManagedObject)
            #expect(!box.objectID.isTemporary)
            #expect(try context.only("Box") === box)
            #expect(try box.names("items", "name") == ["x"])
            try item.setValue(3, forKey: "a")
            try context.save()
        }
        try child.performAndWait { try $0.save() }
        try root.performAndWait { try $0.save() }
        try stack.inContext { context throws in #expect(try context.item("x")?["a"] == 3) }
    }

    @Test(arguments: everyEngine)
    func `obtains permanent IDs, which its parents get too`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        let root = try stack.handle()
        let child = ContextHandle(parent: root)
        let id = try child.performAndWait { context throws in
            let item = try context.insert("Item", ["name": "x", "code": "1"])
            try context.save()
            try context.obtainPermanentIDs(for: [item])
            return item.objectID
        }

        #expect(!id.isTemporary)
        try root.performAndWait { context throws in
            #expect(try context.item("x")?.objectID == id)
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.existingObject(with: id)["name"] == "x")
        }
    }

    @Test(arguments: everyEngine)
    func `passes deletions and relationships to its parent`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try stack.inContext { context throws in
            let item = try context.insert("Item", ["name": "x", "code": "1"])
            let labels = try ["l", "m"].map { try context.insert("Label", ["text": $0]) }
            try item.setValue(labels, forKey: "labels")
            let tag = try context.insert("Tag", ["name": "t"])
            try item.setValue([tag], forKey: "tags")
            let other = try context.insert("Item", ["name": "y", "code": "2"])
            try other.setValue([tag], forKey: "tags")
            try context.save()
        }
        let root = try stack.handle()
        try ContextHandle(parent: root).performAndWait { context throws in
            try context.delete(try #require(try context.item("x")))
            let new = try context.insert("Tag", ["name": "u"])
            let other = try #require(try context.item("y"))
            try other.objects("tags").insert(new)
            try context.save()
        }

        try root.performAndWait { context throws in
            #expect(try context.count(for: FetchRequest<ManagedObject>("Label")) == 0)
            #expect(try context.item("x") == nil)
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.count(for: FetchRequest<ManagedObject>("Label")) == 0)
            #expect(try context.item("y")?.names("tags", "name") == ["t", "u"])
            #expect(try context.only("Tag", where: "name == 't'").names("items", "name") == ["y"])
        }
    }

    @Test(arguments: everyEngine)
    func `refreshes its objects through every parent`(_ type: StoreType) throws {
        let stack = try ItemStack(type)
        try stack.inContext { context throws in
            _ = try context.insert("Item", ["name": "x", "code": "1", "a": 1, "b": 1])
            try context.save()
        }
        let root = try stack.handle()
        let child = ContextHandle(parent: root)
        try root.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            try context.item("x")?.setValue(5, forKey: "b")
        }

        try child.performAndWait { context throws in
            let item = try #require(try context.item("x"))
            #expect(try item["a"] == 1)
            try stack.inContext { other in
                try other.item("x")?.setValue(2, forKey: "a")
                try other.save()
            }
            #expect(try item["a"] == 1)
            try context.refresh(item, mergeChanges: true)
            #expect(try item["a"] == 2)
            #expect(try item["b"] == 5)
        }
        try root.performAndWait { try $0.save() }
        try stack.inContext { context throws in #expect(try context.item("x")?["b"] == 5) }
    }

    @Test(arguments: everyEngine)
    func `treats changes of its parent as conflicts`(_ type: StoreType) throws {
        let expected: [MergePolicyType: (Int64, Int64)] = [
            .mergeByPropertyStoreTrump: (7, 5), .mergeByPropertyObjectTrump: (5, 5),
            .overwrite: (5, 5), .rollback: (7, 1), .error: (7, 1),
        ]
        for (policy, (a, b)) in expected {
            let stack = try ItemStack(type)
            let root = try stack.handle()
            try root.performAndWait { context throws in
                context.retainsRegisteredObjects = true
                _ = try context.insert("Item", ["name": "x", "code": "1", "a": 1, "b": 1])
                try context.save()
            }
            try ContextHandle(parent: root).performAndWait { context throws in
                context.mergePolicy = StandardMergePolicy(policy)
                let item = try #require(try context.item("x"))
                try item.setValue(5, forKey: "a")
                try item.setValue(5, forKey: "b")
                try root.performAndWait { try $0.item("x")?.setValue(7, forKey: "a") }
                do {
                    try context.save()
                    #expect(policy != .error)
                } catch GraphError.mergeConflicts(let conflicts) {
                    #expect(policy == .error)
                    #expect(conflicts.map(\.objectID) == [item.objectID])
                    #expect(conflicts.first?.persistedSnapshot?["a"] == 7)
                }
            }
            try root.performAndWait { context throws in
                let item = try #require(try context.item("x"))
                #expect(try item["a"] == .integer(a), "\(policy)")
                #expect(try item["b"] == .integer(b), "\(policy)")
            }
        }
    }

    @Test func `has no conflict with changes that its parent only saved`() throws {
        let stack = try ItemStack("InMemory")
        let root = try stack.handle()
        let child = ContextHandle(parent: root)
        try child.performAndWait { context throws in
            context.retainsRegisteredObjects = true
            _ = try context.insert("Item", ["name": "x", "code": "1"])
            try context.save()
        }
        for value in 1...3 {
            try root.performAndWait { try $0.save() }
            try child.performAndWait { context throws in
                try context.item("x")?.setValue(value, forKey: "a")
                try context.save()
            }
        }
        try root.performAndWait { context throws in #expect(try context.item("x")?["a"] == 3) }
    }

    /// The parent forgets the temporary IDs of one save with the next.
    @Test func `has no conflict with temporary IDs that its parent has replaced`() throws {
        let stack = try ItemStack(.inMemory)
        let root = try stack.handle()
        try ContextHandle(parent: root).performAndWait { context throws in
            let item = try context.insert("Item", ["name": "x", "code": "1"])
            try item.setValue(try context.insert("Box", ["name": "box"]), forKey: "box")
            for code in ["2", "3"] {
                _ = try context.insert("Item", ["name": "other", "code": code])
                try context.save()
                try root.performAndWait { try $0.save() }
            }

            try item.setValue(2, forKey: "a")
            try context.save()
            try root.performAndWait { try $0.save() }
        }

        try stack.inContext { context throws in #expect(try context.item("x")?["a"] == 2) }
    }

    /// The model-based test found this with seed 393.
    @Test(arguments: everyEngine, [true, false])
    func `restores an object in its parent after the parent saved its deletion`(
        _ type: StoreType, _ isStored: Bool
    ) throws {
        let stack = try ItemStack(type)
        let root = try stack.handle()
        try ContextHandle(parent: root).performAndWait { context throws in
            let manager = UndoManager()
            manager.groupsByEvent = false
            context.undoManager = manager
            let box = try context.insert("Box", ["name": "box"])
            let tag = try context.insert("Tag", ["name": "tag"])
            context.processPendingChanges()
            let item = try context.insert("Item", ["name": "x", "code": "1"])
            try item.setValue(box, forKey: "box")
            try item.objects("tags").insert(tag)
            try context.save()
            if isStored { try root.performAndWait { try $0.save() } }

            context.undo()
            try context.save()
            context.redo()
            try context.save()
        }

        for isSaved in [false, true] {
            try root.performAndWait { context throws in
                #expect(try context.only("Box").names("items", "name") == ["x"])
                #expect(try context.only("Tag").names("items", "name") == ["x"])
                #expect(try context.item("x")?.value(forKeyPath: "box.name") as? String == "box")
                #expect(try context.item("x")?.names("tags", "name") == ["tag"])
                #expect(context.hasChanges == !isSaved)
                try context.save()
            }
        }
        try stack.inContext { context throws in
            #expect(try context.only("Box").names("items", "name") == ["x"])
            #expect(try context.only("Tag").names("items", "name") == ["x"])
        }
    }

    @Test func `leaves its parent unchanged if its save fails`() throws {
        let stack = try ItemStack("InMemory")
        let root = try stack.handle()
        try root.performAndWait { context throws in
            for name in ["x", "y"] { _ = try context.insert("Item", ["name": name, "code": name]) }
            try context.save()
        }
        try ContextHandle(parent: root).performAndWait { context throws in
            try context.item("x")?.setValue(1, forKey: "a")
            let y = try #require(try context.item("y"))
            try y.setValue(1, forKey: "a")
            _ = try context.insert("Item", ["name": "z"])
            try root.performAndWait { parent in
                try parent.delete(try #require(try parent.item("y")))
            }
            #expect(throws: GraphError.self) { try context.save() }
            #expect(context.insertedObjects.count == 1)
        }
        try root.performAndWait { context throws in
            #expect(context.insertedObjects.isEmpty)
            #expect(context.updatedObjects.isEmpty)
            #expect(try context.item("x")?["a"] == .null)
        }
    }

    @Test func `may be nested in its parent's turn in any order, or run concurrently`() async throws
    {
        let stack = try ItemStack("InMemory")
        let root = try stack.handle()
        let child = ContextHandle(parent: root)

        // A single thread may nest turns in any order.
        try root.performAndWait { _ in
            try child.performAndWait { context throws in
                _ = try context.insert("Item", ["name": "x", "code": "1"])
                try context.save()
            }
        }
        try child.performAndWait { context throws in
            try root.performAndWait { context throws in #expect(context.hasChanges) }
            #expect(try context.item("x") != nil)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await ContextHandle(parent: root).perform { context in
                        _ = try context.insert("Item", ["name": "\(number)", "code": "c\(number)"])
                        try context.save()
                    }
                }
                group.addTask { try await root.perform { try $0.save() } }
            }
            try await group.waitForAll()
        }
        try root.performAndWait { try $0.save() }
        try stack.inContext { context throws in
            #expect(try context.count(for: FetchRequest<ManagedObject>("Item")) == 21)
        }
    }
}
