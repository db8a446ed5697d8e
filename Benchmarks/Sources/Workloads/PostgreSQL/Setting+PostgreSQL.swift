import BenchmarkRows
import Cairn

/// libpq in the rows A to M of the engine for PostgreSQL.
extension Setting {
    func postgreSQL(_ row: BenchmarkRow) throws -> [Contender] {
        switch row.name {
        case "A", "B": return try postgreSQL("C: one result, all columns") { try $0.scan() }
        case "C": return try postgreSQL("C: one result, keys alone") { try $0.scanKeys() }
        case "G":
            return try postgreSQL("C: prepared, by key") { [keys = indicesOfFaults.keys] in
                try $0.items(byKeys: keys, atOnce: 1)
            }
        case "H":
            return try postgreSQL("C: prepared, array of keys") {
                [keys = indicesOfManyFaults.keys] in
                try $0.items(byKeys: keys, atOnce: Setting.faultsAtOnce)
            }
        case "J":
            return try postgreSQL("C: prepared, index") { [categories = fetchedCategories] in
                var all = Reading()
                for category in categories { all.append(try $0.items(category: category)) }
                return all
            }
        case "K", "L", "M": return savers(row.name, part: row.part)
        default: return []
        }
    }

    private func postgreSQL(
        _ name: String, _ body: @escaping (PostgreSQLBaseline) throws -> Reading
    ) throws -> [Contender] {
        let baseline = try PostgreSQLBaseline(try itemsURL())
        return [
            Contender(name, .baseline) {
                var watch = Stopwatch()
                let reading = try watch.time { try body(baseline) }
                return Sample(watch, reading)
            }
        ]
    }

    /// Passes a new store to the body, which changes it with libpq.
    func changingPostgreSQL(
        _ contents: StoreTemplates.Contents, _ body: (any ItemWriter) throws -> Sample
    ) throws -> Sample {
        let store = try shelf.newStore(engine, contents, size: size)
        var sample = try body(try PostgreSQLBaseline(store))
        sample.checksum = try PostgreSQLBaseline.prove(store)
        return sample
    }
}

extension [Int] {
    /// The keys of the items at these indices.
    fileprivate var keys: [Int64] { map { Int64($0) + 1 } }
}
