import Cairn
import GraphSupport

final class Ticket: ManagedObject {
    @Managed var code: String?
    @Managed var seat: Int64
    @Managed var price: Int64
    @Managed var show: Show?
}
final class Show: ManagedObject {
    @Managed var title: String?
}

/// Tickets with unique codes, and objects with relationships to them.
enum BoxOffice {
    static let classes = ObjectClasses([Ticket.self, Show.self])

    /// Returns a stack over a new store of an engine.
    static func stack(_ type: StoreType) throws -> StudioStack { try StudioStack(type, entities) }

    /// Returns a stack with one saved ticket: code “1”, seat 5, show “old”, tag “stored”.
    static func filled(_ type: StoreType) throws -> (stack: StudioStack, ticket: ObjectID) {
        let stack = try stack(type)
        let ticket = try stack.inContext { context throws in
            let show = try context.insert("Show", ["title": "old"])
            let tag = try context.insert("Tag", ["name": "stored"])
            let ticket = try context.insert("Ticket", ["code": "1", "seat": 5, "show": show])
            try ticket.setValue([tag], forKey: "tags")
            try context.save()
            return ticket.objectID
        }
        return (stack, ticket)
    }

    /// Runs the body in a turn of a context that has the given merge policy.
    static func inContext(
        of stack: StudioStack, _ policy: MergePolicyType = .mergeByPropertyObjectTrump,
        _ body: @Sendable (ManagedObjectContext) throws -> Void
    ) throws {
        try stack.inContext(classes: classes) { context throws in
            context.mergePolicy = StandardMergePolicy(policy)
            try body(context)
        }
    }

    private static let entities: [EntityDescription] = [
        ticket,
        EntityDescription("SeasonTicket", superentity: "Ticket", [.attribute("year", .integer64)]),
        EntityDescription(
            "Show",
            [.attribute("title", .string), .toMany("tickets", "Ticket", inverse: "show")]),
        EntityDescription(
            "Tag", [.attribute("name", .string), .toMany("tickets", "Ticket", inverse: "tags")]),
        EntityDescription(
            "Stub", [.attribute("name", .string), .toOne("ticket", "Ticket", inverse: "stubs")]),
        EntityDescription(
            "Note", [.attribute("text", .string), .toOne("about", "Ticket", deleteRule: .noAction)]),
    ]

    private static let ticket: EntityDescription = {
        var memo = AttributeDescription("memo", .string)
        memo.isTransient = true
        var ticket = EntityDescription(
            "Ticket",
            [
                .attribute("code", .string), .attribute("serial", .string),
                .attribute("seat", .integer64), .attribute("price", .integer64),
                .attribute(memo),
                .toOne("show", "Show", inverse: "tickets"),
                .toMany("tags", "Tag", inverse: "tickets"),
                .toMany("stubs", "Stub", inverse: "ticket", isOrdered: true),
                .toOne("base", "Ticket", inverse: "upgrades"),
                .toMany("upgrades", "Ticket", inverse: "base"),
            ])
        ticket.uniquenessConstraints = [["code"], ["serial"]]
        return ticket
    }()
}
