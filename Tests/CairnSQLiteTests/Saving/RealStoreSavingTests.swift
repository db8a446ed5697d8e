import CairnModel
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Saves into corpus stores` {
    @Test(arguments: Corpus.wholeStorePaths)
    func `leave a valid database in one file`(_ path: String) throws {
        let folder = try TemporaryFolder()
        guard let opened = try CorpusStore(path, in: folder) else { return }
        let subject = try SavingStore(opened.request)
        let entities = subject.model.entities.filter { !$0.isAbstract }
        let before = try counts(of: entities, in: subject)

        for entity in entities {
            let keys = try subject.reserve(2, entity.name)
            #expect(keys.lowerBound > (try lastKey(of: entity, in: subject)))
            try subject.insert(
                subject.row(entity.name, keys.lowerBound, sample(entity)),
                subject.row(entity.name, keys.lowerBound + 1))
            try subject.save(
                SaveRequest(
                    updated: [
                        subject.update(entity.name, keys.lowerBound, from: 1, sample(entity))
                    ],
                    deleted: [
                        RowDeletion(
                            id: subject.id(entity.name, keys.lowerBound + 1), previousVersion: 1)
                    ]))
            let schema = try #require(subject.store.schema.map.schema(of: entity))
            let version = try subject.sql(
                "SELECT Z_OPT FROM \(schema.table) WHERE Z_PK = \(keys.lowerBound)")
            #expect(version == ["2"])
        }

        let after = try counts(of: entities, in: subject)
        #expect(after == before.mapValues { $0 + 1 })
        #expect(try subject.sql("PRAGMA integrity_check") == ["ok"])
        try subject.store.close()
        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(!FileManager.default.fileExists(atPath: opened.url.path + suffix))
        }
        #expect(try SavingStore(opened.request).sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `leave counts to the store's triggers`() throws {
        let path =
            "corpus/alemar11__CoreDataPlus/Tests/Resources/SampleModel2/Fixtures/SampleModel2_V2.sqlite"
        guard Corpus.isThere else { return }
        let folder = try TemporaryFolder()
        let opened = try #require(try CorpusStore(path, in: folder))
        let subject = try SavingStore(opened.request)
        let key = try #require(
            try subject.sql("SELECT min(Z_PK) FROM ZBOOK")[0].flatMap(Int64.init))
        let count = try #require(
            try subject.sql("SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = \(key)")[0].flatMap(
                Int.init))
        let page = try subject.reserve(1, "Page").lowerBound

        let outcome = try subject.insert(
            try subject.row("Page", page, ["book": .objectID(try subject.id("Book", key))]))

        #expect(outcome.recomputed.ids == [try subject.id("Book", key)])
        #expect(
            try subject.sql("SELECT ZPAGESCOUNT FROM ZBOOK WHERE Z_PK = \(key)") == ["\(count + 1)"]
        )
        #expect(try subject.sql("SELECT Z1_BOOK FROM ZPAGE WHERE Z_PK = \(page)") == ["1"])
    }

    @Test func `are written into the store's history`() throws {
        let path =
            "corpus/alemar11__CoreDataPlus/Tests/Resources/SampleModel2/Fixtures/SampleModel2_V2.sqlite"
        guard Corpus.isThere else { return }
        let folder = try TemporaryFolder()
        let opened = try #require(try CorpusStore(path, in: folder))
        let subject = try SavingStore(opened.request)
        let key = try subject.reserve(1, "Feedback").lowerBound
        try subject.insert(try subject.row("Feedback", key))

        var request = SaveRequest(
            updated: [try subject.update("Feedback", key, from: 1, ["comment": "x"])])
        request.author = "tester"
        try subject.save(request)

        let change = """
            FROM ACHANGE AS c JOIN ATRANSACTION AS t ON t.Z_PK = c.ZTRANSACTIONID \
            WHERE c.ZENTITYPK = \(key) AND c.ZENTITY = 3 ORDER BY c.Z_PK DESC LIMIT 1
            """
        #expect(try subject.sql("SELECT c.ZCHANGETYPE \(change)") == ["1"])
        // Z_OPT is followed by rating, authorAlias, comment and bookID.
        #expect(try subject.sql("SELECT hex(c.ZCOLUMNS) \(change)") == ["20"])
        #expect(
            try subject.sql(
                "SELECT s.ZNAME FROM ATRANSACTION AS t JOIN ATRANSACTIONSTRING AS s"
                    + " ON s.Z_PK = t.ZAUTHORTS ORDER BY t.Z_PK DESC LIMIT 1") == ["tester"])
        #expect(
            try subject.sql(
                "SELECT (SELECT max(Z_PK) FROM ACHANGE) = Z_MAX FROM Z_PRIMARYKEY"
                    + " WHERE Z_NAME = 'CHANGE'") == ["1"])
    }

    /// Returns a distinct value for each attribute, so that uniqueness constraints hold.
    private func sample(_ entity: Entity) -> [String: Value] {
        var values: [String: Value] = [:]
        for attribute in entity.attributes where attribute.rowSlot != nil {
            values[attribute.name] =
                switch attribute.type {
                case .integer16, .integer32, .integer64: .integer(.random(in: 1...30_000))
                case .boolean: true
                case .double: 1.5
                case .float: .float(2.5)
                case .decimal: .decimal(Decimal(string: "12.34") ?? 0)
                case .date: .date(Date(timeIntervalSinceReferenceDate: 1000.25))
                case .string: .string(UUID().uuidString)
                case .uuid: .uuid(UUID())
                case .uri: URL(string: "https://example.org/x").map(Value.uri) ?? .null
                case .binary: .binary(Data([1, 2, 3]))
                case .transformable: .transformable(Data([4, 5]))
                case .undefined, .objectID, .composite: .null
                }
        }
        return values
    }

    private func counts(
        of entities: [Entity], in subject: SavingStore
    ) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for entity in entities {
            let schema = try #require(subject.store.schema.map.schema(of: entity))
            let text = try subject.sql(
                "SELECT count(*) FROM \(schema.table) WHERE Z_ENT = \(schema.storeNumber)")[0]
            counts[entity.name] = text.flatMap(Int.init)
        }
        return counts
    }

    /// Returns the highest key in the table. Keys that were only reserved are not in the table yet.
    private func lastKey(of entity: Entity, in subject: SavingStore) throws -> Int64 {
        let schema = try #require(subject.store.schema.map.schema(of: entity))
        let text = try subject.sql("SELECT max(Z_PK) FROM \(schema.table)")[0]
        return text.flatMap(Int64.init) ?? 0
    }
}
