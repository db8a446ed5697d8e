import CairnModel
import CairnSQLite
import CairnStore

extension Flaw {
    static let ofFiles: [Flaw] = [
        Flaw("ends the process where a store is damaged", noticedBy: "damage") {
            $0.engine = SQLiteStore.self
            $0.openingAsAWhole = .crashesOnDamage
        },
        Flaw("makes a store of another engine's file", noticedBy: "damage") {
            $0.engine = SQLiteStore.self
            $0.openingAsAWhole = .replacesForeignFiles
        },
        Flaw("makes a store of any file", noticedBy: "files") {
            $0.engine = SQLiteStore.self
            $0.openingAsAWhole = .replacesForeignFiles
        },
    ]

    static let ofProcesses: [Flaw] = [
        Flaw("does not see what other processes save", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.snapshots = .showTheFirst
        },
        Flaw("shows what other processes save in old snapshots", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.snapshots = .showTheNewest
        },
        Flaw("overwrites what other processes save", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.requested = { (request, packing) throws(StoreError) in
                try takeStoredVersions(&request, packing)
            }
        },
        Flaw("takes the write lock when it prepares", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.saving = .locksAtPrepare
        },
        Flaw("acknowledges a save before it is made", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.saving = .commitsWithTheNextSave
        },
        Flaw("commits what a killed process prepared", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.saving = .commitsAtPrepare
        },
        Flaw("hides metadata while a store is open", noticedBy: "several processes") {
            $0.engine = SQLiteStore.self
            $0.hidesMetadata = true
        },
    ]

    static let ofTransactions: [Flaw] = [
        Flaw("takes a second prepare for the first", noticedBy: "transactions") {
            $0.saving = .preparesTwice
        },
        Flaw("commits what was not prepared", noticedBy: "transactions") {
            $0.saving = .commitsUnprepared
        },
        Flaw("answers after its end", noticedBy: "transactions") {
            $0.saving = .answersAfterItsEnd
        },
        Flaw("prepares in a closed store", noticedBy: "transactions") { $0.closes = false },
        Flaw("drops rows that it does not know", noticedBy: "transactions") {
            $0.requested = { (request, packing) in
                request.inserted = RowBatch(
                    request.inserted.rows.filter { packing.layouts.layout(of: $0.entity) != nil })
            }
        },
        Flaw("takes bytes that are nowhere for nil", noticedBy: "transactions") {
            $0.requested = { (request, packing) in
                request.inserted = packing.changed(request.inserted) { $0 }
            }
        },
        Flaw("gives copied rows new versions", noticedBy: "transactions") {
            $0.requested = { (request, packing) in
                request.inserted = RowBatch(
                    request.inserted.rows.map { packing.copy(of: $0, version: 1) })
            }
        },
        Flaw("replaces the row whose key is given again", noticedBy: "conflicts") {
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
        Flaw("keeps the last of two changes", noticedBy: "conflicts") {
            $0.requested = { (request, _) in
                let deleted = Set(request.deleted.map(\.id))
                request.updated.removeAll { deleted.contains($0.row.id) }
            }
        },
        Flaw("makes up the objects that pairs name", noticedBy: "relationships") {
            $0.requested = { (request, packing) throws(StoreError) in
                var writer = RowWriter(store: packing.store.number)
                for pair in request.pairs where pair.kind == .insert {
                    guard pair.relationship.name == "genres",
                        try packing.stored(pair.member) == nil,
                        !request.inserted.ids.contains(pair.member),
                        let layout = packing.layouts.layout(of: pair.member.entity)
                    else { continue }
                    writer.begin(layout, key: pair.member.key, version: 1)
                    writer.endRow()
                }
                request.inserted.append(writer.takeBatch())
            }
        },
    ]

    /// Makes every change one of the rows that are stored now.
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
}
