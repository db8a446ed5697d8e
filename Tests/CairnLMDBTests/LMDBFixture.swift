import CairnEngineKit
import CairnLMDB
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// A model with every kind of relationship and index, and stores of it in a temporary folder.
struct LMDBFixture {
    let folder: TemporaryFolder
    let model: ManagedObjectModel
    let layouts: RowLayouts

    static func description() -> ModelDescription {
        var person = EntityDescription(
            "Person", isAbstract: true,
            [
                .attribute("age", .integer32), .attribute("height", .double),
                .attribute("name", .string), .attribute("balance", .decimal),
                .attribute("photo", .binary), .attribute("token", .uuid),
                .toMany("friends", "Person", inverse: "friends"),
                .toMany("tags", "Tag", inverse: "people", isOrdered: true),
            ])
        person.fetchIndexes = ["age", "name", "height", "balance", "token"].map {
            FetchIndexDescription("by\($0)", elements: [.init($0)])
        }
        let author = EntityDescription(
            "Author", superentity: "Person",
            [.toMany("books", "Book", inverse: "author", isOrdered: true)])
        let reader = EntityDescription(
            "Reader", superentity: "Person",
            [.attribute("card", .integer64), .toMany("loans", "Book", inverse: "borrower")])
        var book = EntityDescription(
            "Book",
            [
                .attribute("isbn", .string), .attribute("pages", .integer16),
                .attribute("title", .string),
                .toOne("author", "Author", inverse: "books"),
                .toOne("borrower", "Reader", inverse: "loans"),
            ])
        book.uniquenessConstraints = [["isbn"]]
        let tag = EntityDescription(
            "Tag",
            [
                .attribute("label", .string),
                .toMany("people", "Person", inverse: "tags", isOrdered: true),
            ])
        return ModelDescription([person, author, reader, book, tag])
    }

    init(_ description: ModelDescription = description()) throws {
        folder = try TemporaryFolder()
        model = try ManagedObjectModel(description)
        layouts = RowLayouts(model)
    }

    var file: URL { folder.file("store.lmdb") }
    var location: StoreLocation { .file(file) }
    /// A request that opens the store without options.
    var request: OpenRequest { OpenRequest(location: location, model: model, layouts: layouts) }

    func open(
        readOnly: Bool = false, creates: Bool = true, options: StoreOptions = [:]
    ) throws -> LMDBStore {
        try LMDBStore.open(
            OpenRequest(
                location: location, model: model, layouts: layouts, isReadOnly: readOnly,
                createsMissing: creates, options: options))
    }

    func entity(_ name: String) throws -> Entity { try #require(model.entity(named: name)) }

    func relationship(_ entity: String, _ name: String) throws -> Relationship {
        try #require(self.entity(entity).relationship(named: name))
    }

    func id(_ store: LMDBStore, _ entityName: String, _ key: Int64) throws -> ObjectID {
        let entity = try entity(entityName)
        return ObjectID(
            store: store.number, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: key)
    }

    func row(
        _ store: LMDBStore, _ entityName: String, _ key: Int64, version: Int64 = 1,
        _ values: [String: Value] = [:]
    ) throws -> Row {
        let layout = layouts.layout(of: try entity(entityName))
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key, version: version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    func update(
        _ store: LMDBStore, _ entityName: String, _ key: Int64, from version: Int64,
        _ values: [String: Value] = [:]
    ) throws -> RowUpdate {
        RowUpdate(
            row: try row(store, entityName, key, version: version + 1, values),
            previousVersion: version, changedSlots: [])
    }

    @discardableResult
    func save(_ store: LMDBStore, _ request: SaveRequest) throws -> SaveOutcome {
        let transaction = try store.beginSave()
        try transaction.prepare(request)
        return try transaction.commit()
    }

    @discardableResult
    func insert(_ store: LMDBStore, _ rows: [Row]) throws -> SaveOutcome {
        try save(store, SaveRequest(inserted: RowBatch(rows)))
    }

    /// Returns the IDs that a fetch finds. Completes the stages that the engine left out, as a coordinator
    /// would.
    func fetch(_ snapshot: any StoreSnapshot, _ plan: FetchPlan, batch: Int = 7) throws
        -> [ObjectID]
    {
        var plan = plan
        plan.output = .rows
        let cursor = try snapshot.cursor(plan)
        var all = RowBatch()
        while let batch = try cursor.next(atMost: batch) {
            #expect(!batch.isEmpty)
            all.append(batch)
        }
        let resolver = SnapshotResolver(snapshot, layouts: layouts)
        if let predicate = cursor.completed.remainingPredicate {
            all = try RowFilter(predicate, layouts: layouts, resolver: resolver).filter(all)
        }
        if !cursor.completed.isSorted {
            all = try RowSorter(plan.sorts, layouts: layouts, resolver: resolver).sorted(all)
        }
        if !cursor.completed.isPaged {
            let start = min(plan.offset, all.count)
            all = all.slice(start..<min(all.count, start + (plan.limit ?? all.count)))
        }
        return all.ids
    }

    func predicate(_ text: String, _ entityName: String) throws -> BoundPredicate {
        try FetchPredicate(format: text).bound(to: try entity(entityName))
    }
}
