import CairnModel
import CairnRows
import CairnStore
import Foundation

private func recorded(
    _ words: String, proves: [String], file: StaticString = #fileID, line: UInt = #line,
    body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, proves: proves, needs: .history,
        alternative: "an engine that keeps no history refuses the option for it",
        alternativeProves: ["PersistentStore.open(_:): .invalidOption"], file: file, line: line
    ) { subject in
        try subject.store.close()
        let tracked = try subject.tracking("history")
        defer { try? tracked.store.close() }
        try body(tracked)
    } otherwise: { subject in
        try requireError("opening with a history", .invalidOption) {
            try subject.tracking("history")
        }
    }
}

/// Rules about the history of saves.
let historyRules: [ConformanceRule] = [
    recorded(
        "each save that changes objects adds one transaction, with its changes, author and time",
        proves: [
            "HistoryStore: From then on", "HistoryStore: A store begins its",
            "HistoryStore.history(after:limit:): Returns the transactions after",
            "HistoryStore.history(after:limit:): The changes of a",
            "HistoryStore.history(after:limit:): Each object occurs",
            "HistoryStore.newestHistoryPosition(): Returns `nil` if there",
            "PersistentHistoryTransaction.changes: The changes: deletions",
            "HistoryPosition.number: Later transactions of",
        ]
    ) { subject in
        try requireEqual(
            try subject.history.newestHistoryPosition(), nil, "the position before the first save")
        let start = Date()
        var ids: [ObjectID] = []
        try subject.save { draft in
            draft.request.author = "me"
            draft.request.contextName = "main"
            ids = try draft.insertAll("Album", [["name": "a"], ["name": "b"], ["name": "c"]])
        }
        try subject.save { draft in
            let new = try draft.insert("Genre")
            try draft.update("Album", ids[0], ["name": "d"])
            draft.delete(ids[1])
            ids.append(new)
        }
        let found = try subject.history.history(after: nil, limit: 10)
        try requireEqual(found.count, 2, "the number of transactions")
        try requireEqual(found.map(\.author), ["me", nil], "the authors")
        try requireEqual(found.map(\.contextName), ["main", nil], "the names of contexts")
        try requireEqual(
            found[0].processID, ProcessInfo.processInfo.processName, "the name of the process")
        try requireEqual(
            Set(found.map(\.storeID)), [try subject.store.metadata().identifier], "the store")
        try require(
            found.allSatisfy { (start.addingTimeInterval(-1)...Date()).contains($0.timestamp) },
            "the transactions have the time of the save")
        try requireEqual(
            found[0].changes.map(\.changeType), [.insert, .insert, .insert], "the first changes")
        try requireEqual(
            Set(found[0].changes.map(\.changedObjectID)), Set(ids.prefix(3)), "the first objects")
        try requireEqual(
            found[1].changes.map(\.changeType), [.delete, .update, .insert], "the later changes")
        try requireEqual(
            found[1].changes.map(\.changedObjectID), [ids[1], ids[0], ids[3]], "the later objects")
        try requireEqual(
            found[1].changes.map(\.changedObjectID.entity),
            [ids[1].entity, ids[0].entity, ids[3].entity], "the entities of the later objects")
        try require(
            found[0].position.number < found[1].position.number, "later numbers are greater")
        try requireEqual(
            try subject.history.newestHistoryPosition(), found[1].position, "the newest position")
    },
    recorded(
        "an update has the names of the properties that the save changed",
        proves: [
            "PersistentHistoryChange.updatedProperties: For an update,",
            "PersistentHistoryChange.updatedProperties: Empty for other kinds",
        ]
    ) { subject in
        let album = try subject.insert("Album", ["name": "a", "year": 1])
        let genre = try subject.insert("Genre")
        try subject.save { draft in
            try draft.update("Album", album, ["name": "b", "year": 1])
            let slot = try requireValue(
                subject.layouts.layout(of: try subject.entity("Album")).slot(named: "name"),
                "the slot of a name")
            draft.request.updated[0].changedSlots = SlotSet(Int(slot.index)..<Int(slot.index) + 1)
        }
        try subject.save { draft in
            try draft.touch("Album", album, from: 2, ["name": "b", "year": 1])
            try draft.touch("Genre", genre, from: 1)
            try draft.pair(.insert, "Album", "genres", album, genre)
        }
        let found = try subject.history.history(after: nil, limit: 10)
        try requireEqual(found.count, 4, "the number of transactions")
        try requireEqual(
            found.map { $0.changes.map(\.updatedProperties) },
            [[[]], [[]], [["name"]], [["genres"], ["albums"]]], "the changed properties")
    },
    recorded(
        "a deletion has the values that the model preserves",
        proves: [
            "PersistentHistoryChange.tombstone: For a deletion,",
            "PersistentHistoryChange.tombstone: Empty for other kinds",
        ]
    ) { subject in
        let notes = try subject.insertAll("Note", [["text": "kept"], [:]])
        let album = try subject.insert("Album", ["name": "not kept"])
        try subject.save { draft in
            for id in notes + [album] { draft.delete(id) }
        }
        let found = try subject.history.history(after: nil, limit: 10)
        try requireEqual(found.count, 3, "the number of transactions")
        try requireEqual(
            found[2].changes.map(\.tombstone), [["text": .string("kept")], [:], [:]],
            "the values of deleted objects")
        try require(
            found[0].changes.allSatisfy(\.tombstone.isEmpty), "insertions have no such values")
    },
    recorded(
        "a save that does not take place adds no transaction, and no save of metadata does",
        proves: ["HistoryStore: A save that does not"]
    ) { subject in
        let album = try subject.insert("Album")
        let newest = try subject.history.newestHistoryPosition()
        let save = try subject.store.beginSave()
        var draft = SaveDraft(subject, save)
        try draft.insert("Album")
        try save.prepare(draft.request)
        save.rollback()
        let refusal = try subject.refusal { draft in
            try draft.insert("Album")
            try draft.update("Album", album, from: 7, ["name": "stale"])
        }
        try require(refusal != nil, "a stale row is refused")
        try subject.save { $0.request.metadata = ["a": 1] }
        try requireEqual(
            try subject.history.newestHistoryPosition(), newest, "the newest position")
        try requireEqual(
            try subject.history.history(after: nil, limit: 10).count, 1,
            "the number of transactions")
    },
    recorded(
        "the history is read after a position, the oldest transactions first, up to a limit",
        proves: [
            "HistoryStore.history(after:limit:): Returns the transactions after",
            "HistoryStore.history(after:limit:): If `position` is `nil`",
            "HistoryStore.newestHistoryPosition(): Returns the position",
        ]
    ) { subject in
        for _ in 0..<7 { try subject.insert("Album") }
        let all = try subject.history.history(after: nil, limit: 100)
        try requireEqual(all.count, 7, "the number of transactions")
        for (index, transaction) in all.enumerated() {
            for limit in [1, 3, 100] {
                try requireEqual(
                    try subject.history.history(after: transaction.position, limit: limit),
                    Array(all[(index + 1)...].prefix(limit)),
                    "at most \(limit) transactions after the one with index \(index)")
            }
        }
        try requireEqual(
            try subject.history.history(after: nil, limit: 2), Array(all.prefix(2)),
            "the first two transactions")
    },
    recorded(
        "a purge removes the transactions before a position, from which the history can be read",
        proves: [
            "HistoryStore.purgeHistory(before:): Removes the transactions before",
            "HistoryStore.purgeHistory(before:): The transaction at the",
            "HistoryStore.purgeHistory(before:): Has no effect",
            "HistoryStore.history(after:limit:): .historyUnavailable",
            "HistoryGap.purged: Transactions after the",
        ]
    ) { subject in
        for index in 0..<5 as Range<Int64> {
            try subject.insertAll("Album", Array(repeating: ["year": .integer(index)], count: 3))
        }
        let all = try subject.history.history(after: nil, limit: 100)
        try requireEqual(all.count, 5, "the number of transactions")
        var unknown = all[3].position
        unknown.mark ^= 1
        try subject.history.purgeHistory(before: unknown)
        try requireEqual(
            try subject.history.history(after: nil, limit: 100), all,
            "the history after a purge before a position that it does not have")
        try subject.history.purgeHistory(before: all[2].position)
        try requireEqual(
            try subject.history.history(after: nil, limit: 100), Array(all[2...]),
            "the history after the purge")
        try requireEqual(
            try subject.history.history(after: all[2].position, limit: 100), Array(all[3...]),
            "the history after the position of the purge")
        try subject.requireGap(.purged, after: all[0].position, "before the purge")
        try subject.insert("Album")
        let newest = try requireValue(
            try subject.history.newestHistoryPosition(), "the newest position")
        try require(newest.number > all[4].position.number, "numbers are not used again")
        try subject.history.purgeHistory(before: newest)
        try requireEqual(
            try subject.history.history(after: newest, limit: 100), [],
            "the history after its newest position")
        try requireEqual(try subject.rows("Album").count, 16, "the objects after the purges")
    },
    recorded(
        "a position that is not one of the history throws .historyUnavailable",
        proves: [
            "HistoryStore.history(after:limit:): .historyUnavailable",
            "HistoryPosition.mark: A number that",
            "HistoryGap.anotherBranch: The position belongs",
        ]
    ) { subject in
        try subject.insert("Album")
        try subject.insert("Album")
        let all = try subject.history.history(after: nil, limit: 100)
        try requireEqual(all.count, 2, "the number of transactions")
        for position in all.map(\.position) {
            var other = position
            other.mark ^= 1 << 40
            try subject.requireGap(.anotherBranch, after: other, "of another branch")
        }
        var later = all[1].position
        later.number += 1
        try subject.requireGap(.anotherBranch, after: later, "after the newest")
    },
    recorded(
        "the history of a closed store throws .closed, and a purge of a read-only one .readOnly",
        proves: [
            "HistoryStore.newestHistoryPosition(): .closed",
            "HistoryStore.history(after:limit:): .closed",
            "HistoryStore.purgeHistory(before:): .closed, .readOnly",
            "HistoryStore.addHistory(_:): .closed, .readOnly",
        ]
    ) { subject in
        try subject.insert("Album")
        let position = try requireValue(
            try subject.history.newestHistoryPosition(), "the newest position")
        try subject.store.close()
        try requireError("the newest position", .closed) {
            try subject.history.newestHistoryPosition()
        }
        try requireError("the transactions", .closed) {
            try subject.history.history(after: nil, limit: 10)
        }
        try requireError("a purge", .closed) {
            try subject.history.purgeHistory(before: position)
        }
        try requireError("adding transactions", .closed) { try subject.history.addHistory([]) }
        guard subject.harness.engine.capabilities.isDurable else { return }
        let reading = try subject.openAgain(isReadOnly: true)
        defer { try? reading.store.close() }
        try requireError("a purge of a read-only store", .readOnly) {
            try reading.history.purgeHistory(before: position)
        }
        try requireError("adding transactions to a read-only store", .readOnly) {
            try reading.history.addHistory([])
        }
        try requireEqual(
            try reading.history.history(after: nil, limit: 10).map(\.position), [position],
            "the history of the read-only store")
    },
    recorded(
        "a store that keeps no history throws .historyUnavailable",
        proves: [
            "HistoryStore: Every call of", "HistoryGap.notTracked: The store keeps",
            "HistoryStore.newestHistoryPosition(): .historyUnavailable",
            "HistoryStore.purgeHistory(before:): .historyUnavailable",
            "HistoryStore.addHistory(_:): .historyUnavailable",
        ]
    ) { subject in
        let other = try subject.opened(
            OpenRequest(
                location: subject.harness.location("without", in: subject.folder),
                model: subject.model, layouts: subject.layouts))
        defer { try? other.store.close() }
        try other.insert("Album")
        try other.requireGap(.notTracked, after: nil, "of a store without a history")
        try requireError("adding transactions", .historyUnavailable) {
            try other.history.addHistory([])
        }
        try requireError("the newest position", .historyUnavailable) {
            try other.history.newestHistoryPosition()
        }
        try requireError("a purge", .historyUnavailable) {
            try other.history.purgeHistory(before: HistoryPosition(number: 1, mark: 1))
        }
    },
    recorded(
        "the history goes on when the store is opened again, with or without the option",
        proves: ["HistoryStore: That includes saves"]
    ) { subject in
        guard subject.harness.engine.capabilities.isDurable else {
            throw RuleNotApplicable("its stores end with the process")
        }
        let album = try subject.insert("Album")
        let note = try subject.insert("Note", ["text": "kept"])
        try subject.save { $0.delete(note) }
        let before = try subject.history.history(after: nil, limit: 10)
        let reopened = try subject.reopened()
        defer { try? reopened.store.close() }
        try requireEqual(
            try reopened.history.history(after: nil, limit: 10), before,
            "the history of the reopened store")
        try reopened.save { draft in
            draft.request.author = "later"
            try draft.update("Album", album, ["name": "b"])
        }
        let last = try requireValue(before.last, "the last transaction")
        let added = try reopened.history.history(after: last.position, limit: 10)
        try requireEqual(added.map(\.author), ["later"], "the authors of later transactions")
        try requireEqual(
            added.flatMap(\.changes).map(\.changedObjectID), [album], "the objects changed later")
    },
    recorded(
        "a handle that was opened before the history began adds its saves",
        proves: ["HistoryStore: That includes saves"]
    ) { subject in
        let capabilities = subject.harness.engine.capabilities
        guard capabilities.isDurable, capabilities.isShared else {
            throw RuleNotApplicable("its stores are not shared")
        }
        let location = subject.harness.location("begun later", in: subject.folder)
        let earlier = try subject.opened(
            OpenRequest(location: location, model: subject.model, layouts: subject.layouts))
        defer { try? earlier.store.close() }
        try earlier.insert("Album")
        let tracked = try subject.tracking("begun later")
        defer { try? tracked.store.close() }
        try tracked.insert("Album")
        let id = try earlier.insert("Album")
        let found = try tracked.history.history(after: nil, limit: 10)
        try requireEqual(found.count, 2, "the number of transactions")
        try requireEqual(
            found.last?.changes.map(\.changedObjectID), [id], "the object of the earlier handle")
        try requireEqual(
            try earlier.history.history(after: nil, limit: 10), found,
            "the history of the earlier handle")
    },
    recorded(
        "a copy of the store's state has its history",
        proves: ["StateToCopy.write(to:reporting:): The new store has"]
    ) { subject in
        try subject.insert("Album")
        let note = try subject.insert("Note", ["text": "kept"])
        try subject.save { $0.delete(note) }
        guard let state = try subject.store.stateToCopy() else {
            throw RuleNotApplicable("it does not copy its stores")
        }
        try subject.insert("Album")
        let location = subject.harness.location("copy", in: subject.folder)
        try state.write(to: location) { _ in }
        let copy = try subject.opened(
            OpenRequest(
                location: location, model: subject.model, layouts: subject.layouts,
                createsMissing: false))
        defer { try? copy.store.close() }
        let found = try copy.history.history(after: nil, limit: 10)
        let expected = try subject.history.history(after: nil, limit: 3)
        try requireEqual(found.map(\.position), expected.map(\.position), "the positions")
        try requireEqual(
            found.flatMap(\.changes).map(\.tombstone), expected.flatMap(\.changes).map(\.tombstone),
            "the values of deleted objects")
    },
    recorded(
        "transactions of another store are added with their numbers, times, texts and changes",
        proves: [
            "HistoryStore.addHistory(_:): Adds transactions of another store",
            "HistoryStore.addHistory(_:): They keep their numbers, times, texts and changes, but the engine",
        ]
    ) { subject in
        let album = try subject.insert("Album")
        let note = try subject.id("Note", 7)
        let newest = try requireValue(
            try subject.history.newestHistoryPosition(), "the position of the first save")
        let added = [
            [PersistentHistoryChange(.delete, note, tombstone: ["text": .string("kept")])],
            [PersistentHistoryChange(.update, album, updatedProperties: ["name", "genres"])],
            [
                PersistentHistoryChange(.delete, note), PersistentHistoryChange(.update, album),
                PersistentHistoryChange(.insert, try subject.id("Genre", 9)),
            ],
        ].enumerated().map { index, changes in
            PersistentHistoryTransaction(
                position: HistoryPosition(number: newest.number + 5 + Int64(3 * index), mark: 1),
                storeID: "another", timestamp: Date(timeIntervalSinceReferenceDate: 1.5e8 + 0.25),
                author: index == 0 ? nil : "them", contextName: index == 1 ? "main" : nil,
                processID: "process", bundleID: "bundle \(index)", changes: changes)
        }
        try subject.history.addHistory(Array(added.prefix(2)))
        try subject.history.addHistory(Array(added.suffix(1)))
        try subject.insert("Album")
        let found = try subject.history.history(after: newest, limit: 10)
        try requireEqual(
            found.prefix(3).map(\.position.number), added.map(\.position.number), "the numbers")
        try requireEqual(found.count, 4, "the number of transactions")
        try require(
            found[3].position.number > found[2].position.number,
            "the next save has a greater number")
        let storeID = try subject.store.metadata().identifier
        for (found, added) in zip(found, added) {
            var expected = added
            (expected.position.mark, expected.storeID) = (found.position.mark, storeID)
            try requireEqual(found, expected, "a transaction")
        }
    },
    recorded(
        "a handle shows the transactions of other handles",
        proves: ["HistoryStore.newestHistoryPosition(): Returns the position"]
    ) { subject in
        let capabilities = subject.harness.engine.capabilities
        guard capabilities.isDurable, capabilities.isShared else {
            throw RuleNotApplicable("its stores are not shared")
        }
        let other = try subject.openAgain()
        defer { try? other.store.close() }
        try subject.insert("Album")
        let id = try other.insert("Album")
        let found = try subject.history.history(after: nil, limit: 10)
        try requireEqual(found.count, 2, "the number of transactions")
        try requireEqual(
            found.last?.changes.map(\.changedObjectID), [id], "the object of the other handle")
        try requireEqual(
            try other.history.history(after: nil, limit: 10), found, "the other handle's history")
        try requireEqual(
            try other.history.newestHistoryPosition(), found.last?.position, "the newest position")
    },
]

extension StoreSubject {
    /// Opens a new store of this name that keeps a history.
    func tracking(_ name: String) throws(StoreError) -> StoreSubject {
        try opened(
            OpenRequest(
                location: harness.location(name, in: folder), model: model, layouts: layouts,
                options: [.tracksHistory: true]))
    }

    /// The store as one with a history.
    var history: any HistoryStore {
        get throws {
            try requireValue(store as? any HistoryStore, "the methods for a history")
        }
    }

    fileprivate func requireGap(
        _ gap: HistoryGap, after position: HistoryPosition?, _ words: String
    ) throws {
        do {
            let found = try history.history(after: position, limit: 10)
            throw RuleViolation(
                detail: "reading after a position \(words): expected .historyUnavailable with"
                    + " \(gap), but \(found.count) transactions were returned")
        } catch StoreError.historyUnavailable(_, let found) {
            try requireEqual(found, gap, "the reason, for a position \(words)")
        }
    }
}
