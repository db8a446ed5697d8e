import CairnModel
import StackSupport
import Testing

@testable import CairnObjects

/// Chains so long that recursion over the links would overflow the stack.
@Suite struct `A chain of 100,000 objects` {
    private static let length = 100_000

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
        let stack = try stack(.cascade)
        let id = try chain(
            in: try stack.context(), isRing: isRing, length: isRing ? 1000 : Self.length
        ).objectID
        let context = try stack.context()

        try context.delete(try context.object(with: id))
        try context.save()

        #expect(try context.count(for: FetchRequest<ManagedObject>("Link")) == 0)
    }

    @Test func `is deleted link by link, without leftovers`() throws {
        let stack = try stack(.nullify)
        try chain(in: try stack.context())
        let context = try stack.context()
        let links: [ManagedObject] = try context.fetch(FetchRequest("Link"))

        for link in links.dropLast() { try context.delete(link) }
        try context.save()
        let left: [ManagedObject] = try context.fetch(FetchRequest("Link"))

        #expect(left.count == 1)
        #expect(try left.first?["previous"] == .null)
    }

    @Test func `is released when nobody holds it`() throws {
        let stack = try stack(.nullify)
        try chain(in: try stack.context())
        let context = try stack.context()
        var links: [ManagedObject] = try context.fetch(FetchRequest("Link"))
        for link in links { _ = try link.value(forKey: "next") }
        let held = context.registeredObjects.count

        links = []

        #expect(held == Self.length)
        #expect(context.registeredObjects.isEmpty)
    }
}
