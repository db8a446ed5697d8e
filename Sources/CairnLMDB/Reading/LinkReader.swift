import CairnRows
import CairnStore

/// Reads links, which tell the members of an owner.
struct LinkReader {
    let transaction: LMDBTransaction

    /// A member with its order key.
    typealias Member = (key: Int64, entity: StoreEntityNumber, orderKey: Int64?)

    /// Returns the members of an owner, in key order.
    func members(
        of owner: Int64, in table: LMDBTable
    ) throws(StoreError) -> [Member] {
        var cursor = try transaction.cursor(on: table)
        return try members(of: owner, in: table, &cursor)
    }

    /// Returns the members of an owner in key order, through a cursor on the table.
    func members(
        of owner: Int64, in table: LMDBTable, _ cursor: inout LMDBCursor
    ) throws(StoreError) -> [Member] {
        var members: [Member] = []
        try forEachLink(of: owner, in: table, &cursor) { member, value in
            members.append((member, value.entity, value.orderKey))
        }
        return members
    }

    /// Returns the number of an owner's members, without collecting them.
    func memberCount(
        of owner: Int64, in table: LMDBTable, _ cursor: inout LMDBCursor
    ) throws(StoreError) -> Int {
        var count = 0
        try forEachLink(of: owner, in: table, &cursor) { _, _ in count += 1 }
        return count
    }

    /// Calls the body with each member of an owner, in key order.
    @inline(__always) func forEachLink(
        of owner: Int64, in table: LMDBTable, _ cursor: inout LMDBCursor,
        _ body: (Int64, LinkValue) -> Void
    ) throws(StoreError) {
        var entry = try LinkKey(owner, 0).withBytes { key throws(StoreError) in
            try cursor.seek(key)
        }
        // The previous member. `seek` returned no member below 0.
        var last: Int64 = 0
        while let current = entry {
            guard let key = LinkKey(current.key), let value = LinkValue(current.value) else {
                throw transaction.corrupt(table, "an entry has the wrong length")
            }
            let (member, isOwn) = (key.member, key.owner == owner)
            // Comparing two numbers instead of the bytes of two keys halves the time of a step.
            guard isOwn ? member > last : UInt64(bitPattern: key.owner) > UInt64(bitPattern: owner)
            else {
                throw isOwn && member <= 0
                    ? transaction.corrupt(table, "it contains a key that no row can have")
                    : cursor.outOfOrder()
            }
            if !isOwn { break }
            body(member, value)
            last = member
            entry = try cursor.nextUnchecked()
        }
    }

    /// Returns the members of an owner in their order. Members without an order key come last, in
    /// key order.
    func orderedMembers(
        of owner: Int64, in table: LMDBTable, _ cursor: inout LMDBCursor
    ) throws(StoreError) -> [(member: Member, orderKey: Int64)] {
        let sorted = try members(of: owner, in: table, &cursor).sorted { left, right in
            switch (left.orderKey, right.orderKey) {
            case (let a?, let b?): (a, left.key) < (b, right.key)
            case (nil, nil): left.key < right.key
            case (let a, _): a != nil
            }
        }
        var last = Int64.min
        return sorted.map { member in
            // Order keys never decrease: a member without one gets the key after the previous
            // member's.
            let key = member.orderKey ?? (last == .max ? last : max(last, 0) + 1)
            last = key
            return (member, key)
        }
    }
}
