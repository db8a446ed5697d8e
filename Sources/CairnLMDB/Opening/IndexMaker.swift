import CairnModel
import CairnRows
import CairnStore
import CairnThreads

/// Creates indexes from existing rows, and the table of the history.
struct IndexMaker {
    private let request: OpenRequest
    private let options: LMDBOptions

    init(_ request: OpenRequest, _ options: LMDBOptions) {
        self.request = request
        self.options = options
    }

    /// Creates the indexes, all or none, and a history that the request asks for. Returns the store's tables including them.
    ///
    /// Reads all rows of the attributes' root entities.
    ///
    /// - Throws: `.busy` if other saves take too long; `.corrupt` or `.engineFailure`.
    func make(
        _ attributes: [Attribute], _ environment: LMDBEnvironment
    ) throws(StoreError) -> StoreTables {
        try environment.locks.takeWriteLock(waitingAtMost: options.busyTimeout)
            .requireTaken(request.location, waited: options.busyTimeout)
        defer { environment.locks.releaseWriteLock() }
        while true {
            do {
                return try environment.tableLock.withLock { () throws(StoreError) in
                    try write(attributes, environment)
                }
            } catch {
                guard error.isMapFull else { throw error }
            }
            try environment.makeRoom()
        }
    }

    private func write(
        _ attributes: [Attribute], _ environment: LMDBEnvironment
    ) throws(StoreError) -> StoreTables {
        let transaction = try environment.beginWrite(isRelaxed: options.isRelaxed)
        defer { transaction.abort() }
        let tables = try StoreTablesBuilder(request, transaction, makes: .additions).build()
        for attribute in attributes {
            guard let index = tables.index(of: attribute) else { continue }
            try fill(index, attribute, tables, transaction)
        }
        try environment.use { () throws(StoreError) in try transaction.commit() }
        environment.extendFile()
        return tables
    }

    private func fill(
        _ index: LMDBTable, _ attribute: Attribute, _ tables: StoreTables,
        _ transaction: LMDBTransaction
    ) throws(StoreError) {
        let root = attribute.entity.rootEntity.number
        // Another process may have created the index while this one waited.
        guard try transaction.count(of: index) == 0, let rows = tables.tables(of: root)?.rows else {
            return
        }
        let reader = RowReader(tables: tables, transaction: transaction)
        var changes = IndexChanges(index)
        var writer = RowWriter(store: StoreNumber(rawValue: 0))
        var cursor = try transaction.cursor(on: rows)
        var entry = try cursor.go(.first)
        while let current = entry {
            guard current.key.count == 8 else { throw reader.corrupt(0, root, "a key is damaged") }
            let key = current.key.loadUnaligned(as: Int64.self)
            try reader.append(current.value, key: key, root: root, to: &writer)
            for row in writer.takeBatch().rows {
                guard let slot = tables.tables(of: row.entity)?.slot(in: index) else { continue }
                changes.replace(rowKey: key, old: nil, new: row) {
                    IndexKey.append($0, slot, to: &$1)
                }
            }
            entry = try cursor.go(.next)
        }
        try changes.write(transaction)
    }
}

extension EntityTables {
    /// Returns the slot of an index's values, or `nil` if the entity's rows are not in the index.
    fileprivate func slot(in index: LMDBTable) -> RowLayout.Slot? {
        indexes.first { $0.table == index }?.slot
    }
}
