import CairnModel
import CairnRows
import CairnStore
import Foundation

private let isRefused =
    "in another process, a store that is not shared is separate or refused as .locked"

/// Checks the behaviour of a store in another process if the engine's stores are not shared.
private let requireRefusal: ConformanceRule.Body = { subject in
    try subject.insert("Album", ["name": "mine"])
    // A store in memory is a separate store in each process, so an engine without files needs no worker.
    if !subject.harness.engine.capabilities.isDurable, subject.harness.worker == nil {
        let other = try subject.openAgain(createsMissing: true)
        defer { try? other.store.close() }
        return try require(try other.rows("Album").isEmpty, "the other store is empty")
    }
    let worker = try WorkerProcess(subject.harness)
    let reply = try worker.ask(try subject.openingElsewhere())
    if subject.harness.engine.capabilities.isDurable {
        try requireEqual(reply.refusal, "locked", "the refusal of another process")
    } else {
        try requireEqual(reply.refusal, nil, "the refusal of a store in another process's memory")
        try requireEqual(
            try worker.require(.albums(isHeld: false)).texts, [],
            "the objects that another process finds")
    }
}

private func shared(
    _ words: String, proves: [String], file: StaticString = #fileID, line: UInt = #line,
    body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, proves: proves, needs: .sharing, alternative: isRefused,
        alternativeProves: [
            "PersistentStore.open(_:): .locked",
            "StoreCapabilities.isShared: If `false`, opening the",
            "StoreCapabilities.isShared: A store that is",
        ], file: file, line: line, body: body,
        otherwise: requireRefusal)
}

let processRules: [ConformanceRule] = [
    shared(
        "a new snapshot shows the newest commit of any process, with a later generation",
        proves: [
            "StoreCapabilities.isShared: Whether several processes, and",
            "StoreGeneration: Every commit that changes",
        ]
    ) {
        subject in
        let worker = try subject.openedElsewhere()
        let before = try subject.store.snapshot().generation
        let theirs = try worker.require(.insert(["theirs"])).uris.map { try subject.id($0) }
        try requireEqual(
            try subject.rows("Album").map(\.id), theirs, "the objects that the other process saved")
        try require(
            before < (try subject.store.snapshot().generation),
            "the other process's commit is a later state")
        let mine = try subject.insert("Album", ["name": "mine"])
        try require(!theirs.contains(mine), "keys of two processes are never the same")
        let reply = try worker.require(.albums(isHeld: false))
        try requireEqual(
            reply.texts, ["theirs", "mine"], "the objects that the other process reads")
    },
    shared(
        "a snapshot does not show later saves by other processes",
        proves: ["StoreSnapshot: Later saves, including saves"]
    ) { subject in
        try subject.insert("Album", ["name": "old"])
        let worker = try subject.openedElsewhere()
        try worker.require(.hold)
        let snapshot = try subject.store.snapshot()
        let generation = snapshot.generation
        try worker.require(.insert(["theirs"]))
        try requireEqual(
            try subject.rows("Album", in: snapshot).count, 1, "the objects in the held snapshot")
        try requireEqual(snapshot.generation, generation, "the generation of the held snapshot")
        try requireEqual(
            try worker.require(.albums(isHeld: true)).texts, ["old"],
            "the objects in the other process's snapshot")
        try requireEqual(
            try worker.require(.albums(isHeld: false)).texts, ["old", "theirs"], "a new snapshot")
    },
    shared(
        "a snapshot returns external data that another process replaced or deleted later",
        proves: ["StoreSnapshot.externalData(_:): A snapshot can return"]
    ) {
        subject in
        // Together, the old values are so long that an engine must want to remove their files.
        let byteCount = 1_500_000
        let blob: (Int) -> Value = { .binary(Data(repeating: UInt8($0), count: byteCount)) }
        let id = try subject.insert("File", ["blob": blob(0)])
        let worker = try subject.openedElsewhere()
        try worker.require(.hold)
        for number in 1...15 as ClosedRange<Int64> {
            try subject.save {
                try $0.update("File", id, from: number, ["blob": blob(Int(number))])
            }
            try requireEqual(
                try worker.require(.heldBlob(id.uriRepresentation())).texts,
                ["\(byteCount) bytes, beginning with 0"],
                "the bytes that another process's snapshot shows after change \(number)")
        }
        try subject.save { $0.delete(id, from: 16) }
        try requireEqual(
            try worker.require(.heldBlob(id.uriRepresentation())).texts,
            ["\(byteCount) bytes, beginning with 0"],
            "the bytes that another process's snapshot shows after the object was deleted")
    },
    shared(
        "a snapshot that is taken during a save shows what other processes saved before",
        proves: [
            "PersistentStore.beginSave(): If the store can",
            "PersistentStore.beginSave(): This also applies after",
        ]
    ) {
        subject in
        let worker = try subject.openedElsewhere()
        let fixture = try LabelFixture(subject)
        try fixture.requireMembers(0, in: subject, "at first")
        try worker.require(.insertMember(fixture.label.uriRepresentation()))
        try fixture.requireMembersDuringDeletion(subject)
    },
    shared(
        "saves by two processes never overwrite each other",
        proves: ["RowUpdate.previousVersion: If the store contains"]
    ) { subject in
        let id = try subject.insert("Album", ["year": 0])
        let stale = try requireValue(try subject.row(of: id), "the row").version
        let first = try subject.openedElsewhere(timeout: 30)
        try first.require(.raiseYear(id.uriRepresentation(), count: 1))
        try requireError("a change of an object that another process has changed", .rowConflicts) {
            try subject.save { try $0.update("Album", id, from: stale, ["year": 99]) }
        }
        let workers = [first, try subject.openedElsewhere(timeout: 30)]
        for worker in workers { try worker.send(.raiseYear(id.uriRepresentation(), count: 15)) }
        for _ in 0..<10 { try subject.raiseYear(of: id) }
        for worker in workers {
            try requireEqual(try worker.reply().refusal, nil, "the refusal of another process")
        }
        try requireEqual(try subject.value("year", of: id), 41, "the number of saves")
        try requireEqual(try subject.row(of: id)?.version, 42, "the version")
    },
    shared(
        "a save takes a write lock that also excludes saves by other processes",
        proves: [
            "PersistentStore.beginSave(): Begins a save and",
            "SaveTransaction: The transaction holds the",
        ]
    ) { subject in
        try subject.requireSavesInTurn()
        let impatient = try subject.openAgain(options: [.timeout: 0.05])
        defer { try? impatient.store.close() }
        let worker = try subject.openedElsewhere(timeout: 0.05)
        try worker.require(.beginSave)
        try requireError("a save while another process saves", .busy) {
            try impatient.store.beginSave().rollback()
        }
        try worker.require(.rollback)
        let save = try impatient.store.beginSave()
        defer { save.rollback() }
        try requireEqual(
            try worker.ask(.beginSave).refusal, "busy", "the refusal of another process's save")
    },
    shared(
        "the saves that a killed process committed are complete, and others can save again",
        proves: [
            "SaveTransaction.commit(): Makes the prepared changes",
            "FileStore: Bytes that a killed",
        ]
    ) {
        subject in
        let worker = try subject.openedElsewhere()
        try worker.send(.savePairs)
        var acknowledged: [URL] = []
        for _ in 0..<5 { acknowledged += try worker.reply().uris }
        worker.kill()
        for reply in try worker.lastReplies() { acknowledged += reply.uris }
        let again = try subject.reopened()
        defer { try? again.store.close() }
        let rows = try again.rows("Album")
        let found = rows.map { $0.id.uriRepresentation() }
        try require(Set(acknowledged).isSubset(of: found), "everything that was committed exists")
        // One more save may have been committed before the process could report it.
        try require(found.count <= acknowledged.count + 2, "nothing else exists")
        let names = try Dictionary(grouping: rows) { try again.value("name", of: $0) }
        try require(names.values.allSatisfy { $0.count == 2 }, "no save is incomplete")
        try again.insert("Album")
    },
    shared(
        "the outcomes of a killed process's named saves agree with what is stored",
        proves: [
            "PersistentStore.outcome(of:): Returns whether the save",
            "SaveRequest.id: The name becomes durable", "SaveRequest.id: If the save does",
        ]
    ) { subject in
        guard CapabilityNeed.namedSaves.isMet(by: subject.harness.engine) else {
            throw RuleNotApplicable("it does not record the names of saves")
        }
        var random = SplitMix64(state: subject.seed)
        for _ in 0..<5 {
            let worker = try subject.openedElsewhere()
            try worker.send(.saveNamed)
            var names: [String] = []
            for _ in 0..<3 { names += try worker.reply().texts }
            usleep(UInt32(random.below(2000)))
            worker.kill()
            for reply in try worker.lastReplies() { names += reply.texts }
            let asker = try subject.openedElsewhere()
            var answers: [String: [String]] = [:]
            for name in names {
                let id = SaveID(try requireValue(UUID(uuidString: name), "a name"))
                answers[name] = ["\(try subject.store.outcome(of: id))"]
                answers[name]? += try asker.require(.outcome(name)).texts
            }
            // The albums are read after the answers, because a save that a killed process left half done
            // may be undecided until then.
            let saved = Set(
                try subject.rows("Album").map { try subject.value("name", of: $0) })
            for (name, heard) in answers {
                let outcome = saved.contains(.string(name)) ? "saved" : "notSaved"
                try requireEqual(
                    heard, [outcome, outcome], "the outcome in this process and in another one")
            }
        }
    },
    shared(
        "a save that was only prepared when its process was killed leaves no trace",
        proves: [
            "SaveTransaction.prepare(_:): Checks the request and", "FileStore: Bytes that a killed",
        ]
    ) { subject in
        let id = try subject.insert("Album", ["name": "kept"])
        let worker = try subject.openedElsewhere()
        try worker.require(.beginSave)
        try worker.require(.prepare(["lost", "lost too"]))
        worker.kill()
        try requireEqual(try subject.ids(try subject.plan("Album")), [id], "the objects")
        try subject.insert("Album", ["name": "next"])
        let again = try subject.reopened()
        defer { try? again.store.close() }
        try requireEqual(try again.rows("Album").count, 2, "the objects after opening again")
    },
    shared(
        "a store cannot be moved while another process has it open, nor opened during a move",
        proves: [
            "PersistentStore.open(_:): .locked", "PersistentStore.open(_:): .busy",
            "FileStore.withExclusiveUse(of:_:): Runs a body that",
            "FileStore.withExclusiveUse(of:_:): A process that tries",
            "FileStore.withExclusiveUse(of:_:): .locked",
        ]
    ) {
        subject in
        let engine = try subject.fileEngine()
        try requireExclusiveUse(subject)
        let worker = try subject.openedElsewhere()
        try subject.store.close()
        try requireError("a move while another process has the store open", .locked) {
            try subject.withExclusiveUse {}
        }
        worker.kill()
        let other = try WorkerProcess(subject.harness)
        try other.require(.metadata(WorkerLocation(subject.location)))
        let opening = try subject.openingElsewhere()
        var reply = Result<WorkerReply?, any Error>.success(nil)
        try subject.withExclusiveUse { () throws(StoreError) in
            reply = Result {
                try other.send(opening)
                return try other.replyAtOnce()
            }
        }
        // A process that waits for the move to end has not opened the store either.
        if let reply = try reply.get() {
            try require(
                ["locked", "busy"].contains(reply.refusal),
                "a process that opens the store in the meantime is refused, or waits")
        }
        let leftovers = Set(try subject.namesInFolder()).subtracting(
            ([subject.location.fileURL] + engine.companionFiles(of: subject.location).map(\.url))
                .compactMap { $0?.lastPathComponent })
        try requireEqual(leftovers, [], "the files that are neither the store nor its companions")
    },
    shared(
        "moving a store removes the files that the save of a killed process left",
        proves: ["FileStore.withExclusiveUse(of:_:): Temporary files of killed"]
    ) { subject in
        let engine = try subject.fileEngine()
        try requireExclusiveUse(subject)
        try subject.insert("Album", ["name": "kept"])
        let worker = try subject.openedElsewhere()
        try worker.require(.beginSave)
        try worker.require(.prepare(["lost"]))
        worker.kill()
        try subject.store.close()
        try subject.withExclusiveUse {}
        let known =
            ([subject.location.fileURL]
            + engine.companionFiles(of: subject.location).map(\.url))
            .compactMap { $0?.lastPathComponent }
        try requireEqual(
            Set(try subject.namesInFolder()).subtracting(known), [],
            "the files that are neither the store nor its companions")
        let again = try subject.openAgain()
        defer { try? again.store.close() }
        try requireEqual(try again.rows("Album").count, 1, "the objects")
    },
    shared(
        "a snapshot blocks the saves of other processes only if it reports that it does",
        proves: ["StoreSnapshot.keepsOthersFromSaving(): Returns whether holding the"]
    ) {
        subject in
        try subject.insert("Album")
        let worker = try subject.openedElsewhere(timeout: 0.05)
        let snapshot = try subject.store.snapshot()
        _ = try subject.rows("Album", in: snapshot)
        let refusal = try worker.ask(.insert(["theirs"])).refusal
        try requireEqual(
            refusal, try snapshot.keepsOthersFromSaving() ? "busy" : nil,
            "the refusal of another process's save")
        withExtendedLifetime(snapshot) {}
    },
    shared(
        "metadata can be read while another process has the store open",
        proves: ["FileStore.metadata(at:): Reads a store's metadata"]
    ) {
        subject in
        let identifier = try subject.store.metadata().identifier
        let worker = try WorkerProcess(subject.harness)
        _ = try subject.fileEngine()
        let reading = WorkerCommand.metadata(WorkerLocation(subject.location))
        try requireEqual(try worker.require(reading).texts, [identifier], "the identifier")
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        try save.prepare(SaveRequest(inserted: RowBatch([try subject.row("Album", 1)])))
        try requireEqual(
            try worker.require(reading).texts, [identifier], "the identifier during a save")
    },
]

/// Ends a rule about moving stores if the engine does not know when its stores are open, which the
/// contract allows.
private func requireExclusiveUse(_ subject: StoreSubject) throws {
    do {
        try subject.withExclusiveUse {}
    } catch {
        return try requireEqual(
            StoreErrorCase(error), .locked, "the refusal to move a store that is open")
    }
    throw RuleNotApplicable("it does not know when a store is open")
}

extension StoreSubject {
    /// Runs the body through the engine while the store is not open anywhere.
    func withExclusiveUse(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try harness.withExclusiveUse(of: location, body)
    }

    /// Returns the names of all files in the store's folder.
    fileprivate func namesInFolder() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }
}
