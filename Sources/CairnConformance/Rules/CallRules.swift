import CairnModel
import CairnStore

/// Rules about the arguments of calls, how snapshots end, and how long calls may take. Each array belongs
/// to the topic that includes it.
enum CallRules {
    static let ofReading: [ConformanceRule] = [
        ConformanceRule(
            "a snapshot's preferred batch and call sizes are at least 1",
            proves: ["ReadPreferences: Every number is at"]
        ) { subject in
            let preferences = try subject.store.snapshot().readPreferences
            try require(preferences.rowsPerBatch >= 1, "a batch may contain at least one row")
            try require(preferences.idsPerCall >= 1, "a call may contain at least one ID")
        },
        ConformanceRule(
            "a read after its deadline throws .deadlineExceeded or returns the usual result",
            proves: [
                "PersistentStore: Every call may throw",
                "StoreSnapshot.rows(for:): .deadlineExceeded",
                "RowCursor.next(atMost:): .deadlineExceeded", "StoreDeadline: A call that passes",
                "StoreDeadline.check(): .deadlineExceeded",
            ]
        ) {
            subject in
            let fixture = try MusicFixture(subject)
            let album = fixture.albums[0]
            let before = try Self.answers(of: subject, album)
            let late: [String: [ObjectID]] = try StoreDeadline.with(.now - .seconds(1)) {
                try Self.answers(of: subject, album)
            }
            for (call, answer) in late {
                try requireEqual(answer, before[call] ?? [], "the answer to \(call)")
            }
            try requireEqual(
                try Self.answers(of: subject, album), before, "the answers without a deadline")
        },
    ]

    /// Returns the answer to each call. Calls that end at the deadline are left out.
    private static func answers(
        of subject: StoreSubject, _ album: ObjectID
    ) throws -> [String: [ObjectID]] {
        let tracks = try subject.relationship("Album", "tracks")
        let plan = try subject.plan("Track")
        var answers: [String: [ObjectID]] = [:]
        func ask(_ call: String, _ body: (any StoreSnapshot) throws -> [ObjectID]) throws {
            do {
                answers[call] = try body(try subject.store.snapshot())
            } catch StoreError.deadlineExceeded {}
        }
        try ask("a cursor") { try subject.drain(try $0.cursor(plan)).ids }
        try ask("rows") { try $0.rows(for: [album]).ids }
        try ask("one row") { try $0.row(for: album).map { [$0.id] } ?? [] }
        try ask("members") { try $0.relatedIDs(tracks, of: [album]).members }
        try ask("a count") { snapshot in
            try (0..<(try snapshot.count(plan) ?? 0)).map { try subject.id("Track", Int64($0) + 1) }
        }
        return answers
    }

    static let ofRelationships: [ConformanceRule] = [
        ConformanceRule(
            "an owner of another store or entity has no members",
            proves: ["StoreSnapshot.relatedIDs(_:of:): An owner has no"]
        ) { subject in
            let label = try subject.insert("Label")
            let album = try subject.insert("Album", ["label": .objectID(label)])
            let (tracks, genre) = (
                try subject.tracks(of: album, entities: ["Track", "LiveTrack"]),
                try subject.insert("Genre")
            )
            try subject.save { try $0.pair(.insert, "Album", "genres", album, genre) }
            try requireEqual(label.key, album.key, "the keys of objects of two entities")
            let strangers = [
                ObjectID(
                    store: StoreNumber(rawValue: 0x7fff_fff0), rootEntity: album.rootEntity,
                    entity: album.entity, key: album.key),
                label,
                ObjectID(
                    store: album.store, rootEntity: EntityNumber(999), entity: EntityNumber(999),
                    key: album.key),
                ObjectID(
                    store: album.store, rootEntity: album.rootEntity, entity: album.entity,
                    key: -album.key),
            ]
            let snapshot = try subject.store.snapshot()
            for (name, expected) in [("tracks", tracks), ("genres", [genre])] {
                let related = try snapshot.relatedIDs(
                    try subject.relationship("Album", name), of: strangers + [album])
                try requireEqual(
                    related.count, strangers.count + 1, "the number of owners in the answer")
                let members = (0..<related.count).map {
                    Array(related.members[related.range(ofOwnerAt: $0)])
                }
                try requireEqual(
                    members, Array(repeating: [], count: strangers.count) + [expected],
                    "the members of Album.\(name) by owner")
            }
        },
        ConformanceRule(
            "an owner's ID may contain the root entity instead of the concrete entity",
            proves: ["StoreSnapshot.relatedIDs(_:of:): The concrete entity in"]
        ) { subject in
            let (live, tag) = (try subject.insert("LiveTrack"), try subject.insert("Tag"))
            try subject.save {
                try $0.pair(.insert, "Tag", "tracks", tag, live, order: 1, inverseOrder: 1)
            }
            let known = try subject.id("Track", live.key)
            try requireEqual(
                try subject.members("Track", "tags", of: known), [tag],
                "the members of an owner that is known by its root entity")
        },
        ConformanceRule(
            "the answers to several questions about members are in the order of the questions",
            proves: [
                "StoreSnapshot.related(_:): Returns the members that",
                "StoreSnapshot.related(_:): Each answer is the",
                "RelatedAnswer.members: The members that each",
            ]
        ) { subject in
            let fixture = try MusicFixture(subject)
            let questions = [
                RelatedQuestion(try subject.relationship("Album", "genres"), of: fixture.albums),
                RelatedQuestion(
                    try subject.relationship("Album", "tracks"),
                    of: [fixture.albums[1], fixture.albums[0]]),
                RelatedQuestion(try subject.relationship("Album", "tracks"), of: []),
            ]
            let snapshot = try subject.store.snapshot()
            let answer = try snapshot.related(questions)
            try requireEqual(answer.members.count, 3, "the number of questions answered")
            for (question, found) in zip(questions, answer.members) {
                let alone = try snapshot.relatedIDs(question.relationship, of: question.owners)
                try requireEqual(found.members, alone.members, "the members")
                try requireEqual(found.ends, alone.ends, "the ends of the owners' members")
                try requireEqual(found.orderKeys, alone.orderKeys, "the order keys")
            }
            try require(answer.rows.isEmpty, "rows that were not requested are not returned")
            try require(
                try snapshot.related([]).members.isEmpty,
                "an empty list of questions has an empty answer")
        },
        ConformanceRule(
            "the rows returned with members are the members' rows, each of them once",
            proves: [
                "StoreSnapshot.related(_:): For questions that include",
                "RelatedAnswer.rows: The rows of members", "RelatedAnswer.rows: They come in any",
            ]
        ) {
            subject in
            let fixture = try MusicFixture(subject)
            let snapshot = try subject.store.snapshot()
            let genres = try subject.relationship("Album", "genres")
            let answer = try snapshot.related([
                RelatedQuestion(genres, of: fixture.albums, includesRows: true),
                RelatedQuestion(
                    try subject.relationship("Album", "tracks"), of: fixture.albums),
            ])
            let members = Set(answer.members[0].members)
            try require(!members.isEmpty, "the albums have genres")
            try requireEqual(
                Set(answer.rows.ids).count, answer.rows.count,
                "the number of rows, each of them once")
            try require(
                Set(answer.rows.ids).isSubset(of: members), "only rows of members are returned")
            let again = try snapshot.related([
                RelatedQuestion(
                    genres, of: fixture.albums + fixture.albums, includesRows: true),
                RelatedQuestion(genres, of: fixture.albums, includesRows: true),
            ])
            try requireEqual(
                Set(again.rows.ids).count, again.rows.count,
                "the number of rows, each of them once, if each is requested three times")
            for row in answer.rows.rows {
                try requireEqual(
                    row.version, try snapshot.row(for: row.id)?.version, "the version of a row")
            }
        },
    ]

    static let ofSnapshots: [ConformanceRule] = [
        ConformanceRule(
            "a snapshot that has ended throws .closed or returns the same results as before",
            proves: [
                "PersistentStore.close(): Batches that were read",
                "StoreSnapshot: A snapshot ends when", "StoreSnapshot.end(): From then on, each",
                "StoreSnapshot.end(): Batches that were read",
            ]
        ) { subject in
            let fixture = try MusicFixture(subject)
            let album = fixture.albums[0]
            let snapshot = try subject.store.snapshot()
            let cursor = try snapshot.cursor(try subject.plan("Track"))
            let first = try requireValue(try cursor.next(atMost: 1), "the first batch")
            snapshot.end()
            try Self.closedOrEqual(1, "the rows found") { try snapshot.rows(for: [album]).count }
            try Self.closedOrEqual(1, "the row found") {
                try snapshot.row(for: album) == nil ? 0 : 1
            }
            try Self.closedOrEqual(2, "the members") {
                try subject.members("Album", "tracks", of: album, in: snapshot).count
            }
            try Self.closedOrEqual(3, "the count") {
                try snapshot.count(try subject.plan("Track")) ?? 3
            }
            try Self.closedOrEqual(3, "the matches") {
                try subject.drain(try snapshot.cursor(try subject.plan("Track"))).count
            }
            try Self.closedOrEqual(2, "the remaining matches") {
                try subject.drain(cursor).count
            }
            try requireEqual(
                first[row: 0].version, 1, "the version in a batch that was read before")
        },
        ConformanceRule(
            "ending a snapshot twice does not affect other snapshots or later saves",
            proves: ["StoreSnapshot.end(): Ending a snapshot twice"]
        ) {
            subject in
            let id = try subject.insert("Album", ["name": "x"])
            let ended = try subject.store.snapshot()
            ended.end()
            let other = try subject.store.snapshot()
            ended.end()
            try requireEqual(
                try subject.value("name", of: id, in: other), "x", "the value in the other snapshot"
            )
            try subject.save { try $0.update("Album", id, ["name": "y"]) }
            try requireEqual(
                try subject.value("name", of: id, in: other), "x", "the value after a save")
            other.end()
            try requireEqual(try subject.value("name", of: id), "y", "the newest value")
        },
        ConformanceRule(
            "snapshots that have ended take nothing from later ones",
            proves: ["StoreSnapshot.end(): Ends the snapshot and"]
        ) { subject in
            let id = try subject.insert("Album", ["name": "x"])
            for count in 1...200 {
                let snapshot = try subject.store.snapshot()
                try requireEqual(
                    try subject.value("name", of: id, in: snapshot), "x",
                    "the value in snapshot \(count)")
                snapshot.end()
            }
        },
        ConformanceRule(
            "the changes since an earlier generation list every object that differs, or are nil",
            proves: [
                "StoreSnapshot.changes(since:): Returns the objects that",
                "StoreSnapshot.changes(since:): The result must contain",
                "StoreChanges.inserted: Objects that exist only",
                "StoreChanges.updated: Objects that exist in",
                "StoreChanges.deleted: Objects that exist only",
            ]
        ) { subject in
            let kept = try subject.insert("Album", ["name": "kept"])
            let changed = try subject.insert("Album", ["name": "before"])
            let deleted = try subject.insert("Genre", ["name": "before"])
            let before = try subject.store.snapshot().generation
            try subject.save { try $0.update("Album", changed, ["name": "after"]) }
            let between = try subject.store.snapshot().generation
            var inserted: [ObjectID] = []
            try subject.save { draft in
                draft.delete(deleted)
                inserted = [try draft.insert("Label", ["name": "new"])]
            }
            let snapshot = try subject.store.snapshot()
            guard let all = try snapshot.changes(since: before) else { return }
            let later = try requireValue(
                try snapshot.changes(since: between),
                "the changes since the later generation, like those since the earlier one")
            let none = try requireValue(
                try snapshot.changes(since: snapshot.generation), "the changes since now")
            try requireEqual(all.inserted, inserted, "the inserted objects")
            try requireEqual(all.deleted, [deleted], "the deleted objects")
            try require(all.updated.contains(changed), "the updated object is reported")
            try require(
                !all.deleted.contains(kept), "an object that exists is not reported as deleted")
            try requireEqual(later.inserted, inserted, "the objects inserted later")
            try requireEqual(later.deleted, [deleted], "the objects deleted later")
            try require(none.inserted.isEmpty && none.deleted.isEmpty, "nothing changed since now")
        },
    ]

    private static func closedOrEqual(
        _ expected: Int, _ words: String, _ body: () throws -> Int
    ) throws {
        do {
            try requireEqual(try body(), expected, "\(words), of a snapshot that ended")
        } catch StoreError.closed {}
    }

    static let ofConcurrency: [ConformanceRule] = [
        ConformanceRule(
            "during a save, metadata is read as it was before the save",
            proves: [
                "PersistentStore.metadata(): This method can be",
                "PersistentStore.metadata(): Metadata of that save",
                "PersistentStore.metadata(): If readers wait for",
                "PersistentStore.metadata(): .busy", "SaveTransaction: The store and its",
            ]
        ) { subject in
            try subject.save { $0.request.metadata = ["word": "before"] }
            let save = try subject.store.beginSave()
            defer { save.rollback() }
            try save.prepare(SaveRequest(metadata: ["word": "after"]))
            do throws(StoreError) {
                let metadata = try subject.store.metadata()
                if metadata.values["word"] != "before" {
                    throw .engineFailure(
                        EngineFailure(
                            type: metadata.type, location: subject.location,
                            operation: "read metadata", code: 0,
                            message: "the metadata shows a save that was not committed"))
                }
            } catch {
                let mayWait = !subject.harness.engine.capabilities.readsDuringSave
                guard case .busy = error, mayWait else { throw error }
            }
            _ = try save.commit()
            try requireEqual(
                try subject.store.metadata().values["word"], "after", "the value after the save")
        },
        ConformanceRule(
            "cursors of one snapshot can be read at the same time, each by its own thread",
            proves: ["StoreSnapshot: Several cursors of one"]
        ) {
            subject in
            let ids = Set(try subject.insertAll("Album", Array(repeating: [:], count: 200)))
            let snapshot = try subject.store.snapshot()
            try onThreads(4) { index in
                for _ in 0..<5 {
                    let cursor = try snapshot.cursor(try subject.plan("Album"))
                    let found = try subject.drain(cursor, atMost: 7 + index).ids
                    try requireEqual(found.count, ids.count, "the matches of a thread")
                    try requireEqual(Set(found), ids, "the objects of a thread")
                }
            }
        },
        ConformanceRule(
            "saving after the deadline succeeds or throws .deadlineExceeded, and leaves no lock",
            proves: [
                "PersistentStore: Every call may throw",
                "PersistentStore.beginSave(): .deadlineExceeded", "StoreDeadline: A save that does",
            ]
        ) {
            subject in
            do {
                try StoreDeadline.with(.now - .seconds(1)) { () throws(StoreError) in
                    try subject.store.beginSave().rollback()
                }
            } catch StoreError.deadlineExceeded {}
            try subject.insert("Album")
            try requireEqual(try subject.rows("Album").count, 1, "the objects of the next save")
        },
    ]
}
