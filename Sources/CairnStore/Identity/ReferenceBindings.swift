import CairnModel
import CairnRows

/// The references that a save's new objects get from one of their attributes.
///
/// The numbers of such objects are reserved before the values of the attribute are known. They are
/// bound to references in `prepare`, which receives the values:
///
/// ```swift
/// try bindings.bind(request) { id in base.row(id) }
/// ```
///
/// Only for engines that hold their write lock from `beginSave` on, because no one else may save an
/// object with one of these references in the meantime.
public struct ReferenceBindings {
    private struct Source {
        let table: ReferenceTable
        let attribute: String
    }

    private let layouts: RowLayouts
    /// The sources by root entity.
    private var sources: [EntityNumber: Source] = [:]
    private var bound: [(table: ReferenceTable, number: Int64)] = []

    /// Creates the bindings of a save that has not been prepared yet.
    ///
    /// - Parameters:
    ///   - references: the references of the store. For these entities, they reserve numbers
    ///     without references.
    ///   - attributes: the name of the attribute that identifies the objects, by the name of the
    ///     root entity. The attribute has the type of the references, a string or a UUID.
    ///   - layouts: the row layouts of the store's ``OpenRequest``.
    public init(
        _ references: StoreReferences, attributes: [String: String], layouts: RowLayouts
    ) {
        self.layouts = layouts
        for (name, attribute) in attributes {
            guard let root = layouts.model.entity(named: name)?.number,
                let table = references.table(of: root)
            else { continue }
            sources[root] = Source(table: table, attribute: attribute)
        }
    }

    /// Binds the numbers of a request's new objects to their references. Call this after everything
    /// that `prepare` reports before uniqueness conflicts, such as row conflicts.
    ///
    /// If this method throws, call ``release()``.
    ///
    /// - Parameters:
    ///   - request: the request that is prepared.
    ///   - stored: returns the row of an object before the save.
    /// - Throws: `.uniquenessConflicts` with all new objects whose reference belongs to another
    ///   object; `.unsupportedValue` if the attribute is `nil`, if the attribute of an existing
    ///   object has changed, or if the reference belonged to an object that is deleted by this save
    ///   or was deleted before; the errors that `stored` throws.
    public mutating func bind(
        _ request: SaveRequest, stored: (ObjectID) throws(StoreError) -> Row?
    ) throws(StoreError) {
        if sources.isEmpty { return }
        for update in request.updated {
            guard let source = sources[update.row.rootEntity] else { continue }
            if reference(in: update.row, source) == source.table.reference(of: update.row.key) {
                continue
            }
            throw refusal(update.row, source, "it identifies the object, so it cannot be changed")
        }
        let deleted = Set(request.deleted.map(\.id))
        var new: Set<ObjectID> = []
        var conflicts: [UniquenessConflict] = []
        for row in request.inserted.rows {
            guard let source = sources[row.rootEntity], source.table.reference(of: row.key) == nil
            else { continue }
            guard let reference = reference(in: row, source) else {
                throw refusal(row, source, "it identifies the object, so it cannot be nil")
            }
            if source.table.bind(row.key, to: reference) {
                bound.append((source.table, row.key))
                new.insert(row.id)
                continue
            }
            let known = source.table.number(of: reference).map {
                ObjectID(
                    store: row.id.store, rootEntity: row.rootEntity, entity: row.entity, key: $0)
            }
            let owner = try known.flatMap { (id) throws(StoreError) in try stored(id) }
            guard let known, new.contains(known) || owner != nil && !deleted.contains(known) else {
                throw refusal(
                    row, source,
                    "it identifies an object that was deleted or that a relationship leads to")
            }
            conflicts.append(
                UniquenessConflict(
                    entity: source.table.entity, constraint: [source.attribute],
                    requested: new.contains(known) ? [known, row.id] : [row.id], stored: owner))
        }
        if !conflicts.isEmpty { throw .uniquenessConflicts(conflicts) }
    }

    /// Makes the bindings permanent, because the save took place or may have taken place.
    public mutating func keep() { bound = [] }

    /// Removes the bindings, unless ``keep()`` was called. Call this if the save has failed or is
    /// rolled back.
    public mutating func release() {
        for (table, number) in bound { table.unbind(number) }
        bound = []
    }

    private func reference(in row: Row, _ source: Source) -> ReferenceObject? {
        guard let slot = layouts.layout(of: row.entity)?.slot(named: source.attribute) else {
            return nil
        }
        return switch (row.value(slot), source.table.kind) {
        case (.string(let text), .text): .text(text)
        case (.uuid(let uuid), .uuid): .uuid(uuid)
        default: nil
        }
    }

    private func refusal(_ row: Row, _ source: Source, _ reason: String) -> StoreError {
        .unsupportedValue(
            entity: layouts.layout(of: row.entity)?.entity.name ?? source.table.entity,
            attribute: source.attribute, reason: reason)
    }
}
