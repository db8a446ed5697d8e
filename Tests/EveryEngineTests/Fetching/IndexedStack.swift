import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// A store of indexed items, with as many items as wanted. Two items have the same name, five the same owner.
struct IndexedStack {
    let type: StoreType
    let size: Int
    private let folder: TemporaryFolder
    let coordinator: PersistentStoreCoordinator

    /// - Parameter indexes: The attributes of items that have an index.
    init(_ type: StoreType, _ size: Int, indexes: [String] = Self.indexed) throws {
        (self.type, self.size) = (type, size)
        folder = try TemporaryFolder()
        let model = try ManagedObjectModel(Self.entities(indexes))
        coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let url = folder.url(of: type, "items.store")
        try coordinator.addPersistentStore(ofType: type, at: url)
        try fill()
    }

    static let indexed = [
        "name", "rank", "price", "added", "uid", "page", "isNew", "remark", "weight",
    ]

    private static func entities(_ indexes: [String]) -> [EntityDescription] {
        func index(_ name: String) -> FetchIndexDescription {
            FetchIndexDescription("by_\(name)", elements: [.init(name)])
        }
        var item = EntityDescription(
            "Item",
            [
                .attribute("code", .string), .attribute("section", .integer16),
                .attribute("number", .integer32), .attribute("name", .string),
                .attribute("rank", .integer64), .attribute("price", .double),
                .attribute("weight", .float), .attribute("added", .date),
                .attribute("uid", .uuid), .attribute("page", .uri), .attribute("isNew", .boolean),
                .attribute("remark", .string), .attribute("note", .string),
                .toOne("owner", "Owner", inverse: "items"),
            ])
        item.uniquenessConstraints = [["code"], ["section", "number"]]
        item.fetchIndexes = indexes.map(index)
        var owner = EntityDescription(
            "Owner",
            [.attribute("name", .string), .toMany("items", "Item", inverse: "owner")])
        owner.fetchIndexes = [index("name")]
        let part = EntityDescription("Part", superentity: "Item", [.attribute("use", .string)])
        return [item, part, owner]
    }

    /// The name of the item with a number. Many names begin with the same bytes.
    static func name(_ number: Int) -> String { "the name of item " + padded(number / 2) }
    static func code(_ number: Int) -> String { "code-" + padded(number) }
    static func date(_ number: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: 1000 * Double(number))
    }
    static func uid(_ number: Int) -> UUID {
        UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012x", number)) ?? UUID()
    }
    static func page(_ number: Int) -> String { "https://example.org/items/" + padded(number) }
    private static func padded(_ number: Int) -> String { String(format: "%07d", number) }

    private func fill() throws {
        let size = size
        try inContext { context in
            var owner: ManagedObject?
            for number in 0..<size {
                if number % 5 == 0 {
                    owner = try context.insert(
                        "Owner", ["name": "the owner of \(Self.code(number))"])
                }
                var values: [String: Any] = [
                    "code": Self.code(number), "section": number / 10 % 10_000,
                    "number": number % 10 + number / 100_000 * 10, "name": Self.name(number),
                    "rank": number * 7919 % size, "price": Double(number) / 2,
                    "weight": Float(number / 3), "added": Self.date(number),
                    "isNew": number % 2 == 0, "note": "note \(number % 3)",
                    "uid": Self.uid(number),
                ]
                values["remark"] = number == 7 ? nil : Self.code(number)
                values["page"] = URL(string: Self.page(number))
                values["owner"] = owner
                _ = try context.insert(number % 4 == 0 ? "Part" : "Item", values)
            }
            try context.save()
        }
    }

    @discardableResult
    func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    /// Explains a request in the only store.
    func explain(_ request: FetchRequest<ManagedObject>) throws -> FetchExplanation {
        let explanations = try inContext { try $0.explain(request) }
        return try #require(explanations.first)
    }

    /// The objects with these numbers, in the order of their numbers.
    func ids(_ numbers: [Int]) throws -> [ObjectID] {
        var request = FetchRequest<ManagedObject>("Item")
        request.predicate = try FetchPredicate(
            format: "code IN %@", arguments: [numbers.map(Self.code)])
        request.sortDescriptors = [FetchSortDescriptor("code")]
        return try inContext { [request] in try $0.fetchIDs(request) }
    }
}
