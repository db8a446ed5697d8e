import CairnEngineKit
import CairnModel
import CairnModelArchive
import CairnRows
import CairnStore
import Foundation

/// Creates the tables of a new store. docs/formats/postgresql.md describes them.
struct SchemaCreation {
    let request: OpenRequest
    let address: PostgreSQLAddress

    /// The names of the tables that every store has, as texts of SQL.
    static let ownTables =
        "'cairn_state', 'cairn_entities', 'cairn_names', 'cairn_metadata', 'cairn_commits', 'cairn_saves', 'cairn_changes', 'cairn_history'"

    /// The server's limit for the columns of a table.
    private static let mostColumns = 1600

    /// Returns the statements of the transaction that creates the store.
    ///
    /// - Throws: `.unsupported` if an entity has too many properties.
    func statements() throws(StoreError) -> [PostgresStatement] {
        let names = PostgresNames(request.model)
        let entities = Dictionary(
            uniqueKeysWithValues: request.model.entities.map {
                (Int16(truncatingIfNeeded: $0.number.rawValue), $0.name)
            })
        let schema = StoreSchema(
            request, store: StoreNumber(rawValue: 0), schema: address.schema, names,
            entities: entities)
        let tables = schema.tables.values.sorted { $0.name < $1.name }
        for table in tables where columns(of: table).count > Self.mostColumns {
            throw .unsupported(
                request.location,
                feature:
                    "the entity \(table.root.name), which needs more than \(Self.mostColumns) columns with its"
                    + " subentities",
                advice: "Move properties to another entity.")
        }
        let pairs = schema.pairs.values.sorted { $0.name < $1.name }
        return bookkeeping(schema.prefix) + records(schema.prefix, names)
            + tables.map(table) + pairs.map(pairTable)
            // The server chooses names of indexes that no table has yet.
            + tables.flatMap { indexes($0, schema) } + pairs.flatMap(pairIndexes)
    }

    private func bookkeeping(_ prefix: String) -> [PostgresStatement] {
        [
            "CREATE SCHEMA IF NOT EXISTS \(address.schema.quoted)",
            """
            CREATE TABLE \(prefix)cairn_state (
                format int4 NOT NULL, identifier uuid NOT NULL, forgotten_name uuid,
                forgotten_change xid8 NOT NULL, model_identifiers bytea NOT NULL,
                model bytea NOT NULL, history int8)
            """,
            """
            CREATE TABLE \(prefix)cairn_entities (
                number int2 PRIMARY KEY, name text NOT NULL, hash bytea NOT NULL, next_key int8 NOT NULL)
            """,
            """
            CREATE TABLE \(prefix)cairn_names (
                entity text, property text, role text, name text NOT NULL,
                PRIMARY KEY (entity, property, role))
            """,
            "CREATE TABLE \(prefix)cairn_metadata (name text PRIMARY KEY, value bytea NOT NULL)",
            "CREATE TABLE \(prefix)cairn_commits (slot int2 PRIMARY KEY, count int8 NOT NULL)",
            "INSERT INTO \(prefix)cairn_commits SELECT n, (n = 0)::int4 FROM generate_series(0, 63) AS n",
            """
            CREATE TABLE \(prefix)cairn_saves (
                name uuid PRIMARY KEY, save xid8 NOT NULL DEFAULT pg_current_xact_id())
            """,
            "CREATE INDEX ON \(prefix)cairn_saves (save)",
            """
            CREATE TABLE \(prefix)cairn_changes (
                save xid8 NOT NULL DEFAULT pg_current_xact_id(), kind int2 NOT NULL,
                entity int2 NOT NULL, keys int8[] NOT NULL)
            """,
            "CREATE INDEX ON \(prefix)cairn_changes (save)",
            """
            CREATE TABLE \(prefix)cairn_history (
                number int8 PRIMARY KEY, mark int8 NOT NULL, content bytea NOT NULL)
            """,
            "COMMENT ON TABLE \(prefix)cairn_state IS 'A store of Cairn: see docs/formats/postgresql.md'",
        ].map { PostgresStatement($0) }
    }

    private func records(_ prefix: String, _ names: PostgresNames) -> [PostgresStatement] {
        let identifiers = MetadataValue.array(
            request.model.description.versionIdentifiers.sorted().map { .string($0) })
        // A new store's identifier is a UUID, also if the request names it.
        let identifier = UUID(uuidString: request.identifierForNewStore) ?? UUID()
        var statements = [
            PostgresStatement(
                "INSERT INTO \(prefix)cairn_state VALUES (1, $1, NULL, '0', $2, $3, NULL)",
                [
                    .uuid(identifier), .bytes(identifiers.bytes),
                    .bytes(ModelCache.encode(request.model)),
                ])
        ]
        for entity in request.model.entities {
            statements.append(
                PostgresStatement(
                    "INSERT INTO \(prefix)cairn_entities VALUES ($1, $2, $3, 1)",
                    [
                        .integer16(Int16(truncatingIfNeeded: entity.number.rawValue)),
                        .text(entity.name), .bytes(entity.versionHash.bytes),
                    ]))
        }
        for (key, name) in names.names {
            statements.append(
                PostgresStatement(
                    "INSERT INTO \(prefix)cairn_names VALUES ($1, $2, $3, $4)",
                    [.text(key.entity), .text(key.property), .text(key.role.rawValue), .text(name)])
            )
        }
        return statements
    }

    private func columns(of table: PostgresTable) -> [String] {
        var columns = [
            "_key int8 NOT NULL", "_version int8 NOT NULL", "_entity int2 NOT NULL",
        ]
        for column in table.columns {
            columns.append("\(column.name) \(column.declaration)")
            if let entity = column.entity { columns.append("\(entity) int2") }
            if let position = column.position { columns.append("\(position) int8") }
        }
        return columns
    }

    private func table(_ table: PostgresTable) -> PostgresStatement {
        let columns = columns(of: table).joined(separator: ", ")
        return PostgresStatement("CREATE TABLE \(table.name) (\(columns))")
    }

    private func indexes(_ table: PostgresTable, _ schema: StoreSchema) -> [PostgresStatement] {
        let indexed = table.columns.filter { $0.kind == .toOne }.map(\.name)
        let unique = UniqueProperties.all(in: schema.layouts).compactMap {
            uniqueIndex(of: $0, table)
        }
        return [PostgresStatement("ALTER TABLE \(table.name) ADD PRIMARY KEY (_key)")]
            + indexed.map { PostgresStatement("CREATE INDEX ON \(table.name) (\($0))") }
            + (unique + modelIndexes(table)).map {
                PostgresStatement("CREATE INDEX ON \(table.name) \($0)")
            }
    }

    /// Returns the columns of each index that the model declares for the entities of a table.
    private func modelIndexes(_ table: PostgresTable) -> [String] {
        var indexes: [String] = []
        for entity in table.root.hierarchy {
            let description = entity.description
            var lists = description.fetchIndexes.map(\.elements)
            lists += description.compoundIndexes.map { names in
                names.map { FetchIndexDescription.Element($0) }
            }
            lists += entity.ownProperties.compactMap {
                guard case .attribute(let attribute) = $0, attribute.description.isIndexed else {
                    return nil
                }
                return [FetchIndexDescription.Element(attribute.name)]
            }
            for list in lists {
                guard let index = index(list, of: entity, table), !indexes.contains(index) else {
                    continue
                }
                indexes.append(index)
            }
        }
        return indexes
    }

    /// Returns the columns of an index, as far as the server can sort them. Text and bytes end the list, because a
    /// B-tree refuses values of more than 2.7 kB. If they come first, they are hashed.
    private func index(
        _ elements: [FetchIndexDescription.Element], of entity: Entity, _ table: PostgresTable
    ) -> String? {
        let layout = request.layouts.layout(of: entity)
        var terms: [String] = []
        for element in elements {
            guard element.type == .binary, case .property(let name) = element.target,
                let column = table.column(
                    layout.slot(named: name).map { Int($0.index) }, of: entity)
            else { break }
            if column.kind.isVariable {
                let isValue = column.kind != .externalBinary && column.kind != .composite
                if terms.isEmpty, isValue { return "USING hash (\(column.name))" }
                break
            }
            let value = column.comparedType.map { "(\(column.name)::\($0))" } ?? column.name
            terms.append(value + (element.isAscending ? " NULLS FIRST" : " DESC NULLS LAST"))
        }
        return terms.isEmpty ? nil : "(\(terms.joined(separator: ", ")))"
    }

    /// Returns an index that finds rows with equal values. A B-tree refuses values of more than 2.7 kB, so text and
    /// bytes are hashed.
    private func uniqueIndex(of unique: UniqueProperties, _ table: PostgresTable) -> String? {
        guard let entity = request.model.entity(named: unique.entity), entity.isKind(of: table.root)
        else { return nil }
        let layout = request.layouts.layout(of: entity)
        let columns = unique.properties.compactMap { name in
            table.column(layout.slot(named: name).map { Int($0.index) }, of: entity)
        }
        if let long = columns.first(where: \.kind.isVariable) { return "USING hash (\(long.name))" }
        return "(\(columns.map(\.name).joined(separator: ", ")))"
    }

    private func pairTable(_ pairs: StoreSchema.Pairs) -> PostgresStatement {
        PostgresStatement(
            """
            CREATE TABLE \(pairs.name) (owner int8, member int8, owner_position int8,
                member_position int8)
            """)
    }

    private func pairIndexes(_ pairs: StoreSchema.Pairs) -> [PostgresStatement] {
        [
            PostgresStatement("ALTER TABLE \(pairs.name) ADD PRIMARY KEY (owner, member)"),
            PostgresStatement("CREATE INDEX ON \(pairs.name) (member, owner)"),
        ]
    }
}
