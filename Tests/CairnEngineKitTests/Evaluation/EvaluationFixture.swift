import CairnModel
import Foundation

@testable import CairnEngineKit
@testable import CairnRows
@testable import CairnStore

/// A library of authors and books, as packed rows and as plain values.
final class EvaluationFixture: RowResolver {
    /// An object with its values by name. The value of a to-one relationship is an object ID.
    struct Item {
        let id: ObjectID
        let values: [String: Value]
    }

    static let store = StoreNumber(rawValue: 7)

    let model: ManagedObjectModel
    let layouts: RowLayouts
    private(set) var items: [ObjectID: Item] = [:]
    private(set) var rows: [ObjectID: Row] = [:]
    /// The members of `tags`, by owner.
    var tagged: [ObjectID: [ObjectID]] = [:]

    init() throws {
        var address = AttributeDescription("address", .composite)
        address.compositeName = "Address"
        var description = ModelDescription([
            EntityDescription(
                "Author",
                [
                    .attribute("name", .string), .attribute("age", .integer16),
                    .attribute("count", .integer64), .attribute("rank", .integer32),
                    .attribute("isAlive", .boolean), .attribute("born", .date),
                    .attribute("rating", .float), .attribute("score", .double),
                    .attribute("balance", .decimal), .attribute("token", .uuid),
                    .attribute("site", .uri), .attribute("photo", .binary),
                    .attribute(address),
                    .toMany("books", "Book", inverse: "author"),
                    .toMany("tags", "Tag", inverse: "authors"),
                    .toOne("mentor", "Author", inverse: "pupils"),
                    .toMany("pupils", "Author", inverse: "mentor"),
                ]),
            EntityDescription(
                "Book",
                [
                    .attribute("title", .string), .attribute("price", .decimal),
                    .attribute("pages", .integer32),
                    .toOne("author", "Author", inverse: "books"),
                ]),
            EntityDescription(
                "Tag",
                [
                    .attribute("label", .string), .toMany("authors", "Author", inverse: "tags"),
                ]),
        ])
        var poet = EntityDescription("Poet", [.attribute("verses", .integer64)])
        poet.superentity = "Author"
        description.entities.append(poet)
        description.composites = [
            CompositeDescription("Address", [AttributeDescription("city", .string)])
        ]
        model = try ManagedObjectModel(description)
        layouts = RowLayouts(model)
    }

    func entity(_ name: String) throws -> Entity {
        guard let entity = model.entity(named: name) else { throw RowError.missing(name) }
        return entity
    }

    func id(_ entity: String, _ key: Int64) throws -> ObjectID {
        let entity = try self.entity(entity)
        return ObjectID(
            store: Self.store, rootEntity: entity.rootEntity.number, entity: entity.number, key: key
        )
    }

    @discardableResult
    func insert(_ name: String, _ key: Int64, _ values: [String: Value]) throws -> ObjectID {
        let entity = try self.entity(name)
        let id = try self.id(name, key)
        let layout = layouts.layout(of: entity)
        var writer = RowWriter(store: Self.store)
        writer.begin(layout, key: key, version: 1)
        for (slot, property) in zip(layout.slots, layout.properties) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
        for row in writer.takeBatch().rows { rows[id] = row }
        items[id] = Item(id: id, values: values)
        return id
    }

    enum RowError: Error { case missing(String) }

    /// Returns the objects of an entity and its subentities, sorted by key.
    func ids(of entity: Entity) -> [ObjectID] {
        rows.keys.filter { entity.hierarchyNumbers.contains($0.entity) }.sorted { $0.key < $1.key }
    }

    /// Returns the keys of the rows that the filter accepts.
    func keys(of name: String, where text: String, _ arguments: any PredicateArgument...) throws
        -> [Int64]
    {
        let entity = try self.entity(name)
        let predicate = try FetchPredicate(format: text, arguments: arguments).bound(to: entity)
        let filter = try RowFilter(predicate, layouts: layouts, resolver: self)
        return try ids(of: entity).filter { try rows[$0].map(filter.matches) ?? false }.map(\.key)
    }

    // MARK: RowResolver

    func rows(for ids: [ObjectID]) throws(StoreError) -> [Row?] { ids.map { rows[$0] } }

    func members(of relationship: Relationship, in row: Row) throws(StoreError) -> [ObjectID] {
        members(of: relationship, owner: row.id)
    }

    func externalData(_ reference: ExternalReference) throws(StoreError) -> Data { Data() }

    func members(of relationship: Relationship, owner: ObjectID) -> [ObjectID] {
        guard let inverse = relationship.inverse, !inverse.isToMany else {
            return tagged[owner] ?? []
        }
        return items.values.filter { $0.values[inverse.name] == .objectID(owner) }.map(\.id)
            .sorted { $0.key < $1.key }
    }
}

/// Reads the same objects by name, without fast tests and without rows.
struct ItemSource: EvaluationSource {
    typealias Object = EvaluationFixture.Item
    typealias Failure = FetchPredicateError

    let fixture: EvaluationFixture

    func id(of object: Object) -> ObjectID { object.id }
    func value(of attribute: Attribute, in object: Object) -> Value {
        object.values[attribute.name] ?? .null
    }
    func destination(of relationship: Relationship, in object: Object) -> ObjectID? {
        if case .objectID(let id)? = object.values[relationship.name] { id } else { nil }
    }
    func members(of relationship: Relationship, in object: Object) -> [ObjectID] {
        fixture.members(of: relationship, owner: object.id)
    }
    func objects(for ids: [ObjectID]) -> [Object?] { ids.map { fixture.items[$0] } }
    func failure(for error: FetchPredicateError) -> FetchPredicateError { error }
}
