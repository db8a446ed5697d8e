import Cairn
import CairnStore
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import GraphSupport
import Testing

/// Stores in the form of SwiftData: structures and enums are composites, whose elements have columns of
/// their own.
@Suite struct `A store with SwiftData's composites` {
    private let folder: TemporaryFolder
    private let store: RealStore
    private var url: URL { store.url }

    init() throws {
        folder = try TemporaryFolder()
        let url = folder.file("Recipes.sqlite")
        _ = try SwiftDataStore(at: url)
        store = RealStore(url)
    }

    private func model() throws -> ManagedObjectModel { try #require(try store.model()) }

    /// Returns the columns of a table in plain SQL, without those of all tables.
    private func columns(_ table: String, of file: URL) throws -> Set<String> {
        let rows = try PlainSQL(file).rows("SELECT name FROM pragma_table_info('\(table)')")
        return Set(rows.compactMap(\.first?.text)).subtracting(["Z_PK", "Z_ENT", "Z_OPT"])
    }

    @Test func `has a model with the elements of each composite`() throws {
        let model = try model()

        let elements = try Dictionary(
            uniqueKeysWithValues: #require(model.entity(named: "Recipe")).attributes.compactMap {
                attribute in
                attribute.composite.map { (attribute.name, $0.elements.map(\.name)) }
            })
        #expect(
            elements == [
                "author": ["id", "person", "tags"], "kind": ["kind"], "level": ["level"],
                "outcome": ["done", "failed"], "prep": ["id", "minutes"],
            ])
        #expect(model.description.composites.count == 5)
    }

    @Test func `is read, with each element from its own column`() throws {
        let dump = try store.dump()
        let problems = try store.problems()

        #expect(
            dump == [
                """
                {"entity":"Recipe","key":1,"values":{"author":{"id":"author 1","person":"Ada",\
                "tags":"WyJ3YXJtIl0="},"id":"recipe 1","kind":{"kind":"starter"},"level":{"level":2},\
                "outcome":{"done":"eaten"},"prep":{"id":"prep 1","minutes":12.5},"steps":["Step/1"],\
                "title":"Soup"}}
                """,
                """
                {"entity":"Recipe","key":2,"values":{"id":"recipe 2","kind":{"kind":"dessert"},\
                "level":{"level":3},"outcome":{"failed":7},"prep":{"id":"prep 2"},"title":"Cake"}}
                """,
                #"{"entity":"Recipe","key":3,"values":{"title":"Secret"}}"#,
                #"{"entity":"Step","key":1,"values":{"recipe":"Recipe/1","text":"Boil it."}}"#,
            ])
        #expect(problems == [])
    }

    @Test(arguments: everyFileEngine)
    func `keeps everything in a copy on every engine, and back`(_ type: StoreType) throws {
        let copy = folder.file("copy.\(type.rawValue)")
        let back = folder.file("back.sqlite")

        try store.copy(to: copy, type.rawValue)
        try RealStore(copy, type).copy(to: back, "SQLite")

        let wanted = try store.dump()
        #expect(try RealStore(copy, type).dump() == wanted)
        #expect(try RealStore(back).dump() == wanted)
        #expect(try columns("ZRECIPE", of: back) == columns("ZRECIPE", of: url))
        let cells = "SELECT ZID, ZID1, ZID2, ZKIND, ZFAILED, ZTAGS FROM ZRECIPE ORDER BY Z_PK"
        #expect(try PlainSQL(back).rows(cells) == PlainSQL(url).rows(cells))
        let hashes = try SQLiteStore.metadata(at: .file(back)).entityVersionHashes
        #expect(hashes["Recipe"]?.data == SwiftDataStore.recipeHash)
    }

    @Test func `is written into the columns that SwiftData reads`() throws {
        // The hashes in the store are not those that Cairn computes for the program's own model.
        let own = try ManagedObjectModel(try model().description)
        try store.edit(with: own) { edit in
            let recipe = try edit.context.insertNewObject(forEntityName: "Recipe")
            try recipe.setValue(["id": "a", "person": "Eve"], forKey: "author")
            try recipe.setValue("b", forKey: "id")
            try recipe.setValue(["id": "c", "minutes": 3.5], forKey: "prep")
            try recipe.setValue(["failed": 9], forKey: "outcome")
            var request = FetchRequest<ManagedObject>("Recipe")
            request.predicate = try FetchPredicate(format: "prep.id == 'prep 2'")
            let cake = try #require(try edit.context.fetch(request).first)
            try cake.setValue(["kind": "main"], forKey: "kind")
            try edit.context.save()
        }

        let rows = try PlainSQL(url).rows(
            """
            SELECT ZID, ZPERSON, ZID1, ZID2, ZMINUTES, ZDONE, ZFAILED, ZKIND FROM ZRECIPE \
            WHERE Z_PK IN (2, 4) ORDER BY Z_PK
            """)

        #expect(
            rows == [
                [
                    .null, .null, .text("recipe 2"), .text("prep 2"), .null, .null, .integer(7),
                    .text("main"),
                ],
                [
                    .text("a"), .text("Eve"), .text("b"), .text("c"), .real(3.5), .null,
                    .integer(9), .null,
                ],
            ])
        #expect(try store.problems() == [])
    }

    @Test func `is migrated with its values to a program's model, whose composites have names`()
        throws
    {
        var description = try model().description.namingComposites()
        let index = try #require(description.entities.firstIndex { $0.name == "Recipe" })
        description.entities[index].properties.append(.attribute("servings", .integer16))
        let newer = try ManagedObjectModel(description)
        let before = try store.dump()

        let plan = try MigrationManager(sourceModel: nil, destinationModel: newer)
            .migrateStore(at: url, ofType: .sqlite)

        #expect(plan.isNeeded)
        #expect(try store.dump() == before)
        #expect(try columns("ZRECIPE", of: url).contains("ZSERVINGS"))
    }

    @Test
    func `of Cairn's earlier form, in which columns have the composite's name, stays readable`()
        throws
    {
        let wanted = try store.dump()
        let sql = try PlainSQL(url)
        for (new, old) in [
            ("ZID", "ZAUTHOR_ID"), ("ZPERSON", "ZAUTHOR_PERSON"), ("ZTAGS", "ZAUTHOR_TAGS"),
            ("ZID1", "ZID"), ("ZKIND", "ZKIND_KIND"), ("ZLEVEL", "ZLEVEL_LEVEL"),
            ("ZDONE", "ZOUTCOME_DONE"), ("ZFAILED", "ZOUTCOME_FAILED"), ("ZID2", "ZPREP_ID"),
            ("ZMINUTES", "ZPREP_MINUTES"),
        ] {
            _ = try sql.rows("ALTER TABLE ZRECIPE RENAME COLUMN \(new) TO \(old)")
        }

        let read = try store.dump()
        try store.edit { edit in try edit.insertOne(of: "Recipe") }
        let problems = try store.problems()

        #expect(read == wanted)
        #expect(problems == [])
        var description = try model().description
        let index = try #require(description.entities.firstIndex { $0.name == "Recipe" })
        description.entities[index].properties.append(.attribute("servings", .integer16))
        let saved = try store.dump()
        _ = try MigrationManager(
            sourceModel: nil, destinationModel: ManagedObjectModel(description)
        ).migrateStore(at: url, ofType: .sqlite)
        #expect(try store.dump() == saved)
    }
}

extension ModelDescription {
    /// Returns the model as a program declares it, in which the composite of `Recipe.prep` is called `Prep`.
    fileprivate func namingComposites() -> ModelDescription {
        func named(_ name: String) -> String {
            name.split(separator: ".").last.map { $0.capitalized } ?? name
        }
        var result = self
        for index in composites.indices {
            result.composites[index].name = named(composites[index].name)
        }
        for (index, entity) in entities.enumerated() {
            result.entities[index].properties = entity.properties.map { property in
                guard case .attribute(var attribute) = property else { return property }
                attribute.compositeName = attribute.compositeName.map(named)
                return .attribute(attribute)
            }
        }
        return result
    }
}

/// Values of a SQLite store that its model does not explain.
@Suite struct `Values that the model does not explain` {
    private let folder: TemporaryFolder
    private let url: URL
    private var copied: URL { folder.file("copy.lmdb") }

    init() throws {
        folder = try TemporaryFolder()
        url = folder.file("Recipes.sqlite")
        _ = try SwiftDataStore(at: url)
    }

    private static let additions: [(statements: [String], named: String)] = [
        (
            [
                "ALTER TABLE ZRECIPE ADD COLUMN ZSERVINGS INTEGER",
                "UPDATE ZRECIPE SET ZSERVINGS = 4",
            ],
            "table ZRECIPE: the column ZSERVINGS has 3 values"
        ),
        (
            [
                "CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, Z_2RECIPES INTEGER )",
                "INSERT INTO Z_1FRIENDS VALUES (1, 1)",
            ],
            "table Z_1FRIENDS: it has a row"
        ),
        (
            [
                "CREATE TABLE ZGUEST ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
                "INSERT INTO ZGUEST VALUES (1, 3, 1), (2, 3, 1)",
            ],
            "table ZGUEST: it has 2 rows"
        ),
    ]

    @Test(arguments: additions)
    func `are named by info and verify, and left out of a copy only if that is allowed`(
        _ statements: [String], _ named: String
    ) throws {
        let sql = try PlainSQL(url)
        for statement in statements { _ = try sql.rows(statement) }
        let copy = ["store", "copy", url.path, copied.path, "--type", "LMDB"]

        let info = try ToolRun(["store", "info", url.path])
        let json = try ToolRun(["store", "info", url.path, "--json"])
        let verify = try ToolRun(["store", "verify", url.path])
        let refused = try ToolRun(copy)
        let isThere = FileManager.default.fileExists(atPath: copied.path)
        let allowed = try ToolRun(copy + ["--allow-unexplained-values"])

        #expect(info.exitCode == 0 && info.text.contains("unexplained \(named)"), "\(info.text)")
        #expect(json.text.contains(named))
        #expect(verify.exitCode == 3 && verify.text.contains(named), "\(verify.text)")
        #expect(refused.exitCode == 1 && refused.errorText.contains(named))
        #expect(refused.errorText.contains("--allow-unexplained-values"))
        #expect(!isThere)
        #expect(allowed.exitCode == 0 && allowed.errorText.contains(named), "\(allowed.errorText)")
    }

    @Test func `include rows of an entity that the store does not list`() throws {
        _ = try PlainSQL(url).rows("UPDATE ZSTEP SET Z_ENT = 9")
        let copy = ["store", "copy", url.path, copied.path, "--type", "LMDB"]

        let verify = try ToolRun(["store", "verify", url.path])
        let refused = try ToolRun(copy)
        let allowed = try ToolRun(copy + ["--allow-unexplained-values"])

        let named = "table ZSTEP: row 1 belongs to entity 9"
        #expect(verify.exitCode == 3)
        #expect(verify.text.split(separator: "\n").count { $0.hasPrefix(named) } == 1)
        #expect(refused.exitCode == 1 && refused.errorText.contains(named))
        #expect(allowed.exitCode == 0, "\(allowed.errorText)")
    }

    @Test(arguments: [
        ["ALTER TABLE ZRECIPE ADD COLUMN ZSERVINGS INTEGER"],
        ["CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, Z_2RECIPES INTEGER )"],
        ["ALTER TABLE ZSTEP ADD COLUMN Z7_RECIPE INTEGER", "UPDATE ZSTEP SET Z7_RECIPE = 1"],
        [
            "ALTER TABLE ZSTEP ADD COLUMN Z_FOK_RECIPE INTEGER",
            "UPDATE ZSTEP SET Z_FOK_RECIPE = 2048",
        ],
        ["CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY )", "INSERT INTO ACHANGE VALUES (1)"],
        ["CREATE TABLE notes ( text VARCHAR )", "INSERT INTO notes VALUES ('mine')"],
    ])
    func `do not include empty columns, outdated numbers and positions, and tables of others`(
        _ statements: [String]
    ) throws {
        let sql = try PlainSQL(url)
        for statement in statements { _ = try sql.rows(statement) }

        let verify = try ToolRun(["store", "verify", url.path])
        let copy = try ToolRun(["store", "copy", url.path, copied.path, "--type", "LMDB"])

        #expect(verify.exitCode == 0, "\(verify.text)\(verify.errorText)")
        #expect(copy.exitCode == 0, "\(copy.errorText)")
    }

    @Test func `end a copy and a migration that would lose them`() throws {
        _ = try PlainSQL(url).rows("ALTER TABLE ZRECIPE ADD COLUMN ZSERVINGS INTEGER DEFAULT 4")
        let model = try #require(try RealStore(url).model())
        let source = try SQLiteStore.open(
            OpenRequest(location: .file(url), model: model, isReadOnly: true))
        var copier = Cairn.StoreCopier(to: LMDBStore.self)
        let manager = MigrationManager(sourceModel: model, destinationModel: model)

        let migrationError = #expect(throws: GraphError.self) {
            try manager.migrateStore(
                from: url, sourceType: .sqlite, toDestinationURL: copied, destinationType: .lmdb)
        }
        let error = #expect(throws: GraphError.self) { try copier.copy(source, to: copied) }
        copier.allowsUnexplainedValues = true
        let progress = try copier.copy(source, to: copied)
        try source.close()

        let text = try #require(migrationError?.description)
        #expect(text.contains("ZSERVINGS"), "\(text)")
        #expect(error?.description.contains("ZSERVINGS") == true)
        #expect(progress.objectCount == SwiftDataStore.rowCount)
    }
}
