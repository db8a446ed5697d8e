import CairnModel
import CairnSQLite
import CairnStore
import Foundation

extension Flaw {
    static let ofOpening: [Flaw] = [
        Flaw("takes options it does not know", noticedBy: "opening") {
            $0.opening = { $0.options = $0.options.filter { $0.key == .timeout } }
        },
        Flaw("makes a file where a name in memory was given", noticedBy: "opening") {
            $0.engine = SQLiteStore.self
            $0.opening = { request in
                if case .memory(let name) = request.location {
                    request.location = .file(URL(fileURLWithPath: name))
                }
            }
        },
        Flaw("creates a store that is not to be created", noticedBy: "opening") {
            $0.opening = { request in
                request.createsMissing = true
                request.isReadOnly = false
            }
        },
        Flaw("goes on after it was closed", noticedBy: "opening") { $0.closes = false },
        Flaw("gives every store one identifier", noticedBy: "opening") {
            $0.described = { metadata, _ in
                metadata.identifier = "00000000-0000-0000-0000-000000000001"
            }
        },
        Flaw("forgets the hash of an entity", noticedBy: "opening") {
            $0.described = { metadata, _ in metadata.entityVersionHashes["Genre"] = nil }
        },
        Flaw("does not report what it computed", noticedBy: "opening") {
            $0.recomputed = { _, _ in RowBatch() }
        },
        Flaw("gives a key twice", noticedBy: "identity") {
            $0.keys = { $0.lowerBound > 1 ? $0.lowerBound - 1..<$0.upperBound - 1 : $0 }
        },
        Flaw("gives every save the same keys", noticedBy: "identity") {
            $0.keys = { 1..<Int64($0.count) + 1 }
        },
        Flaw("gives more keys than were asked for", noticedBy: "identity") {
            $0.keys = { $0.lowerBound..<$0.upperBound + 1 }
        },
    ]

    static let ofSaving: [Flaw] = [
        Flaw("drops a row", noticedBy: "saving") {
            $0.requested = { (request, _) in
                let rows = Array(request.inserted.rows)
                if !request.updated.isEmpty { request.inserted = RowBatch(rows.dropLast()) }
            }
        },
        Flaw("drops the last deletion", noticedBy: "saving") {
            $0.requested = { (request, _) in _ = request.deleted.popLast() }
        },
        Flaw("commits at prepare", noticedBy: "saving") { $0.saving = .commitsAtPrepare },
        Flaw("saves half of what it refuses", noticedBy: "saving") {
            $0.saving = .savesHalfOfWhatItRefuses
        },
        Flaw("commits what is rolled back", noticedBy: "saving") {
            $0.saving = .commitsAtRollback
        },
        Flaw("commits nothing", noticedBy: "saving") { $0.saving = .commitsNothing },
        Flaw("loses metadata", noticedBy: "saving") {
            $0.requested = { (request, _) in request.metadata = [:] }
        },
        Flaw("keeps only texts in metadata", noticedBy: "saving") {
            $0.described = { metadata, _ in
                metadata.values = metadata.values.mapValues { .string("\($0)") }
            }
        },
        Flaw("says version 1 of every row", noticedBy: "saving") {
            $0.found = { (batch, _, packing) in
                RowBatch(batch.rows.map { packing.copy(of: $0, version: 1) })
            }
        },
        Flaw("keeps a value that is taken away", noticedBy: "saving") {
            $0.requested = { (request, packing) throws(StoreError) in
                for index in request.updated.indices {
                    let row = request.updated[index].row
                    guard let old = try packing.stored(row.id) else { continue }
                    let name = packing.value("name", of: old)
                    let isEmptied = packing.value("name", of: row).isNull
                    request.updated[index].row = packing.copy(of: row) {
                        isEmptied && $0.isNull && row.entity == old.entity ? name : $0
                    }
                }
            }
        },
    ]

    static let ofConflicts: [Flaw] = [
        Flaw("ignores versions", noticedBy: "conflicts") {
            $0.requested = { (request, packing) throws(StoreError) in
                try takeStoredVersions(&request, packing)
            }
        },
        Flaw("ignores the versions of deletions", noticedBy: "conflicts") {
            $0.requested = { (request, packing) throws(StoreError) in
                for index in request.deleted.indices {
                    let stored = try packing.stored(request.deleted[index].id)
                    request.deleted[index].previousVersion = stored?.version ?? 1
                }
            }
        },
        Flaw("reports only the first row conflict", noticedBy: "conflicts") {
            $0.refused = { error in
                guard case .rowConflicts(let all) = error else { return error }
                return .rowConflicts(Array(all.prefix(1)))
            }
        },
        Flaw("reports only the first uniqueness conflict", noticedBy: "conflicts") {
            $0.refused = { error in
                guard case .uniquenessConflicts(let all) = error else { return error }
                return .uniquenessConflicts(Array(all.prefix(1)))
            }
        },
        Flaw("does not say which row is stored now", noticedBy: "conflicts") {
            $0.refused = { error in
                guard case .rowConflicts(let all) = error else { return error }
                return .rowConflicts(
                    all.map {
                        RowConflict(id: $0.id, expectedVersion: $0.expectedVersion, stored: nil)
                    })
            }
        },
        Flaw("refuses to swap unique values", noticedBy: "conflicts") {
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
        Flaw("takes nil for a value that must be unique", noticedBy: "conflicts") {
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

    static let ofReopening: [Flaw] = [
        Flaw("forgets metadata when it is opened again", noticedBy: "reopening") {
            $0.engine = SQLiteStore.self
            $0.described = { metadata, request in
                if !request.createsMissing { metadata.values = [:] }
            }
        },
        Flaw("saves to a store opened for reading", noticedBy: "reopening") {
            $0.engine = SQLiteStore.self
            $0.opening = { request in if !request.createsMissing { request.isReadOnly = false } }
        },
        Flaw("does not see what another handle saved", noticedBy: "several handles") {
            $0.engine = SQLiteStore.self
            $0.snapshots = .showTheFirst
        },
    ]
}
