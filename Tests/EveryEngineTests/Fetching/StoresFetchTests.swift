import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@Suite struct `A fetch over several stores` {
    /// The sizes of the stores. Whole files are slow to create, so they are smaller.
    private static let sizes: [(StoreType, Int)] = [
        (.inMemory, 20_000), (.sqlite, 20_000), (.lmdb, 5_000), (.binary, 5_000), (.xml, 2_000),
    ].map { ($0, $1 * TestSetting.scale) }

    /// Returns two stores with parts whose numbers alternate. Prices have a different order.
    private static func counted(_ type: StoreType, _ size: Int) throws -> PartsStack {
        let stack = try PartsStack([type, type])
        for (index, store) in stack.stores.enumerated() {
            try stack.inContext { context in
                for number in 0..<size {
                    let part = try context.insert(
                        "Part",
                        [
                            "number": 2 * number + index, "weight": 1,
                            "price": Double((number * 7919) % size) + Double(index) / 2,
                            "code": "part number \(number)",
                        ])
                    try context.assign(part, to: store)
                }
                try context.save()
            }
        }
        _ = stack.takeRowCounts()
        return stack
    }

    @Test(arguments: sizes)
    func `reads few rows of each store if few are requested`(
        _ type: StoreType, _ size: Int
    ) throws {
        let stack = try Self.counted(type, size)
        let paths: [(path: String, ascending: Bool)] = [
            ("number", true), ("number", false), ("price", true), ("code", false),
        ]
        for (path, ascending) in paths {
            var request = FetchRequest<ManagedObject>("Part")
            request.predicate = try FetchPredicate(format: "number >= 0")
            request.sortDescriptors = [FetchSortDescriptor(path, ascending: ascending)]
            request.fetchOffset = 50
            request.fetchLimit = 100
            request.propertiesToFetch = ["number"]

            let numbers = try stack.inContext { [request] context in
                let objects: [ManagedObject] = try context.fetch(request)
                return try objects.map { try $0["number"] }
            }
            let ofObjects = stack.takeRowCounts()
            let ids = try stack.inContext { [request] in try $0.fetchIDs(request) }
            let ofIDs = stack.takeRowCounts()
            let dictionaries = try stack.inContext { [request] in
                try $0.fetchDictionaries(request)
            }
            let ofDictionaries = stack.takeRowCounts()

            print("\(type), \(size) rows, by \(path): \(ofObjects) \(ofIDs) \(ofDictionaries) rows")
            #expect(numbers.count == 100 && ids.count == 100)
            #expect(dictionaries.map { $0["number"] } == numbers)
            for counts in [ofObjects, ofIDs, ofDictionaries] {
                #expect(counts.allSatisfy { $0 > 0 && $0 <= 150 })
            }
            if path == "number" {
                let first = ascending ? 50 : 2 * size - 51
                #expect(
                    numbers == (0..<100).map { .integer(Int64(first + (ascending ? $0 : -$0))) })
            }
        }
    }

    @Test(arguments: sizes.prefix(2))
    func `stops reading distinct dictionaries when there are enough`(
        _ type: StoreType, _ size: Int
    ) throws {
        let stack = try Self.counted(type, size)
        var request = FetchRequest<ManagedObject>("Part")
        request.sortDescriptors = [FetchSortDescriptor("number")]
        request.fetchLimit = 100
        request.propertiesToFetch = ["number"]
        request.returnsDistinctResults = true

        let found = try stack.inContext { [request] in try $0.fetchDictionaries(request) }
        let counts = stack.takeRowCounts()

        #expect(found.count == 100)
        #expect(counts.allSatisfy { $0 > 0 && $0 <= 300 })
    }

    @Test(arguments: [[.sqlite, .sqlite], [.lmdb, .inMemory], [.binary, .xml]] as [[StoreType]])
    func `has each match once if a store is named twice`(_ types: [StoreType]) throws {
        let stack = try PartsStack(types)
        try stack.inContext { context in
            for store in stack.stores {
                try context.assign(
                    try context.insert("Part", ["number": 1, "weight": 1]), to: store)
            }
            try context.save()

            var request = FetchRequest<ManagedObject>("Part")
            request.affectedStores = [stack.stores[1], stack.stores[1]]

            #expect(try context.count(for: request) == 1)
            #expect(try context.fetch(request).count == 1)
        }
    }

    @Test
    func `finds unsaved objects in the store where they will be saved, also through a parent`()
        throws
    {
        let stack = try PartsStack([.inMemory, .sqlite])
        let parent = ContextHandle(coordinator: stack.coordinator)
        try parent.performAndWait { context in
            _ = try context.insert("Part", ["code": "first"])
            try context.assign(try context.insert("Part", ["code": "second"]), to: stack.stores[1])
        }

        try ContextHandle(parent: parent).performAndWait { child in
            // The changes force the child itself to decide whether the parts match.
            for part in try child.fetch(FetchRequest<ManagedObject>("Part")) {
                try part.setValue(7, forKey: "number")
            }
            var found: [[String]] = []
            for store in stack.stores {
                var request = try FetchRequest<ManagedObject>("Part", where: "number == 7")
                request.affectedStores = [store]
                found.append(
                    try child.fetch(request).map { try $0.value(forKey: "code") as? String ?? "" })
            }

            #expect(found == [["first"], ["second"]])
        }
    }

    @Test(arguments: [[.sqlite, .lmdb], [.inMemory, .binary, .sqlite]] as [[StoreType]])
    func `prefetches from the store of each object`(_ types: [StoreType]) throws {
        let stack = try PartsStack(types)
        for (index, store) in stack.stores.enumerated() {
            try stack.inContext { context in
                let kit = try context.insert("Kit", ["name": "kit \(index)"])
                try context.assign(kit, to: store)
                for number in 0..<3 {
                    let part = try context.insert("Part", ["number": number, "weight": 1])
                    try context.assign(part, to: store)
                    try part.setValue(kit, forKey: "kit")
                }
                try context.save()
            }
        }

        try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Part")
            request.sortDescriptors = [FetchSortDescriptor("number")]
            request.relationshipKeyPathsForPrefetching = ["kit.parts"]
            let parts: [ManagedObject] = try context.fetch(request)
            _ = stack.takeRowCounts()
            let names = try parts.map {
                try ($0.value(forKey: "kit") as? ManagedObject)?.value(forKey: "name") as? String
            }
            let rows = stack.takeRowCounts()

            let each = stack.stores.indices.map { "kit \($0)" as String? }
            #expect(names == each + each + each)
            #expect(rows == stack.stores.map { _ in 0 })
        }
    }
}
