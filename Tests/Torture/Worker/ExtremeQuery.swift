import Cairn
import Foundation

/// An extreme fetch from a store of names, within limits. It must end with a result or one of Cairn's errors.
struct ExtremeQuery: Codable, Sendable {
    /// The form of the query. To add a query, add a case here and a line in ``predicate()``.
    enum Shape: String, Codable, Sendable, CaseIterable {
        case longList, manyTerms, deepNegation, deepParentheses, longText, manyStars
        case expressionWithoutEnd, longSum
    }

    var shape: Shape
    var engine: String
    var folder: String
    var bounds = Bounds()
    var planted: PlantedDefect?

    private static let nameCount = 300

    func run() throws {
        let registry = try PlantedDefect.plant(planted, in: Engines.registry)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([
                EntityDescription("Name", [.attribute("text", .string)])
            ]), registry: registry)
        try coordinator.addPersistentStore(
            ofType: StoreType(engine), at: URL(fileURLWithPath: folder + "/store"))
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for number in 0..<Self.nameCount {
                try context.insertNewObject(forEntityName: "Name").setValue(
                    "a name that is not short, with the number \(number)", forKey: "text")
            }
            try context.save()
        }
        try bounds.apply()
        Conversation.say("end \(try answer(coordinator))")
    }

    private func answer(_ coordinator: PersistentStoreCoordinator) throws -> String {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            do {
                var request = FetchRequest<ManagedObject>("Name")
                request.predicate = try FetchPredicate(format: predicate())
                return "\(try context.all(request).count) found"
            } catch let error as FetchPredicateError {
                return "refused: \("\(error)".prefix(80))"
            } catch let error as GraphError {
                return "refused: \("\(error)".prefix(80))"
            }
        }
    }

    private func predicate() -> String {
        func repeated(_ text: String, _ count: Int) -> String {
            String(repeating: text, count: count)
        }
        return switch shape {
        case .longList: "text IN {\((0..<20_000).map { "\"n\($0)\"" }.joined(separator: ","))}"
        case .manyTerms: repeated("text == \"a\" OR ", 5_000) + "text == \"b\""
        case .deepNegation: repeated("NOT ", 100_000) + "text == \"a\""
        case .deepParentheses: repeated("(", 50_000) + "text == \"a\"" + repeated(")", 50_000)
        case .longText: "text == \"\(repeated("x", 1_000_000))\""
        case .manyStars: "text LIKE \"\(repeated("*a", 200))*b\""
        case .expressionWithoutEnd: "text MATCHES \"(.|.)*(.|.)*(.|.)*(.|.)*Q\""
        case .longSum: "1 " + repeated("+ 1 ", 20_000) + "== 3"
        }
    }
}
