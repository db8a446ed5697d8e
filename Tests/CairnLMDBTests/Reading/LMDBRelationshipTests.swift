import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

@Suite struct `LMDB relationships` {
    private func members(
        _ fixture: LMDBFixture, _ store: LMDBStore, _ entity: String, _ name: String,
        of keys: [Int64]
    ) throws -> [[Int64]] {
        let related = try store.snapshot().relatedIDs(
            fixture.relationship(entity, name), of: keys.map { try fixture.id(store, entity, $0) })
        return (0..<related.count).map { related.members[related.range(ofOwnerAt: $0)].map(\.key) }
    }

    private func object(_ fixture: LMDBFixture, _ store: LMDBStore, _ entity: String, _ key: Int64)
        throws -> Value
    {
        .objectID(try fixture.id(store, entity, key))
    }

    @Test func `finds the members of a one-to-many by their to-ones`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let one = try object(fixture, store, "Reader", 1)
        let two = try object(fixture, store, "Reader", 2)
        try fixture.insert(
            store,
            [
                fixture.row(store, "Reader", 1), fixture.row(store, "Reader", 2),
                fixture.row(store, "Book", 1, ["borrower": two]),
                fixture.row(store, "Book", 2, ["borrower": one]),
                fixture.row(store, "Book", 3, ["borrower": two]), fixture.row(store, "Book", 4),
            ])
        #expect(
            try members(fixture, store, "Reader", "loans", of: [2, 1, 9, 2]) == [
                [1, 3], [2], [], [1, 3],
            ])

        try fixture.save(
            store,
            SaveRequest(
                updated: [
                    fixture.update(store, "Book", 1, from: 1, ["borrower": one]),
                    fixture.update(store, "Book", 3, from: 1),
                ],
                deleted: [RowDeletion(id: fixture.id(store, "Book", 2), previousVersion: 1)]))

        #expect(try members(fixture, store, "Reader", "loans", of: [1, 2]) == [[1], []])
    }

    @Test func `keeps the order of a one-to-many`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let author = try object(fixture, store, "Author", 1)
        let books = try fixture.relationship("Author", "books")
        func change(_ kind: PairChange.Kind, _ book: Int64, _ order: Int64?) throws -> PairChange {
            PairChange(
                kind, books, owner: try fixture.id(store, "Author", 1),
                member: try fixture.id(store, "Book", book), orderKey: order)
        }
        let rows = try (1...4).map { try fixture.row(store, "Book", $0, ["author": author]) }
        try fixture.save(
            store,
            SaveRequest(
                inserted: RowBatch([try fixture.row(store, "Author", 1)] + rows),
                pairs: [change(.insert, 1, 30), change(.insert, 2, 10), change(.insert, 3, 20)]))
        #expect(try members(fixture, store, "Author", "books", of: [1]) == [[2, 3, 1, 4]])

        try fixture.save(
            store,
            SaveRequest(
                updated: [
                    fixture.update(store, "Author", 1, from: 1),
                    fixture.update(store, "Book", 3, from: 1),
                ],
                pairs: [change(.reorder, 1, 5), change(.delete, 3, nil)]))

        #expect(try members(fixture, store, "Author", "books", of: [1]) == [[1, 2, 4]])
        let related = try store.snapshot().relatedIDs(books, of: [fixture.id(store, "Author", 1)])
        #expect(related.orderKeys == related.orderKeys.sorted())
        #expect(related.orderKeys.count == 3)
    }

    @Test func `keeps many-to-many pairs with an order on each side`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let tags = try fixture.relationship("Person", "tags")
        func change(
            _ kind: PairChange.Kind, _ person: ObjectID, _ tag: Int64, _ order: Int64?,
            _ inverse: Int64?
        ) throws -> PairChange {
            PairChange(
                kind, tags, owner: person, member: try fixture.id(store, "Tag", tag),
                orderKey: order, inverseOrderKey: inverse)
        }
        let author = try fixture.id(store, "Author", 1)
        let reader = try fixture.id(store, "Reader", 2)
        try fixture.save(
            store,
            SaveRequest(
                inserted: RowBatch([
                    fixture.row(store, "Author", 1), fixture.row(store, "Reader", 2),
                    fixture.row(store, "Tag", 1), fixture.row(store, "Tag", 2),
                ]),
                pairs: [
                    change(.insert, author, 1, 2, 8), change(.insert, author, 2, 1, 1),
                    change(.insert, reader, 1, 1, 4),
                ]))
        #expect(tags.ownsPairs)
        #expect(try members(fixture, store, "Author", "tags", of: [1]) == [[2, 1]])
        #expect(try members(fixture, store, "Tag", "people", of: [1, 2]) == [[2, 1], [1]])
        let people = try store.snapshot().relatedIDs(
            fixture.relationship("Tag", "people"), of: [fixture.id(store, "Tag", 1)])
        #expect(people.members.map(\.entity) == [reader.entity, author.entity])

        try fixture.save(
            store,
            SaveRequest(
                deleted: [RowDeletion(id: reader, previousVersion: 1)],
                pairs: [
                    change(.reorder, author, 1, 0, nil), change(.delete, author, 2, nil, nil),
                    change(.delete, author, 2, nil, nil),
                ]))

        #expect(try members(fixture, store, "Author", "tags", of: [1]) == [[1]])
        #expect(try members(fixture, store, "Tag", "people", of: [1, 2]) == [[1], []])
    }

    @Test func `stores a relationship that is its own inverse the same from both sides`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        let friends = try fixture.relationship("Person", "friends")
        let (one, two) = (try fixture.id(store, "Author", 1), try fixture.id(store, "Reader", 2))
        try fixture.save(
            store,
            SaveRequest(
                inserted: RowBatch([
                    fixture.row(store, "Author", 1), fixture.row(store, "Reader", 2),
                    fixture.row(store, "Author", 3),
                ]),
                pairs: [
                    PairChange(.insert, friends, owner: one, member: two),
                    PairChange(.insert, friends, owner: one, member: one),
                ]))
        #expect(try members(fixture, store, "Person", "friends", of: [1, 2]) == [[1, 2], [1]])

        try fixture.save(
            store, SaveRequest(deleted: [RowDeletion(id: two, previousVersion: 1)]))

        #expect(try members(fixture, store, "Person", "friends", of: [1, 2]) == [[1], []])
    }

    @Test func `returns no members for a deleted owner that to-ones still name`() throws {
        let fixture = try LMDBFixture()
        let store = try fixture.open()
        try fixture.insert(
            store,
            [
                fixture.row(store, "Reader", 1),
                fixture.row(store, "Book", 1, ["borrower": object(fixture, store, "Reader", 1)]),
            ])

        try fixture.save(
            store,
            SaveRequest(deleted: [
                RowDeletion(id: fixture.id(store, "Reader", 1), previousVersion: 1)
            ]))

        #expect(try members(fixture, store, "Reader", "loans", of: [1]) == [[]])
    }
}
