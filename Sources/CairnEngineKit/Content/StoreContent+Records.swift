import CairnModel
import CairnRows
import CairnStore
import Foundation

/// For engines that store a record of each save.
extension StoreContent {
    /// Creates the content of an open store from the records of its saves.
    ///
    /// - Parameters:
    ///   - records: all records of the store. The first is ``ChangeRecord/init(creatingStoreFor:)``.
    ///   - request: the request that the store is opened with.
    ///   - type: the type of the engine.
    /// - Throws: `.modelMismatch` or `.unsupported` if the records were saved with a model that is
    ///   incompatible with the request's model; `.unsupported` for a configuration that the model
    ///   does not have, and for a derived attribute that cannot be computed; `.corrupt`.
    public init(
        _ records: [ChangeRecord], for request: OpenRequest, of type: StoreType
    ) throws(StoreError) {
        let metadata = ChangeRecord.metadata(of: records, type: type)
        // Must precede reading the rows, because the model may not have their entities.
        try CompatibilityCheck(request: request, stored: metadata.entityVersionHashes).run()
        self.init(
            try TableSchema(request),
            number: StoreDirectory.shared.number(
                identifier: metadata.identifier, location: request.location, model: request.model),
            metadata: StoreMetadata(identifier: "", type: type, entityVersionHashes: [:]))
        generation = 0
        for record in records { try apply(record) }
        if try request.options.tracksHistory() { history = history ?? HistoryList() }
    }

    /// Applies the changes of a record, without the checks of a save.
    ///
    /// - Throws: `.corrupt`; `.modelMismatch` or `.unsupported` if the record was saved with a
    ///   model that is incompatible with the model that the store was opened with.
    public mutating func apply(_ record: ChangeRecord) throws(StoreError) {
        record.apply(to: &metadata)
        if record[.entities] != nil { try adoptEntities(of: record) }
        for value in record.list(.deleted) {
            guard let id = value.objectID(in: self) else {
                throw damage("a deletion is not valid")
            }
            table.removeRow(root: id.rootEntity, key: id.key)
        }
        for row in try rows(of: record) { table.set(row) }
        for value in record.list(.pairs) {
            guard let change = value.pairChange(in: self) else {
                throw damage("a pair is not valid")
            }
            table.apply(change)
        }
        for (name, key) in record.dictionary(.nextKeys) {
            guard let root = layouts.model.entity(named: name), let key = key.integer else {
                throw damage("the next keys are not valid")
            }
            noteNextKeys([root.number: key])
        }
        if let name = record[.save]?.data {
            guard let id = SaveID(bytes: name) else {
                throw damage("the name of a save is not valid")
            }
            saves.add(id)
        }
        if !applyHistory(of: record) { throw damage("the transaction of the history is not valid") }
        table.compact(memory.copy)
        generation += 1
    }

    /// Uses the entities of a record for the rows that follow. The saver may have had another
    /// model.
    private mutating func adoptEntities(of record: ChangeRecord) throws(StoreError) {
        try CompatibilityCheck(request: table.schema.request, stored: metadata.entityVersionHashes)
            .run()
        guard let known = record.entities(readWith: layouts) else {
            throw .unsupported(
                location, feature: "rows with another layout than that of the model",
                advice: "Open it with the model that it was written with.")
        }
        entities = known
        recordsEntities = known.describes(layouts)
    }

    private func rows(of record: ChangeRecord) throws(StoreError) -> [Row] {
        do {
            return try memory.append(
                record.list(.rows).map { $0.data ?? Data() },
                of: entities ?? StoredEntities(layouts))
        } catch {
            throw damage("a row is damaged: \(error)")
        }
    }

    private func damage(_ detail: String) -> StoreError {
        .corrupt(location, location: "a record", detail: detail)
    }

    /// Returns the ID of an object of this store. The object's concrete entity may be another one
    /// with the same root.
    func id(_ key: Int64, of entity: Entity) -> ObjectID {
        ObjectID(
            store: number, rootEntity: entity.rootEntity.number, entity: entity.number, key: key)
    }

    // MARK: Saving

    /// Checks a request, applies it and computes derived attributes, as described in
    /// `SaveTransaction.prepare(_:)`. After an error, discard the content.
    ///
    /// - Returns: the record of the save, or `nil` if the save changes nothing, and its outcome.
    /// - Throws: `.rowConflicts`, `.uniquenessConflicts`, `.unsupportedValue`, `.unsupported`,
    ///   `.saveNameTooSmall`, `.cancelled`; `.engineFailure` for a request that is not well formed.
    public mutating func write(
        _ request: SaveRequest
    ) throws(StoreError) -> (record: ChangeRecord?, outcome: SaveOutcome) {
        let changesNothing = request.changesNothing
        let newest = history?.newest
        let recomputed = changesNothing ? RowBatch() : try apply(request)
        let outcome = SaveOutcome(
            generation: StoreGeneration(generation), recomputed: recomputed)
        guard !changesNothing else { return (nil, outcome) }
        let isRecorded = history?.newest != newest || request.purgesHistoryBefore != nil
        return (record(of: request, recomputed, addsTransaction: isRecorded), outcome)
    }

    private mutating func record(
        of request: SaveRequest, _ recomputed: RowBatch, addsTransaction: Bool
    ) -> ChangeRecord {
        var record = keysRecord
        if !recordsEntities {
            record.describe(layouts)
            record.apply(to: &metadata)
            (entities, recordsEntities) = (nil, true)
        }
        let changed = Set(request.updated.map(\.row.id) + request.inserted.ids + recomputed.ids)
        let rows = changed.compactMap { table.row(root: $0.rootEntity, key: $0.key) }.sorted {
            ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key)
        }
        record[.deleted] = .array(
            request.deleted.compactMap { MetadataValue($0.id, in: layouts.model) })
        record[.rows] = .array(rows.map { row in .data(row.withBytes { Data($0) }) })
        record[.pairs] = .array(request.pairs.map(MetadataValue.init))
        record[.values] = .dictionary(request.metadata)
        if let id = request.id { record[.save] = .data(Data(id.bytes)) }
        if addsTransaction { describeHistory(request, in: &record) }
        return record
    }

    /// A record that says which keys were given, and nothing else.
    public var keysRecord: ChangeRecord {
        var record = ChangeRecord()
        record[.nextKeys] = .dictionary(nextKeysByName.mapValues(MetadataValue.integer))
        return record
    }
}
