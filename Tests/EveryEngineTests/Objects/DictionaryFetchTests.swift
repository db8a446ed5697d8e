import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

@Suite struct `Fetching dictionaries` {
    private static func fill(_ stack: StudioStack) throws {
        try stack.fill { context in
            let woolf = try context.insert("Writer", ["name": "Woolf", "age": 59])
            let mann = try context.insert("Person", ["name": "Mann"])
            let books: [(String, Int, String, ManagedObject?)] = [
                ("Orlando", 300, "8.50", woolf), ("Waves", 200, "7.25", woolf),
                ("Buddenbrooks", 800, "12", mann), ("Felix Krull", 400, "10", mann),
                ("Anonymous", 100, "1", nil),
            ]
            for (title, pages, price, author) in books {
                let book = try context.insert(
                    "Book",
                    ["title": title, "pages": pages, "price": Decimal(string: price) as Any])
                try book.setValue(author, forKey: "author")
                for number in 0..<(pages / 100) {
                    try book.orderedObjects("chapters").append(
                        try context.insert("Chapter", ["length": number]))
                }
            }
        }
    }

    private func fetch(
        _ type: StoreType,
        _ change: @Sendable (inout FetchRequest<ManagedObject>) throws -> Void
    ) throws -> [[String: Value]] {
        let stack = try StudioStack(type)
        try Self.fill(stack)
        return try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Book")
            try change(&request)
            return try context.fetchDictionaries(request).map(\.dictionary)
        }
    }

    @Test(arguments: everyEngine)
    func `returns properties, paths over to-ones, and computed values`(_ type: StoreType) throws {
        let found = try fetch(type) { request in
            request.predicate = try FetchPredicate(format: "pages < 300")
            request.sortDescriptors = [FetchSortDescriptor("pages", ascending: false)]
            request.propertiesToFetch = [
                "title", "author.name", "chapters.@sum.length",
                .expression(try ExpressionDescription("double", format: "pages * 2")),
            ]
        }

        #expect(
            found == [
                [
                    "title": "Waves", "author.name": "Woolf",
                    "chapters.@sum.length": .integer(1), "double": .integer(400),
                ],
                [
                    "title": "Anonymous", "chapters.@sum.length": .integer(0),
                    "double": .integer(200),
                ],
            ])
    }

    @Test(arguments: everyEngine)
    func `returns the IDs of objects and of destinations`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        try Self.fill(stack)

        try stack.inContext { context in
            var request = try FetchRequest<ManagedObject>("Book", where: "title == 'Waves'")
            let book = try #require(try context.fetch(request).first)
            request.propertiesToFetch = [
                "author", .expression(ExpressionDescription("id", .evaluatedObject)),
            ]
            let found = try context.fetchDictionaries(request).map(\.dictionary)

            #expect(found == [["author": try book["author"], "id": .objectID(book.objectID)]])
        }
    }

    @Test(arguments: everyEngine)
    func `summarises groups, ordered by the grouping properties`(_ type: StoreType) throws {
        let found = try fetch(type) { request in
            request.propertiesToGroupBy = ["author.name"]
            request.propertiesToFetch = [
                "author.name",
                .expression(try ExpressionDescription("count", format: "count(SELF)")),
                .expression(try ExpressionDescription("sum", format: "sum(pages)")),
                .expression(try ExpressionDescription("average", format: "average(pages)")),
                .expression(try ExpressionDescription("cheapest", format: "min(price)")),
                .expression(try ExpressionDescription("dearest", format: "@max.price")),
                .expression(
                    try ExpressionDescription("each", format: "sum(pages) / count(SELF) + 1")),
            ]
        }

        func group(
            _ count: Int64, _ sum: Int64, _ cheapest: String, _ dearest: String
        ) -> [String: Value] {
            [
                "count": .integer(count), "sum": .integer(sum),
                "average": .double(Double(sum) / Double(count)),
                "cheapest": .decimal(Decimal(string: cheapest) ?? 0),
                "dearest": .decimal(Decimal(string: dearest) ?? 0),
                "each": .integer(sum / count + 1),
            ]
        }
        #expect(
            found == [
                group(1, 100, "1", "1"),
                group(2, 1200, "10", "12").merging(["author.name": "Mann"]) { $1 },
                group(2, 500, "7.25", "8.5").merging(["author.name": "Woolf"]) { $1 },
            ])
    }

    @Test(arguments: everyEngine)
    func `keeps groups that match the having predicate, sorted and paged`(_ type: StoreType) throws
    {
        let having = try fetch(type) { request in
            request.propertiesToGroupBy = ["author.name"]
            request.propertiesToFetch = [
                "author.name", .expression(try ExpressionDescription("sum", format: "sum(pages)")),
            ]
            request.havingPredicate = try FetchPredicate(
                format: "$sum > 400 AND count(SELF) == 2 AND %K != 'Nobody'", "author.name")
            request.sortDescriptors = [FetchSortDescriptor("sum", ascending: true)]
        }
        let paged = try fetch(type) { request in
            request.propertiesToGroupBy = ["author.name"]
            request.sortDescriptors = [FetchSortDescriptor("author.name", ascending: false)]
            request.fetchOffset = 1
            request.fetchLimit = 1
        }

        #expect(
            having == [
                ["author.name": "Woolf", "sum": .integer(500)],
                ["author.name": "Mann", "sum": .integer(1200)],
            ])
        #expect(paged == [["author.name": "Mann"]])
    }

    @Test(arguments: everyEngine)
    func `returns equal dictionaries once if asked to`(_ type: StoreType) throws {
        let found = try fetch(type) { request in
            request.propertiesToFetch = ["author.name"]
            request.sortDescriptors = [FetchSortDescriptor("pages")]
            request.returnsDistinctResults = true
            request.fetchOffset = 1
            request.fetchLimit = 2
        }

        #expect(found == [["author.name": "Woolf"], ["author.name": "Mann"]])
    }

    @Test(arguments: everyEngine)
    func `summarises an empty result as one group, or as none if it is grouped`(_ type: StoreType)
        throws
    {
        func summary(_ keys: [String]) throws -> [[String: Value]] {
            try fetch(type) { request in
                request.predicate = .constant(false)
                request.propertiesToGroupBy = keys
                request.propertiesToFetch = [
                    .expression(try ExpressionDescription("count", format: "count(title)")),
                    .expression(try ExpressionDescription("sum", format: "sum(pages)")),
                    .expression(try ExpressionDescription("most", format: "max(pages)")),
                ]
            }
        }

        #expect(try summary([]) == [["count": .integer(0), "sum": .integer(0)]])
        #expect(try summary(["title"]).isEmpty)
    }

    @Test(arguments: everyEngine)
    func `returns all stored attributes, without unsaved changes, if none are named`(
        _ type: StoreType
    ) throws {
        let stack = try StudioStack(type)
        try stack.fill { context in _ = try context.insert("Tag", ["name": "old"]) }

        let found = try stack.inContext { context in
            try context.only("Tag").setValue("new", forKey: "name")
            _ = try context.insert("Tag", ["name": "unsaved"])
            return try context.fetchDictionaries(FetchRequest<ManagedObject>("Tag")).map(
                \.dictionary)
        }

        #expect(found == [["name": "old"]])
    }

    @Test(arguments: everyEngine)
    func `returns more dictionaries than share an allocation, with more names than are searched`(
        _ type: StoreType
    ) throws {
        let stack = try StudioStack(type)
        try stack.fill { context in
            for number in 0..<1_500 { _ = try context.insert("Book", ["pages": number]) }
        }
        let names = (0..<12).map { "n\($0)" }

        let (plain, named) = try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Book")
            request.propertiesToFetch = ["pages", "title"]
            let plain = try context.fetchDictionaries(request)
            request.propertiesToFetch = try (names + ["n3"]).enumerated().map { index, name in
                .expression(try ExpressionDescription(name, format: "pages + \(index)"))
            }
            request.sortDescriptors = [FetchSortDescriptor("pages")]
            return (plain, try context.fetchDictionaries(request))
        }

        #expect(Set(plain.map { $0["pages"] }) == Set((0..<1_500).map { .integer($0) }))
        #expect(plain.allSatisfy { $0["title"] == nil && $0["other"] == nil })
        #expect(plain.allSatisfy { $0.dictionary.count == 1 })
        #expect(named.count == 1_500)
        for (row, pages) in zip(named, 0..<1_500 as Range<Int64>) {
            // Of two entries with one name, the last one counts.
            let values = names.enumerated().map { index, name in
                (name, Value.integer(pages + (name == "n3" ? 12 : Int64(index))))
            }
            try #require(row.dictionary == Dictionary(uniqueKeysWithValues: values))
            try #require(row["n11"] == .integer(pages + 11) && row["n12"] == nil)
        }
        #expect("\(named[0])".contains("\"n3\": "))
    }

    @Test(arguments: everyEngine)
    func `groups over several stores`(_ type: StoreType) throws {
        let stack = try StudioStack(type, storeCount: 2)
        try stack.inContext { context in
            for number in 0..<10 {
                let tag = try context.insert("Tag", ["name": number.isMultiple(of: 3) ? "a" : "b"])
                try context.assign(tag, to: stack.stores[number % 2])
                let book = try context.insert("Book", ["pages": number])
                try context.assign(book, to: stack.stores[number % 2])
                try book.objects("tags").insert(tag)
            }
            try context.save()
        }

        let (groups, sorted) = try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Tag")
            request.propertiesToGroupBy = ["name"]
            request.propertiesToFetch = [
                "name",
                .expression(
                    try ExpressionDescription("pages", format: "sum(books.@sum.pages)")),
            ]
            let groups = try context.fetchDictionaries(request).map(\.dictionary)
            var books = FetchRequest<ManagedObject>("Book")
            books.propertiesToFetch = ["pages"]
            books.sortDescriptors = [FetchSortDescriptor("pages", ascending: false)]
            books.fetchOffset = 2
            books.fetchLimit = 3
            return (groups, try context.fetchDictionaries(books).map(\.dictionary))
        }

        #expect(
            groups == [
                ["name": "a", "pages": .integer(18)], ["name": "b", "pages": .integer(27)],
            ])
        #expect(sorted == [7, 6, 5].map { ["pages": .integer($0)] })
    }

    @Test(arguments: everyEngine)
    func `refuses properties without a single value`(_ type: StoreType) throws {
        let requests: [@Sendable (inout FetchRequest<ManagedObject>) throws -> Void] = [
            { $0.propertiesToFetch = ["chapters.title"] },
            { $0.propertiesToFetch = ["nothing"] },
            {
                $0.propertiesToGroupBy = ["title"]
                $0.propertiesToFetch = ["pages"]
            },
            {
                $0.propertiesToGroupBy = ["title"]
                $0.havingPredicate = try FetchPredicate(format: "nothing > 3")
            },
            {
                $0.propertiesToFetch = [
                    .expression(try ExpressionDescription("sum", format: "sum(title)"))
                ]
            },
        ]

        for change in requests {
            let error = #expect(throws: GraphError.self) { _ = try fetch(type, change) }
            guard case .predicate = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: everyEngine)
    func `agrees with a naive count on random books`(_ type: StoreType) throws {
        let seed = SeededRandom.seed(of: "dictionaries of random books on \(type)")
        var random = SeededRandom(seed: seed)
        let books = (0..<200).map { _ in
            (
                name: random.next() % 5 == 0 ? nil : "n\(random.next() % 4)",
                sold: random.next() % 7 == 0 ? nil : Int64(random.next() % 100)
            )
        }
        let stack = try StudioStack(type)
        try stack.fill { context in
            for book in books {
                let object = try context.insert("Book")
                try object.setValue(book.name, forKey: "title")
                try object.setValue(book.sold, forKey: "sold")
            }
        }

        let found = try stack.inContext { context in
            var request = FetchRequest<ManagedObject>("Book")
            request.propertiesToGroupBy = ["title"]
            request.propertiesToFetch = [
                "title", .expression(try ExpressionDescription("count", format: "count(sold)")),
                .expression(try ExpressionDescription("sum", format: "sum(sold)")),
                .expression(try ExpressionDescription("least", format: "min(sold)")),
            ]
            return try context.fetchDictionaries(request).map(\.dictionary)
        }

        let expected = Dictionary(grouping: books) { $0.name ?? "" }.sorted { $0.key < $1.key }
            .map { name, books in
                let sold = books.compactMap(\.sold)
                var group: [String: Value] = [
                    "count": .integer(Int64(sold.count)), "sum": .integer(sold.reduce(0, +)),
                ]
                if !name.isEmpty { group["title"] = .string(name) }
                if let least = sold.min() { group["least"] = .integer(least) }
                return group
            }
        #expect(found == expected, "seed \(seed)")
    }
}
