import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// Random saves, compared with a simple model of a store's contents.
@Suite struct `LMDB random saves` {
    @Test func `leave the same rows as a dictionary`() throws {
        let seed = SeededRandom.seed(of: "LMDB random saves")
        let fixture = try LMDBFixture()
        var world = try RandomWorld(fixture, seed: seed)

        for _ in 0..<150 {
            try world.saveAtRandom()
            if world.chance(10) { try world.reopen() }
            if world.chance(5) { try world.check() }
        }

        try world.reopen()
        try world.check()
        #expect(world.refused > 5 && world.saved > 50, "\(world.refused) \(world.saved)")
    }
}

/// A store and its expected contents.
private struct RandomWorld {
    private struct Pair: Hashable {
        let owner: Int64
        let member: Int64
    }

    /// A simple representation of a store's contents.
    private struct Contents {
        /// The people by key. Each has the name of its own entity.
        var people: [Int64: (entity: String, version: Int64, values: [String: Value])] = [:]
        var books: [Int64: (version: Int64, values: [String: Value])] = [:]
        var tags: [Int64: Int64] = [:]
        /// The order keys of tag and person, by (person, tag) pair.
        var labels: [Pair: (Int64, Int64)] = [:]
        /// The friendships, in both directions.
        var friends: Set<Pair> = []
        /// The order keys of books among the books of their author.
        var shelf: [Int64: Int64] = [:]
    }

    private let fixture: LMDBFixture
    private var store: LMDBStore
    private var contents = Contents()
    private var random: SeededRandom
    private(set) var saved = 0
    private(set) var refused = 0

    init(_ fixture: LMDBFixture, seed: UInt64) throws {
        self.fixture = fixture
        random = SeededRandom(seed: seed)
        store = try fixture.open(options: [.mapByteCount: 1_048_576])
    }

    mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &random) == 0 }

    mutating func reopen() throws {
        try store.close()
        store = try fixture.open()
    }

    private mutating func pick<T>(_ values: [T]) -> T? { values.randomElement(using: &random) }

    // MARK: Saving

    /// The parts of a save, and the contents that it should produce.
    private struct Draft {
        var next: Contents
        var inserted: [Row] = []
        var updated: [RowUpdate] = []
        var deleted: [RowDeletion] = []
        var pairs: [PairChange] = []
        var touchedPeople: Set<Int64> = []
        var touchedBooks: Set<Int64> = []
        var isStale = false
    }

    mutating func saveAtRandom() throws {
        let transaction = try store.beginSave()
        var draft = Draft(next: contents)
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            switch Int.random(in: 0..<9, using: &random) {
            case 0, 1: try addPerson(&draft, transaction)
            case 2, 3: try addBook(&draft, transaction)
            case 4: try changePerson(&draft)
            case 5: try changeBook(&draft)
            case 6: try deleteSomething(&draft)
            case 7: try label(&draft)
            default: try befriend(&draft)
            }
        }
        let isDuplicate = hasDuplicates(draft.next)
        let request = SaveRequest(
            inserted: RowBatch(draft.inserted), updated: draft.updated, deleted: draft.deleted,
            pairs: draft.pairs)
        do {
            try transaction.prepare(request)
            #expect(!draft.isStale && !isDuplicate)
            if chance(10) {
                transaction.rollback()
                return
            }
            _ = try transaction.commit()
            contents = draft.next
            saved += 1
        } catch StoreError.rowConflicts {
            #expect(draft.isStale)
            refused += 1
        } catch StoreError.uniquenessConflicts {
            #expect(isDuplicate)
            refused += 1
        }
    }

    private func hasDuplicates(_ contents: Contents) -> Bool {
        let numbers = contents.books.values.compactMap { $0.values["isbn"] }
        return Set(numbers).count < numbers.count
    }

    private mutating func personValues() -> [String: Value] {
        var values: [String: Value] = [:]
        if !chance(4) { values["age"] = .integer(Int64.random(in: -2...6, using: &random)) }
        if !chance(4) {
            let name = pick(["Ann", "Bo", String(repeating: "c", count: 700)]) ?? ""
            values["name"] = .string(name)
        }
        if chance(8) { values["photo"] = .binary(Data(count: 20_000)) }
        return values
    }

    private mutating func bookValues(_ draft: Draft) throws -> [String: Value] {
        var values: [String: Value] = ["title": "T"]
        if !chance(3) { values["isbn"] = .string("\(Int.random(in: 0..<300, using: &random))") }
        let people = draft.next.people
        let authors = people.filter { $0.value.entity == "Author" }.keys.sorted()
        let readers = people.filter { $0.value.entity == "Reader" }.keys.sorted()
        if let author = pick(authors) {
            values["author"] = .objectID(try fixture.id(store, "Author", author))
        }
        if let reader = pick(readers), chance(2) {
            values["borrower"] = .objectID(try fixture.id(store, "Reader", reader))
        }
        return values
    }

    private mutating func addPerson(
        _ draft: inout Draft, _ transaction: any SaveTransaction
    ) throws {
        let name = chance(2) ? "Author" : "Reader"
        let entity = try fixture.entity(name).number
        let key = try #require(try transaction.reserveKeys([entity: 1])[entity]?.lowerBound)
        #expect(contents.people[key] == nil && draft.next.people[key] == nil)
        let values = personValues()
        draft.inserted.append(try fixture.row(store, name, key, values))
        draft.next.people[key] = (name, 1, values)
        draft.touchedPeople.insert(key)
    }

    private mutating func addBook(
        _ draft: inout Draft, _ transaction: any SaveTransaction
    ) throws {
        let entity = try fixture.entity("Book").number
        let key = try #require(try transaction.reserveKeys([entity: 1])[entity]?.lowerBound)
        let values = try bookValues(draft)
        draft.inserted.append(try fixture.row(store, "Book", key, values))
        draft.next.books[key] = (1, values)
        draft.touchedBooks.insert(key)
        try setOrder(key, &draft)
        if chance(3) {
            let tag = try fixture.entity("Tag").number
            let key = try #require(try transaction.reserveKeys([tag: 1])[tag]?.lowerBound)
            draft.inserted.append(try fixture.row(store, "Tag", key))
            draft.next.tags[key] = 1
        }
    }

    /// Gives a book an order key among the books of its author.
    private mutating func setOrder(_ book: Int64, _ draft: inout Draft) throws {
        draft.next.shelf[book] = nil
        guard case .objectID(let author)? = draft.next.books[book]?.values["author"], !chance(4)
        else { return }
        let order = Int64.random(in: -50...50, using: &random)
        draft.pairs.append(
            PairChange(
                .insert, try fixture.relationship("Author", "books"), owner: author,
                member: try fixture.id(store, "Book", book), orderKey: order))
        draft.next.shelf[book] = order
    }

    private mutating func changePerson(_ draft: inout Draft) throws {
        guard let key = pick(draft.next.people.keys.sorted()), !draft.touchedPeople.contains(key),
            let old = draft.next.people[key]
        else { return }
        draft.touchedPeople.insert(key)
        let values = personValues()
        let isStale = chance(15)
        draft.isStale = draft.isStale || isStale
        draft.updated.append(
            try fixture.update(
                store, old.entity, key, from: old.version + (isStale ? 1 : 0), values))
        draft.next.people[key] = (old.entity, old.version + 1, values)
    }

    private mutating func changeBook(_ draft: inout Draft) throws {
        guard let key = pick(draft.next.books.keys.sorted()), !draft.touchedBooks.contains(key),
            let old = draft.next.books[key]
        else { return }
        draft.touchedBooks.insert(key)
        let values = try bookValues(draft)
        draft.updated.append(try fixture.update(store, "Book", key, from: old.version, values))
        draft.next.books[key] = (old.version + 1, values)
        if values["author"] != old.values["author"] { try setOrder(key, &draft) }
    }

    private mutating func deleteSomething(_ draft: inout Draft) throws {
        if chance(2) {
            guard let key = pick(draft.next.books.keys.sorted()), !draft.touchedBooks.contains(key),
                let old = draft.next.books.removeValue(forKey: key)
            else { return }
            draft.touchedBooks.insert(key)
            draft.next.shelf[key] = nil
            draft.deleted.append(
                RowDeletion(id: try fixture.id(store, "Book", key), previousVersion: old.version))
        } else {
            guard let key = pick(draft.next.people.keys.sorted()),
                !draft.touchedPeople.contains(key),
                let old = draft.next.people.removeValue(forKey: key)
            else { return }
            draft.touchedPeople.insert(key)
            draft.next.labels = draft.next.labels.filter { $0.key.owner != key }
            draft.next.friends = draft.next.friends.filter { $0.owner != key && $0.member != key }
            // A save does not list pairs of an object that it deletes.
            draft.pairs.removeAll {
                $0.owner.key == key
                    && $0.owner.rootEntity == $0.relationship.entity.rootEntity.number
                    && $0.relationship.name != "books"
            }
            draft.pairs.removeAll { $0.relationship.name == "friends" && $0.member.key == key }
            draft.deleted.append(
                RowDeletion(
                    id: try fixture.id(store, old.entity, key), previousVersion: old.version))
        }
    }

    private mutating func label(_ draft: inout Draft) throws {
        guard let person = pick(draft.next.people.keys.sorted()),
            let tag = pick(draft.next.tags.keys.sorted()),
            let entity = draft.next.people[person]?.entity
        else { return }
        let pair = Pair(owner: person, member: tag)
        let old = draft.next.labels[pair]
        let kind: PairChange.Kind = pick([.insert, .delete, .reorder]) ?? .insert
        let order = Int64.random(in: 0...90, using: &random)
        let inverse = Int64.random(in: 0...90, using: &random)
        draft.pairs.append(
            PairChange(
                kind, try fixture.relationship("Person", "tags"),
                owner: try fixture.id(store, entity, person),
                member: try fixture.id(store, "Tag", tag), orderKey: order,
                inverseOrderKey: inverse))
        switch kind {
        case .insert: draft.next.labels[pair] = (order, inverse)
        case .reorder: if old != nil { draft.next.labels[pair] = (order, inverse) }
        case .delete: draft.next.labels[pair] = nil
        }
    }

    private mutating func befriend(_ draft: inout Draft) throws {
        let people = draft.next.people
        guard let one = pick(people.keys.sorted()), let two = pick(people.keys.sorted()),
            let first = people[one]?.entity, let second = people[two]?.entity
        else { return }
        let isNew = !chance(3)
        draft.pairs.append(
            PairChange(
                isNew ? .insert : .delete, try fixture.relationship("Person", "friends"),
                owner: try fixture.id(store, first, one),
                member: try fixture.id(store, second, two)))
        for pair in [Pair(owner: one, member: two), Pair(owner: two, member: one)] {
            if isNew { draft.next.friends.insert(pair) } else { draft.next.friends.remove(pair) }
        }
    }

    // MARK: Checking

    func check() throws {
        let snapshot = try store.snapshot()
        try checkRows(snapshot)
        try checkIndexes(snapshot)
        try checkRelationships(snapshot)
    }

    private func checkRows(_ snapshot: any StoreSnapshot) throws {
        var wanted: [Row] = []
        for (key, person) in contents.people {
            wanted.append(
                try fixture.row(store, person.entity, key, version: person.version, person.values))
        }
        for (key, book) in contents.books {
            wanted.append(
                try fixture.row(store, "Book", key, version: book.version, book.values))
        }
        let found = try snapshot.rows(for: wanted.map(\.id))
        let byID = Dictionary(uniqueKeysWithValues: found.rows.map { ($0.id, $0) })
        for row in wanted {
            let stored = try #require(byID[row.id])
            #expect(Row.hasSameBytes(stored, row))
            #expect(stored.entity == row.entity)
        }
        for (name, count) in [
            ("Person", contents.people.count), ("Book", contents.books.count),
            ("Tag", contents.tags.count),
        ] {
            #expect(try snapshot.count(FetchPlan(entity: fixture.entity(name))) == count)
        }
    }

    private func checkIndexes(_ snapshot: any StoreSnapshot) throws {
        let person = try fixture.entity("Person")
        for age in -2...6 {
            let plan = FetchPlan(
                entity: person, predicate: try fixture.predicate("age = \(age)", "Person"))
            let wanted = contents.people.filter { $0.value.values["age"] == .integer(Int64(age)) }
            #expect(try fixture.fetch(snapshot, plan).map(\.key) == wanted.keys.sorted())
        }
        let nameless = FetchPlan(
            entity: person, predicate: try fixture.predicate("name = nil", "Person"))
        let wanted = contents.people.filter { $0.value.values["name"] == nil }
        #expect(try snapshot.count(nameless) == wanted.count)
    }

    private func checkRelationships(_ snapshot: any StoreSnapshot) throws {
        func members(_ entity: String, _ name: String, _ key: Int64) throws -> [Int64] {
            try snapshot.relatedIDs(
                fixture.relationship(entity, name), of: [fixture.id(store, entity, key)]
            ).members.map(\.key)
        }
        for (key, person) in contents.people {
            let labels = contents.labels.filter { $0.key.owner == key }
                .sorted { ($0.value.0, $0.key.member) < ($1.value.0, $1.key.member) }
            #expect(try members(person.entity, "tags", key) == labels.map(\.key.member))
            let friends = contents.friends.filter { $0.owner == key }.map(\.member).sorted()
            #expect(try members(person.entity, "friends", key) == friends)
            let link = person.entity == "Author" ? "author" : "borrower"
            let books = contents.books.filter {
                if case .objectID(let id)? = $0.value.values[link] { id.key == key } else { false }
            }.keys.sorted()
            if person.entity == "Reader" {
                #expect(try members("Reader", "loans", key) == books)
            } else {
                let shelf = books.sorted {
                    (contents.shelf[$0] ?? .max, $0) < (contents.shelf[$1] ?? .max, $1)
                }
                #expect(try members("Author", "books", key) == shelf)
            }
        }
        for tag in contents.tags.keys {
            let people = contents.labels.filter { $0.key.member == tag }
                .sorted { ($0.value.1, $0.key.owner) < ($1.value.1, $1.key.owner) }
            #expect(try members("Tag", "people", tag) == people.map(\.key.owner))
        }
    }
}
