import CairnModel
import CairnRows
import CairnStore
import Foundation

let savingRules: [ConformanceRule] = [
    ConformanceRule(
        "a prepared save is not visible until it is committed",
        proves: [
            "SaveTransaction: The store and its",
            "SaveTransaction.prepare(_:): Checks the request and",
            "StoreCapabilities.readsDuringSave: Whether the store can",
        ], needs: .readsDuringSave,
        alternative:
            "a reader during a save is refused with .busy, or sees the state before the save",
        alternativeProves: [
            "PersistentStore.snapshot(): .busy",
            "StoreCapabilities.readsDuringSave: If `false`, a read",
        ]
    ) { subject in
        let old = try subject.insert("Album", ["name": "old"])
        let save = try subject.store.beginSave()
        var draft = SaveDraft(subject, save)
        let new = try draft.insert("Album", ["name": "new"])
        try draft.update("Album", old, ["name": "changed"])
        try save.prepare(draft.request)
        try requireEqual(try subject.ids(try subject.plan("Album")), [old], "before the commit")
        try requireEqual(try subject.value("name", of: old), "old", "the value before the commit")
        _ = try save.commit()
        try requireEqual(
            Set(try subject.ids(try subject.plan("Album"))), [old, new], "after the commit")
    } otherwise: { subject in
        let save = try subject.store.beginSave()
        var draft = SaveDraft(subject, save)
        try draft.insert("Album")
        try save.prepare(draft.request)
        do throws(StoreError) {
            let snapshot = try subject.store.snapshot()
            let batch = try snapshot.rows(for: [draft.request.inserted.id(at: 0)])
            if !batch.isEmpty { throw StoreError.closed(subject.location) }
        } catch {
            try requireEqual(StoreErrorCase(error), .busy, "the refusal of a reader")
        }
        _ = try save.commit()
        try requireEqual(try subject.rows("Album").count, 1, "the objects after the commit")
    },
    ConformanceRule(
        "a snapshot that is taken during a save shows the state that the save changes",
        proves: [
            "PersistentStore.beginSave(): If the store can",
            "PersistentStore.beginSave(): This also applies after",
        ],
        needs: .readsDuringSave,
        alternative: "an engine that cannot be read during a save checks references itself",
        alternativeProves: [
            "SaveTransaction.prepare(_:): An engine that saves",
            "SaveTransaction.prepare(_:): In relationships with an",
            "SaveTransaction.prepare(_:): Members of a to-many",
            "SaveTransaction.prepare(_:): Reference conflicts are reported",
            "SaveTransaction.prepare(_:): .referenceConflicts",
            "StoreCapabilities.readsDuringSave: If `false`, a read",
        ]
    ) { subject in
        let fixture = try LabelFixture(subject)
        // A store that reads an old state again would show this one.
        try fixture.requireMembers(0, in: subject, "at first")
        try fixture.insertMember(subject)
        try fixture.requireMembersDuringDeletion(subject)
    } otherwise: { subject in
        try LabelFixture(subject).requireReferencesChecked(subject)
    },
    ConformanceRule(
        "a prepared save names the objects that still refer to deleted objects, or answers nil",
        proves: [
            "SaveTransaction.members(_:ofDeleted:): Returns, for each deleted",
            "SaveTransaction.members(_:ofDeleted:): Returns `nil` if the",
        ]
    ) { subject in
        try LabelFixture(subject).requireMembersOfDeleted(subject)
    },
    ConformanceRule(
        "prepare without commit leaves no trace",
        proves: [
            "SaveTransaction.rollback(): Discards the prepared changes.",
            "SaveTransaction.rollback(): The generation may increase",
        ]
    ) { subject in
        let id = try subject.insert("Album", ["name": "kept"])
        let before = try subject.store.snapshot().generation
        let refusal = try subject.refusal { draft in
            try draft.update("Album", id, ["name": "lost"])
            let other = try draft.insert("Album")
            try draft.pair(.insert, "Album", "related", id, other)
            draft.request.metadata = ["lost": true]
        }
        try require(refusal == nil, "the save can be prepared")
        try requireEqual(try subject.ids(try subject.plan("Album")), [id], "the objects")
        try requireEqual(try subject.value("name", of: id), "kept", "the value")
        try requireEqual(try subject.row(of: id)?.version, 1, "the version")
        try requireEqual(try subject.members("Album", "related", of: id), [], "the pairs")
        try requireEqual(try subject.store.metadata().values["lost"], nil, "the metadata")
        // Reserving keys may have been recorded, so the generation may have increased.
        try require(
            try subject.store.snapshot().generation >= before, "the generation does not decrease")
    },
    ConformanceRule(
        "a transaction that is released is rolled back",
        proves: ["SaveTransaction: The transaction holds the"]
    ) { subject in
        var save: (any SaveTransaction)? = try subject.store.beginSave()
        try save?.prepare(SaveRequest(inserted: RowBatch([try subject.row("Album", 1)])))
        save = nil
        try require(try subject.rows("Album").isEmpty, "nothing was saved")
        try subject.insert("Album")
    },
    ConformanceRule(
        "rollback discards a save, and has no effect after a commit or an earlier rollback",
        proves: [
            "SaveTransaction.rollback(): Discards the prepared changes.",
            "SaveTransaction.rollback(): Has no effect after",
        ]
    ) {
        subject in
        let save = try subject.store.beginSave()
        try save.prepare(SaveRequest(inserted: RowBatch([try subject.row("Album", 1)])))
        save.rollback()
        save.rollback()
        try requireError("what was rolled back cannot be committed", .engineFailure) {
            try save.commit()
        }
        let other = try subject.store.beginSave()
        var draft = SaveDraft(subject, other)
        let id = try draft.insert("Album")
        try other.prepare(draft.request)
        _ = try other.commit()
        other.rollback()
        try requireEqual(try subject.ids(try subject.plan("Album")), [id], "the objects")
    },
    ConformanceRule(
        "after an error, a transaction can only be rolled back",
        proves: [
            "PersistentStore: A call that throws",
            "SaveTransaction.prepare(_:): After any other error",
        ]
    ) { subject in
        let save = try subject.store.beginSave()
        var draft = SaveDraft(subject, save)
        try draft.insert("Album")
        try draft.update("Album", try subject.id("Album", 99))
        let request = draft.request
        try requireError("a stale row is refused", .rowConflicts) { try save.prepare(request) }
        try requireError("a refused save cannot be committed", .engineFailure) {
            try save.commit()
        }
        save.rollback()
        try require(try subject.rows("Album").isEmpty, "nothing of a refused save is stored")
        try subject.insert("Album")
    },
    ConformanceRule(
        "a save that its reporter cancels throws .cancelled and saves nothing",
        proves: [
            "SaveTransaction.prepare(_:): .cancelled", "SaveRequest.reporter: An object that is",
        ]
    ) {
        subject in
        let id = try subject.insert("Album", ["name": "kept"])
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        var draft = SaveDraft(subject, save)
        let count = 3 * SaveReporter.interval
        try draft.insertAll("Album", Array(repeating: [:], count: count))
        try draft.update("Album", id, ["name": "lost"])
        draft.request.reporter = SaveReporter { _ in false }
        do {
            try save.prepare(draft.request)
        } catch StoreError.cancelled {
            try requireError("a save that was ended", .engineFailure) { try save.commit() }
        }
        // An engine that does not count objects has prepared the save.
        save.rollback()
        try requireEqual(try subject.ids(try subject.plan("Album")), [id], "the objects")
        try requireEqual(try subject.value("name", of: id), "kept", "the value")
        try subject.insert("Album")
    },
    ConformanceRule(
        "a commit makes inserts, updates, deletions and pairs visible at the same time",
        proves: ["SaveTransaction.commit(): Makes the prepared changes"]
    ) {
        subject in
        let ids = try subject.insertAll(
            "Album", [["name": "a"], ["name": "b"], ["name": "c"]])
        let genre = try subject.insert("Genre", ["name": "jazz"])
        var added: ObjectID?
        try subject.save { draft in
            added = try draft.insert("Album", ["name": "d"])
            try draft.update("Album", ids[0], ["name": "A"])
            draft.delete(ids[1])
            try draft.touch("Genre", genre, from: 1, ["name": "jazz"])
            try draft.pair(.insert, "Album", "genres", ids[0], genre)
        }
        let names = try subject.rows("Album").map { try subject.value("name", of: $0) }
        try requireEqual(names, ["A", "c", "d"], "the names by key")
        try require(try subject.row(of: ids[1]) == nil, "the deleted object has no row")
        try require(added != nil, "the new object has an ID")
        try requireEqual(
            try subject.members("Genre", "albums", of: genre), [ids[0]], "the pairs")
    },
    ConformanceRule(
        "a new row has version 1, and each save that changes it adds 1",
        proves: ["SaveRequest.inserted: New rows, with the", "RowUpdate.row: The complete new row"]
    ) { subject in
        let id = try subject.insert("Album")
        for version in 1...3 as ClosedRange<Int64> {
            try requireEqual(try subject.row(of: id)?.version, version, "the version")
            try subject.save {
                try $0.update("Album", id, from: version, ["year": .integer(version)])
            }
        }
        try requireEqual(try subject.value("year", of: id), 3, "the newest value")
    },
    ConformanceRule(
        "an update without changed slots increases the version and keeps the values",
        proves: ["SaveRequest: An object whose pairs"]
    ) {
        subject in
        let id = try subject.insert("Album", ["name": "same"])
        try subject.save { try $0.touch("Album", id, from: 1, ["name": "same"]) }
        try requireEqual(try subject.row(of: id)?.version, 2, "the version")
        try requireEqual(try subject.value("name", of: id), "same", "the value")
    },
    ConformanceRule(
        "an update can set a value to nil", proves: ["SaveRequest.updated: Complete new rows of"]
    ) { subject in
        let id = try subject.insert("Album", ["name": "x", "year": 1990])
        try subject.save { try $0.update("Album", id, ["year": 1990]) }
        try requireEqual(try subject.value("name", of: id), .null, "the value that was set to nil")
        try requireEqual(try subject.value("year", of: id), 1990, "the value that stays")
    },
    ConformanceRule(
        "a save of nothing succeeds",
        proves: [
            "SaveRequest.init(inserted:updated:deleted:pairs:metadata:author:contextName:): Creates a request with"
        ]
    ) { subject in
        let save = try subject.store.beginSave()
        try save.prepare(SaveRequest())
        _ = try save.commit()
        try require(try subject.rows("Album").isEmpty, "the store is unchanged")
    },
    ConformanceRule(
        "a row of an abstract entity is refused, and nothing is written",
        proves: ["SaveTransaction.prepare(_:): .unsupported", "SaveRequest.inserted: A row of an"]
    ) { subject in
        let row = try subject.row("Work", 1)
        try requireError("an object of an abstract entity is refused", .unsupported) {
            let save = try subject.store.beginSave()
            defer { save.rollback() }
            try save.prepare(SaveRequest(inserted: RowBatch([row])))
        }
        try require(try subject.rows("Work").isEmpty, "nothing was written")
    },
    ConformanceRule(
        "setting application values in the metadata keeps the other values",
        proves: [
            "StoreMetadata.values: All other values that",
            "SaveRequest.metadata: Values of the application",
            "SaveRequest.metadata: Other values are unchanged.",
        ]
    ) {
        subject in
        try subject.save { $0.request.metadata = ["a": 1, "b": "two"] }
        try subject.save { $0.request.metadata = ["b": "three"] }
        let values = try subject.store.metadata().values
        try requireEqual(values["a"], 1, "the value that stays")
        try requireEqual(values["b"], "three", "the value that was set again")
        try requireEqual(
            try subject.store.metadata().entityVersionHashes, subject.model.entityVersionHashes,
            "the version hashes")
    },
    ConformanceRule(
        "metadata can contain every type of value", proves: ["MetadataValue: The cases are the"]
    ) { subject in
        let values = metadataSamples
        try subject.save { $0.request.metadata = values }
        let found = try subject.store.metadata().values
        for (name, value) in values { try requireEqual(found[name], value, "the value “\(name)”") }
    },
    ConformanceRule(
        "the generation in a commit's outcome is the newest generation",
        proves: [
            "SaveOutcome.generation: The state that the", "SaveOutcome.base: The state that the",
            "SaveOutcome.base: No one else committed",
            "SaveOutcome.recomputed: The rows that differ",
        ]
    ) { subject in
        let before = try subject.store.newestGeneration()
        let save = try subject.store.beginSave()
        var draft = SaveDraft(subject, save)
        try draft.insert("Album")
        try save.prepare(draft.request)
        let outcome = try save.commit()
        try requireEqual(
            try subject.store.snapshot().generation, outcome.generation, "the newest generation")
        if let base = outcome.base {
            try requireEqual(base, before, "the state that the save changed")
        }
        try require(
            outcome.recomputed.isEmpty, "rows that were saved as given are not reported as computed"
        )
    },
    ConformanceRule(
        "one save can exchange values between rows",
        proves: ["SaveRequest.updated: Complete new rows of"]
    ) { subject in
        let ids = try subject.insertAll("Album", (0..<40).map { ["year": .integer($0)] })
        try subject.save { draft in
            for (index, id) in ids.enumerated() {
                try draft.update("Album", id, ["year": .integer(Int64(39 - index))])
            }
        }
        for (index, id) in ids.enumerated() {
            try requireEqual(
                try subject.value("year", of: id), .integer(Int64(39 - index)), "the year")
        }
        try requireEqual(
            try subject.ids(try subject.plan("Album", "year == 3")), [ids[36]],
            "the object found by its new value")
    },
    ConformanceRule(
        "synchronizing a store changes neither its content nor its generation",
        proves: ["PersistentStore.synchronize(): Makes every committed save"]
    ) {
        subject in
        try subject.store.synchronize()
        let id = try subject.insert("Album", ["name": "kept"])
        let generation = try subject.store.newestGeneration()
        try subject.store.synchronize()
        try subject.store.synchronize()
        try requireEqual(try subject.store.newestGeneration(), generation, "the generation")
        try requireEqual(try subject.value("name", of: id), .string("kept"), "the saved name")
    },
    ConformanceRule(
        "a store without damage finds no disagreements with its rows",
        proves: [
            "SelfCheckingStore.findDisagreements(): Reads the whole store",
            "SelfCheckingStore.findDisagreements(): Returns an empty array if",
            "SelfCheckingStore.findUnexplainedValues(): Returns every part of",
            "SelfCheckingStore.findUnexplainedValues(): Returns an empty array if",
        ]
    ) { subject in
        let store = try subject.selfChecking()
        _ = try MusicFixture(subject, copies: 3)
        let albums = try subject.rows("Album")
        try subject.save { draft in
            // The third album has no tracks, so no reference breaks.
            draft.delete(albums[2].id)
            try draft.update("Album", albums[1].id, ["year": 7])
        }
        try requireEqual(try store.findDisagreements().count, 0, "the disagreements")
        try requireEqual(
            try store.findUnexplainedValues().count, 0,
            "the values that the model does not explain")
    },
    ConformanceRule(
        "after random saves, the store and held snapshots equal a simple reference store",
        proves: [
            "StoreSnapshot: A consistent, read-only view",
            "StoreSnapshot: Later saves, including saves",
        ]
    ) {
        subject in
        try RandomSaves.run(subject, count: 120)
    },
]

let metadataSamples: [String: MetadataValue] = [
    "text": "grüezi", "integer": .integer(.min), "real": 0.1, "yes": true, "no": false,
    "one": .integer(1), "date": .date(Date(timeIntervalSinceReferenceDate: 1000)),
    "data": .data(Data([0, 1, 255])), "list": .array(["a", 2, .array([])]),
    "dictionary": .dictionary(["inner": .dictionary(["deep": 1]), "empty": ""]),
]
