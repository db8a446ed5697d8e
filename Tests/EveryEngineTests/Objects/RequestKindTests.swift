import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `A fetch request on every engine` {
    @Test(arguments: everyEngine)
    func `returns what the result type says`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.fill { context in
            for name in ["a", "b", "c"] { _ = try context.insert("Tag", ["name": name]) }
        }

        try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Tag")
            request.sortDescriptors = [FetchSortDescriptor("name")]
            request.fetchLimit = 2
            guard case .managedObjects(let objects) = try context.execute(request) else {
                Issue.record("no objects")
                return
            }
            request.resultType = .objectIDs
            guard case .objectIDs(let ids) = try context.execute(request) else {
                Issue.record("no IDs")
                return
            }
            request.resultType = .count
            guard case .count(let count) = try context.execute(request) else {
                Issue.record("no count")
                return
            }
            request.resultType = .dictionaries
            guard case .dictionaries(let dictionaries) = try context.execute(request) else {
                Issue.record("no dictionaries")
                return
            }

            #expect(try objects.map { try $0["name"] } == ["a", "b"])
            #expect(ids == objects.map(\.objectID))
            #expect(count == 2)
            #expect(dictionaries.map(\.dictionary) == [["name": "a"], ["name": "b"]])
        }
    }

    @Test(arguments: everyEngine)
    func `fetches values in batches, and keeps only one batch`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.fill { context in
            for number in 0..<100 { _ = try context.insert("Book", ["pages": number]) }
        }

        try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Book")
            request.sortDescriptors = [FetchSortDescriptor("pages")]
            request.fetchBatchSize = 10
            let books = try context.fetch(request)
            let first = books[0].isFault
            let registered = context.registeredObjects.count
            let pages = try books.map { try $0["pages"] }

            #expect(books.count == 100)
            #expect(!first)
            #expect(registered == 10)
            #expect(pages == (0..<100).map { .integer($0) })
            #expect(context.registeredObjects.count == 10)
        }
    }

    @Test(arguments: everyEngine)
    func `fetches no values if they are not requested`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.fill { context in _ = try context.insert("Tag", ["name": "x"]) }

        try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Tag")
            request.returnsObjectsAsFaults = true
            let tag = try context.fetch(request)[0]

            #expect(tag.isFault)
            #expect(try tag["name"] == "x")
        }
    }

    @Test(arguments: everyEngine)
    func `refreshes known objects if asked to`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try stack.fill { context in
            for name in ["clean", "changed"] { _ = try context.insert("Tag", ["name": name]) }
        }

        try stack.inContext { context in
            let clean = try context.only("Tag", where: "name == 'clean'")
            let changed = try context.only("Tag", where: "name == 'changed'")
            try changed.setValue("mine", forKey: "name")
            try stack.fill { other in
                for tag in try other.fetch(FetchRequest<ManagedObject>("Tag")) {
                    try tag.setValue("theirs", forKey: "name")
                }
            }
            var request = FetchRequest<ManagedObject>("Tag")
            request.includesPendingChanges = false
            _ = Array(try context.fetch(request))
            let before = try clean["name"]
            request.shouldRefreshRefetchedObjects = true
            _ = Array(try context.fetch(request))

            #expect(before == "clean")
            #expect(try clean["name"] == "theirs")
            #expect(try changed["name"] == "mine")
        }
    }
}
