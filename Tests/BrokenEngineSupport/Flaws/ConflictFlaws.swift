import CairnModel
import CairnRows
import CairnStore
import Foundation

extension Flaw {
    static let ofConflicts: [Flaw] = [
        Flaw("replaces the row whose key is given again") {
            $0.requested = { (request, packing) throws(StoreError) in
                var new: [Row] = []
                for row in request.inserted.rows {
                    guard let stored = try packing.stored(row.id) else {
                        new.append(row)
                        continue
                    }
                    request.updated.append(
                        RowUpdate(
                            row: packing.copy(of: row, version: stored.version + 1),
                            previousVersion: stored.version, changedSlots: SlotSet()))
                }
                request.inserted = RowBatch(new)
            }
        },
        Flaw("keeps the last of two changes") {
            $0.requested = { (request, _) in
                let deleted = Set(request.deleted.map(\.id))
                request.updated.removeAll { deleted.contains($0.row.id) }
            }
        },
        .unique("compares only the last value of a compound constraint", ["position"]),
        .unique("compares only the first value of a compound constraint", ["disc"]),
        .values("compares unique text without case") { name, value in
            guard name == "code", case .string(let text) = value else { return value }
            return .string(text.lowercased())
        },
        .values("compares unique text as people read it") { name, value in
            guard name == "code", case .string(let text) = value else { return value }
            return .string(text.precomposedStringWithCanonicalMapping)
        },
        .values("takes empty unique bytes for nil") { name, value in
            name == "seal" && value == .binary(Data()) ? .null : value
        },
        .values("compares unique bytes up to the first zero") { name, value in
            guard name == "seal", case .binary(let data) = value, !data.isEmpty else {
                return value
            }
            return .binary(data.prefix { $0 != 0 })
        },
        Flaw("ignores versions") {
            $0.requested = { (request, packing) throws(StoreError) in
                try takeStoredVersions(&request, packing)
            }
        },
        Flaw("ignores the versions of deletions") {
            $0.requested = { (request, packing) throws(StoreError) in
                for index in request.deleted.indices {
                    let stored = try packing.stored(request.deleted[index].id)
                    request.deleted[index].previousVersion = stored?.version ?? 1
                }
            }
        },
        Flaw("reports only the first row conflict") {
            $0.refused = { error in
                guard case .rowConflicts(let all) = error else { return error }
                return .rowConflicts(Array(all.prefix(1)))
            }
        },
        Flaw("reports only the first uniqueness conflict") {
            $0.refused = { error in
                guard case .uniquenessConflicts(let all) = error else { return error }
                return .uniquenessConflicts(Array(all.prefix(1)))
            }
        },
        Flaw("does not say which row is stored now") {
            $0.refused = { error in
                guard case .rowConflicts(let all) = error else { return error }
                return .rowConflicts(
                    all.map {
                        RowConflict(id: $0.id, expectedVersion: $0.expectedVersion, stored: nil)
                    })
            }
        },
        Flaw("refuses to swap unique values") {
            $0.requested = { (request, packing) throws(StoreError) in
                let codes = request.updated.map { packing.value("code", of: $0.row) }
                for update in request.updated {
                    guard let stored = try packing.stored(update.row.id) else { continue }
                    let code = packing.value("code", of: stored)
                    let taken = packing.value("code", of: update.row) != code
                    guard !code.isNull, taken, codes.contains(code) else { continue }
                    throw .uniquenessConflicts([
                        UniquenessConflict(
                            entity: "Track", constraint: ["code"], requested: [update.row.id],
                            stored: stored)
                    ])
                }
            }
        },
        Flaw("takes nil for a value that must be unique") {
            $0.requested = { (request, packing) throws(StoreError) in
                let nameless = request.inserted.rows.filter {
                    packing.layouts.layout(of: $0.entity)?.entity.name == "Track"
                        && packing.value("code", of: $0).isNull
                }
                guard nameless.count > 1 else { return }
                throw .uniquenessConflicts([
                    UniquenessConflict(
                        entity: "Track", constraint: ["code"], requested: nameless.map(\.id),
                        stored: nil)
                ])
            }
        },
    ]

    /// Makes every change one to the row's currently stored version.
    static func takeStoredVersions(
        _ request: inout SaveRequest, _ packing: Packing
    ) throws(StoreError) {
        for index in request.updated.indices {
            let row = request.updated[index].row
            guard let version = try packing.stored(row.id)?.version else { continue }
            request.updated[index].previousVersion = version
            request.updated[index].row = packing.copy(of: row, version: version + 1)
        }
    }

    /// A flaw that considers two tracks equal if they share the disc alone or the position alone.
    private static func unique(_ name: String, _ names: [String]) -> Flaw {
        Flaw(name) { flaw in
            flaw.requested = { (request, packing) throws(StoreError) in
                var seen: [[Value]] = []
                for row in request.inserted.rows where packing.isTrack(row) {
                    let values = names.map { packing.value($0, of: row) }
                    if values.contains(where: \.isNull) { continue }
                    if seen.contains(values) {
                        throw .uniquenessConflicts([
                            UniquenessConflict(
                                entity: "Track", constraint: ["disc", "position"],
                                requested: [row.id], stored: nil)
                        ])
                    }
                    seen.append(values)
                }
            }
        }
    }

    /// A flaw that stores values of new rows in a different form and also compares that form.
    private static func values(
        _ name: String, _ change: @escaping @Sendable (String, Value) -> Value
    ) -> Flaw {
        Flaw(name) { flaw in
            flaw.requested = { (request, packing) throws(StoreError) in
                request.inserted = RowBatch(
                    request.inserted.rows.map { packing.copy(of: $0, byName: change) })
            }
        }
    }
}

extension Packing {
    fileprivate func isTrack(_ row: Row) -> Bool {
        layouts.layout(of: row.entity)?.slot(named: "disc") != nil
    }

    /// Returns a copy of a row with every value changed by a function that also receives the property's name.
    fileprivate func copy(of row: Row, byName change: (String, Value) -> Value) -> Row {
        guard let layout = layouts.layout(of: row.entity) else { return row }
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: row.key, version: row.version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            // A value that does not fit is left `nil`. That is wrong too, which suits a flaw.
            try? writer.set(change(property.name, row.value(slot)), at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }
}
