import Cairn
import CairnPostgreSQL
import CairnTestSupport
import Foundation
import PostgreSQLStoreSupport
import Testing

/// The same random saves, made to a file and to a server.
@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `A mirror of a file` {
    private let schema = "cairn-mirror-\(UUID().uuidString.prefix(13))"
    private let database = PostgreSQLHarness.database ?? URL(fileURLWithPath: "/")
    private let folder: TemporaryFolder
    private let model: ManagedObjectModel

    init() throws {
        folder = try TemporaryFolder()
        let attributes: [PropertyDescription] = AttributeType.mirrored.map {
            .attribute($0.label, $0, isOptional: true)
        }
        model = try ManagedObjectModel([
            EntityDescription(
                "Node",
                [
                    .attribute("name", .string), .toOne("parent", "Node", inverse: "children"),
                    .toMany("children", "Node", inverse: "parent", deleteRule: .cascade),
                    .toMany("friends", "Node", inverse: "friends"),
                    .toMany("steps", "Node", inverse: "walkers", isOrdered: true),
                    .toMany("walkers", "Node", inverse: "steps"),
                ] + attributes)
        ])
    }

    @Test func `has equal objects, relationships and keys after each hundred saves`() throws {
        defer { try? PostgreSQLStore.removeSchemas(beginningWith: schema, from: database) }
        let (file, url) = (folder.file("mirror.sqlite"), database.appending(path: schema))
        let seed = UInt64.random(in: 0 ... .max)
        var saves = [
            try MirroredSaves(.sqlite, file, model, seed: seed),
            try MirroredSaves("PostgreSQL", url, model, seed: seed),
        ]
        for hundred in 1...TestSetting.scale {
            for index in saves.indices { try saves[index].make(100) }
            let dumps = try [file.path, "\(url)"].map { store in
                try ToolRun(["store", "dump", "--dates", "raw", store])
            }
            #expect(dumps.map(\.exitCode) == [0, 0], "\(dumps.map(\.errorText))")
            #expect(dumps[0].text == dumps[1].text, "seed \(seed), hundred \(hundred)")
            #expect(dumps[0].text.count > 1_000)
        }
        let check = try ToolRun(["store", "verify", "\(url)"])
        #expect(check.exitCode == 0, "\(check.text) \(check.errorText)")
    }
}

/// Random saves of nodes, which depend on nothing but the seed.
private struct MirroredSaves {
    private let context: ContextHandle
    private var random: SeededRandom
    private var nodeCount = 0

    init(_ type: StoreType, _ url: URL, _ model: ManagedObjectModel, seed: UInt64) throws {
        var registry = StoreRegistry.builtIn
        registry.register(PostgreSQLStore.self)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model, registry: registry)
        try coordinator.addPersistentStore(ofType: type, at: url)
        context = ContextHandle(coordinator: coordinator)
        random = SeededRandom(seed: seed)
    }

    mutating func make(_ count: Int) throws {
        for _ in 0..<count {
            let before = self
            (random, nodeCount) = try context.performAndWait { context in
                var (copy, nodes) = (before, try before.nodes(context))
                for _ in 0...copy.below(4) { try copy.change(&nodes, context) }
                try context.save()
                // Some saves begin with faults, as those of another program would.
                if copy.below(10) == 0 { context.reset() }
                return (copy.random, copy.nodeCount)
            }
        }
    }

    private func nodes(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        let found = try context.fetch(FetchRequest<ManagedObject>(entityName: "Node"))
        let named = try found.map { (name: "\(try $0.value(forKey: "name") ?? "")", node: $0) }
        return named.sorted { $0.name < $1.name }.map(\.node)
    }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func change(
        _ nodes: inout [ManagedObject], _ context: ManagedObjectContext
    ) throws {
        if nodes.count < 10 || nodes.count < 60 && below(3) == 0 {
            let node = try context.insertNewObject(forEntityName: "Node")
            nodeCount += 1
            try node.setValue("node \(nodeCount)", forKey: "name")
            nodes.append(node)
        }
        let node = nodes[below(nodes.count)]
        switch below(6) {
        case 0 where nodes.count > 20:
            try context.delete(node)
            context.processPendingChanges()
            nodes.removeAll { $0.isDeleted }
        case 1: try node.setValue(nodes[below(nodes.count)], forKey: "parent")
        case 2: try node.setValue(Set(some(of: nodes)), forKey: "friends")
        case 3: try node.setValue(some(of: nodes), forKey: "steps")
        default:
            let type = AttributeType.mirrored[below(AttributeType.mirrored.count)]
            try node.setValue(below(4) == 0 ? nil : value(of: type), forKey: type.label)
        }
    }

    private mutating func some(of nodes: [ManagedObject]) -> [ManagedObject] {
        Array(nodes.shuffled(using: &random).prefix(below(5)))
    }

    private mutating func value(of type: AttributeType) -> Any {
        switch type {
        case .string: ["", "é", "e\u{301}", "a'b\"c\\d", "\u{1F9ED}\n\t", "Ångström"][below(6)]
        case .boolean: below(2) == 0
        case .double: [0, -1.5, .infinity, -1e300, .leastNonzeroMagnitude, 0.1][below(6)]
        case .decimal: [Decimal(below(9)), Decimal(string: "-123456.00000001") ?? 0][below(2)]
        case .date: Date(timeIntervalSinceReferenceDate: Double(below(2_000_000)) - 1e6 + 0.125)
        case .binary: Data((0..<below(9)).map { UInt8($0 * 31) })
        case .uuid: UUID(uuid: (UInt8(below(9)), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
        case .uri: URL(fileURLWithPath: "/\(below(9))")
        default: [Int64.min, .max, 0, -1, Int64(below(100))][below(5)]
        }
    }
}

extension AttributeType {
    fileprivate static let mirrored: [Self] = [
        .string, .boolean, .integer64, .double, .decimal, .date, .binary, .uuid, .uri,
    ]

    /// A name for an attribute of the type.
    fileprivate var label: String { "value\(rawValue)" }
}
