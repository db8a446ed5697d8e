import CairnModel
import CairnTestSupport
import StackSupport
import Testing

@testable import CairnObjects

/// Chains so long that recursion over the links would overflow the small stack on which the tests run.
@Suite struct `A chain of 10,000 objects` {
    private static let length = 10_000

    private func stack(_ rule: DeleteRule) throws -> MusicStack {
        try MusicStack([
            EntityDescription(
                "Link",
                [
                    .attribute("number", .integer64),
                    .toOne("next", "Link", inverse: "previous", deleteRule: rule),
                    .toOne("previous", "Link", inverse: "next"),
                ])
        ])
    }

    @discardableResult
    private func chain(
        in context: ManagedObjectContext, isRing: Bool = false, length: Int = Self.length
    ) throws -> ManagedObject {
        let first = try context.insertNewObject(forEntityName: "Link")
        var last = first
        for _ in 1..<length {
            let link = try context.insertNewObject(forEntityName: "Link")
            try last.setValue(link, forKey: "next")
            last = link
        }
        if isRing { try last.setValue(first, forKey: "next") }
        try context.save()
        return first
    }

    @Test(arguments: [false, true])
    func `is deleted by one cascade, and so is a shorter ring`(_ isRing: Bool) throws {
        let left = try onSmallStack {
            let stack = try stack(.cascade)
            let id = try chain(
                in: try stack.context(), isRing: isRing, length: isRing ? 1000 : Self.length
            ).objectID
            let context = try stack.context()

            try context.delete(try context.object(with: id))
            try context.save()
            return try context.count(for: FetchRequest<ManagedObject>("Link"))
        }

        #expect(left == 0)
    }

    @Test func `is deleted link by link, without leftovers`() throws {
        let left = try onSmallStack {
            let stack = try stack(.nullify)
            try chain(in: try stack.context())
            let context = try stack.context()
            let links: [ManagedObject] = try context.fetch(FetchRequest("Link"))

            for link in links.dropLast() { try context.delete(link) }
            try context.save()
            let left: [ManagedObject] = try context.fetch(FetchRequest("Link"))
            return try left.map { try $0["previous"] }
        }

        #expect(left == [.null])
    }

    @Test func `is released when nobody holds it`() throws {
        let (held, left) = try onSmallStack {
            let stack = try stack(.nullify)
            try chain(in: try stack.context())
            let context = try stack.context()
            var links: [ManagedObject] = try context.fetch(FetchRequest("Link"))
            for link in links { _ = try link.value(forKey: "next") }
            let held = context.registeredObjects.count

            links = []
            return (held, context.registeredObjects.count)
        }

        #expect(held == Self.length)
        #expect(left == 0)
    }

    /// Runs a closure on a stack of 50 bytes for each link.
    private func onSmallStack<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        let result = SmallStack.run(byteCount: 1 << 19) { Result { try body() } }
        return try #require(result).get()
    }
}
