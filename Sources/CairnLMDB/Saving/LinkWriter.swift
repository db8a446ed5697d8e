import CairnEngineKit
import CairnModel
import CairnStore

/// Writes links and pairs in one transaction.
struct LinkWriter {
    let tables: StoreTables
    let transaction: LMDBTransaction

    /// A link of a to-one relationship: its source row and its destination.
    struct Link {
        let destination: UInt64
        let source: UInt64
        let entity: EntityNumber

        init(destination: Int64, source: Int64, entity: EntityNumber) {
            // Unsigned, because the table orders its keys byte by byte.
            self.destination = UInt64(bitPattern: destination)
            self.source = UInt64(bitPattern: source)
            self.entity = entity
        }

        fileprivate var key: LinkKey {
            LinkKey(Int64(bitPattern: destination), Int64(bitPattern: source))
        }

        /// Whether one link precedes the other in the order of the table.
        @inline(__always) static func precedes(_ left: Link, _ right: Link) -> Bool {
            left.destination == right.destination
                ? left.source < right.source : left.destination < right.destination
        }
    }

    // MARK: To-one relationships

    /// Adds links in the order of the table.
    ///
    /// - Throws: `.engineFailure`, including if the map is full (`isMapFull`).
    func add(_ links: [Link], to table: LMDBTable) throws(StoreError) {
        var cursor = try transaction.cursor(on: table)
        var last = try lastLink(&cursor)
        for link in RadixSort.sorted(links, by: \.destination, Link.precedes) {
            let isLast = last.map { Link.precedes($0, link) } ?? true
            if isLast { last = link }
            try link.key.withBytes { key throws(StoreError) in
                let value = LinkValue(entity: tables.storeNumber(of: link.entity))
                try value.withBytes { value throws(StoreError) in
                    try cursor.put(value, under: key, isLast ? .newLastKey : .anywhere)
                }
            }
        }
    }

    /// Returns the last link of a table, or `nil` if the table is empty. For a damaged key, returns
    /// the greatest possible link, so that nothing is appended after it.
    private func lastLink(_ cursor: inout LMDBCursor) throws(StoreError) -> Link? {
        guard let entry = try cursor.go(.last) else { return nil }
        let key = LinkKey(entry.key)
        return Link(
            destination: key?.owner ?? -1, source: key?.member ?? -1, entity: EntityNumber(0))
    }

    /// Removes links, including their order keys.
    ///
    /// - Throws: `.engineFailure`, including if the map is full (`isMapFull`).
    func remove(_ links: [Link], from table: LMDBTable) throws(StoreError) {
        for link in links {
            _ = try link.key.withBytes { key throws(StoreError) in
                try transaction.delete(key, in: table)
            }
        }
    }

    // MARK: Pairs

    /// - Throws: `.corrupt`, `.engineFailure`, including if the map is full (`isMapFull`).
    func apply(_ change: PairChange) throws(StoreError) {
        guard let memberTables = tables.memberTables(of: change.relationship) else { return }
        switch memberTables {
        case .links(let table): try applyOrder(change, table)
        case .pairs(let pairs, let isForward):
            let owner = isForward ? change.owner : change.member
            let member = isForward ? change.member : change.owner
            let (order, inverse) =
                isForward
                ? (change.orderKey, change.inverseOrderKey)
                : (change.inverseOrderKey, change.orderKey)
            switch change.kind {
            case .insert:
                guard try hasRow(owner), try hasRow(member) else { return }
                try setPair(owner, member, order, pairs.forward, adds: true)
                try setPair(member, owner, inverse, pairs.backward, adds: true)
            case .reorder:
                try setPair(owner, member, order, pairs.forward, adds: false)
                try setPair(member, owner, inverse, pairs.backward, adds: false)
            case .delete:
                try delete(owner.key, member.key, in: pairs.forward)
                try delete(member.key, owner.key, in: pairs.backward)
            }
        }
    }

    /// Sets the order key that is stored with the link of a member's to-one relationship. Adds and
    /// removes no members, because only the members' rows decide which objects are members.
    private func applyOrder(_ change: PairChange, _ table: LMDBTable) throws(StoreError) {
        guard var value = try value(change.owner.key, change.member.key, in: table) else { return }
        if change.kind == .delete {
            value.orderKey = nil
        } else if let orderKey = change.orderKey {
            value.orderKey = orderKey
        } else {
            return
        }
        try put(value, change.owner.key, change.member.key, in: table)
    }

    /// Sets the order key of an existing pair, unless `orderKey` is `nil`. If the pair does not
    /// exist, adds it if `adds` is true.
    private func setPair(
        _ owner: ObjectID, _ member: ObjectID, _ orderKey: Int64?, _ table: LMDBTable, adds: Bool
    ) throws(StoreError) {
        var new: LinkValue
        if let old = try value(owner.key, member.key, in: table) {
            guard orderKey != nil else { return }
            new = old
        } else {
            guard adds else { return }
            new = LinkValue(entity: tables.storeNumber(of: try entity(of: member)))
        }
        new.orderKey = orderKey
        try put(new, owner.key, member.key, in: table)
    }

    /// Removes all pairs of a deleted object.
    ///
    /// - Throws: `.corrupt`, `.engineFailure`, including if the map is full (`isMapFull`).
    func removePairs(of key: Int64, _ entity: EntityTables) throws(StoreError) {
        let reader = LinkReader(transaction: transaction)
        for pairs in entity.ownedPairs {
            for member in try reader.members(of: key, in: pairs.forward) {
                try delete(key, member.key, in: pairs.forward)
                try delete(member.key, key, in: pairs.backward)
            }
        }
        for pairs in entity.memberPairs {
            for owner in try reader.members(of: key, in: pairs.backward) {
                try delete(key, owner.key, in: pairs.backward)
                try delete(owner.key, key, in: pairs.forward)
            }
        }
    }

    // MARK: Entries

    private func hasRow(_ id: ObjectID) throws(StoreError) -> Bool {
        try storedRow(id) != nil
    }

    private func storedRow(_ id: ObjectID) throws(StoreError) -> UnsafeRawBufferPointer? {
        guard let rows = tables.tables(of: id.rootEntity)?.rows else { return nil }
        return try transaction.get(id.key, in: rows)
    }

    /// Returns the concrete entity from the object's row, or from its ID if it has no row.
    private func entity(of id: ObjectID) throws(StoreError) -> EntityNumber {
        guard let value = try storedRow(id) else { return id.entity }
        return try RowReader(tables: tables, transaction: transaction)
            .entity(of: value, key: id.key, root: id.rootEntity)
    }

    private func value(
        _ owner: Int64, _ member: Int64, in table: LMDBTable
    ) throws(StoreError) -> LinkValue? {
        let bytes = try LinkKey(owner, member).withBytes { key throws(StoreError) in
            try transaction.get(key, in: table)
        }
        guard let bytes else { return nil }
        guard let value = LinkValue(bytes) else {
            throw transaction.corrupt(table, "an entry has the wrong length")
        }
        return value
    }

    private func put(
        _ value: LinkValue, _ owner: Int64, _ member: Int64, in table: LMDBTable
    ) throws(StoreError) {
        try LinkKey(owner, member).withBytes { key throws(StoreError) in
            try value.withBytes { value throws(StoreError) in
                try transaction.put(value, under: key, in: table)
            }
        }
    }

    private func delete(
        _ owner: Int64, _ member: Int64, in table: LMDBTable
    ) throws(StoreError) {
        _ = try LinkKey(owner, member).withBytes { key throws(StoreError) in
            try transaction.delete(key, in: table)
        }
    }
}
