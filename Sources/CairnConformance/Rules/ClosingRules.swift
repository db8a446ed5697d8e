import CairnModel
import CairnRows
import CairnStore
import Foundation

/// Rules about stores that were closed.
let closingRules: [ConformanceRule] = [
    ConformanceRule(
        "every call to a closed store or to one of its snapshots throws .closed",
        proves: [
            "PersistentStore.close(): The cursors of these", "StoreSnapshot: A snapshot ends when",
            "StoreSnapshot.externalData(_:): .closed", "RowCursor.next(atMost:): .closed",
        ]
    ) {
        subject in
        let fixture = try MusicFixture(subject)
        let (album, store) = (fixture.albums[0], subject.store)
        let tracks = try subject.relationship("Album", "tracks")
        let plan = try subject.plan("Track")
        let counts = [try subject.entity("Album").number: 1]
        let snapshot = try store.snapshot()
        let cursor = try snapshot.cursor(plan)
        let batch = try requireValue(try cursor.next(atMost: 1), "the first batch")
        let reference = ExternalReference(
            store: store.number, name: "00000000-0000-4000-8000-00000000000A")
        try store.close()
        try requireError("the newest generation", .closed) { try store.newestGeneration() }
        try requireError("a save with keys", .closed) {
            try store.beginSave(reserving: counts).transaction.rollback()
        }
        do {
            let keys = try store.reserveKeys(counts)
            try require(keys == nil, "a closed store reserves no keys")
        } catch StoreError.closed {}
        try requireError("one row", .closed) { try snapshot.row(for: album) }
        try requireError("answers to several questions", .closed) {
            try snapshot.related([RelatedQuestion(tracks, of: [album], includesRows: true)])
        }
        try requireError("a count", .closed) { try snapshot.count(plan) }
        try requireError("bytes outside a row", .closed) {
            try snapshot.externalData(reference)
        }
        try requireError("another batch", .closed) { try cursor.next(atMost: 1) }
        try requireEqual(batch[row: 0].version, 1, "the version in a batch that was read before")
        snapshot.end()
    },
    ConformanceRule(
        "if a store is closed during a save, the save can only be rolled back",
        proves: [
            "PersistentStore.close(): A save that was", "SaveTransaction.reserveKeys(_:): .closed",
            "SaveTransaction.prepare(_:): .closed", "SaveTransaction.commit(): .closed",
        ]
    ) {
        subject in
        let album = try subject.entity("Album").number
        // Stores that do not outlive the process are checked only by the errors.
        for step in ["reserve keys", "prepare", "commit"] {
            let request = OpenRequest(
                location: subject.harness.location("closed during \(step)", in: subject.folder),
                model: subject.model, layouts: subject.layouts)
            let other = try subject.opened(request)
            let save = try other.store.beginSave()
            var draft = SaveDraft(other, save)
            try draft.insert("Album", ["name": "lost"])
            if step == "commit" { try save.prepare(draft.request) }
            try other.store.close()
            try requireError("\(step) after the close", .closed) {
                switch step {
                case "reserve keys": _ = try save.reserveKeys([album: 1])
                case "prepare": try save.prepare(draft.request)
                default: _ = try save.commit()
                }
            }
            save.rollback()
            let again = try other.openAgain(createsMissing: true)
            defer { try? again.store.close() }
            try requireEqual(
                try again.rows("Album").count, 0, "the objects after a close during \(step)")
            try again.insert("Album")
        }
    },
]
