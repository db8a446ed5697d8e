import Cairn
import CairnRows
import Foundation

/// A reader of the columns of fetched objects, which reads many objects at a time.
struct QueryReader {
    /// The coordinator, which reads the data that the fetched rows do not contain.
    let coordinator: PersistentStoreCoordinator
    /// The number of members of a to-many relationship that are read for each object.
    let memberLimit: Int
    /// The values whose files are missing. Their cells are `.null`.
    private(set) var missing = MissingDataReport()

    init(coordinator: PersistentStoreCoordinator, memberLimit: Int) {
        self.coordinator = coordinator
        self.memberLimit = memberLimit
    }

    private var layouts: RowLayouts { coordinator.layouts }

    /// Returns a cell for each column of each row.
    ///
    /// Each step of a column's path is read for all rows at once.
    mutating func cells(
        of rows: [Row], in columns: [QueryColumn]
    ) throws(GraphError) -> [[QueryCell]] {
        var cells = [[QueryCell]](repeating: [], count: rows.count)
        for column in columns {
            let owners = try destinations(of: rows, along: column.steps)
            for (index, cell) in try leaves(of: owners, column.leaf).enumerated() {
                cells[index].append(cell)
            }
        }
        return cells
    }

    /// Returns the row that is reached from each row along to-one relationships. The row is `nil` if a
    /// relationship has no destination.
    private func destinations(
        of rows: [Row], along steps: [Relationship]
    ) throws(GraphError) -> [Row?] {
        var owners: [Row?] = rows
        for step in steps {
            let ids = owners.map { $0.flatMap { destination(of: $0, step) } }
            let wanted = Set(ids.compactMap(\.self))
            var found: [ObjectID: Row] = [:]
            for row in try coordinator.rows(for: Array(wanted)).rows { found[row.id] = row }
            owners = ids.map { $0.flatMap { found[$0] } }
        }
        return owners
    }

    private func destination(of row: Row, _ relationship: Relationship) -> ObjectID? {
        guard let slot = layouts.layout(of: row.entity)?.slot(named: relationship.name),
            !row.isNull(slot)
        else { return nil }
        return row.objectID(slot)
    }

    private mutating func leaves(
        of owners: [Row?], _ leaf: QueryColumn.Leaf
    ) throws(GraphError) -> [QueryCell] {
        switch leaf {
        case .object: return owners.map { .value($0.map { .objectID($0.id) } ?? .null) }
        case .toOne(let relationship):
            return owners.map { owner in
                .value(
                    owner.flatMap { destination(of: $0, relationship) }.map(Value.objectID) ?? .null
                )
            }
        case .attribute(let attribute, let elements):
            var cells: [QueryCell] = []
            for owner in owners { cells.append(.value(try value(of: owner, attribute, elements))) }
            return cells
        case .toMany(let relationship): return try members(of: owners, relationship)
        }
    }

    private mutating func value(
        of row: Row?, _ attribute: Attribute, _ elements: [String]
    ) throws(GraphError) -> Value {
        guard let row, let layout = layouts.layout(of: row.entity),
            let slot = layout.slot(named: attribute.name)
        else { return .null }
        var value = try layout.value(
            of: .attribute(attribute), at: slot, in: row, noting: &missing
        ) { [coordinator] (reference) throws(GraphError) in
            try coordinator.externalData(reference)
        }
        for element in elements {
            guard case .composite(let values) = value else { return .null }
            value = values[element] ?? .null
        }
        return value
    }

    private func members(
        of owners: [Row?], _ relationship: Relationship
    ) throws(GraphError) -> [QueryCell] {
        let ids = owners.compactMap { $0?.id }
        let related = try coordinator.relatedIDs(relationship, of: ids)
        var index = 0
        return owners.map { owner in
            guard owner != nil else { return .value(.null) }
            let members = related.members[related.range(ofOwnerAt: index)]
            index += 1
            let sorted =
                memberLimit == 0 || relationship.isOrdered
                ? Array(members)
                : members.sorted { ($0.rootEntity, $0.key) < ($1.rootEntity, $1.key) }
            return .members(count: members.count, first: Array(sorted.prefix(memberLimit)))
        }
    }
}
