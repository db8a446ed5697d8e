import Cairn
import Foundation
import SwiftData
import Testing

@Model final class Ticket {
    @SwiftData.Attribute(.unique) var code: String
    @SwiftData.Relationship(deleteRule: .cascade) var parts: [TicketPart] = []

    init(code: String) { self.code = code }
}

@Model final class TicketPart {
    var ticket: Ticket?

    init() {}
}

@Suite struct `A file that imports Cairn and SwiftData` {
    @Test func `compiles with qualified names`() throws {
        let container = try SwiftData.ModelContainer(
            for: SwiftData.Schema([Ticket.self]),
            configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        for _ in 0..<2 {
            let ticket = Ticket(code: "a")
            ticket.parts = [TicketPart()]
            context.insert(ticket)
            try context.save()
        }

        let tickets = try context.fetch(FetchDescriptor<Ticket>())

        #expect(tickets.map(\.code) == ["a"])
        #expect(AttributeType.string.rawValue == 700)
    }
}
