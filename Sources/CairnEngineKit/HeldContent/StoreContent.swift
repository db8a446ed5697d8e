import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The whole content of one state of a store, in memory: rows, members, unique values, metadata and
/// keys.
///
/// For engines that hold their rows in memory and store records of the changes elsewhere, for
/// example in a log. This type does everything that the contract requires of a save, except making
/// the save durable. It is a value type whose copies share everything that does not change: each
/// snapshot keeps a copy, and a save changes another.
///
/// ```swift
/// var next = content
/// let written = try next.write(request)
/// // Make written.record.bytes durable, then make next visible to everyone.
/// ```
public struct StoreContent: Sendable {
    /// The store's metadata.
    public private(set) var metadata: StoreMetadata
    /// The number of applied records.
    public private(set) var generation = StoreGeneration(0)
    /// The names of the most recent named saves.
    public private(set) var saves = SaveRecord()
    private(set) var table: ContentTable
    /// The lowest key that has never been assigned, by root entity.
    private var nextKeys: [EntityNumber: Int64] = [:]
    /// The entities that the entity numbers in the next record's rows stand for.
    private var entities: StoredEntities

    private var schema: ContentSchema { table.schema }
    private var request: OpenRequest { schema.request }

    /// Creates the content of a store before its first record.
    ///
    /// - Parameters:
    ///   - request: the request that the store is opened with.
    ///   - type: the type of the engine.
    ///   - store: the store's number in the IDs of its objects.
    /// - Throws: `.unsupported` for a configuration that the model does not have, and for a derived
    ///   attribute that cannot be computed.
    public init(
        _ request: OpenRequest, of type: StoreType, store: StoreNumber
    ) throws(StoreError) {
        metadata = StoreMetadata(identifier: "", type: type, entityVersionHashes: [:])
        table = ContentTable(try ContentSchema(request, store: store))
        entities = StoredEntities(request.layouts)
    }

    // MARK: Records

    /// Applies the changes of a record, without the checks of a save.
    ///
    /// - Throws: `.corrupt`; `.modelMismatch` or `.unsupported` if the record was saved with a
    ///   model that is incompatible with this store's model.
    public mutating func apply(_ record: ChangeRecord) throws(StoreError) {
        record.apply(to: &metadata)
        if record[.entities] != nil { try adoptEntities(of: record) }
        for value in record.list(.deleted) {
            guard let id = value.objectID(in: schema) else {
                throw damage("a deletion is not valid")
            }
            table.remove(id)
        }
        for row in try rows(of: record) { set(row) }
        for value in record.list(.pairs) {
            guard let change = value.pairChange(in: schema) else {
                throw damage("a pair is not valid")
            }
            table.apply(change)
        }
        for (name, key) in record.dictionary(.nextKeys) {
            guard let root = request.model.entity(named: name), let key = key.integer else {
                throw damage("the next keys are not valid")
            }
            nextKeys[root.number] = max(key, nextKeys[root.number] ?? 1)
        }
        if let name = record[.save]?.data {
            guard let id = SaveID(bytes: name) else {
                throw damage("the name of a save is not valid")
            }
            saves.add(id)
        }
        generation = StoreGeneration(generation.rawValue + 1)
    }

    private func rows(of record: ChangeRecord) throws(StoreError) -> [Row] {
        try append(record.list(.rows).map { $0.data ?? Data() }, entities)
    }

    private func append(
        _ rows: [Data], _ entities: StoredEntities
    ) throws(StoreError) -> [Row] {
        var failure: RowDamage?
        let rows = schema.writer.withLock { writer in
            for row in rows where failure == nil {
                row.withUnsafeBytes { bytes in
                    do throws(RowDamage) {
                        try entities.append(bytes, to: &writer)
                    } catch {
                        failure = error
                    }
                }
            }
            return Array(writer.takeBatch().rows)
        }
        if let failure { throw damage("a row is damaged: \(failure)") }
        return rows
    }

    /// Uses the entities of a record for the rows that follow. The saver may have had another
    /// model.
    private mutating func adoptEntities(of record: ChangeRecord) throws(StoreError) {
        try CompatibilityCheck(request: request, stored: metadata.entityVersionHashes).run()
        guard let known = record.entities(readWith: request.layouts) else {
            throw .unsupported(
                request.location, feature: "rows with another layout than that of the model",
                advice: "Open it with the model that it was written with.")
        }
        entities = known
    }

    private func damage(_ detail: String) -> StoreError {
        .corrupt(request.location, location: "a record", detail: detail)
    }

    /// Adds a row, and marks its key as given.
    private mutating func set(_ row: Row) {
        table.set(row)
        let next = row.key == .max ? row.key : row.key + 1
        nextKeys[row.rootEntity] = max(next, nextKeys[row.rootEntity] ?? 1)
    }

    // MARK: Saving

    /// Reserves keys as described in ``SaveTransaction/reserveKeys(_:)``.
    ///
    /// If a save reserves keys and is rolled back, store ``keysRecord``, so that the keys are never
    /// assigned again.
    ///
    /// - Throws: `.keysExhausted`; `.unsupported` for an entity that the store does not hold.
    public mutating func reserveKeys(
        _ counts: [EntityNumber: Int]
    ) throws(StoreError) -> [EntityNumber: Range<Int64>] {
        var keys: [EntityNumber: Range<Int64>] = [:]
        for (number, count) in counts where count > 0 {
            try schema.held.require(number)
            guard let root = request.model.entity(numbered: number)?.rootEntity else { continue }
            let first = nextKeys[root.number] ?? 1
            let (end, overflows) = first.addingReportingOverflow(Int64(count))
            if overflows { throw .keysExhausted(entity: root.name) }
            nextKeys[root.number] = end
            keys[number] = first..<end
        }
        return keys
    }

    /// Checks a request, applies it and computes derived attributes, as described in
    /// ``SaveTransaction/prepare(_:)``. After an error, discard the content.
    ///
    /// - Returns: the record of the save, and the rows that differ from those in the request.
    /// - Throws: `.rowConflicts`, `.uniquenessConflicts`, `.unsupportedValue`, `.unsupported`,
    ///   `.saveNameTooSmall`, `.cancelled`; `.engineFailure` for a request that is not well formed.
    public mutating func write(
        _ request: SaveRequest
    ) throws(StoreError) -> (record: ChangeRecord, recomputed: RowBatch) {
        try request.requireWellFormed(for: metadata.type, at: self.request.location)
        if let id = request.id { try saves.requireAnswerable(id, at: self.request.location) }
        try schema.held.require(request, layouts: schema.layouts)
        let before = table
        let conflicts = request.rowConflicts { before.row($0) }
        if !conflicts.isEmpty { throw .rowConflicts(conflicts) }
        for deletion in request.deleted {
            table.remove(deletion.id)
            try request.reporter?.wrote()
        }
        for row in schema.copy(request.updated.map(\.row) + request.inserted.rows) {
            set(row)
            try request.reporter?.wrote()
        }
        for change in request.pairs { table.apply(change) }
        var pass = DerivationPass(
            schema.derived, layouts: schema.layouts, store: schema.store, of: request)
        try pass.noteDependents(in: before)
        while let computed = try pass.nextRows(in: table) {
            for row in schema.copy(computed.map(\.new)) { table.set(row) }
        }
        let computed = pass.computedRows
        let changed = Set(
            request.updated.map(\.row.id) + request.inserted.ids + computed.map(\.id))
        let rows = changed.compactMap(table.row).sorted {
            ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key)
        }
        try table.checkUniqueness(of: rows, changed)
        metadata.values.merge(request.metadata) { _, new in new }
        generation = StoreGeneration(generation.rawValue + 1)
        return (record(of: request, rows), RowBatch(computed))
    }

    private mutating func record(of request: SaveRequest, _ rows: [Row]) -> ChangeRecord {
        var record = keysRecord
        if !entities.describes(schema.layouts) {
            record.describe(schema.layouts)
            record.apply(to: &metadata)
            entities = StoredEntities(schema.layouts)
        }
        let model = schema.layouts.model
        record[.deleted] = .array(
            request.deleted.compactMap { MetadataValue($0.id, in: model) })
        record[.rows] = .array(rows.map { row in .data(row.withBytes { Data($0) }) })
        record[.pairs] = .array(request.pairs.map(MetadataValue.init))
        record[.values] = .dictionary(request.metadata)
        if let id = request.id {
            record[.save] = .data(Data(id.bytes))
            saves.add(id)
        }
        return record
    }

    /// A record that says which keys were given, and nothing else.
    public var keysRecord: ChangeRecord {
        var keys: [String: MetadataValue] = [:]
        for (root, key) in nextKeys {
            if let root = request.model.entity(numbered: root) { keys[root.name] = .integer(key) }
        }
        var record = ChangeRecord()
        record[.nextKeys] = .dictionary(keys)
        return record
    }
}
