import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

@testable import CairnSQLite

/// The names that Core Data gives to join tables and their columns, in every form found in its stores.
@Suite struct `Join tables` {
    /// Two relationships of one entity whose inverses share a name, a self-relation, and a relationship that
    /// is ordered on both sides.
    private static let entities = [
        EntityDescription("Reaction", [.toMany("users", "User", inverse: "reactions")]),
        EntityDescription("SystemMessage", [.toMany("users", "User", inverse: "systemMessages")]),
        EntityDescription(
            "User",
            [
                .toMany("reactions", "Reaction", inverse: "users"),
                .toMany("systemMessages", "SystemMessage", inverse: "users"),
                .toMany("trusted", "User", inverse: "trustedBy"),
                .toMany("trustedBy", "User", inverse: "trusted"),
                .toMany("calls", "Zone", inverse: "callers", isOrdered: true),
            ]),
        EntityDescription(
            "Zone", [.toMany("callers", "User", inverse: "calls", isOrdered: true)]),
    ]

    private func makeStore(_ folder: TemporaryFolder) throws -> OpenRequest {
        let subject = try SavingStore(Self.entities, in: folder)
        func pair(
            _ owner: (String, Int64), _ name: String, _ member: (String, Int64), order: Int64? = nil
        ) throws -> PairChange {
            let relationship = try #require(
                try subject.entity(owner.0).relationship(named: name))
            return PairChange(
                .insert, relationship, owner: try subject.id(owner.0, owner.1),
                member: try subject.id(member.0, member.1), orderKey: order,
                inverseOrderKey: order.map { $0 + 1 })
        }
        try subject.save(
            SaveRequest(
                inserted: RowBatch([
                    try subject.row("Reaction", 1), try subject.row("SystemMessage", 2),
                    try subject.row("User", 3), try subject.row("User", 4),
                    try subject.row("Zone", 5),
                ]),
                pairs: [
                    try pair(("Reaction", 1), "users", ("User", 3)),
                    try pair(("SystemMessage", 2), "users", ("User", 4)),
                    try pair(("User", 3), "trusted", ("User", 4)),
                    try pair(("User", 3), "calls", ("Zone", 5), order: 2048),
                    try pair(("User", 4), "calls", ("Zone", 5), order: 3072),
                ]))
        try subject.store.close()
        var request = subject.store.request
        request.createsMissing = false
        return request
    }

    private func alter(_ request: OpenRequest, _ statements: [String]) throws {
        let url = try #require(request.location.fileURL)
        let connection = try SQLiteConnection(
            path: url.path, mode: .readWrite, location: request.location)
        for statement in statements { try connection.execute(statement) }
    }

    /// Returns every pair of the store, as `Entity/key.relationship=key`.
    private func pairs(_ store: SQLiteStore) throws -> Set<String> {
        let snapshot = try store.snapshot()
        var pairs: Set<String> = []
        for relationship in store.request.model.entities.flatMap(\.ownRelationships) {
            let entity = relationship.entity
            let owners = (1...5).map {
                ObjectID(
                    store: store.number, rootEntity: entity.number, entity: entity.number, key: $0)
            }
            let related = try snapshot.relatedIDs(relationship, of: owners)
            for (index, owner) in owners.enumerated() {
                for memberIndex in related.range(ofOwnerAt: index) {
                    let order = relationship.isOrdered ? "#\(related.orderKeys[memberIndex])" : ""
                    pairs.insert(
                        "\(entity.name)/\(owner.key).\(relationship.name)="
                            + "\(related.members[memberIndex].key)\(order)")
                }
            }
        }
        return pairs
    }

    private static let expected: Set<String> = [
        "Reaction/1.users=3", "SystemMessage/2.users=4", "User/3.reactions=1",
        "User/4.systemMessages=2", "User/3.trusted=4", "User/4.trustedBy=3",
        "User/3.calls=5#2048", "User/4.calls=5#3072", "Zone/5.callers=3#2049",
        "Zone/5.callers=4#3073",
    ]

    @Test func `of a new store number repeated column names, by entity and relationship`()
        throws
    {
        let model = try ManagedObjectModel(Self.entities)
        let map = SchemaMap(
            creating: try StoreEntities(creating: model, configuration: nil),
            layouts: RowLayouts(model))

        let tables = SchemaBuilder(map: map).statements().filter {
            $0.hasPrefix("CREATE TABLE Z_")
        }

        #expect(Array(tables.prefix(4)) == Self.statements)
    }

    private static let statements: [String] = [
        "CREATE TABLE Z_1USERS ( Z_1REACTIONS INTEGER, Z_3USERS INTEGER, PRIMARY KEY (Z_1REACTIONS, Z_3USERS) )",
        """
        CREATE TABLE Z_2USERS ( Z_2SYSTEMMESSAGES INTEGER, Z_3USERS1 INTEGER, \
        PRIMARY KEY (Z_2SYSTEMMESSAGES, Z_3USERS1) )
        """,
        """
        CREATE TABLE Z_3CALLS ( Z_3CALLERS INTEGER, Z_4CALLS INTEGER, Z_FOK_3CALLERS INTEGER, \
        Z_FOK_4CALLS INTEGER, PRIMARY KEY (Z_3CALLERS, Z_4CALLS) )
        """,
        """
        CREATE TABLE Z_3TRUSTEDBY ( Z_3TRUSTED INTEGER, Z_3TRUSTEDBY INTEGER, \
        PRIMARY KEY (Z_3TRUSTED, Z_3TRUSTEDBY) )
        """,
    ]

    private static let alterations: [[String]] = [
        [],
        // The other relationship's column has the number.
        [
            "ALTER TABLE Z_1USERS RENAME COLUMN Z_3USERS TO Z_3USERS1",
            "ALTER TABLE Z_2USERS RENAME COLUMN Z_3USERS1 TO Z_3USERS",
        ],
        // Neither column has the number, as in stores that Cairn made before it followed the rule.
        ["ALTER TABLE Z_2USERS RENAME COLUMN Z_3USERS1 TO Z_3USERS"],
        // The table is named after the earlier name, or after the side with the higher number.
        ["ALTER TABLE Z_3TRUSTEDBY RENAME TO Z_3TRUSTED"],
        ["ALTER TABLE Z_1USERS RENAME TO Z_3REACTIONS"],
        // The columns are in the opposite order.
        [
            """
            CREATE TABLE t (Z_4CALLS INTEGER, Z_3CALLERS INTEGER, Z_FOK_4CALLS INTEGER, \
            Z_FOK_3CALLERS INTEGER, PRIMARY KEY (Z_4CALLS, Z_3CALLERS))
            """,
            "INSERT INTO t SELECT Z_4CALLS, Z_3CALLERS, Z_FOK_4CALLS, Z_FOK_3CALLERS FROM Z_3CALLS",
            "DROP TABLE Z_3CALLS", "ALTER TABLE t RENAME TO Z_3CALLS",
        ],
        // A migration in place kept the previous numbers.
        [
            "ALTER TABLE Z_3CALLS RENAME TO Z_7CALLS",
            "ALTER TABLE Z_7CALLS RENAME COLUMN Z_3CALLERS TO Z_7CALLERS",
            "ALTER TABLE Z_7CALLS RENAME COLUMN Z_FOK_3CALLERS TO Z_FOK_7CALLERS",
        ],
        // A column whose name matches nothing. It is identified as the only remaining column.
        ["ALTER TABLE Z_1USERS RENAME COLUMN Z_3USERS TO Z_3MEMBERS"],
    ]

    @Test(arguments: alterations)
    func `of an existing store are found by their actual names`(_ statements: [String]) throws {
        let folder = try TemporaryFolder()
        let request = try makeStore(folder)
        try alter(request, statements)

        let store = try SQLiteStore.open(request)
        let found = try pairs(store)

        #expect(found == Self.expected)
        try store.close()
    }

    @Test func `that are missing are listed in the order of entities and relationships`() throws {
        let folder = try TemporaryFolder()
        let request = try makeStore(folder)
        try alter(
            request,
            ["DROP TABLE Z_1USERS", "DROP TABLE Z_2USERS", "DROP TABLE Z_3TRUSTEDBY"])

        let error = #expect(throws: StoreError.self) { try SQLiteStore.open(request) }

        guard case .corrupt(_, _, let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail == "there is no table Z_1USERS that contains the pairs of Reaction.users")
    }
}

/// A to-many relationship without an inverse, stored as Core Data does: in a column of the members' own
/// table.
@Suite struct `A to-many without an inverse` {
    private static let entities = [
        EntityDescription("Asset", [.toMany("contributors", "Contributor")]),
        EntityDescription("Contributor", [.attribute("name", .string)]),
    ]

    /// Returns a store in Core Data's format. Contributors 1 and 2 belong to the first asset.
    private func open(_ folder: TemporaryFolder) throws -> SavingStore {
        let made = try SavingStore(Self.entities, in: folder)
        try made.insert(
            try made.row("Asset", 1), try made.row("Asset", 2), try made.row("Contributor", 1),
            try made.row("Contributor", 2), try made.row("Contributor", 3))
        try made.store.close()
        let connection = try SQLiteConnection(
            path: made.url.path, mode: .readWrite, location: .file(made.url))
        try connection.execute("DROP TABLE Z_1CONTRIBUTORS")
        try connection.execute("ALTER TABLE ZCONTRIBUTOR ADD COLUMN Z1CONTRIBUTORS INTEGER")
        try connection.execute("UPDATE ZCONTRIBUTOR SET Z1CONTRIBUTORS = 1 WHERE Z_PK < 3")
        return try SavingStore(made.store.request)
    }

    private func members(_ subject: SavingStore, of key: Int64) throws -> [Int64] {
        let relationship = try #require(
            try subject.entity("Asset").relationship(named: "contributors"))
        let snapshot = try subject.store.snapshot()
        return try snapshot.relatedIDs(relationship, of: [try subject.id("Asset", key)])
            .members.map(\.key)
    }

    private func pair(
        _ kind: PairChange.Kind, _ subject: SavingStore, _ owner: Int64, _ member: Int64
    ) throws -> PairChange {
        PairChange(
            kind,
            try #require(try subject.entity("Asset").relationship(named: "contributors")),
            owner: try subject.id("Asset", owner), member: try subject.id("Contributor", member))
    }

    @Test func `can be read, and used in a predicate`() throws {
        let folder = try TemporaryFolder()
        let subject = try open(folder)
        let asset = try subject.entity("Asset")
        var plan = FetchPlan(entity: asset)
        plan.predicate = try FetchPredicate(format: "contributors.@count == 2").bound(to: asset)

        let matches = try subject.store.snapshot().cursor(plan).next(atMost: 10)

        #expect(try members(subject, of: 1) == [1, 2])
        #expect(try members(subject, of: 2) == [])
        #expect(matches?.ids.map(\.key) == [1])
    }

    @Test func `can be saved, and a deleted owner leaves its members`() throws {
        let folder = try TemporaryFolder()
        let subject = try open(folder)

        try subject.save(
            SaveRequest(pairs: [
                try pair(.delete, subject, 1, 1), try pair(.insert, subject, 2, 3),
            ]))
        let changed = [try members(subject, of: 1), try members(subject, of: 2)]
        try subject.save(
            SaveRequest(deleted: [
                RowDeletion(id: try subject.id("Asset", 1), previousVersion: 1)
            ]))

        #expect(changed == [[2], [3]])
        #expect(
            try subject.sql("SELECT Z_PK || ifnull(Z1CONTRIBUTORS, '') FROM ZCONTRIBUTOR")
                == ["1", "2", "32"])
    }
}
