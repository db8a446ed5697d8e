import CairnMemory
import CairnModel
import CairnRows
import CairnStore
import CairnTesting
import Foundation

@testable import CairnObjects
@testable import CairnStack

/// A coordinator with a small model, and shortcuts to save and fetch without a context.
package struct LibraryStack {
    package let model: ManagedObjectModel
    package let coordinator: PersistentStoreCoordinator
    package let author: Entity
    package let book: Entity
    package let note: Entity

    /// Returns the model. The configurations `Library` and `Archive` contain books and authors, and `Notes`
    /// contains notes.
    package static func makeModel() throws -> ManagedObjectModel {
        var description = ModelDescription([
            EntityDescription(
                "Author",
                [
                    .attribute("name", .string),
                    .toMany("books", "Book", inverse: "author"),
                ]),
            EntityDescription(
                "Book",
                [
                    .attribute("title", .string), .attribute("pages", .integer32),
                    .toOne("author", "Author", inverse: "books"),
                    .toMany("tags", "Note", inverse: "books"),
                    .toMany("reviews", "Review", inverse: "book"),
                ]),
            EntityDescription(
                "Review", [.attribute("text", .string), .toOne("book", "Book", inverse: "reviews")]),
            EntityDescription(
                "Note",
                [.attribute("text", .string), .toMany("books", "Book", inverse: "tags")]),
        ])
        description.configurations = [
            "Library": ["Author", "Book", "Review"], "Archive": ["Author", "Book", "Review"],
            "Notes": ["Note"],
        ]
        return try ManagedObjectModel(description)
    }

    package init(
        engines: [any PersistentStore.Type] = [
            FaultInjectingStore<InMemoryStore>.self, FaultInjectingStore<VariedStore>.self,
        ]
    ) throws {
        model = try Self.makeModel()
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, registry: StoreRegistry(engines))
        author = try model.entity(named: "Author").orThrow()
        book = try model.entity(named: "Book").orThrow()
        note = try model.entity(named: "Note").orThrow()
    }

    /// Adds an in-memory store.
    ///
    /// - Parameters:
    ///   - faults: The object that controls the calls to the store.
    ///   - variations: Options of ``VariedStore``. `nil` means a store of the built-in engine.
    @discardableResult
    package func add(
        _ configuration: String? = nil, faults: StoreFaults? = nil,
        varied variations: StoreOptions? = nil
    ) throws -> any PersistentStore {
        let options = (variations ?? [:]).merging(faults?.options ?? [:]) { $1 }
        return try coordinator.addPersistentStore(
            ofType: variations == nil ? "InMemory" : VariedStore.type,
            configurationName: configuration, options: options)
    }

    package func newID(_ entity: Entity, _ number: Int64) -> ObjectID {
        ObjectID(
            store: coordinator.temporarySpace, rootEntity: entity.rootEntity.number,
            entity: entity.number, key: -number)
    }

    /// Saves new books into a store and returns their IDs in the same order.
    @discardableResult
    package func saveBooks(
        _ titles: [String], pages: [Int64]? = nil, in store: (any PersistentStore)? = nil
    ) throws -> [ObjectID] {
        let packer = ValuePacker(layouts: coordinator.layouts)
        var changes = LibraryChanges(packer)
        for (index, title) in titles.enumerated() {
            let id = newID(book, Int64(index + 1))
            packer.values[id] = ["title": .string(title), "pages": .integer(pages?[index] ?? 0)]
            changes.inserted.append(id)
            if let store { changes.assignments[id] = store.number }
        }
        let result = try coordinator.save(changes)
        return changes.inserted.compactMap { result.permanentIDs[$0] }
    }

    /// Returns a change set that sets attributes of stored objects.
    package func update(
        _ values: [ObjectID: [String: Value]], previousVersion: Int64 = 1
    ) throws -> LibraryChanges {
        let packer = ValuePacker(layouts: coordinator.layouts)
        var changes = LibraryChanges(packer)
        for id in values.keys.sorted(by: { $0.key < $1.key }) {
            packer.values[id] = values[id]
            changes.updated.append(
                .init(id: id, previousVersion: previousVersion, changedSlots: [0]))
        }
        return changes
    }

    package func plan(
        _ entity: Entity, where format: String? = nil, sort: [(String, Bool)] = [],
        offset: Int = 0, limit: Int? = nil, output: FetchPlan.Output = .rows
    ) throws -> FetchPlan {
        let predicate = try format.map { try FetchPredicate(format: $0).bound(to: entity) }
        let sorts = try sort.map { key, isAscending in
            BoundSort(
                BoundPath(leaf: .attribute(try entity.attribute(named: key).orThrow())),
                isAscending: isAscending)
        }
        return FetchPlan(
            entity: entity, predicate: predicate, sorts: sorts, offset: offset, limit: limit,
            output: output)
    }

    /// Returns the text of an attribute of each row.
    package func texts(_ key: String, _ batch: RowBatch) -> [String] {
        batch.rows.compactMap { row in
            guard let slot = coordinator.layouts.layout(of: row.entity)?.slot(named: key) else {
                return nil
            }
            return row.string(slot)
        }
    }

    package func titles(_ plan: FetchPlan) throws -> [String] {
        texts("title", try coordinator.fetch(plan, in: nil))
    }
}

package struct Missing: Error {
    package init() {}
}

extension Optional {
    package func orThrow() throws -> Wrapped {
        guard let self else { throw Missing() }
        return self
    }
}

/// A change set together with the values of its objects.
@dynamicMemberLookup package struct LibraryChanges {
    private var changes = ChangeSet()
    package let packer: any ChangedObjects

    package init(_ packer: any ChangedObjects) {
        self.packer = packer
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<ChangeSet, Value>) -> Value {
        get { changes[keyPath: path] }
        set { changes[keyPath: path] = newValue }
    }

    fileprivate func save(to coordinator: PersistentStoreCoordinator) throws(GraphError)
        -> SaveResult
    {
        try coordinator.save(changes, of: packer)
    }
}

extension ChangedObjects {
    /// These tests never save into a parent context.
    package func childChanges(of changes: ChangeSet) throws(GraphError) -> ChildChanges {
        throw .notConnected
    }
}

extension PersistentStoreCoordinator {
    package func save(_ changes: LibraryChanges) throws(GraphError) -> SaveResult {
        try changes.save(to: self)
    }
}

/// Packs rows from values by name.
package final class ValuePacker: ChangedObjects {
    package let layouts: RowLayouts
    package var values: [ObjectID: [String: Value]] = [:]
    /// The number of rows that were packed.
    package private(set) var packCount = 0

    package init(layouts: RowLayouts) {
        self.layouts = layouts
    }

    package func pack(
        _ id: ObjectID, key: Int64, version: Int64, into writer: inout RowWriter,
        resolving permanent: (ObjectID) -> ObjectID
    ) throws(GraphError) {
        guard let layout = layouts.layout(of: id.entity) else { throw .objectGone(id, .notInStore) }
        packCount += 1
        writer.begin(layout, key: key, version: version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            var value = values[id]?[property.name] ?? .null
            if case .objectID(let destination) = value { value = .objectID(permanent(destination)) }
            do {
                try writer.set(value, at: slot, of: layout)
            } catch {
                throw .wrongType(
                    entity: layout.entity.name, property: property.name, expected: "\(slot.kind)",
                    found: "another")
            }
        }
        writer.endRow()
    }
}
