import Cairn
import GraphSupport
import Testing

@Suite struct `A fetch from some of the stores` {
    private static func names(
        _ context: ManagedObjectContext, in store: any PersistentStore
    ) throws -> [String] {
        var request = FetchRequest<ManagedObject>("Tag")
        request.affectedStores = [store]
        request.sortDescriptors = [FetchSortDescriptor("name")]
        return try context.fetch(request).map { try $0.value(forKey: "name") as? String ?? "" }
    }

    /// Calls the body with a context that has the unsaved tags “first” and “second”, each assigned to a
    /// different store.
    private func inTwoStores(
        _ type: StoreType,
        _ body: @Sendable (ManagedObjectContext, [any PersistentStore]) throws -> Void
    ) throws {
        let stack = try Library.stack(type, storeCount: 2)
        try stack.inContext { [stores = stack.stores] context throws in
            for (name, store) in zip(["first", "second"], stores) {
                try context.assign(try context.insert("Tag", ["name": name]), to: store)
            }
            try body(context, stores)
        }
    }

    @Test(arguments: chosenEngines)
    func `leaves out unsaved objects that are assigned to another one`(_ type: StoreType) throws {
        try inTwoStores(type) { context, stores throws in
            #expect(try Self.names(context, in: stores[0]) == ["first"])
            #expect(try Self.names(context, in: stores[1]) == ["second"])
        }
    }

    @Test(arguments: chosenEngines)
    func `counts unsaved objects by their stores`(_ type: StoreType) throws {
        try inTwoStores(type) { context, stores throws in
            var request = FetchRequest<ManagedObject>("Tag")
            request.affectedStores = [stores[1]]

            #expect(try context.count(for: request) == 1)
        }
    }

    @Test(arguments: chosenEngines)
    func `finds the same objects after the save`(_ type: StoreType) throws {
        try inTwoStores(type) { context, stores throws in
            try context.save()

            #expect(try Self.names(context, in: stores[0]) == ["first"])
            #expect(try Self.names(context, in: stores[1]) == ["second"])
        }
    }

    @Test(arguments: chosenEngines)
    func `knows the store of an object that has a permanent ID before its save`(
        _ type: StoreType
    ) throws {
        try inTwoStores(type) { context, stores throws in
            try context.obtainPermanentIDs(for: Array(context.insertedObjects))

            #expect(try Self.names(context, in: stores[0]) == ["first"])
            #expect(try Self.names(context, in: stores[1]) == ["second"])
        }
    }

    @Test(arguments: chosenEngines)
    func `finds an unsaved object without a store where the save would put it`(
        _ type: StoreType
    ) throws {
        let stack = try Library.stack(type, storeCount: 2)
        try stack.inContext { [stores = stack.stores] context throws in
            _ = try context.insert("Tag", ["name": "free"])
            let before = try stores.map { try Self.names(context, in: $0) }
            try context.save()
            let after = try stores.map { try Self.names(context, in: $0) }

            #expect(before == [["free"], []])
            #expect(after == before)
        }
    }

    @Test(arguments: chosenEngines)
    func `is followed by a results controller in the same way`(_ type: StoreType) throws {
        let stack = try Library.stack(type, storeCount: 2)
        try stack.inContext { [stores = stack.stores] context throws in
            var request = FetchRequest<ManagedObject>("Tag")
            request.affectedStores = [stores[1]]
            request.sortDescriptors = [FetchSortDescriptor("name")]
            let controller = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context)
            try controller.performFetch()
            for (name, store) in zip(["first", "second"], stores) {
                try context.assign(try context.insert("Tag", ["name": name]), to: store)
            }
            context.processPendingChanges()

            #expect(try controller.fetchedObjects?.map { try $0["name"] } == ["second"])
        }
    }

    @Test(arguments: chosenEngines)
    func `of a child knows the stores that the child assigned`(_ type: StoreType) throws {
        let stack = try Library.stack(type, storeCount: 2)
        let parent = ContextHandle(coordinator: stack.coordinator)
        try ContextHandle(parent: parent).performAndWait { [stores = stack.stores] context throws in
            for (name, store) in zip(["first", "second"], stores) {
                try context.assign(try context.insert("Tag", ["name": name]), to: store)
            }
            #expect(try Self.names(context, in: stores[1]) == ["second"])
            try context.save()
            #expect(try Self.names(context, in: stores[1]) == ["second"])
        }
    }

    @Test(arguments: chosenEngines)
    func `refuses a store that was removed`(_ type: StoreType) throws {
        let stack = try Library.stack(type, storeCount: 2)
        try stack.coordinator.remove(stack.stores[1])
        try stack.inContext { [stores = stack.stores] context throws in
            #expect(throws: GraphError.self) { try Self.names(context, in: stores[1]) }
        }
    }

    @Test(arguments: chosenEngines)
    func `cannot be changed by assigning a saved object, which is refused`(_ type: StoreType) throws
    {
        let stack = try Library.stack(type, storeCount: 2)
        try stack.inContext { [stores = stack.stores] context throws in
            let tag = try context.insert("Tag", ["name": "tag"])
            try context.save()

            #expect(throws: GraphError.self) { try context.assign(tag, to: stores[1]) }
        }
    }
}
