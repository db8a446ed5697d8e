import CairnModel
import CairnStore
import CairnTestSupport
import Testing

/// A new store with a model that has every kind of relationship, and short words for saving.
struct StoreUnderTest {
    private(set) var store: any PersistentStore
    let model: ManagedObjectModel
    private let folder: TemporaryFolder

    init(_ entities: [EntityDescription] = Self.entities, options: StoreOptions = [:]) throws {
        model = try ManagedObjectModel(entities)
        let engine = TestedEngine.current
        folder = try TemporaryFolder()
        store = try engine.type.open(
            OpenRequest(location: engine.location(in: folder), model: model, options: options))
    }

    /// The same store once more, opened beside the one that is open, as another process would.
    ///
    /// nil for an engine whose stores are apart whatever their location.
    func openedAgain() throws -> StoreUnderTest? {
        let engine = type(of: store)
        guard engine.capabilities.isDurable else { return nil }
        var copy = self
        copy.store = try engine.open(store.request)
        return copy
    }

    static var entities: [EntityDescription] {
        var track = EntityDescription(
            "Track",
            [
                .attribute("code", .string), .attribute("disc", .integer16),
                .attribute("place", .integer32), .attribute("title", .string),
                .toOne("album", "Album", inverse: "tracks"),
                .toMany("tags", "Tag", inverse: "tracks", isOrdered: true),
            ])
        track.uniquenessConstraints = [["code"], ["disc", "place"]]
        var live = EntityDescription(
            "LiveTrack", superentity: "Track", [.attribute("venue", .string)])
        live.uniquenessConstraints = [["venue"]]
        return [
            track, live,
            EntityDescription(
                "Album",
                [
                    .attribute("name", .string),
                    .toMany("tracks", "Track", inverse: "album", isOrdered: true),
                    .toMany("genres", "Genre", inverse: "albums"),
                    .toMany("related", "Album"),
                    .toOne("label", "Label", inverse: "albums"),
                ]),
            EntityDescription(
                "Tag", [.toMany("tracks", "Track", inverse: "tags", isOrdered: true)]),
            EntityDescription("Genre", [.toMany("albums", "Album", inverse: "genres")]),
            EntityDescription("Label", [.toMany("albums", "Album", inverse: "label")]),
            EntityDescription("Person", [.toMany("friends", "Person", inverse: "friends")]),
            EntityDescription("Work", isAbstract: true, [.attribute("title", .string)]),
        ]
    }

    func entity(_ name: String) throws -> Entity { try #require(model.entity(named: name)) }

    func relationship(_ entity: String, _ name: String) throws -> Relationship {
        try #require(try self.entity(entity).relationship(named: name))
    }

    func id(_ entity: String, _ key: Int64) throws -> ObjectID {
        let entity = try self.entity(entity)
        return ObjectID(
            store: store.number, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: key)
    }

    /// Packs a row; what is not in `values` is nil.
    func row(
        _ entity: String, _ key: Int64, version: Int64 = 1, _ values: [String: Value] = [:]
    ) throws -> Row {
        let layout = store.request.layouts.layout(of: try self.entity(entity))
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: key, version: version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    /// An update of the next version after `previous`.
    func update(
        _ entity: String, _ key: Int64, from previous: Int64, _ values: [String: Value] = [:]
    ) throws -> RowUpdate {
        RowUpdate(
            row: try row(entity, key, version: previous + 1, values), previousVersion: previous,
            changedSlots: SlotSet(0..<(try self.entity(entity).rowSlotCount)))
    }

    func deletion(_ entity: String, _ key: Int64, from previous: Int64) throws -> RowDeletion {
        RowDeletion(id: try id(entity, key), previousVersion: previous)
    }

    func pair(
        _ kind: PairChange.Kind, _ entity: String, _ name: String, _ owner: ObjectID,
        _ member: ObjectID, order: Int64? = nil, inverseOrder: Int64? = nil
    ) throws -> PairChange {
        PairChange(
            kind, try relationship(entity, name), owner: owner, member: member, orderKey: order,
            inverseOrderKey: inverseOrder)
    }

    @discardableResult
    func save(_ request: SaveRequest) throws -> SaveOutcome {
        let transaction = try store.beginSave()
        try transaction.prepare(request)
        return try transaction.commit()
    }

    @discardableResult
    func insert(_ rows: Row..., pairs: [PairChange] = []) throws -> SaveOutcome {
        try save(SaveRequest(inserted: RowBatch(rows), pairs: pairs))
    }

    /// The error that preparing the request ends with; nil where it succeeds.
    func refusal(of request: SaveRequest) throws -> StoreError? {
        let transaction = try store.beginSave()
        do throws(StoreError) {
            try transaction.prepare(request)
            return nil
        } catch {
            return error
        }
    }

    /// The rows of an entity and its subentities, by key.
    func rows(
        _ entity: String, in snapshot: (any StoreSnapshot)? = nil, atMost count: Int = 100
    ) throws -> [Row] {
        let snapshot = try snapshot ?? store.snapshot()
        let cursor = try snapshot.cursor(FetchPlan(entity: try self.entity(entity)))
        var rows: [Row] = []
        while let batch = try cursor.next(atMost: count) { rows += batch.rows }
        return rows.sorted { $0.key < $1.key }
    }

    func value(_ name: String, of row: Row) throws -> Value {
        let layout = try #require(store.request.layouts.layout(of: row.entity))
        return row.value(try #require(layout.slot(named: name)))
    }

    /// Keys of the members of one owner.
    func members(_ entity: String, _ name: String, of key: Int64) throws -> [Int64] {
        let related = try store.snapshot().relatedIDs(
            try relationship(entity, name), of: [try id(entity, key)])
        return related.members[related.range(ofOwnerAt: 0)].map(\.key)
    }
}

extension SlotSet {
    init(_ slots: Range<Int>) {
        self.init()
        for slot in slots { insert(slot) }
    }
}
