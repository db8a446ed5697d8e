import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Random requests over several stores, compared with a simple search in plain records, and with the same
/// parts in a single store.
@Suite struct `Random fetches over several stores` {
    private static let engines: [[StoreType]] = [
        [.inMemory, .inMemory], [.sqlite, .lmdb], [.lmdb, .xml], [.sqlite, .inMemory],
        [.sqlite, .sqlite, .binary], [.inMemory, .lmdb, .sqlite],
    ]

    @Test(arguments: engines, [false, true])
    func `find what a naive search finds`(_ types: [StoreType], inParallel: Bool) throws {
        let seed = SeededRandom.seed(of: "random fetches over \(types)")
        let stack = try PartsStack(types)
        if inParallel { stack.coordinator.parallelReading.worth = .zero }
        let single = try PartsStack([.inMemory])

        try stack.inContext { context in
            var parts = Parts(stack, context, SeededRandom(seed: seed))
            for _ in 0..<5 {
                try parts.change()
                for _ in 0..<20 { try parts.checkFetch() }
                try parts.save()
                for _ in 0..<10 { try parts.checkFetch() }
                try parts.copy(to: single)
                for _ in 0..<20 { try parts.checkDictionaries(against: single) }
                for _ in 0..<5 { try parts.checkGroups() }
            }
        }
    }
}

/// The parts of a stack as a context contains them, and their expected values.
private struct Parts {
    let stack: PartsStack
    let context: ManagedObjectContext
    var random: SeededRandom
    private var live: [(record: PartRecord, object: ManagedObject)] = []
    /// The kits, by the index of the store.
    private var kits: [[String: ManagedObject]]
    private var lastCode = 0

    init(_ stack: PartsStack, _ context: ManagedObjectContext, _ random: SeededRandom) {
        self.stack = stack
        self.context = context
        self.random = random
        kits = stack.stores.map { _ in [:] }
    }

    private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    // MARK: Changing

    /// Makes a dozen changes without saving them.
    mutating func change() throws {
        for _ in 0..<12 {
            switch below(live.count < 30 ? 3 : 6) {
            case 0, 1, 2: try insert()
            case 3: try delete()
            default: try update()
            }
        }
    }

    private mutating func insert() throws {
        lastCode += 1
        let store = below(stack.stores.count)
        let record = PartRecord(code: "part \(lastCode)", store: store, using: &random)
        let object = try context.insert(record.isSpare ? "Spare" : "Part")
        // New objects go to the first store unless they are assigned to another.
        if store != 0 { try context.assign(object, to: stack.stores[store]) }
        live.append((record, object))
        try write(live.count - 1)
    }

    private mutating func update() throws {
        let index = below(live.count)
        live[index].record.change(using: &random)
        try write(index)
    }

    private mutating func delete() throws {
        try context.delete(live.remove(at: below(live.count)).object)
    }

    private mutating func write(_ index: Int) throws {
        let (record, object) = live[index]
        for (key, value) in record.values { try object.setValue(value, forKey: key) }
        var kit: ManagedObject?
        if let name = record.kit { kit = try self.kit(name, in: record.store) }
        try object.setValue(kit, forKey: "kit")
    }

    private mutating func kit(_ name: String, in store: Int) throws -> ManagedObject {
        if let known = kits[store][name] { return known }
        let kit = try context.insert("Kit", ["name": name])
        try context.assign(kit, to: stack.stores[store])
        kits[store][name] = kit
        return kit
    }

    mutating func save() throws { try context.save() }

    /// Creates the same parts in another stack.
    func copy(to single: PartsStack) throws {
        let records = live.map(\.record)
        try single.inContext { context in
            for old in try context.fetch(FetchRequest<ManagedObject>("Part")) {
                try context.delete(old)
            }
            for old in try context.fetch(FetchRequest<ManagedObject>("Kit")) {
                try context.delete(old)
            }
            var kits: [String: ManagedObject] = [:]
            for record in records {
                let part = try context.insert(record.isSpare ? "Spare" : "Part")
                for (key, value) in record.values { try part.setValue(value, forKey: key) }
                guard let name = record.kit else { continue }
                let kit = try kits[name] ?? context.insert("Kit", ["name": name])
                kits[name] = kit
                try part.setValue(kit, forKey: "kit")
            }
            try context.save()
        }
    }

    // MARK: Requests

    /// A request and the criteria of the records that it should find.
    private struct Question {
        var request = FetchRequest<ManagedObject>("Part")
        var condition = PartCondition.all[0]
        var stores: Set<Int>?

        var description: String {
            """
            \(request.entityName ?? "") where \(condition.format ?? "all"), by \
            \(request.sortDescriptors), \(request.fetchOffset) + \(request.fetchLimit), in \
            \(String(describing: stores))
            """
        }

        func finds(_ record: PartRecord) -> Bool {
            (request.entityName == "Part" || record.isSpare)
                && (request.includesSubentities
                    || record.isSpare == (request.entityName == "Spare"))
                && (stores?.contains(record.store) ?? true) && condition.holds(record)
        }

        /// Returns the records between offset and limit.
        func page<Element>(_ all: [Element]) -> [Element] {
            let rest = all.dropFirst(request.fetchOffset)
            return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
        }
    }

    private mutating func question() throws -> Question {
        var question = Question()
        if below(4) == 0 { question.request.entityName = "Spare" }
        question.request.includesSubentities = below(4) != 0
        question.condition = PartCondition.all[below(PartCondition.all.count)]
        question.request.predicate = try question.condition.format.map {
            try FetchPredicate(format: $0)
        }
        for _ in 0..<below(4) {
            question.request.sortDescriptors.append(
                FetchSortDescriptor(
                    PartRecord.sortablePaths[below(PartRecord.sortablePaths.count)],
                    ascending: below(2) == 0))
        }
        question.request.fetchOffset = below(3) == 0 ? below(12) : 0
        question.request.fetchLimit = below(2) == 0 ? 1 + below(12) : 0
        if below(4) == 0 {
            // A store may occur twice.
            let chosen = (0..<2).map { _ in below(stack.stores.count) }
            question.stores = Set(chosen)
            question.request.affectedStores = (chosen + chosen).map { stack.stores[$0] }
        }
        return question
    }

    /// Returns the results of the simple search, without offset and limit.
    private func matches(_ question: Question) -> [(record: PartRecord, object: ManagedObject)] {
        live.filter { question.finds($0.record) }.sorted { left, right in
            for sort in question.request.sortDescriptors {
                let order = PartRecord.order(left.record, right.record, by: sort.keyPath)
                if order != 0 { return sort.isAscending == (order < 0) }
            }
            return ValueOrder.order(left.object.objectID, right.object.objectID) < 0
        }
    }

    // MARK: Checking

    /// Runs a random request, and compares objects, IDs and count with the expected results.
    mutating func checkFetch() throws {
        var question = try question()
        question.request.returnsObjectsAsFaults = below(2) == 0
        question.request.fetchBatchSize = below(4) == 0 ? 3 : 0
        if below(4) == 0 { question.request.relationshipKeyPathsForPrefetching = ["kit.parts"] }
        let all = matches(question)
        let wanted = question.page(all)

        let found: [ManagedObject] = try context.fetch(question.request)
        let ids = try context.fetchIDs(question.request)
        let count = try context.count(for: question.request)

        let comment = Comment(rawValue: question.description)
        try #require(count == wanted.count, comment)
        try #require(ids == found.map(\.objectID), comment)
        if !question.request.sortDescriptors.isEmpty {
            try #require(ids == wanted.map(\.object.objectID), comment)
        }
        // Without a sort order, the page may contain any of the matches.
        let possible = Set(all.map(\.object.objectID))
        try #require(Set(ids).count == wanted.count, comment)
        try #require(possible.isSuperset(of: ids), comment)
    }

    /// Runs a random request for dictionaries here and in the single store, which contains the same parts.
    mutating func checkDictionaries(against single: PartsStack) throws {
        var question = try question()
        question.stores = nil
        question.request.affectedStores = nil
        let isGrouped = below(2) == 0
        if isGrouped {
            question.request.propertiesToGroupBy = [["name", "kit.name", "isNew"][below(3)]]
            question.request.propertiesToFetch =
                question.request.propertiesToGroupBy.map { .keyPath($0) } + (try Self.summaries())
            if below(2) == 0 {
                question.request.havingPredicate = try FetchPredicate(format: "$count > 1")
            }
            question.request.sortDescriptors =
                below(2) == 0 ? [] : [FetchSortDescriptor("count", ascending: below(2) == 0)]
        } else {
            question.request.propertiesToFetch = ["number", "kit.name"]
            question.request.returnsDistinctResults = below(2) == 0
            if question.request.returnsDistinctResults {
                question.request.sortDescriptors = ["number", "kit.name"].map {
                    FetchSortDescriptor($0)
                }
            } else {
                question.request.propertiesToFetch.append("code")
                question.request.sortDescriptors.append(FetchSortDescriptor("code"))
            }
        }

        let found = try context.fetchDictionaries(question.request)
        let request = question.request
        let wanted = try single.inContext { try $0.fetchDictionaries(request) }

        try #require(found == wanted, Comment(rawValue: question.description))
    }

    private static func summaries() throws -> [PropertyToFetch] {
        try [
            ("count", "count(SELF)"), ("sum", "sum(price)"), ("least", "min(made)"),
            ("most", "max(number)"), ("mean", "average(price)"),
        ].map { .expression(try ExpressionDescription($0.0, format: $0.1)) }
    }

    /// Runs a request with groups, and compares the result with groups computed here.
    mutating func checkGroups() throws {
        var question = try question()
        question.request.sortDescriptors = []
        question.request.propertiesToGroupBy = ["number"]
        question.request.propertiesToFetch = [
            "number", .expression(try ExpressionDescription("count", format: "count(SELF)")),
            .expression(try ExpressionDescription("sum", format: "sum(weight)")),
            .expression(try ExpressionDescription("least", format: "min(weight)")),
            .expression(try ExpressionDescription("most", format: "max(weight)")),
            .expression(try ExpressionDescription("mean", format: "average(weight)")),
        ]
        let groups = Dictionary(grouping: matches(question).map(\.record), by: \.number)
        let wanted = groups.sorted { ($0.key ?? -9) < ($1.key ?? -9) }.map { number, parts in
            let weights = parts.map(\.weight)
            let sum = weights.reduce(0, +)
            var group: [String: Value] = [
                "count": .integer(Int64(parts.count)), "sum": .integer(Int64(sum)),
                "least": .integer(Int64(weights.min() ?? 0)),
                "most": .integer(Int64(weights.max() ?? 0)),
                "mean": .double(Double(sum) / Double(parts.count)),
            ]
            group["number"] = number.map { .integer(Int64($0)) }
            return group
        }

        let found = try context.fetchDictionaries(question.request).map(\.dictionary)

        try #require(found == question.page(wanted), Comment(rawValue: question.description))
    }
}
