import Baselines
import BenchmarkRows
import Cairn

#if POSTGRESQL
import CairnPostgreSQL
#endif

extension BenchmarkProgram {
    /// Measures Cairn's own engines beside the C libraries and GRDB.
    public static var withLibraries: BenchmarkProgram {
        BenchmarkProgram(additions: Libraries.additions)
    }
}

/// What the C libraries and GRDB add to the rows of any engine.
enum Libraries {
    static var additions: Additions {
        var additions = Additions()
        additions.workloads = workloads
        additions.contenders = contenders
        // SQLite's own library reads what was saved.
        additions.proof = { url, engine in
            #if POSTGRESQL
            if engine == PostgreSQLStore.type { return try PostgreSQLBaseline.prove(url) }
            #endif
            return engine == .sqlite ? try SQLiteBaseline.prove(url) : nil
        }
        additions.libraries = [
            "SQLite": String(cString: bl_sqlite_version()),
            "LMDB": String(cString: bl_lmdb_version()),
            "libxml2": String(cString: bl_xml_version()), "GRDB": "7.10.0",
        ]
        #if POSTGRESQL
        additions.harnesses = [PostgreSQLHarness()]
        additions.settle = { url, engine in
            if engine == PostgreSQLStore.type { try PostgreSQLBaseline.settle(url) }
        }
        additions.libraries["libpq"] = String(bl_postgres_version())
        #endif
        return additions
    }

    /// All rows, in the order in which they are run and shown.
    static let workloads: [any Workload<Setting>] = {
        let rows = Dictionary(
            (Catalogue.workloads + own).map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        return order.compactMap { rows[$0] }
    }()

    /// The rows of performance.md by their letters, then the other rows, then the rows about growth.
    static let order =
        "ABCDEFGHIJKLMNOPQRSTUV".map(String.init) + [
            "two-readers", "to-one", "to-many", "reference", "count", "dictionaries", "sort-limit",
            "text",
            "related", "aggregates", "cascade", "cascade-chain", "save-changed", "child-save",
            "undo", "merge", "open", "readers", "savers", "two-stores", "save-two-stores",
            "numbers", "batch", "copy", "migrate-in-place", "migrate-copying", "migrate-rules",
            "history",
            "history-read", "grow-scan",
            "grow-member", "grow-first-members",
            "grow-context", "grow-delete", "grow-undo",
        ]

    /// The rows about objects, which are the same with every engine, and those about the file of one engine.
    static let own: [any Workload<Setting>] = [
        ReadScalar(), ReadString(), FindRegistered(), LMDBScan(), LMDBGet(), LMDBSave(),
        BinaryFile(), XMLFile(), FilterInMemory(), SortInMemory(), FollowRegistered(),
        EnterContext(), Undo(), GrowUndo(),
    ]

    /// Returns the contenders beside Cairn in a part of a row.
    static func contenders(in row: BenchmarkRow) throws -> [Contender] {
        let setting = row.setting
        #if POSTGRESQL
        if row.engine == PostgreSQLStore.type { return try setting.postgreSQL(row) }
        #endif
        switch row.name {
        case "A": return try setting.scans() + setting.recordScans()
        case "B", "two-readers", "grow-scan": return try setting.scans()
        case "C": return try setting.keyScans()
        case "F": return try setting.memoryOfRecords()
        case "G": return try setting.singleReads()
        case "H": return try setting.batchedReads()
        case "J": return try setting.indexedReads()
        case "to-one": return try setting.joins()
        case "to-many": return try row.part == "IDs" ? setting.memberKeys() : setting.members()
        case "count": return try setting.counts(row.part)
        case "dictionaries": return try setting.columns()
        case "sort-limit": return try setting.highestPrices()
        case "text": return try setting.textSearches(row.part)
        case "related": return try setting.relatedSearches(row.part)
        case "aggregates": return try setting.sums()
        case "open": return try setting.openings()
        default: return setting.savers(row.name, part: row.part)
        }
    }
}
