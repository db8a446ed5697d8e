import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Compares random fetches of dictionaries with a naive evaluation of the objects. `CAIRN_SEED` repeats a run.
@Suite struct `Random dictionaries` {
    private static let seed = SeededRandom.seed(of: "dictionaries")

    @Test(arguments: chosenEngines)
    func `contain what the objects contain`(_ type: StoreType) throws {
        let seed = Self.seed
        var telling = 0
        for round in 0..<UInt64(TestSetting.scale) {
            telling += try Library.stack(type).inContext { context in
                try compare(in: context, seed: seed &+ round)
            }
        }

        #expect(telling > 10 * TestSetting.scale)
    }

    /// SQLite stores no −0, and XML one NaN only.
    @Test(arguments: [StoreType.inMemory, .lmdb])
    func `have one group of equal numbers with other bits`(_ type: StoreType) throws {
        try Library.stack(type).inContext { context in
            for price in [0.0, -0.0, .nan, -.nan, 1] {
                _ = try context.insert("Book", ["price": price])
            }
            try context.save()
            var request = FetchRequest<ManagedObject>("Book")
            request.propertiesToGroupBy = ["price"]

            #expect(try context.fetchDictionaries(request).count == 3)

            request.propertiesToGroupBy = []
            request.propertiesToFetch = ["price"]
            request.returnsDistinctResults = true
            #expect(try context.fetchDictionaries(request).count == 3)
        }
    }

    /// Returns how many requests found some objects but not all.
    private func compare(in context: ManagedObjectContext, seed: UInt64) throws -> Int {
        var library = RandomLibrary(seed: seed)
        try library.grow(context)
        try context.save()
        var requests = RandomDictionaries(seed: seed)
        return try library.compare(context, count: 100) { predicate, objects, request in
            let matches = try objects.filtered(using: predicate)
            let request = try requests.request(request, of: objects[0].entity)
            let found = try context.fetchDictionaries(request).map(\.dictionary)
            let expected = try NaiveDictionaries(request, requests.having)
                .dictionaries(of: matches)

            if request.sortDescriptors.isEmpty {
                #expect(counts(found) == counts(expected), "seed \(seed): \(request)")
            } else {
                #expect(found == expected, "seed \(seed): \(request)")
            }
            return matches.count
        }
    }

    private func counts(_ dictionaries: [[String: Value]]) -> [[String: Value]: Int] {
        dictionaries.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}

/// Which groups a request returns.
private struct Having {
    /// Groups of fewer objects are left out.
    var leastCount = 0
    /// A property that groups are made by. Groups without a value of it are left out.
    var required: String?
}

/// Makes random requests for dictionaries.
private struct RandomDictionaries {
    private var random: SeededRandom
    /// What the predicate for groups of the last request says.
    private(set) var having = Having()

    init(seed: UInt64) { random = SeededRandom(seed: seed &+ 2) }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(max(bound, 1))) }

    private mutating func some(_ names: [String], most: Int) -> [String] {
        var chosen: [String] = []
        for _ in 0..<below(most + 1) {
            let name = names[below(names.count)]
            if !chosen.contains(name) { chosen.append(name) }
        }
        return chosen
    }

    /// Returns a request with columns and an order, or with groups and summaries.
    mutating func request(
        _ request: FetchRequest<ManagedObject>, of entity: Entity
    ) throws -> FetchRequest<ManagedObject> {
        var request = request
        having = Having()
        let own = entity.attributes.filter { !$0.isTransient && $0.type != .composite }
        var names = own.map(\.name)
        for toOne in entity.relationships where !toOne.isToMany && !toOne.isTransient {
            names += toOne.destination.attributes.filter {
                !$0.isTransient && $0.type != .composite
            }
            .map { "\(toOne.name).\($0.name)" }
        }
        guard below(2) == 0 else {
            request.propertiesToFetch = (some(names, most: 3) + [names[0]]).map { .keyPath($0) }
            request.returnsDistinctResults = below(3) == 0
            if below(2) == 0 {
                request.sortDescriptors = [
                    FetchSortDescriptor(own[below(own.count)].name, ascending: below(2) == 0)
                ]
                (request.fetchOffset, request.fetchLimit) = (below(4), below(6))
            }
            return request
        }
        request.propertiesToGroupBy = some(names, most: 2)
        request.propertiesToFetch = request.propertiesToGroupBy.map { .keyPath($0) }
        for (number, attribute) in own.enumerated() where below(2) == 0 {
            let functions =
                Self.numeric.contains(attribute.type)
                ? ["sum", "average", "count"] : ["min", "max", "count"]
            let function = functions[below(functions.count)]
            request.propertiesToFetch.append(
                .expression(
                    ExpressionDescription(
                        "\(number)",
                        .keyPath(["@\(Self.names[function] ?? function)", attribute.name]))))
        }
        request.propertiesToFetch.append(
            .expression(ExpressionDescription("all", .function("count:", [.evaluatedObject]))))
        if below(3) == 0 {
            having.leastCount = below(4)
            var conditions = ["$all >= \(having.leastCount)"]
            if let key = request.propertiesToGroupBy.first, below(2) == 0 {
                having.required = key
                conditions.append("\(key) != nil")
            }
            request.havingPredicate = try FetchPredicate(
                format: conditions.joined(separator: " AND "))
        }
        return request
    }

    private static let names = ["average": "avg"]
    private static let numeric: Set<AttributeType> = [
        .integer16, .integer32, .integer64, .float, .double, .decimal,
    ]
}

/// Evaluates a request for dictionaries on objects, in the most direct way.
private struct NaiveDictionaries {
    let request: FetchRequest<ManagedObject>
    let having: Having

    init(_ request: FetchRequest<ManagedObject>, _ having: Having) {
        (self.request, self.having) = (request, having)
    }

    func dictionaries(of matches: [ManagedObject]) throws -> [[String: Value]] {
        request.propertiesToFetch.contains { if case .expression = $0 { true } else { false } }
            ? try groups(of: matches) : try columns(of: matches)
    }

    private func value(_ path: String, of object: ManagedObject) throws -> Value {
        let names = path.split(separator: ".").map(String.init)
        guard names.count > 1 else { return try object[path] }
        guard let destination = try object.value(forKey: names[0]) as? ManagedObject else {
            return .null
        }
        return try destination[names[1]]
    }

    private func columns(of matches: [ManagedObject]) throws -> [[String: Value]] {
        var rows: [[String: Value]] = []
        for object in try matches.sorted(using: request.sortDescriptors) {
            var row: [String: Value] = [:]
            for case .keyPath(let path) in request.propertiesToFetch {
                let value = try value(path, of: object)
                if !value.isNull { row[path] = value }
            }
            if !request.returnsDistinctResults || !rows.contains(row) { rows.append(row) }
        }
        let rest = rows.dropFirst(request.fetchOffset)
        return Array(request.fetchLimit == 0 ? rest : rest.prefix(request.fetchLimit))
    }

    private func groups(of matches: [ManagedObject]) throws -> [[String: Value]] {
        var groups: [[Value]: [ManagedObject]] = [:]
        if request.propertiesToGroupBy.isEmpty { groups[[]] = [] }
        for object in matches {
            let keys = try request.propertiesToGroupBy.map { try value($0, of: object) }
            groups[keys, default: []].append(object)
        }
        let required = having.required.flatMap { request.propertiesToGroupBy.firstIndex(of: $0) }
        let wanted = groups.filter { keys, objects in
            objects.count >= having.leastCount && required.map { !keys[$0].isNull } ?? true
        }
        return try wanted.map { keys, objects in
            var row: [String: Value] = [:]
            for (name, key) in zip(request.propertiesToGroupBy, keys) where !key.isNull {
                row[name] = key
            }
            for case .expression(let entry) in request.propertiesToFetch {
                let summary = try summary(entry, objects)
                if !summary.isNull { row[entry.name] = summary }
            }
            return row
        }
    }

    private func summary(_ entry: ExpressionDescription, _ objects: [ManagedObject]) throws -> Value
    {
        guard case .keyPath(let names) = entry.expression else {
            return .integer(Int64(objects.count))
        }
        let values = try objects.map { try $0[names[1]] }.filter { !$0.isNull }
        let numbers = values.map { value -> Double in
            switch value {
            case .integer(let number): Double(number)
            case .double(let number): number
            case .float(let number): Double(number)
            case .boolean(let flag): flag ? 1 : 0
            case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
            default: .nan
            }
        }
        let sum = numbers.reduce(0, +)
        switch (names[0], values.first) {
        case ("@count", _): return .integer(Int64(values.count))
        case ("@sum", .decimal?): return .decimal(Decimal(sum))
        case ("@sum", .double?), ("@sum", .float?): return .double(sum)
        case ("@sum", _): return .integer(Int64(sum))
        case ("@avg", nil): return .null
        case ("@avg", .decimal?): return .decimal(Decimal(sum) / Decimal(values.count))
        case ("@avg", _): return .double(sum / Double(values.count))
        case ("@min", _): return values.min(by: isLess) ?? .null
        default: return values.max(by: isLess) ?? .null
        }
    }

    private func isLess(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            Array(left.unicodeScalars).lexicographicallyPrecedes(right.unicodeScalars)
        case (.date(let left), .date(let right)): left < right
        case (.uuid(let left), .uuid(let right)): left.uuidString < right.uuidString
        case (.boolean(let left), .boolean(let right)): !left && right
        default: "\(left)" < "\(right)"
        }
    }
}
