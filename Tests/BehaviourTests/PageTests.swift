import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@Suite struct `Pages of a fetch` {
    private static let seed = SeededRandom.seed(of: "pages")
    private static let sorts = [
        FetchSortDescriptor("title"), FetchSortDescriptor("title", ascending: false),
        FetchSortDescriptor("title", textOrder: .caseInsensitive),
        FetchSortDescriptor("title", ascending: false, textOrder: .caseInsensitive),
        FetchSortDescriptor("pages"), FetchSortDescriptor("price", ascending: false),
        FetchSortDescriptor("isOut"), FetchSortDescriptor("author.name", ascending: false),
        FetchSortDescriptor("tags.@count"), FetchSortDescriptor("author.mentor.born"),
    ]

    /// Calls the body with a context of two stores with random objects.
    private func inLibrary(
        _ type: StoreType,
        _ body: @Sendable (ManagedObjectContext, inout RandomLibrary) throws -> Void
    ) throws {
        let stack = try Library.stack(type, storeCount: 2)
        try stack.inContext { [stores = stack.stores] context in
            var library = RandomLibrary(seed: Self.seed)
            for store in stores {
                try library.grow(context)
                for object in context.insertedObjects { try context.assign(object, to: store) }
                try context.save()
            }
            try body(context, &library)
        }
    }

    private func pages(
        of request: FetchRequest<ManagedObject>, size: Int, in context: ManagedObjectContext,
        between: () throws -> Void = {}
    ) throws -> [ManagedObject] {
        var objects: [ManagedObject] = []
        var cursor: PageCursor?
        repeat {
            let page = try context.page(of: request, size: size, after: cursor)
            objects += page.objects
            #expect(page.objects.count <= size)
            #expect(page.next == nil || page.objects.count == size)
            // As a server's client gives it back.
            cursor = try page.next.map {
                try JSONDecoder().decode(PageCursor.self, from: JSONEncoder().encode($0))
            }
            try between()
        } while cursor != nil
        return objects
    }

    @Test(arguments: chosenEngines)
    func `are together what the whole fetch returns`(_ type: StoreType) throws {
        try inLibrary(type) { context, library in
            var random = SeededRandom(seed: Self.seed)
            for _ in 0..<60 * TestSetting.scale {
                var request = FetchRequest<ManagedObject>(
                    Bool.random(using: &random) ? "Book" : "Novel")
                request.sortDescriptors = Array(
                    Self.sorts.shuffled(using: &random).prefix(.random(in: 0...3, using: &random)))
                if Bool.random(using: &random) {
                    request.predicate = try FetchPredicate(format: "pages > 1 OR title == nil")
                }
                let size = Int.random(in: 1...7, using: &random)
                let whole: [ManagedObject] = try context.fetch(request)

                let found = try pages(of: request, size: size, in: context)

                let isSame =
                    request.sortDescriptors.isEmpty
                    ? Set(found) == Set(whole) && isInOrderOfKeys(found) : found == whole
                #expect(isSame, "seed \(Self.seed), \(size): \(request.sortDescriptors)")
            }
        }
    }

    private func isInOrderOfKeys(_ objects: [ManagedObject]) -> Bool {
        zip(objects, objects.dropFirst()).allSatisfy { $0.objectID.key <= $1.objectID.key }
    }

    @Test(arguments: chosenEngines)
    func `have each object once that stays, whatever is saved between them`(_ type: StoreType)
        throws
    {
        try inLibrary(type) { context, library in
            for sort in Self.sorts.prefix(7) {
                var request = FetchRequest<ManagedObject>("Book")
                request.sortDescriptors = [sort]
                let before: [ManagedObject] = try context.fetch(request)
                var random = SeededRandom(seed: Self.seed)
                var deleted: Set<ManagedObject> = []

                let found = try pages(of: request, size: 3, in: context) {
                    let all: [ManagedObject] = try context.fetch(request)
                    if let book = all.randomElement(using: &random) {
                        deleted.insert(book)
                        try context.delete(book)
                    }
                    _ = try context.insert("Book", ["title": "bob", "pages": 3])
                    try context.save()
                }

                let stayed = before.filter { !deleted.contains($0) }
                #expect(deleted.count > 3)
                #expect(Set(found).count == found.count)
                #expect(found.filter { stayed.contains($0) } == stayed, "\(sort)")
            }
        }
    }

    @Test(arguments: chosenEngines)
    func `are refused if the cursor does not fit, or if the order cannot be continued`(
        _ type: StoreType
    ) throws {
        try inLibrary(type) { context, _ in
            var request = FetchRequest<ManagedObject>("Book")
            request.sortDescriptors = [FetchSortDescriptor("title")]
            let cursor = try #require(try context.page(of: request, size: 1).next)
            var content = try #require(
                try JSONSerialization.jsonObject(with: JSONEncoder().encode(cursor))
                    as? [String: Any])
            content["values"] = ["author.name"]
            let edited = try JSONDecoder().decode(
                PageCursor.self, from: JSONSerialization.data(withJSONObject: content))
            let cases: [([FetchSortDescriptor], PageCursor?)] = [
                ([FetchSortDescriptor("pages")], cursor), ([], cursor),
                (request.sortDescriptors, edited),
                ([FetchSortDescriptor("title", textOrder: .standard)], nil),
                ([FetchSortDescriptor("author")], nil),
            ]
            for (sorts, cursor) in cases {
                request.sortDescriptors = sorts
                try requireRefusal { _ = try context.page(of: request, size: 1, after: cursor) }
            }
        }
    }

    private func requireRefusal(_ body: () throws -> Void) throws {
        do {
            try body()
            Issue.record("it was not refused")
        } catch GraphError.predicate(.unsupported) {
        }
    }

    @Test(arguments: chosenEngines)
    func `are of the state to which the context is pinned, and not of a child context`(
        _ type: StoreType
    ) throws {
        try inLibrary(type) { context, _ in
            let request = FetchRequest<ManagedObject>("Book")
            let count = try context.count(for: request)
            try context.setQueryGeneration(from: .current)
            let coordinator = try #require(context.persistentStoreCoordinator)
            try ContextHandle(coordinator: coordinator).performAndWait { other in
                _ = try other.insert("Book")
                try other.save()
            }

            var enumerated = 0
            try context.enumerate(request) { _ in enumerated += 1 }

            #expect(try pages(of: request, size: 4, in: context).count == count)
            #expect(enumerated == count)
        }
        try Family(type).child.performAndWait { child in
            let request = FetchRequest<ManagedObject>("Author")
            try requireRefusal { _ = try child.page(of: request, size: 4) }
            try requireRefusal { try child.enumerate(request) { _ in } }
        }
    }
}

@Suite struct `An enumeration` {
    @Test(arguments: chosenEngines)
    func `visits all matches in order, with objects of a few batches in memory`(_ type: StoreType)
        throws
    {
        let stack = try Library.stack(type, storeCount: 2)
        try stack.inContext { [stores = stack.stores] context in
            for number in 0..<500 {
                let book = try context.insert("Book", ["title": "\(number % 7)", "pages": number])
                try context.assign(book, to: stores[number % 2])
            }
            try context.save()
        }
        try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Book")
            request.predicate = try FetchPredicate(format: "title != '3'")
            request.sortDescriptors = [FetchSortDescriptor("title"), FetchSortDescriptor("pages")]
            let expected = try context.fetchDictionaries(request).map { $0["pages"] }
            var (pages, most) = ([Value?](), 0)

            try context.enumerate(request, batchSize: 10) { book in
                pages.append(try book["pages"])
                most = max(most, context.registeredObjects.count)
                if pages.count == 100 {
                    try book.setValue("changed", forKey: "title")
                    try context.save()
                }
            }

            #expect(pages == expected)
            #expect(most < 40)
        }
    }

    @Test(arguments: chosenEngines)
    func `ends when its closure throws, and leaves out deleted objects`(_ type: StoreType) throws {
        struct Enough: Error {}
        try Library.stack(type).inContext { context in
            for number in 0..<10 { _ = try context.insert("Book", ["pages": number]) }
            try context.save()
            var request = FetchRequest<ManagedObject>("Book")
            request.sortDescriptors = [FetchSortDescriptor("pages")]
            let first = try #require(try context.fetch(request).first as ManagedObject?)
            try context.delete(first)
            var count = 0

            #expect(throws: Enough.self) {
                try context.enumerate(request, batchSize: 2) { book in
                    #expect(book != first)
                    count += 1
                    if count == 5 { throw Enough() }
                }
            }

            #expect(count == 5)
        }
    }
}
