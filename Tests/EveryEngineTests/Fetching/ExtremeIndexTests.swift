import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Indexes of more rows than are sorted by comparison, with extreme values and `nil` among them.
@Suite struct `An index of extreme values` {
    private struct Item: Sendable {
        var whole: Int64?
        var number: Double?
        var short: Float?
        var day: Date?
        var text: String?
    }

    private static let wholes: [Int64?] = [
        nil, .min, .min + 1, -256, -1, 0, 1, 255, .max - 1, .max,
    ]
    private static let texts: [String?] = [
        nil, "", "\u{0}", "a", "aaaaaaaa", "aaaaaaaa\u{0}", "é", "𐐷",
    ]
    /// SQLite stores neither NaN nor −0.
    private static func numbers(_ type: StoreType) -> [Double?] {
        [
            nil, -.infinity, -.greatestFiniteMagnitude, -1, -.leastNonzeroMagnitude, 0,
            .leastNonzeroMagnitude, 1, .infinity,
        ] + (type == .sqlite ? [] : [-0.0, .nan])
    }

    private static func shorts(_ type: StoreType) -> [Float?] {
        numbers(type).map { number in
            number.map { $0 == -.leastNonzeroMagnitude ? -.leastNonzeroMagnitude : Float($0) }
        }
    }

    private static func days(_ type: StoreType) -> [Date?] {
        numbers(type).map { $0.map(Date.init(timeIntervalSinceReferenceDate:)) }
    }

    /// Returns items in random order. Half of their values are extreme.
    private static func items(_ type: StoreType, _ random: inout SeededRandom) -> [Item] {
        func either<Chosen>(_ values: [Chosen?], _ other: Chosen) -> Chosen? {
            Bool.random(using: &random) ? other : values.randomElement(using: &random) ?? nil
        }
        let (numbers, shorts, days) = (numbers(type), shorts(type), days(type))
        return (0..<600).map { _ in
            let number = Double.random(in: -1e9...1e9, using: &random)
            return Item(
                whole: either(wholes, .random(in: .min ... .max, using: &random)),
                number: either(numbers, number),
                short: either(shorts, Float(number)),
                day: either(days, Date(timeIntervalSinceReferenceDate: number)),
                text: either(texts, "\(number)"))
        }
    }

    /// Stores the items, and opens the store again, so that its indexes are built from all rows.
    private static func stack(
        _ type: StoreType, _ folder: TemporaryFolder, isIndexed: Bool, _ items: [Item]
    ) throws -> PersistentStoreCoordinator {
        var entity = EntityDescription(
            "Item",
            [
                .attribute("code", .integer64), .attribute("whole", .integer64),
                .attribute("number", .double), .attribute("short", .float),
                .attribute("day", .date), .attribute("text", .string),
            ])
        if isIndexed {
            entity.fetchIndexes = keys.map {
                FetchIndexDescription("by_\($0)", elements: [.init($0)])
            }
        }
        let model = try ManagedObjectModel([entity])
        let url = folder.url(of: type, "items.store")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: type, at: url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for (code, item) in items.enumerated() {
                let object = try context.insert("Item", ["code": code])
                try object.setValue(item.whole, forKey: "whole")
                try object.setValue(item.number, forKey: "number")
                try object.setValue(item.short, forKey: "short")
                try object.setValue(item.day, forKey: "day")
                try object.setValue(item.text, forKey: "text")
            }
            try context.save()
        }
        guard let url else { return coordinator }
        try coordinator.remove(store)
        let reopened = PersistentStoreCoordinator(managedObjectModel: model)
        try reopened.addPersistentStore(ofType: type, at: url)
        return reopened
    }

    private static let keys = ["whole", "number", "short", "day", "text"]

    /// Every comparison with every extreme value, and both orders of every attribute.
    private static func requests(_ type: StoreType) throws -> [FetchRequest<ManagedObject>] {
        let constants: [[(any PredicateArgument)?]] = [
            wholes, numbers(type), shorts(type), days(type), texts,
        ]
        var requests: [FetchRequest<ManagedObject>] = []
        for (key, constants) in zip(keys, constants) {
            for constant in constants {
                for comparison in ["==", "<", "<=", ">", ">="] {
                    var request = FetchRequest<ManagedObject>("Item")
                    request.predicate =
                        if let constant {
                            try FetchPredicate(
                                format: "\(key) \(comparison) %@", arguments: [constant])
                        } else {
                            try FetchPredicate(format: "\(key) == nil")
                        }
                    request.sortDescriptors = [FetchSortDescriptor("code")]
                    requests.append(request)
                }
            }
            for isAscending in [true, false] {
                var request = FetchRequest<ManagedObject>("Item")
                request.sortDescriptors = [
                    FetchSortDescriptor(key, ascending: isAscending), FetchSortDescriptor("code"),
                ]
                requests.append(request)
                request.fetchLimit = 300
                requests.append(request)
            }
        }
        return requests
    }

    @Test(arguments: everyEngine)
    func `finds and sorts what a store without indexes does`(_ type: StoreType) throws {
        let seed = SeededRandom.seed(of: "extreme indexes on \(type)")
        var random = SeededRandom(seed: seed)
        let items = Self.items(type, &random)
        let folder = try TemporaryFolder()
        let indexed = try Self.stack(type, folder, isIndexed: true, items)
        let plain = try Self.stack(.inMemory, folder, isIndexed: false, items)

        for request in try Self.requests(type) {
            func codes(_ coordinator: PersistentStoreCoordinator) throws -> [Int64] {
                try ContextHandle(coordinator: coordinator).performAndWait { context in
                    let objects: [ManagedObject] = try context.fetch(request)
                    return try objects.map { try #require($0.value(forKey: "code") as? Int64) }
                }
            }
            let (found, expected) = (try codes(indexed), try codes(plain))
            #expect(found == expected, "\(request), CAIRN_SEED=\(seed)")
        }
    }
}
