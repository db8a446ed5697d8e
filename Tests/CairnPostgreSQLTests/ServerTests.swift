import Cairn
import CairnModel
import CairnPostgreSQL
import CairnProcesses
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import PostgreSQLStoreSupport
import Testing

/// What people do with a server beside Cairn, and what servers refuse.
@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `A server` {
    private let database = PostgreSQLHarness.database ?? URL(fileURLWithPath: "/")
    private let schema = "cairn-server-\(UUID().uuidString.prefix(13).lowercased())"
    private var location: StoreLocation {
        StoreLocation(database.appending(path: schema), of: PostgreSQLStore.self)
    }

    private func withSchema(_ body: () throws -> Void) throws {
        defer { try? PostgreSQLStore.removeSchemas(beginningWith: schema, from: database) }
        try body()
    }

    private func run(_ command: String) throws -> String {
        let process = try ChildProcess("/bin/sh", ["-c", command], errorOutput: .kept)
        let output = String(decoding: try process.output(), as: UTF8.self)
        let end = try process.end()
        #expect(end == .code(0), "\(process.errorText)")
        return output.trimmingCharacters(in: .newlines)
    }

    private func psql(_ sql: String, on server: URL? = nil) throws -> [String] {
        let text = "SET client_min_messages = warning; SET search_path = \"\(schema)\"; \(sql)"
        let quoted = text.replacing("'", with: "'\\''")
        let output = try run(
            "psql -qAtX -v ON_ERROR_STOP=1 -d '\((server ?? database).absoluteString)' -c '\(quoted)'"
        )
        return output.split(separator: "\n").map(String.init)
    }

    private func tracks() throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription(
                "Album",
                [
                    .attribute("name", .string), .attribute("releaseDate", .date),
                    .toMany("tracks", "Track", inverse: "album"),
                ]),
            EntityDescription(
                "Track",
                [.attribute("title", .string), .toOne("album", "Album", inverse: "tracks")]),
            EntityDescription("LiveTrack", superentity: "Track", [.attribute("venue", .string)]),
        ])
    }

    private func coordinator(
        _ model: ManagedObjectModel, at location: URL? = nil, options: StoreOptions = [:]
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: StoreRegistry([PostgreSQLStore.self]))
        try coordinator.addPersistentStore(
            ofType: "PostgreSQL", at: location ?? database.appending(path: schema),
            options: options)
        return coordinator
    }

    private func add(
        _ titles: Range<Int>, to coordinator: PersistentStoreCoordinator
    ) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for number in titles {
                let track = try context.insertNewObject(
                    forEntityName: number % 3 == 0 ? "LiveTrack" : "Track")
                try track.setValue("T\(number)", forKey: "title")
                let album = try context.insertNewObject(forEntityName: "Album")
                try album.setValue("A\(number)", forKey: "name")
                try track.setValue(album, forKey: "album")
            }
            try context.save()
        }
    }

    @Test func `gives psql what a fetch gives, with the join that the format's page shows`() throws
    {
        try withSchema {
            let coordinator = try coordinator(try tracks())
            try add(0..<30, to: coordinator)
            let fetched = try ContextHandle(coordinator: coordinator).performAndWait { context in
                try context.fetch(FetchRequest<ManagedObject>("LiveTrack")).map { track in
                    let album = try track.value(forKey: "album") as? ManagedObject
                    let name = try album?.value(forKey: "name") as? String
                    return try "\(track.value(forKey: "title") as? String ?? "")|\(name ?? "")"
                }.sorted()
            }
            let page = try String(
                contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                    .deletingLastPathComponent().deletingLastPathComponent()
                    .appending(path: "docs/formats/postgresql.md"), encoding: .utf8)
            let sql = try #require(
                page.split(separator: "```sql\n").last?.split(separator: "```").first)

            #expect(try psql(String(sql)).sorted() == fetched)
            #expect(fetched.count == 10)
        }
    }

    /// As a copy writes them: in a request of their own, without a name. Saves of this model follow each other.
    @Test(.timeLimit(.minutes(1)))
    func `takes pairs alone, also into a store with derived attributes`() throws {
        try withSchema {
            var count = AttributeDescription("tagCount", .integer64)
            count.derivation = Derivation(expression: "tags.@count")
            let model = try ManagedObjectModel([
                EntityDescription(
                    "Photo", [.toMany("tags", "Tag", inverse: "photos"), .attribute(count)]),
                EntityDescription("Tag", [.toMany("photos", "Photo", inverse: "tags")]),
                EntityDescription("Album", [.toMany("covers", "Cover", inverse: "albums")]),
                EntityDescription("Cover", [.toMany("albums", "Album", inverse: "covers")]),
            ])
            let store = try PostgreSQLStore.open(OpenRequest(location: location, model: model))
            let (album, cover) = (
                try #require(model.entity(named: "Album")),
                try #require(model.entity(named: "Cover"))
            )
            let layouts = store.request.layouts
            var writer = RowWriter(store: store.number)
            for entity in [album, cover] {
                writer.begin(layouts.layout(of: entity), key: 1, version: 1)
                writer.endRow()
            }
            let rows = writer.takeBatch()
            let covers = try #require(album.relationship(named: "covers"))
            let forward = PairChange(.insert, covers, owner: rows.ids[0], member: rows.ids[1])
            let pair =
                covers.ownsPairs
                ? forward
                : PairChange(
                    .insert, try #require(covers.inverse), owner: rows.ids[1], member: rows.ids[0])
            for request in [SaveRequest(inserted: rows), SaveRequest(pairs: [pair])] {
                let save = try store.beginSave()
                try save.prepare(request)
                _ = try save.commit()
            }

            let members = try store.snapshot().relatedIDs(covers, of: [rows.ids[0]])

            #expect(members.members == [rows.ids[1]])
            store.close()
        }
    }

    /// As a pooler does that gives each transaction another session.
    @Test func `that forgets prepared statements is used without them`() throws {
        try withSchema {
            let coordinator = try coordinator(try tracks())
            for number in 0..<3 { try add(number..<(number + 1), to: coordinator) }
            _ = try psql(
                """
                CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN EXECUTE 'DEALLOCATE ALL'; RETURN NULL; END $$;
                CREATE TRIGGER forget AFTER INSERT ON track EXECUTE FUNCTION forget();
                """)
            for number in 3..<9 { try add(number..<(number + 1), to: coordinator) }

            #expect(try psql("SELECT count(*) FROM track") == ["9"])
        }
    }

    @Test func `has the model's indexes, and uses them for conditions and orders`() throws {
        try withSchema {
            var entity = EntityDescription(
                "Photo",
                [
                    .attribute("name", .string), .attribute("stars", .integer16),
                    .attribute("taken", .date), .attribute("hidden", .boolean),
                ])
            entity.fetchIndexes = [
                FetchIndexDescription("byName", elements: [.init("name")]),
                FetchIndexDescription("byStars", elements: [.init("stars", isAscending: false)]),
                FetchIndexDescription(
                    "byDay",
                    elements: [.init("taken"), .init("hidden"), .init("name"), .init("stars")]),
            ]
            let coordinator = try coordinator(try ManagedObjectModel([entity]))
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                for number in 0..<5_000 {
                    let photo = try context.insertNewObject(forEntityName: "Photo")
                    try photo.setValue("P\(number)", forKey: "name")
                    try photo.setValue(number % 500, forKey: "stars")
                }
                let long = try context.insertNewObject(forEntityName: "Photo")
                try long.setValue(String(repeating: "long", count: 10_000), forKey: "name")
                try context.save()
            }

            let indexes = try psql(
                "SELECT indexdef FROM pg_indexes WHERE tablename = 'photo' ORDER BY 1"
            ).map { $0.split(separator: " USING ").last.map(String.init) ?? "" }
            _ = try psql("ANALYZE photo")
            let plans = try [
                "\"stars\" = 7", "\"name\" = 'P7'",
                "true ORDER BY \"stars\" DESC NULLS LAST LIMIT 3",
            ].map { try psql("EXPLAIN SELECT * FROM photo WHERE \($0)").joined() }

            #expect(
                indexes.sorted() == [
                    "btree (_key)", "btree (stars DESC NULLS LAST)",
                    "btree (taken NULLS FIRST, ((hidden)::integer) NULLS FIRST)", "hash (name)",
                ])
            for plan in plans { #expect(plan.contains("photo_"), "\(plan)") }
            let highest = try ContextHandle(coordinator: coordinator).performAndWait { context in
                var request = FetchRequest<ManagedObject>("Photo")
                request.sortDescriptors = [FetchSortDescriptor("stars", ascending: false)]
                request.fetchLimit = 1
                return try context.fetch(request).first?.value(forKey: "stars") as? Int64
            }
            #expect(highest == 499)
        }
    }

    @Test func `gives pg_dump a store that another server opens and continues`() throws {
        try withSchema {
            let folder = try TemporaryFolder()
            let model = try tracks()
            let before = try coordinator(model, options: [.tracksHistory: true])
            let store = try #require(before.persistentStores.first as? PostgreSQLStore)
            var names: [SaveID] = []
            for number in 0..<3 {
                try add(number..<number + 1, to: before)
                names.append(SaveID())
                try save(named: names[number], in: store)
            }
            let old = try store.history(after: nil, limit: 10)
            #expect(old.count == 3)
            let file = folder.file("dump.sql").path
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().path
            let settings = "CAIRN_POSTGRES_DIR='\(folder.file("server").path)'"
            _ = try run("chmod 755 '\(folder.url.path)'")
            _ = try run("pg_dump -d '\(database.absoluteString)' -n '\"\(schema)\"' -f '\(file)'")
            defer { _ = try? run("\(settings) '\(root)/script/postgres' down") }
            let other = try #require(
                URL(string: try run("\(settings) '\(root)/script/postgres' up")))
            _ = try run(
                "psql -qX -v ON_ERROR_STOP=1 -d '\(other.absoluteString)' -f '\(file)' >/dev/null")

            let after = try coordinator(model, at: other.appending(path: schema))

            let copy = try #require(after.persistentStores.first as? PostgreSQLStore)
            #expect(try copy.entityCounts() == ["Album": 3, "Track": 2, "LiveTrack": 1])
            for name in names { #expect(try copy.outcome(of: name) == .saved) }
            #expect(try copy.history(after: nil, limit: 10).map(\.position) == old.map(\.position))
            // More saves than between two times at which old names are removed.
            for number in 0..<140 {
                names.append(SaveID())
                try save(named: names[number + 3], in: copy)
            }
            for name in names { #expect(try copy.outcome(of: name) == .saved) }
            let generation = try copy.snapshot().generation
            try add(10..<11, to: after)
            let changes = try #require(try copy.snapshot().changes(since: generation))
            #expect(
                changes.inserted.count == 2 && changes.updated.isEmpty && changes.deleted.isEmpty)
            let new = try copy.history(after: old[2].position, limit: 10)
            #expect(new.count == 1)
            #expect(try copy.newestHistoryPosition() == new.first?.position)
        }
    }

    @Test func `keeps what others made in a store's schema, or from its tables`() throws {
        try withSchema {
            let coordinator = try coordinator(try tracks())
            try add(0..<1, to: coordinator)
            let other = "\"\(schema)-2\""
            _ = try psql("CREATE SCHEMA \(other)")
            for (name, creation, removal) in [
                ("a table", "CREATE TABLE notes (text text)", "DROP TABLE notes"),
                ("a view", "CREATE VIEW v AS SELECT title FROM track", "DROP VIEW v"),
                (
                    "a view elsewhere", "CREATE VIEW \(other).v AS SELECT title FROM track",
                    "DROP VIEW \(other).v"
                ),
                (
                    "a key elsewhere",
                    "CREATE TABLE \(other).t (track int8 REFERENCES track (_key))",
                    "DROP TABLE \(other).t"
                ),
                (
                    "a function", "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
                    "DROP FUNCTION f"
                ),
                ("a type", "CREATE TYPE e AS ENUM ('a')", "DROP TYPE e"),
            ] {
                _ = try psql(creation)
                let error = #expect(throws: StoreError.self) {
                    try PostgreSQLStore.remove(location)
                }
                if case .unsupported? = error {} else { Issue.record("\(name): \(error as Any)") }
                _ = try psql(removal)
            }
            #expect(try psql("SELECT count(*) FROM track") == ["1"])

            try PostgreSQLStore.remove(location)
        }
    }

    private func save(named name: SaveID, in store: PostgreSQLStore) throws {
        let save = try store.beginSave()
        defer { save.rollback() }
        var request = SaveRequest()
        request.id = name
        request.metadata = ["last": .string("\(name)")]
        try save.prepare(request)
        _ = try save.commit()
    }

    /// Texts that could end a literal, a name or a parameter.
    private static let hostile: [String] = {
        var texts = [
            "it", "it_pkey", "'", "\"", "''", "\"\"", "\\", "\\'", "';", "\";",
            "'; DROP TABLE album; --",
            "\"; DROP TABLE album; --", "Robert'); DROP TABLE Students;--", "$1", "$$", "$a$", "?",
            ":x", ":'x'", "%s", "%", "_", "%_\\%", "{}", "{1,NULL}", "(1,2)", "NULL", "null",
            "\\N", "\\.", "E'\\n'", "U&'\\0041'", "--", "/*", "*/", "\n", "\r\n", "\t", "\u{1}",
            "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}", "\u{10FFFF}", "é",
            "e\u{301}", "ﬁ", "İ", "ı", "ß", "ẞ", "Σ", "ς", "‏עברית", "\u{202E}abc", "👩‍👩‍👧", "🇮🇸", " ",
            " a", "a ", "", "select", "user", "table", "order", "_key", "_version", "_entity",
            "cairn_state", "cairn_changes", "pg_catalog", "tableoid", "ctid", "xmin", "oid",
            "public", "album", "ALBUM", "Album", "releaseDate", "release_date", "release__date",
            "information_schema.tables", "a.b", "a\".\"b", "1", "1a", "-1", "1e400", "NaN",
            "infinity", "0x1F", "true", "t", "2001-01-01",
        ]
        for count in [62, 63, 64, 65, 200] { texts.append(String(repeating: "n", count: count)) }
        for count in [20, 21, 22, 31, 32] { texts.append(String(repeating: "ü語", count: count)) }
        for scalar in 0x20..<0x7F as Range<UInt32> {
            texts.append("a\(Character(Unicode.Scalar(scalar) ?? " "))b")
        }
        return texts
    }()

    @Test func `keeps hostile texts as names and as values`() throws {
        try withSchema {
            #expect(Self.hostile.count >= 200)
            let names = Self.hostile.filter { name in
                (try? ManagedObjectModel([EntityDescription("X", [.attribute(name, .string)])]))
                    != nil
            }
            // Different scalars can be the same name.
            var known: Set<String> = []
            let entityNames = Self.hostile.filter { name in
                (try? ManagedObjectModel([EntityDescription(name, [.attribute("a", .string)])]))
                    != nil && known.insert(name).inserted
            }.prefix(60)
            #expect(names.count > 150 && entityNames.count == 60)
            var entities = [
                EntityDescription(
                    "Holder of all", Set(names).sorted().map { .attribute($0, .string) })
            ]
            for name in entityNames.sorted() {
                entities.append(EntityDescription(name, [.attribute(name, .string)]))
            }
            let model = try ManagedObjectModel(entities)
            let store = try PostgreSQLStore.open(OpenRequest(location: location, model: model))
            let coordinator = try coordinator(model)
            try ContextHandle(coordinator: coordinator).performAndWait { context in
                let holder = try context.insertNewObject(forEntityName: "Holder of all")
                for name in names { try holder.setValue("value of \(name)", forKey: name) }
                for name in entityNames {
                    try context.insertNewObject(forEntityName: name).setValue(name, forKey: name)
                }
                for text in Self.hostile {
                    try context.insertNewObject(forEntityName: "Holder of all").setValue(
                        text, forKey: "album")
                }
                context.transactionAuthor = Self.hostile[8]
                try context.save()
            }
            let save = try store.beginSave()
            let metadata = Dictionary(
                Self.hostile.map { ($0, MetadataValue.string($0)) }, uniquingKeysWith: { $1 })
            try save.prepare(SaveRequest(metadata: metadata))
            _ = try save.commit()
            store.close()

            let reopened = try self.coordinator(model)

            try ContextHandle(coordinator: reopened).performAndWait { context in
                let holder = try #require(
                    try context.fetch(
                        FetchRequest<ManagedObject>(
                            "Holder of all", where: "album == %@", "value of album")
                    ).first)
                for name in names {
                    #expect(try holder.value(forKey: name) as? String == "value of \(name)")
                }
                for name in entityNames {
                    let found = try context.fetch(FetchRequest<ManagedObject>(name))
                    #expect(try found.map { try $0.value(forKey: name) as? String } == [name])
                }
                for text in Set(Self.hostile) {
                    let found = try context.fetch(
                        FetchRequest<ManagedObject>("Holder of all", where: "album == %@", text))
                    // Equal texts of other scalars are other values.
                    let scalars = Array(text.unicodeScalars)
                    #expect(
                        found.count == Self.hostile.count { Array($0.unicodeScalars) == scalars },
                        "\(text)")
                    #expect(
                        try found.allSatisfy {
                            (try $0.value(forKey: "album") as? String).map {
                                Array($0.unicodeScalars)
                            } == scalars
                        }, "\(text)")
                }
            }
            let found = try #require(reopened.persistentStores.first).metadata().values
            for (name, value) in metadata { #expect(found[name] == value, "\(name)") }
        }
    }

    private func failure(
        _ role: String, password: String = "secret", readOnly: Bool = false,
        _ model: ManagedObjectModel
    ) throws -> EngineFailure? {
        var parts = URLComponents(
            url: database.appending(path: schema), resolvingAgainstBaseURL: false)
        parts?.user = role
        parts?.password = password
        let url = try #require(parts?.url)
        let began = ContinuousClock.now
        let opened = Result { () throws(StoreError) in
            try PostgreSQLStore.open(
                OpenRequest(
                    location: StoreLocation(url, of: PostgreSQLStore.self), model: model,
                    isReadOnly: readOnly, createsMissing: !readOnly))
        }
        if case .success(let store) = opened { store.close() }
        guard case .failure(.engineFailure(let failure)) = opened else { return nil }
        #expect(ContinuousClock.now - began < .seconds(5))
        let text = "\(StoreError.engineFailure(failure))"
        #expect(text.contains(failure.message) && text.contains("\(role)@"), "\(text)")
        #expect(!text.contains(password))
        return failure
    }

    @Test func `that refuses a role says why, at once`() throws {
        try withSchema {
            let role = "r\(schema.suffix(8))"
            _ = try psql("CREATE ROLE \"\(role)\" LOGIN PASSWORD 'secret' CONNECTION LIMIT 1")
            defer { _ = try? psql("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"") }
            let model = try tracks()

            let wrong = try failure(role, password: "wrong", model)
            #expect(wrong?.message.contains("password authentication failed") ?? false)
            #expect(wrong?.isTransient == false)
            let noCreation = try failure(role, model)
            #expect(noCreation?.message.contains("permission denied for database") ?? false)
            #expect(noCreation?.isTransient == false)
            try PostgreSQLStore.open(OpenRequest(location: location, model: model)).close()
            let noReading = try failure(role, readOnly: true, model)
            #expect(noReading?.message.contains("permission denied for schema") ?? false)
            _ = try psql(
                "GRANT USAGE ON SCHEMA \"\(schema)\" TO \"\(role)\"; GRANT SELECT ON ALL TABLES IN SCHEMA \"\(schema)\" TO \"\(role)\""
            )
            #expect(try failure(role, readOnly: true, model) == nil)
            var parts = URLComponents(
                url: database.appending(path: schema), resolvingAgainstBaseURL: false)
            parts?.user = role
            parts?.password = "secret"
            let url = try #require(parts?.url)
            let reader = try PostgreSQLStore.open(
                OpenRequest(
                    location: StoreLocation(url, of: PostgreSQLStore.self), model: model,
                    isReadOnly: true, createsMissing: false))
            defer { reader.close() }
            let snapshot = try reader.snapshot()
            defer { snapshot.end() }
            let tooMany = try failure(role, readOnly: true, model)
            #expect(tooMany?.message.contains("too many connections") ?? false)
            #expect(tooMany?.isTransient == true)
        }
    }

    @Test func `that does not answer does not outlast the deadline of opening a store`() throws {
        // A listener whose connections nobody accepts.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            #expect(bind(listener, pointer, length) == 0 && listen(listener, 8) == 0)
            getsockname(listener, pointer, &length)
        }
        let model = try tracks()
        let location = try BookStore.location(
            database, port: Int(UInt16(bigEndian: address.sin_port)), schema)
        let began = ContinuousClock.now
        let error = #expect(throws: StoreError.self) {
            try StoreDeadline.with(.now + .milliseconds(300)) {
                try PostgreSQLStore.open(OpenRequest(location: location, model: model))
            }
        }
        guard case .deadlineExceeded? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(ContinuousClock.now - began < .seconds(2))
    }
}
