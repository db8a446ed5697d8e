import CairnModel
import CairnStore
import Foundation
import Synchronization

private func named(
    _ words: String, proves: [String], file: StaticString = #fileID, line: UInt = #line,
    body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, proves: proves, needs: .namedSaves,
        alternative:
            "an engine that does not record names reports the outcome .forgotten for every name",
        alternativeProves: [
            "StoreCapabilities.NamedSaves.forgotten: ``PersistentStore/outcome(of:)`` returns"
        ],
        file: file, line: line, body: body
    ) { subject in
        let id = SaveID()
        try subject.save { $0.request.id = id }
        try subject.requireOutcome(.forgotten, of: id, "a save of an engine that records no names")
    }
}

/// Rules about what stores report later about named saves.
let namedSaveRules: [ConformanceRule] = [
    named(
        "the outcome of a committed save is .saved, that of a save never made is .notSaved",
        proves: [
            "PersistentStore.outcome(of:): Returns whether the save",
            "StoreCapabilities.NamedSaves.remembered: The engine records the",
        ]
    ) {
        subject in
        let id = SaveID()
        try subject.requireOutcome(.notSaved, of: id, "a save that has not been made yet")
        try subject.insertNamed(id)
        try subject.insert("Album")
        try subject.requireOutcome(.saved, of: id, "a save that was committed")
        try subject.requireOutcome(.notSaved, of: SaveID(), "a save that was never made")
    },
    named(
        "the outcome of a save that was rolled back or refused is .notSaved until it is repeated",
        proves: [
            "PersistentStore: A call that throws",
            "PersistentStore.outcome(of:): Returns whether the save",
            "SaveRequest.id: If the save does", "CommitOutcome.notSaved: The save did not",
        ]
    ) {
        subject in
        let album = try subject.insert("Album")
        let ids = (0..<3).map { _ in SaveID() }
        let save = try subject.store.beginSave()
        try save.prepare(SaveRequest(named: ids[0]))
        save.rollback()
        let refusal = try subject.refusal { draft in
            draft.request.id = ids[1]
            try draft.update("Album", album, from: 7, ["name": "stale"])
        }
        try require(refusal != nil, "a stale row is refused")
        var released: (any SaveTransaction)? = try subject.store.beginSave()
        try released?.prepare(SaveRequest(named: ids[2]))
        released = nil
        for (id, words) in zip(ids, ["rolled back", "refused", "released"]) {
            try subject.requireOutcome(.notSaved, of: id, "a save that was \(words)")
            try subject.insertNamed(id)
            try subject.requireOutcome(.saved, of: id, "the same save, made again")
        }
    },
    named(
        "a named save that changes nothing is recorded", proves: ["SaveRequest.id: The name of a"]
    ) { subject in
        let id = SaveID()
        try subject.save { $0.request.id = id }
        try subject.requireOutcome(.saved, of: id, "a save of nothing")
    },
    named(
        "the last 1,000 names are remembered, and older names are never reported as .notSaved",
        proves: [
            "PersistentStore.outcome(of:): A store remembers the",
            "PersistentStore.outcome(of:): For a name that",
            "CommitOutcome.forgotten: The store cannot tell",
        ]
    ) {
        subject in
        let ids = (0..<1200).map { _ in SaveID() }
        for id in ids.prefix(1000) { try subject.save { $0.request.id = id } }
        try subject.requireOutcome(.saved, of: ids[0], "the first of 1,000 saves")
        for id in ids.dropFirst(1000) { try subject.save { $0.request.id = id } }
        for index in [200, 600, 1199] {
            try subject.requireOutcome(.saved, of: ids[index], "save \(index) of 1,200")
        }
        for index in [0, 1, 199] {
            try require(
                try subject.store.outcome(of: ids[index]) != .notSaved,
                "save \(index) of 1,200 is not reported as .notSaved")
        }
        try subject.requireOutcome(.notSaved, of: SaveID(), "a save that was never made")
    },
    named(
        "a name that is not greater than the forgotten names is refused, a greater one is saved",
        proves: [
            "SaveTransaction.prepare(_:): A request with a",
            "SaveTransaction.prepare(_:): .saveNameTooSmall",
        ]
    ) {
        subject in
        let early = SaveID()
        // The name of a clock that is ahead by decades and is corrected after the save.
        let ahead = SaveID(UUID(uuid: (3, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)))
        try subject.insertNamed(ahead)
        var greatest: SaveID?
        for _ in 0..<1200 where greatest == nil {
            do {
                try subject.save { $0.request.id = SaveID() }
            } catch StoreError.saveNameTooSmall(_, let known) {
                greatest = known
            }
        }
        // An engine may remember more than 1,200 names.
        if greatest == nil, try subject.store.outcome(of: ahead) == .saved { return }
        let known = try requireValue(greatest, "a refusal, after the first name was forgotten")
        try require(known >= ahead, "the error names the greatest name that the store knows")
        try requireError("a save with an old name", .saveNameTooSmall) {
            try subject.insertNamed(early)
        }
        let next = try requireValue(SaveID(after: known), "a greater name")
        try subject.insertNamed(next)
        try subject.requireOutcome(.saved, of: next, "the save with a greater name")
        try subject.requireOutcome(.forgotten, of: early, "the save that was refused")
    },
    named(
        "names are remembered after the store is opened again",
        proves: [
            "PersistentStore.outcome(of:): Returns whether the save",
            "PersistentStore.outcome(of:): Therefore this method takes",
            "PersistentStore.outcome(of:): .readOnly",
        ]
    ) { subject in
        let ids = [SaveID(), SaveID()]
        for id in ids { try subject.insertNamed(id) }
        guard subject.harness.engine.capabilities.isDurable else {
            // The new store is another one, without these objects.
            try subject.store.close()
            let another = try subject.openAgain(createsMissing: true)
            defer { try? another.store.close() }
            let outcome = try another.store.outcome(of: ids[0])
            return try require(outcome != .saved, "another store did not save")
        }
        try subject.insert("Album")
        let again = try subject.reopened()
        defer { try? again.store.close() }
        for id in ids { try again.requireOutcome(.saved, of: id, "a save of an earlier handle") }
        try again.requireOutcome(.notSaved, of: SaveID(), "a save that was never made")
        let reader = try again.reopened(isReadOnly: true)
        defer { try? reader.store.close() }
        try requireError("a store opened for reading gives no final answer", .readOnly) {
            try reader.store.outcome(of: ids[0])
        }
    },
    named(
        "an outcome that is requested during a save agrees with the save's commit",
        proves: [
            "PersistentStore.outcome(of:): The answer is final.",
            "PersistentStore.outcome(of:): After `.notSaved` the save",
            "PersistentStore.outcome(of:): Therefore this method takes",
            "SaveRequest.id: The name becomes durable", "CommitOutcome.notSaved: The save did not",
        ]
    ) { subject in
        for _ in 0..<3 {
            let id = SaveID()
            let save = try subject.store.beginSave()
            defer { save.rollback() }
            try save.prepare(SaveRequest(named: id))
            let answer = Mutex<Result<CommitOutcome, any Error>?>(nil)
            let hasAnswered = DispatchSemaphore(value: 0)
            Thread {
                let result = Result { try subject.store.outcome(of: id) }
                answer.withLock { $0 = result }
                hasAnswered.signal()
            }.start()
            // An engine that waits for the save has reached its lock by then. An engine that was too slow
            // is asked after the save, and passes.
            let isEarly = hasAnswered.wait(timeout: .now() + .milliseconds(200)) == .success
            let commit = Result { try save.commit() }
            if !isEarly { hasAnswered.wait() }
            let outcome = try requireValue(answer.withLock { $0 }, "the answer").get()
            let isCommitted = (try? commit.get()) != nil
            try requireEqual(
                outcome, isCommitted ? .saved : .notSaved, "the outcome that the store returned")
        }
    },
    named(
        "the names of saves are not part of the metadata",
        proves: ["SaveRequest.id: Names are not part"]
    ) { subject in
        let before = try subject.store.metadata()
        for _ in 0..<3 { try subject.insertNamed(SaveID()) }
        try requireEqual(try subject.store.metadata(), before, "the metadata of the store")
        guard subject.harness.engine.capabilities.isDurable else { return }
        try subject.store.close()
        if subject.harness.engine is any FileStore.Type {
            try requireEqual(
                try subject.harness.metadata(at: subject.location), before,
                "the metadata of a store that is not open")
        }
        let again = try subject.openAgain()
        defer { try? again.store.close() }
        try requireEqual(try again.store.metadata(), before, "the metadata after opening again")
    },
    named(
        "a closed store throws .closed when it is asked for the outcome of a save",
        proves: ["PersistentStore.outcome(of:): .closed"]
    ) { subject in
        let id = SaveID()
        try subject.insertNamed(id)
        try subject.store.close()
        try requireError("the outcome of a save", .closed) { try subject.store.outcome(of: id) }
    },
]

extension SaveRequest {
    /// Creates a request that only records its name.
    fileprivate init(named id: SaveID) {
        self.init()
        self.id = id
    }
}

extension StoreSubject {
    /// Saves a new album under a name, which is also the album's name.
    fileprivate func insertNamed(_ id: SaveID) throws {
        try save { draft in
            draft.request.id = id
            try draft.insert("Album", ["name": .string("\(id)")])
        }
    }

    func requireOutcome(
        _ expected: CommitOutcome, of id: SaveID, _ words: String
    ) throws {
        try requireEqual(try store.outcome(of: id), expected, "the outcome of \(words)")
    }
}
