import CairnModel

/// The changes of one join table.
struct JoinPlan {
    /// One of the table's relationships in the new version.
    let relationship: Relationship
    /// The existing table as seen from the old relationship. `nil` if the table is new.
    let old: JoinTable?
    /// The future table as seen from `relationship`.
    let new: JoinTable

    /// The order columns to add, each with the column that groups the members and the column that
    /// sorts them.
    var addedOrders: [(column: SQLName, owner: SQLName, member: SQLName)] {
        guard let old else { return [] }
        var orders: [(SQLName, SQLName, SQLName)] = []
        if old.memberOrderColumn == nil, let column = new.memberOrderColumn {
            orders.append((column, new.ownerColumn, new.memberColumn))
        }
        if old.ownerOrderColumn == nil, let column = new.ownerOrderColumn {
            orders.append((column, new.memberColumn, new.ownerColumn))
        }
        return orders
    }

    /// The order columns that are no longer needed, with their old names.
    var droppedOrders: [SQLName] {
        guard let old else { return [] }
        return [
            new.memberOrderColumn == nil ? old.memberOrderColumn : nil,
            new.ownerOrderColumn == nil ? old.ownerOrderColumn : nil,
        ].compactMap(\.self)
    }

    /// The columns that are renamed.
    var renamed: [(from: SQLName, to: SQLName)] {
        guard let old else { return [] }
        let pairs: [(SQLName?, SQLName?)] = [
            (old.ownerColumn, new.ownerColumn), (old.memberColumn, new.memberColumn),
            (old.memberOrderColumn, new.memberOrderColumn),
            (old.ownerOrderColumn, new.ownerOrderColumn),
        ]
        return pairs.compactMap { from, to in
            guard let from, let to, from != to else { return nil }
            return (from, to)
        }
    }

    /// Whether members lose their order.
    var changesValues: Bool { !droppedOrders.isEmpty }
}
