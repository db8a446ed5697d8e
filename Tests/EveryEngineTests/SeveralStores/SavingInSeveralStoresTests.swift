import Cairn
import CairnTesting
import Foundation
import GraphSupport
import Testing

@Suite struct `A save over several stores` {
    private func expected(_ stack: SeveralStack, a: Int64) -> [String] {
        stack.types.indices.map { "\($0)=\(a)" }
    }

    @Test(arguments: SeveralStack.combinations)
    func `puts each object where it was assigned, and one fetch finds all`(
        _ types: [StoreType]
    ) throws {
        let stack = try SeveralStack(types)
        try stack.fill()

        let all = try stack.items()
        let some = try stack.inContext { try $0.items(limit: 1, offset: 1) }
        let counts = try stack.inContext { context in
            try stack.stores.map { store in
                var request = FetchRequest<ManagedObject>("Item")
                request.affectedStores = [store]
                return try context.count(for: request)
            }
        }

        #expect(all == expected(stack, a: 1))
        #expect(some == ["1=1"])
        #expect(counts == types.map { _ in 1 })
    }

    @Test(arguments: SeveralStack.combinations)
    func `is complete when its files are opened again in any order`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        try stack.fill()
        try stack.close()
        let wanted = stack.files.map { "\($0)=1" }

        let order = Array(types.indices)
        for order in [order, order.reversed()] {
            let again = try SeveralStack(types, in: stack.folder, order: order)
            #expect(try again.items() == wanted)
            try again.close()
        }
    }

    @Test(arguments: SeveralStack.combinations)
    func `reports the conflicts of all stores together`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        try stack.fill()

        let conflicts = try stack.inContext { context in
            try context.setAll(2)
            try stack.inContext { other in
                try other.setAll(5)
                try other.save()
            }
            guard case .mergeConflicts(let conflicts)? = try graphError({ try context.save() })
            else { return [StoreNumber]() }
            return conflicts.map(\.objectID.store)
        }

        #expect(Set(conflicts) == Set(stack.stores.map(\.number)))
        #expect(try stack.items() == expected(stack, a: 5))
    }

    @Test(arguments: SeveralStack.combinations)
    func `that one store refuses changes no store, and the context keeps its changes`(
        _ types: [StoreType]
    ) throws {
        for failing in types.indices {
            let stack = try SeveralStack(types)
            try stack.fill()
            let faults = stack.faults[failing]

            let hasChanges = try stack.inContext { context in
                try context.setAll(2)
                faults.fillDisk(at: .prepare)
                defer { faults.stopFailing() }
                let error = try graphError { try context.save() }
                guard case .store(.fileFailure)? = error else {
                    Issue.record("not the store's failure: \(error as Any)")
                    return context.hasChanges
                }
                let isUnchanged = try stack.items() == expected(stack, a: 1)
                #expect(isUnchanged)
                return context.hasChanges
            }

            #expect(hasChanges)
            #expect(try stack.items() == expected(stack, a: 1))
        }
    }

    @Test(arguments: SeveralStack.combinations)
    func `that cannot commit in one store is pending, and is finished before the next save`(
        _ types: [StoreType]
    ) throws {
        for failing in try SeveralStack(types).pendingOnes {
            let stack = try SeveralStack(types)
            try stack.fill()
            let faults = stack.faults[failing]
            // An in-memory store keeps its part of the save itself, so only this store refuses other saves.
            let other =
                types[failing] == .inMemory
                ? failing : try #require(stack.files.first { $0 != failing })

            try stack.inContext { context in
                try context.setAll(2)
                faults.fillDisk(at: .commit)
                defer { faults.stopFailing() }
                let error = try graphError { try context.save() }
                #expect(error?.isPending == true, "\(error as Any)")
                #expect(!context.hasChanges)
                try context.insertItem("new", in: stack.stores[other])
                let refusal = try graphError { try context.save() }
                #expect(refusal?.isPending == true, "\(refusal as Any)")
                #expect(context.hasChanges)

                faults.stopFailing()
                try context.save()
            }

            #expect(try stack.items() == expected(stack, a: 2) + ["new=1"])
            for index in stack.files {
                let path = try stack.pendingFile(index).path
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test(arguments: SeveralStack.journaled)
    func `that was left pending is finished by whoever opens the stores, in any order`(
        _ types: [StoreType]
    ) throws {
        let stack = try SeveralStack(types)
        try stack.fill()
        let order = Array(types.indices)
        for (number, order) in [order, order.reversed()].enumerated() {
            let stack = try SeveralStack(types, in: stack.folder)
            let faults = stack.faults[stack.files[number]]
            let a = Int64(number + 7)
            try stack.inContext { context in
                try context.setAll(a)
                faults.fillDisk(at: .commit)
                defer { faults.stopFailing() }
                #expect(try graphError { try context.save() }?.isPending == true)
            }
            try stack.close()

            let again = try SeveralStack(types, in: stack.folder, order: order)
            #expect(try again.items() == stack.files.map { "\($0)=\(a)" })
            try again.close()
        }
    }

    @Test(arguments: SeveralStack.journaled)
    func `that was left pending is finished by the next fetch of a program with one of the stores`(
        _ types: [StoreType]
    ) throws {
        let stack = try SeveralStack(types)
        try stack.fill()
        let alone = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(ItemStack.entities))
        try alone.addPersistentStore(ofType: types[0], at: try stack.url(0))
        func items() throws -> [String] {
            try ContextHandle(coordinator: alone).performAndWait { try $0.items() }
        }
        // However recently the program has looked for unfinished saves.
        let before = try items()
        let error = try stack.inContext { context in
            try context.setAll(2)
            stack.faults[0].fillDisk(at: .commit)
            defer { stack.faults[0].stopFailing() }
            return try graphError { try context.save() }
        }

        let after = try items()

        #expect(error?.isPending == true)
        #expect(before == ["0=1"])
        #expect(after == ["0=2"])
    }

    @Test(arguments: SeveralStack.combinations)
    func `may come from a child through its parent`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        let parent = ContextHandle(coordinator: stack.coordinator)

        try ContextHandle(parent: parent).performAndWait { child in
            for (index, store) in stack.stores.enumerated() {
                try child.insertItem("\(index)", in: store)
            }
            try child.save()
        }
        let before = try stack.items()
        try parent.performAndWait { try $0.save() }

        #expect(before == [])
        #expect(try stack.items() == expected(stack, a: 1))
    }

    @Test(arguments: SeveralStack.combinations) @MainActor
    func `may run in the background`(_ types: [StoreType]) async throws {
        let stack = try SeveralStack(types)
        let context = ManagedObjectContext(coordinator: stack.coordinator)
        for (index, store) in stack.stores.enumerated() {
            try context.insertItem("\(index)", in: store)
        }

        try await context.saveInBackground()

        #expect(!context.hasChanges)
        #expect(try stack.items() == expected(stack, a: 1))
    }

    @Test(arguments: SeveralStack.combinations)
    func `can be undone in all stores`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        try stack.fill()

        try stack.inContext { context in
            context.undoManager = UndoManager()
            let items = Array(try context.fetch(FetchRequest<ManagedObject>("Item")))
            let ids = items.map(\.objectID)
            for item in items { try context.delete(item) }
            try context.save()
            let left = try stack.items()
            context.undoManager?.undo()
            try context.save()

            #expect(left == [])
            #expect(items.map(\.objectID) == ids)
        }

        #expect(try stack.items() == expected(stack, a: 1))
    }

    @Test(arguments: SeveralStack.combinations)
    func `applies delete rules in all stores`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        try stack.fill()
        try stack.inContext { context in
            for item in try context.fetch(FetchRequest<ManagedObject>("Item")) {
                let label = try context.insertNewObject(forEntityName: "Label")
                let store = stack.stores.first { $0.number == item.objectID.store }
                try context.assign(label, to: try #require(store))
                try label.setValue(item, forKey: "item")
            }
            try context.save()
        }
        let before = try stack.inContext { try $0.count(for: FetchRequest<ManagedObject>("Label")) }

        try stack.inContext { context in
            for item in try context.fetch(FetchRequest<ManagedObject>("Item")) {
                try context.delete(item)
            }
            try context.save()
        }

        let after = try stack.inContext { try $0.count(for: FetchRequest<ManagedObject>("Label")) }
        #expect(before == types.count)
        #expect(after == 0)
    }

    @Test(arguments: SeveralStack.combinations)
    func `keeps values unique within each store`(_ types: [StoreType]) throws {
        let stack = try SeveralStack(types)
        try stack.inContext { context in
            for (index, store) in stack.stores.enumerated() {
                try context.insertItem("\(index)", in: store).setValue("code", forKey: "code")
            }
            try context.save()
        }

        let conflicts = try stack.inContext { context in
            for store in stack.stores {
                try context.insertItem("twin", in: store).setValue("code", forKey: "code")
            }
            guard case .constraintConflicts(let found)? = try graphError({ try context.save() })
            else { return 0 }
            return found.count
        }

        #expect(conflicts == types.count)
        #expect(try stack.items() == expected(stack, a: 1))
    }

    @Test(arguments: SeveralStack.combinations)
    func `is refused if a relationship would lead to another store, which names both objects`(
        _ types: [StoreType]
    ) throws {
        let stack = try SeveralStack(types)
        try stack.fill()

        try stack.inContext { context in
            let item = try #require(try context.item("0"))
            for property in ["box", "tags"] {
                let isToMany = property == "tags"
                let other = try context.insertNewObject(forEntityName: isToMany ? "Tag" : "Box")
                try context.assign(other, to: stack.stores[1])
                if isToMany {
                    try other.setValue(Set([item]), forKey: "items")
                } else {
                    try item.setValue(other, forKey: property)
                }
                let error = try graphError { try context.save() }
                guard case .relationshipAcrossStores(_, _, let from, let to)? = error else {
                    Issue.record("\(property): \(error as Any)")
                    continue
                }
                #expect(Set([from, to]) == [item.objectID, other.objectID])
                #expect("\(error as Any)".contains("\(other.objectID)"))
                context.rollback()
            }
        }

        #expect(try stack.items() == expected(stack, a: 1))
    }

    /// A child saves into its parent. Only the parent knows the stores.
    @Test(arguments: SeveralStack.combinations)
    func `of a child's relationship to another store is refused when the parent saves`(
        _ types: [StoreType]
    ) throws {
        let stack = try SeveralStack(types)
        try stack.fill()
        let parent = ContextHandle(coordinator: stack.coordinator)
        let ids = try ContextHandle(parent: parent).performAndWait { child in
            let item = try #require(try child.item("0"))
            let box = try child.insertNewObject(forEntityName: "Box")
            try child.assign(box, to: stack.stores[1])
            try item.setValue(box, forKey: "box")
            try child.save()
            return Set([item.objectID, box.objectID])
        }

        try parent.performAndWait { context in
            guard
                case .relationshipAcrossStores(_, _, let from, let to)? = try graphError({
                    try context.save()
                })
            else {
                Issue.record("the parent's save was not refused")
                return
            }
            #expect(Set([from, to]) == ids)
            #expect(context.hasChanges)
            // With both objects in one store, the same changes can be saved.
            let box = try #require(context.insertedObjects.first)
            try context.assign(box, to: stack.stores[0])
            try context.save()
        }
        #expect(try stack.items() == expected(stack, a: 1))
    }
}
