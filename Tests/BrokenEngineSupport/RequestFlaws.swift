import CairnModel
import CairnSQLite
import CairnStore
import Foundation

extension Flaw {
    static let ofConfigurations: [Flaw] = [
        Flaw("ignores the configuration", noticedBy: "opening") {
            $0.opening = { $0.configuration = nil }
        },
        Flaw("gives every store a new identifier", noticedBy: "files") {
            $0.engine = SQLiteStore.self
            $0.opening = { $0.newStoreIdentifier = nil }
        },
        Flaw(
            "says of objects that it does not hold that the store is damaged", noticedBy: "opening"
        ) { $0.refused = takeUnsupportedForDamage },
        Flaw(
            "says of rows that it does not know that the store is damaged",
            noticedBy: "transactions"
        ) { $0.refused = takeUnsupportedForDamage },
        Flaw("says of abstract rows that the store is damaged", noticedBy: "saving") {
            $0.refused = takeUnsupportedForDamage
        },
        Flaw(
            "reserves no keys for what it does not hold, and does not say so", noticedBy: "opening"
        ) {
            $0.saving = .skipsKeysOfUnknownEntities
        },
        Flaw("reads entities by the numbers that they had", noticedBy: "reopening") {
            $0.engine = SQLiteStore.self
            $0.openingAsAWhole = .readsByTheNumbersInTheStore
        },
        Flaw("takes the escaped form of a path for the path", noticedBy: "files") {
            $0.engine = SQLiteStore.self
            $0.opening = { request in
                guard let url = request.location.fileURL else { return }
                request.location = .file(URL(fileURLWithPath: url.path(percentEncoded: true)))
            }
        },
    ]

    private static let takeUnsupportedForDamage: @Sendable (StoreError) -> StoreError = { error in
        guard case .unsupported(let location, let feature, _) = error else { return error }
        return .corrupt(location, location: "a row to save", detail: feature)
    }

    static let ofRequests: [Flaw] = [
        Flaw("loses what it prepared when it is asked again", noticedBy: "transactions") {
            $0.saving = .losesWhatItPrepared
        },
        Flaw("corrects the versions of updates", noticedBy: "transactions") {
            $0.requested = { (request, packing) in
                for index in request.updated.indices {
                    let update = request.updated[index]
                    request.updated[index].row = packing.copy(
                        of: update.row, version: update.previousVersion &+ 1)
                }
            }
        },
        Flaw("corrects the versions of new rows", noticedBy: "transactions") {
            $0.requested = { (request, packing) in
                request.inserted = RowBatch(
                    request.inserted.rows.map { packing.copy(of: $0, version: max($0.version, 1)) })
            }
        },
        Flaw("gives new rows permanent keys", noticedBy: "transactions") {
            $0.requested = { (request, packing) in
                request.inserted = RowBatch(
                    request.inserted.rows.map { row in
                        packing.copy(of: row, key: row.key > 0 ? row.key : 1_000_000)
                    })
            }
        },
        Flaw("does not wait for other saves", noticedBy: "concurrency") {
            $0.opening = { $0.options[.timeout] = 0 }
        },
        Flaw("hides saves of metadata alone", noticedBy: "snapshots") {
            $0.saving = .hidesSavesOfMetadata
        },
        Flaw("shows the metadata that it has read once", noticedBy: "several handles") {
            $0.engine = SQLiteStore.self
            $0.keepsMetadata = true
        },
    ]

    static let ofUniqueness: [Flaw] = [
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
    ]

    /// A flaw that takes two tracks for equal if they share only the disc or only the position.
    private static func unique(_ name: String, _ names: [String]) -> Flaw {
        Flaw(name, noticedBy: "conflicts") { flaw in
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

    /// A flaw that keeps values of new rows in another form, in which they are compared.
    private static func values(
        _ name: String, _ change: @escaping @Sendable (String, Value) -> Value
    ) -> Flaw {
        Flaw(name, noticedBy: "conflicts") { flaw in
            flaw.requested = { (request, packing) throws(StoreError) in
                request.inserted = RowBatch(
                    request.inserted.rows.map { packing.copy(of: $0, byName: change) })
            }
        }
    }
}

extension Flaw {
    static let ofPairs: [Flaw] = [
        Flaw("removes pairs before it adds any", noticedBy: "relationships") {
            $0.requested = { (request, _) in
                request.pairs =
                    request.pairs.filter { $0.kind == .delete }
                    + request.pairs.filter { $0.kind != .delete }
            }
        },
        Flaw("adds pairs before it removes any", noticedBy: "relationships") {
            $0.requested = { (request, _) in
                request.pairs =
                    request.pairs.filter { $0.kind != .delete }
                    + request.pairs.filter { $0.kind == .delete }
            }
        },
        Flaw("adds a pair that is only to be reordered", noticedBy: "relationships") {
            $0.requested = { (request, _) in
                for index in request.pairs.indices where request.pairs[index].kind == .reorder {
                    request.pairs[index].kind = .insert
                }
            }
        },
        Flaw("turns members with equal order keys around", noticedBy: "relationships") {
            $0.related = { related, relationship in
                guard relationship.isOrdered else { return related }
                return related.mapped { members in
                    members.sorted { left, right in
                        (left.orderKey ?? 0, -left.member.key)
                            < (right.orderKey ?? 0, -right.member.key)
                    }
                }
            }
        },
        Flaw("cuts order keys to 32 bits", noticedBy: "relationships") {
            $0.requested = { (request, _) in
                for index in request.pairs.indices {
                    request.pairs[index].orderKey = request.pairs[index].orderKey.map {
                        Int64(Int32(truncatingIfNeeded: $0))
                    }
                }
            }
        },
        Flaw("loses the concrete entity of a to-one's destination", noticedBy: "relationships") {
            $0.requested = { (request, packing) in
                request.inserted = packing.changed(request.inserted) { value in
                    guard case .objectID(let id) = value else { return value }
                    return .objectID(id.ofRoot)
                }
            }
        },
        Flaw("gives members of pairs the root entity", noticedBy: "relationships") {
            $0.related = { related, relationship in
                guard relationship.isManyToMany else { return related }
                return related.mapped {
                    $0.map { (member: $0.member.ofRoot, orderKey: $0.orderKey) }
                }
            }
        },
        Flaw("gives members of one-to-manys the root entity", noticedBy: "relationships") {
            $0.related = { related, relationship in
                guard !relationship.isManyToMany, !relationship.isOrdered else { return related }
                return related.mapped {
                    $0.map { (member: $0.member.ofRoot, orderKey: $0.orderKey) }
                }
            }
        },
        Flaw("answers an ID as often as it is asked for", noticedBy: "reading") {
            $0.found = { (batch, ids, _) in
                RowBatch(ids.flatMap { id in batch.rows.filter { $0.key == id.key } })
            }
        },
        Flaw("says that its snapshots keep others from saving", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.saysThatSnapshotsBlock = true
        },
        Flaw("moves a store that another process has open", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.exclusiveUse = .seesOwnProcessOnly
        },
        Flaw("lets a store be opened while it is moved", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.exclusiveUse = .lastsNotLongEnough
        },
    ]
}

extension ObjectID {
    /// The same object under its root entity.
    fileprivate var ofRoot: ObjectID {
        ObjectID(store: store, rootEntity: rootEntity, entity: rootEntity, key: key)
    }
}

extension Packing {
    fileprivate func isTrack(_ row: Row) -> Bool {
        layouts.layout(of: row.entity)?.slot(named: "disc") != nil
    }

    /// A copy of a row with every value changed, by the property's name.
    fileprivate func copy(of row: Row, byName change: (String, Value) -> Value) -> Row {
        guard let layout = layouts.layout(of: row.entity) else { return row }
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: row.key, version: row.version)
        for (property, slot) in zip(layout.properties, layout.slots) {
            // A value that does not fit stays nil: that is wrong too, and this is for flaws.
            try? writer.set(change(property.name, row.value(slot)), at: slot, of: layout)
        }
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }
}
