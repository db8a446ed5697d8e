import CairnModel
import CairnRows
import CairnStore

private func grouped(
    _ words: String, proves: [String], needs need: CapabilityNeed = .groupedSaves,
    file: StaticString = #fileID, line: UInt = #line, body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, proves: proves, needs: need,
        alternative: "an engine that does not group saves refuses a second request",
        alternativeProves: ["SaveTransaction.prepareNext(_:): The default implementation calls"],
        file: file, line: line, body: body
    ) { subject in
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        _ = try save.prepareNext(SaveRequest())
        try requireError("a second request", .engineFailure) {
            try save.prepareNext(SaveRequest())
        }
    }
}

/// Rules about saves that share a commit.
let groupedSaveRules: [ConformanceRule] = [
    grouped(
        "the requests of a group see those before them, and are saved by one commit",
        proves: [
            "StoreCapabilities.groupsSaves: Whether a save can",
            "SaveTransaction.prepareNext(_:): Checks a request and",
            "SaveTransaction.prepareNext(_:): Each request is a",
            "SaveTransaction.commit(): If they were prepared",
        ]
    ) { subject in
        let group = try GroupOfRequests(subject)
        defer { group.save.rollback() }
        var album: ObjectID?
        try group.prepare { album = try $0.insert("Album", ["name": "first"]) }
        let id = try requireValue(album, "the album")
        try group.prepare { try $0.update("Album", id, ["name": "second"]) }
        try group.prepare { draft in
            try draft.update("Album", id, from: 2, ["name": "third"])
            try draft.insert("Genre")
        }
        if subject.harness.engine.capabilities.readsDuringSave {
            let count = try subject.store.snapshot().rows(for: [id]).count
            try requireEqual(count, 0, "the rows that a reader sees before the commit")
        }

        let outcome = try group.save.commit()

        try requireEqual(outcome.recomputed.count, 0, "the rows in the outcome of the commit")
        let row = try requireValue(try subject.row(of: id), "the album")
        try requireEqual(row.version, 3, "the version of the album")
        try requireEqual(try subject.value("name", of: id), "third", "the name of the album")
        try requireEqual(try subject.rows("Genre").count, 1, "the genres")
        try requireEqual(
            try subject.store.newestGeneration(), outcome.generation, "the newest generation")
    },
    grouped(
        "a request of a group that conflicts leaves nothing, and the others are saved",
        proves: [
            "SaveTransaction.prepareNext(_:): If this method throws",
            "SaveTransaction.prepareNext(_:): Each request is a",
        ]
    ) { subject in
        let stored = try subject.insert("Track", ["code": "A"])
        let group = try GroupOfRequests(subject)
        defer { group.save.rollback() }
        var saved: [ObjectID] = [stored]
        try group.refuse(.rowConflicts) { draft in
            try draft.insert("Album")
            try draft.update("Track", stored, from: 7, ["code": "stale"])
        }
        try group.prepare { draft in
            saved.append(try draft.insert("Track", ["code": "B"]))
            try draft.update("Track", stored, ["code": "C"])
        }
        // These conflict with the request before them, not with the store.
        try group.refuse(.rowConflicts) { draft in
            try draft.insert("Album")
            try draft.update("Track", stored, ["code": "D"])
        }
        try group.refuse(.uniquenessConflicts) { draft in
            try draft.insert("Album")
            try draft.insert("Track", ["code": "B"])
        }
        try group.prepare { saved.append(try $0.insert("Track", ["code": "A"])) }

        _ = try group.save.commit()

        let codes = try saved.map { try subject.value("code", of: $0) }
        try requireEqual(codes, ["C", "B", "A"], "the codes of the tracks")
        try requireEqual(try subject.rows("Track").count, 3, "the tracks")
        try requireEqual(try subject.rows("Album").count, 0, "the rows of refused requests")
    },
    grouped(
        "a discarded request leaves nothing, and the requests before and after it are saved",
        proves: [
            "SaveTransaction.discardLast(): Discards the request that",
            "SaveTransaction.discardLast(): The requests before it",
            "SaveTransaction.discardLast(): .engineFailure",
        ]
    ) { subject in
        let group = try GroupOfRequests(subject)
        defer { group.save.rollback() }
        try requireError("discarding nothing", .engineFailure) { try group.save.discardLast() }
        var saved: [ObjectID] = []
        try group.prepare { saved.append(try $0.insert("Track", ["code": "A"])) }
        try group.prepare { draft in
            try draft.insert("Track", ["code": "B"])
            try draft.update("Track", saved[0], ["code": "C"])
        }
        try group.save.discardLast()
        try requireError("discarding twice", .engineFailure) { try group.save.discardLast() }
        try group.prepare { draft in
            saved.append(try draft.insert("Track", ["code": "B"]))
        }

        _ = try group.save.commit()

        let codes = try saved.map { try subject.value("code", of: $0) }
        try requireEqual(codes, ["A", "B"], "the codes of the tracks")
        try requireEqual(try subject.rows("Track").count, 2, "the tracks")
        let other = try GroupOfRequests(subject)
        defer { other.save.rollback() }
        try other.prepare { try $0.insert("Album") }
        try other.save.discardLast()
        try requireError("a commit of nothing", .engineFailure) { try other.save.commit() }
        other.save.rollback()
        try requireEqual(try subject.rows("Album").count, 0, "the albums")
    },
    grouped(
        "a group that is rolled back saves nothing",
        proves: ["SaveTransaction.rollback(): Discards the prepared changes"]
    ) { subject in
        let group = try GroupOfRequests(subject)
        for _ in 0..<2 { try group.prepare { try $0.insert("Album") } }
        group.save.rollback()
        try requireEqual(try subject.rows("Album").count, 0, "the albums")
        try subject.insert("Album")
    },
    grouped(
        "the names of a group's requests are recorded, except those of refused requests",
        proves: ["SaveTransaction.prepareNext(_:): Each request is a"]
    ) { subject in
        let remembers = subject.harness.engine.capabilities.namedSaves != .forgotten
        guard remembers else { throw RuleNotApplicable("it records no names of saves") }
        let names = (0..<4).map { _ in SaveID() }
        let album = try subject.insert("Album")
        let group = try GroupOfRequests(subject)
        defer { group.save.rollback() }
        for (index, name) in names.enumerated() {
            guard index != 1 else {
                try group.refuse(.rowConflicts) { draft in
                    draft.request.id = name
                    try draft.update("Album", album, from: 7)
                }
                continue
            }
            try group.prepare { draft in
                draft.request.id = name
                try draft.insert("Album")
            }
            if index == 2 { try group.save.discardLast() }
        }

        _ = try group.save.commit()

        let expected: [CommitOutcome] = [.saved, .notSaved, .notSaved, .saved]
        for (name, outcome) in zip(names, expected) {
            try subject.requireOutcome(outcome, of: name, "a request of a group")
        }
    },
    grouped(
        "the values that the store computes for a request of a group are returned with it",
        proves: ["SaveTransaction.prepareNext(_:): Returns the rows that"]
    ) { subject in
        let library = try subject.opened(derivedEntities, named: "grouped")
        defer { try? library.store.close() }
        let group = try GroupOfRequests(library)
        defer { group.save.rollback() }
        var album: ObjectID?
        let first = try group.prepare { album = try $0.insert("Album", ["name": "Ágætis"]) }
        let id = try requireValue(album, "the album")
        let second = try group.prepare {
            try $0.insert("Track", ["seconds": 5, "album": .objectID(id)])
        }
        // An engine may write the others again, but not at another time.
        try group.prepare { try $0.insert("Album") }
        try group.save.discardLast()

        _ = try group.save.commit()

        try requireEqual(first.ids, [id], "the rows computed for the first request")
        try requireEqual(
            try library.value("search", of: first[row: 0]), "agætis", "the value computed first")
        try require(second.ids.contains(id), "a row that depends on the second request is returned")
        try requireEqual(try library.value("trackCount", of: id), 1, "the stored count")
        try requireEqual(
            try library.value("savedAt", of: id), try library.value("savedAt", of: second[row: 0]),
            "the time of the save, as it was returned and as it is stored")
    },
    grouped(
        "each request of a group adds a transaction of its own to the history",
        proves: ["SaveTransaction.prepareNext(_:): Each request is a"]
    ) { subject in
        guard subject.harness.engine.capabilities.options.contains(.tracksHistory) else {
            throw RuleNotApplicable("it keeps no history")
        }
        try subject.store.close()
        let tracked = try subject.tracking("grouped")
        defer { try? tracked.store.close() }
        let group = try GroupOfRequests(tracked)
        defer { group.save.rollback() }
        for author in ["a", "b", "refused", "c"] {
            if author == "refused" {
                try group.refuse(.rowConflicts) { draft in
                    draft.request.author = author
                    try draft.update("Album", try tracked.id("Album", 1), from: 7)
                }
            } else {
                try group.prepare { draft in
                    draft.request.author = author
                    try draft.insert("Album")
                }
            }
        }

        _ = try group.save.commit()

        let found = try tracked.history.history(after: nil, limit: 10)
        try requireEqual(found.map(\.author), ["a", "b", "c"], "the authors of the transactions")
        try requireEqual(found.map(\.changes.count), [1, 1, 1], "their changes")
    },
    grouped(
        "the parts of a save see those before them, and are saved by one commit",
        proves: [
            "SaveTransaction.prepareNext(_:): They are one save:",
            "SaveTransaction.prepareNext(_:): Each part is checked",
            "SaveTransaction.members(_:ofDeleted:): Returns, for each deleted",
            "StoreCapabilities.savesInParts: Whether a save that",
        ],
        needs: .savesInParts
    ) { subject in
        let old = try subject.insert("Album")
        let track = try subject.insert("Track", ["code": "A", "album": .objectID(old)])
        let group = try GroupOfRequests(subject)
        defer { group.save.rollback() }
        var album: ObjectID?
        try group.preparePart(isFirst: true) { draft in
            draft.delete(old)
            album = try draft.insert("Album", ["name": "new"])
        }
        let id = try requireValue(album, "the album")
        try group.preparePart { draft in
            try draft.update("Track", track, ["code": "B", "album": .objectID(id)])
        }
        var new: ObjectID?
        try group.preparePart {
            new = try $0.insert("Track", ["code": "A", "album": .objectID(id)])
        }
        let relationship = try subject.relationship("Album", "tracks")
        if let left = try group.save.members(relationship, ofDeleted: [old]) {
            try requireEqual(left.members, [], "the members of the deleted album")
        }

        _ = try group.save.commit()

        try requireEqual(try subject.rows("Album").map(\.id), [id], "the albums")
        let codes = try [track, requireValue(new, "the new track")].map {
            try subject.value("code", of: $0)
        }
        try requireEqual(codes, ["B", "A"], "the codes of the tracks")
    },
    grouped(
        "if a part of a save is refused, nothing of the save can be committed",
        proves: ["SaveTransaction.prepareNext(_:): A refused part ends"],
        needs: .savesInParts
    ) { subject in
        try subject.insert("Track", ["code": "A"])
        for refused in ["A", "B"] {
            let group = try GroupOfRequests(subject)
            defer { group.save.rollback() }
            try group.preparePart(isFirst: true) { try $0.insert("Track", ["code": "B"]) }
            try requireError("a part with another's unique value", .uniquenessConflicts) {
                try group.preparePart { draft in
                    try draft.insert("Album")
                    try draft.insert("Track", ["code": .string(refused)])
                }
            }
            try requireError("a commit without a part", .engineFailure) {
                try group.save.commit()
            }
        }
        try requireEqual(try subject.rows("Track").count, 1, "the tracks")
        try requireEqual(try subject.rows("Album").count, 0, "the albums")
        try subject.insert("Track", ["code": "B"])
    },
    grouped(
        "an engine that checks references checks those of all parts together",
        proves: ["SaveTransaction.prepareNext(_:): An engine that checks"], needs: .savesInParts
    ) { subject in
        let album = try subject.insert("Album")
        let track = try subject.insert("Track", ["album": .objectID(album)])
        func delete(then fill: (inout SaveDraft) throws -> Void) throws {
            let group = try GroupOfRequests(subject)
            defer { group.save.rollback() }
            try group.preparePart(isFirst: true) { $0.delete(album) }
            try group.preparePart(fill)
            _ = try group.save.commit()
        }
        let capabilities = subject.harness.engine.capabilities
        // Otherwise the coordinator checks them.
        if capabilities.savesInParallel || !capabilities.readsDuringSave {
            try requireError("a reference to a deleted object", .referenceConflicts) {
                try delete { try $0.insert("Album") }
            }
            try requireEqual(try subject.rows("Album").map(\.id), [album], "the albums")
        }

        try delete { $0.delete(track) }

        try requireEqual(try subject.rows("Album").count, 0, "the remaining albums")
        try requireEqual(try subject.rows("Track").count, 0, "the remaining tracks")
    },
    grouped(
        "the parts of a save add one transaction to the history",
        proves: ["SaveTransaction.prepareNext(_:): They are one save:"],
        needs: .savesInParts
    ) { subject in
        guard subject.harness.engine.capabilities.options.contains(.tracksHistory) else {
            throw RuleNotApplicable("it keeps no history")
        }
        try subject.store.close()
        let tracked = try subject.tracking("parts")
        defer { try? tracked.store.close() }
        var ids = [try tracked.insert("Album")]
        let group = try GroupOfRequests(tracked)
        defer { group.save.rollback() }
        for index in 0..<3 {
            try group.preparePart(isFirst: index == 0) { draft in
                draft.request.author = "a"
                ids += try draft.insertAll("Album", [[:], [:]])
                if index == 1 { try draft.update("Album", ids[0], ["name": "changed"]) }
            }
        }

        _ = try group.save.commit()
        try tracked.insert("Album")

        let found = try tracked.history.history(after: nil, limit: 10)
        try requireEqual(found.map(\.changes.count), [1, 7, 1], "the changes of the transactions")
        try requireEqual(found[1].author, "a", "the author of the save in parts")
        let inserted = found[1].changes.filter { $0.changeType == .insert }.map(\.changedObjectID)
        try requireEqual(inserted, Array(ids.dropFirst()), "the inserted objects, in order")
        let last = try tracked.history.history(after: found[1].position, limit: 10)
        try requireEqual(last.count, 1, "the transactions after the save in parts")
    },
]

/// A save that takes several requests.
private struct GroupOfRequests {
    let subject: StoreSubject
    let save: any SaveTransaction

    init(_ subject: StoreSubject) throws {
        self.subject = subject
        save = try subject.store.beginSave()
    }

    /// Prepares one more request. Returns the rows that the store computed.
    @discardableResult
    func prepare(_ fill: (inout SaveDraft) throws -> Void) throws -> RowBatch {
        var draft = SaveDraft(subject, save)
        try fill(&draft)
        return try save.prepareNext(draft.request)
    }

    /// Prepares one more part of a save.
    func preparePart(
        isFirst: Bool = false, _ fill: (inout SaveDraft) throws -> Void
    ) throws {
        try prepare { draft in
            draft.request.part = SavePart(isFirst: isFirst, remainingByteCount: 1_000)
            try fill(&draft)
        }
    }

    /// Prepares one more request, which must be refused.
    func refuse(
        _ error: StoreErrorCase, _ fill: (inout SaveDraft) throws -> Void
    ) throws {
        try requireError("a request of a group", error) { try prepare(fill) }
    }
}
