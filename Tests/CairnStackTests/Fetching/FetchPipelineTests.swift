import CairnModel
import CairnStore
import StackSupport
import Testing

@testable import CairnStack

@Suite struct `Fetching through a coordinator` {
    @Test func `applies the predicate, sort and page that the engine did not apply`() throws {
        let stack = try LibraryStack()
        try stack.add()
        try stack.saveBooks(["d", "a", "c", "b", "x"], pages: [40, 10, 30, 20, 99])
        let plan = try stack.plan(
            stack.book, where: "pages < 50", sort: [("title", false)], offset: 1, limit: 2)

        let titles = try stack.titles(plan)

        #expect(titles == ["c", "b"])
    }

    @Test func `merges the sorted answers of several stores`() throws {
        let stack = try LibraryStack()
        let stores = [try stack.add("Library"), try stack.add("Archive"), try stack.add("Library")]
        try stack.saveBooks(["a", "d", "g"], in: stores[0])
        try stack.saveBooks(["b", "e", "h"], in: stores[1])
        try stack.saveBooks(["c", "f", "i"], in: stores[2])

        let ascending = try stack.titles(stack.plan(stack.book, sort: [("title", true)]))
        let page = try stack.titles(
            stack.plan(stack.book, sort: [("title", false)], offset: 2, limit: 3))

        #expect(ascending == ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
        #expect(page == ["g", "f", "e"])
    }

    @Test func `merges answers longer than a batch`() throws {
        let stack = try LibraryStack()
        let stores = [try stack.add("Library"), try stack.add("Archive")]
        try stack.saveBooks(
            (0..<5000).map { "\(10_000 + $0 * 2)" }, in: stores[0])
        try stack.saveBooks(
            (0..<5000).map { "\(10_001 + $0 * 2)" }, in: stores[1])

        let titles = try stack.titles(stack.plan(stack.book, sort: [("title", true)]))

        #expect(titles == (0..<10_000).map { "\(10_000 + $0)" })
    }

    @Test(arguments: [(0, nil), (0, 4), (3, nil), (3, 2), (9, 5), (0, 0), (2, Int.max)])
    func `pages over several stores without a sort`(offset: Int, limit: Int?) throws {
        let stack = try LibraryStack()
        let stores = [try stack.add("Library"), try stack.add("Archive")]
        try stack.saveBooks(["a", "b", "c"], in: stores[0])
        try stack.saveBooks(["d", "e", "f"], in: stores[1])
        let plan = try stack.plan(stack.book, offset: offset, limit: limit)

        let all = try stack.titles(stack.plan(stack.book))
        let titles = try stack.titles(plan)
        let count = try stack.coordinator.count(plan, in: nil)

        #expect(Set(all) == ["a", "b", "c", "d", "e", "f"])
        #expect(titles == Array(all.dropFirst(offset).prefix(limit ?? .max)))
        #expect(count == titles.count)
    }

    @Test func `counts what a predicate matches in all stores`() throws {
        let stack = try LibraryStack()
        let stores = [try stack.add("Library"), try stack.add("Archive")]
        try stack.saveBooks(["a", "b", "c"], pages: [1, 2, 3], in: stores[0])
        try stack.saveBooks(["d", "e", "f"], pages: [3, 4, 5], in: stores[1])

        let matches = try stack.coordinator.count(
            stack.plan(stack.book, where: "pages >= 3"), in: nil)
        let page = try stack.coordinator.count(
            stack.plan(stack.book, where: "pages >= 3", offset: 1, limit: 2), in: nil)

        #expect(matches == 4)
        #expect(page == 2)
    }

    @Test func `returns bare IDs if only IDs are requested`() throws {
        let stack = try LibraryStack()
        let stores = [try stack.add("Library"), try stack.add("Archive")]
        let first = try stack.saveBooks(["b"], in: stores[0])
        let second = try stack.saveBooks(["a"], in: stores[1])

        let sorted = try stack.coordinator.fetch(
            stack.plan(stack.book, sort: [("title", true)], output: .ids), in: nil)
        let filtered = try stack.coordinator.fetch(
            stack.plan(stack.book, where: "title = 'b'", output: .ids), in: nil)

        #expect(sorted.ids == second + first)
        #expect(sorted.rowIndices.isEmpty)
        #expect(filtered.ids == first)
        #expect(filtered.rowIndices.isEmpty)
    }

    /// One store returns IDs directly; the other returns rows, which are then tested.
    @Test(arguments: [false, true])
    func `returns bare IDs even if one engine does not apply the predicate`(inParallel: Bool) throws
    {
        let stack = try LibraryStack()
        let stores = [
            try stack.add("Library"),
            try stack.add("Archive", varied: [VariedStore.leavesPredicates: true]),
        ]
        let first = try stack.saveBooks(["a", "b"], pages: [1, 9], in: stores[0])
        let second = try stack.saveBooks(["c", "d"], pages: [2, 8], in: stores[1])
        if inParallel { stack.coordinator.parallelReading.worth = .zero }

        for _ in 0..<3 {
            let found = try stack.coordinator.fetch(
                stack.plan(stack.book, where: "pages < 5", output: .ids), in: nil)
            #expect(found.ids == [first[0], second[0]])
            #expect(found.holdsIDsOnly)
            let sorted = try stack.coordinator.fetch(
                stack.plan(stack.book, where: "pages < 5", sort: [("title", false)], output: .ids),
                in: nil)
            #expect(sorted.ids == [second[0], first[0]])
            #expect(sorted.holdsIDsOnly)
        }
    }

    @Test func `follows relationships in the remaining predicate and in sorts`() throws {
        let stack = try LibraryStack()
        try stack.add()
        let packer = ValuePacker(layouts: stack.coordinator.layouts)
        var changes = LibraryChanges(packer)
        for (number, name) in [(1, "Zoe"), (2, "Adam")] {
            let author = stack.newID(stack.author, Int64(number))
            let book = stack.newID(stack.book, Int64(number))
            packer.values[author] = ["name": .string(name)]
            packer.values[book] = ["title": .string("by \(name)"), "author": .objectID(author)]
            changes.inserted += [author, book]
        }
        _ = try stack.coordinator.save(changes)
        let path = BoundPath(
            relationships: [try #require(stack.book.relationship(named: "author"))],
            leaf: .attribute(try #require(stack.author.attribute(named: "name"))))

        let filtered = try stack.titles(stack.plan(stack.book, where: "author.name = 'Zoe'"))
        let sorted = try stack.titles(FetchPlan(entity: stack.book, sorts: [BoundSort(path)]))

        #expect(filtered == ["by Zoe"])
        #expect(sorted == ["by Adam", "by Zoe"])
    }

    @Test func `asks only the stores of the entity's configuration`() throws {
        let stack = try LibraryStack()
        let library = try stack.add("Library")
        let archive = try stack.add("Archive")
        try stack.saveBooks(["here"], in: library)
        try stack.saveBooks(["there"], in: archive)

        let one = try stack.coordinator.fetch(stack.plan(stack.book), in: [archive.number])

        #expect(stack.texts("title", one) == ["there"])
        #expect {
            try stack.coordinator.fetch(stack.plan(stack.note), in: nil)
        } throws: { error in
            if case GraphError.noStore(entity: "Note", _) = error { true } else { false }
        }
    }

    @Test func `refuses a store that the coordinator does not have`() throws {
        let stack = try LibraryStack()
        let store = try stack.add()
        try stack.coordinator.remove(store)

        #expect {
            try stack.coordinator.fetch(stack.plan(stack.book), in: [store.number])
        } throws: { error in
            if case GraphError.unknownStore = error { true } else { false }
        }
    }
}
