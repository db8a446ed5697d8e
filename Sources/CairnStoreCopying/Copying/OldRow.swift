import CairnModel
import CairnRows
import CairnStore

/// A row of the old store, with what is known about it when it becomes a row of the new one.
struct OldRow {
    let row: Row
    /// The ends of the paths of the row's entity.
    let ends: [PathEnd]
    /// The key of the new row.
    let newKey: Int64

    init(_ row: Row, _ ends: [PathEnd], keyOffset: Int64) {
        self.row = row
        self.ends = ends
        newKey = row.key &+ keyOffset
    }
}

/// The end of a path from one row.
struct PathEnd {
    /// The object at the end. `nil` if a relationship on the way has no destination.
    var id: ObjectID?
    /// The row of the object. `nil` if the path asks only for the object.
    var row: Row?
    /// The slot of the attribute that the path asks for.
    var slot: RowLayout.Slot?
}

extension CopiedContents {
    // MARK: From rows

    /// Returns the ends of the paths of rows, by the index of the row. Rows without paths are left out. Reads
    /// all objects of one step of a path together.
    func pathEnds(of rows: RowBatch, from start: Int) throws(StoreError) -> [Int: [PathEnd]] {
        var found: [Int: [PathEnd]] = [:]
        for (number, paths) in mapping.paths.enumerated() where !paths.isEmpty {
            let indices = rows.rowIndices.filter {
                $0 >= start && Int(rows.pointer(at: $0).entity.rawValue) - 1 == number
            }
            for path in paths {
                let ends = try self.ends(of: path, from: indices.map { rows[row: $0] })
                for (index, end) in zip(indices, ends) { found[index, default: []].append(end) }
            }
        }
        return found
    }

    private func ends(of path: RowPath, from rows: [Row]) throws(StoreError) -> [PathEnd] {
        var current: [Row?] = rows
        var ids: [ObjectID?] = []
        for (index, hop) in path.hops.enumerated() {
            ids = current.map { $0.flatMap { destination(of: hop, in: $0) } }
            let isLast = index == path.hops.count - 1
            if isLast, path.attribute == nil { return ids.map { PathEnd(id: $0) } }
            let next = try rowsByID(ids.compactMap(\.self))
            current = ids.map { $0.flatMap { next[$0] } }
        }
        return zip(ids, current).map { id, row in
            let layout = row.flatMap { mapping.old.layout(of: $0.entity) }
            return PathEnd(
                id: id, row: row, slot: path.attribute.flatMap { layout?.slot(named: $0) })
        }
    }

    private func destination(of toOne: Relationship, in row: Row) -> ObjectID? {
        guard let slot = mapping.old.layout(of: row.entity)?.slot(named: toOne.name),
            !row.isNull(slot)
        else { return nil }
        return row.objectID(slot)
    }

    private func rowsByID(_ ids: [ObjectID]) throws(StoreError) -> [ObjectID: Row] {
        if ids.isEmpty { return [:] }
        let rows = try snapshot.rows(for: Array(Set(ids)))
        return Dictionary(rows.rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: From objects

    /// Calls a body with each object and each object that a path leads to from it, once. A path of one
    /// to-many relationship also has positions. An empty path leads to the object itself.
    func forEachEnd(
        of path: [Relationship], from ids: [ObjectID],
        _ body: (_ near: ObjectID, _ far: ObjectID, _ orderKey: Int64?) throws(StoreError) -> Void
    ) throws(StoreError) {
        if path.count == 1, path[0].isToMany {
            let related = try snapshot.relatedIDs(path[0], of: ids)
            for (index, near) in ids.enumerated() where index < related.count {
                for member in related.range(ofOwnerAt: index) {
                    let orderKey =
                        related.orderKeys.indices.contains(member)
                        ? related.orderKeys[member] : nil
                    try body(near, related.members[member], orderKey)
                }
            }
            return
        }
        var ends = ids.map { [$0] }
        for hop in path {
            let all = Array(Set(ends.joined()))
            let next = try destinations(of: hop, from: all)
            ends = ends.map { near in
                var known: Set<ObjectID> = []
                return near.flatMap { next[$0] ?? [] }.filter { known.insert($0).inserted }
            }
        }
        for (near, far) in zip(ids, ends) {
            for id in far { try body(near, id, nil) }
        }
    }

    private func destinations(
        of hop: Relationship, from ids: [ObjectID]
    ) throws(StoreError) -> [ObjectID: [ObjectID]] {
        var found: [ObjectID: [ObjectID]] = [:]
        guard hop.isToMany else {
            for (id, row) in try rowsByID(ids) {
                if let end = destination(of: hop, in: row) { found[id] = [end] }
            }
            return found
        }
        let related = try snapshot.relatedIDs(hop, of: ids)
        for (index, id) in ids.enumerated() where index < related.count {
            found[id] = related.range(ofOwnerAt: index).map { related.members[$0] }
        }
        return found
    }
}
