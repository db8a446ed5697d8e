import CairnModel
import CairnStore

private let isRefused =
    "a second handle shares the open store, is a separate store, or is refused as .locked"

private let requireApart: ConformanceRule.Body = { subject in
    try subject.insert("Album")
    do {
        let other = try subject.openAgain(createsMissing: true)
        defer { try? other.store.close() }
        if !subject.harness.engine.capabilities.isDurable {
            try require(try other.rows("Album").isEmpty, "the other store is empty")
            return
        }
        // Within one process, an engine may share its open store. Both handles then show the same
        // objects.
        try requireEqual(try other.rows("Album").count, 1, "the objects of the other handle")
    } catch let error as StoreError {
        try requireEqual(StoreErrorCase(error), .locked, "the refusal of a second handle")
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
        otherwise: requireApart)
}

let handleRules: [ConformanceRule] = [
    shared(
        "each of two handles sees what the other saved",
        proves: ["StoreCapabilities.isShared: Whether several processes, and"]
    ) { subject in
        let other = try subject.openAgain()
        defer { try? other.store.close() }
        try requireEqual(other.store.number, subject.store.number, "one store has one number")
        let first = try subject.insert("Album", ["name": "one"])
        try requireEqual(try other.value("name", of: first), "one", "what the first saved")
        let second = try other.insert("Album", ["name": "two"])
        try require(first != second, "keys of two handles are never the same")
        try requireEqual(try subject.value("name", of: second), "two", "what the second saved")
    },
    shared(
        "a commit by the other handle increases the generation",
        proves: ["PersistentStore.newestGeneration(): Returns the generation of"]
    ) { subject in
        let other = try subject.openAgain()
        defer { try? other.store.close() }
        let before = try subject.store.snapshot().generation
        try other.insert("Album")
        let after = try subject.store.snapshot().generation
        try require(before < after, "the other's commit raises the generation")
        try requireEqual(
            try subject.store.newestGeneration(), after, "the newest generation, without a snapshot"
        )
    },
    shared(
        "changing an object that the other handle has changed is a conflict",
        proves: ["RowUpdate.previousVersion: If the store contains"]
    ) { subject in
        let other = try subject.openAgain()
        defer { try? other.store.close() }
        let id = try subject.insert("Album")
        try other.save { try $0.update("Album", id, ["name": "other"]) }
        try requireError("the stale row is refused", .rowConflicts) {
            try subject.save { try $0.update("Album", id, ["name": "mine"]) }
        }
        try requireEqual(try subject.value("name", of: id), "other", "the value")
    },
    shared(
        "a snapshot does not show later saves by the other handle",
        proves: ["StoreSnapshot: Later saves, including saves"]
    ) { subject in
        let id = try subject.insert("Album", ["name": "old"])
        let snapshot = try subject.store.snapshot()
        let other = try subject.openAgain()
        defer { try? other.store.close() }
        try other.save { try $0.update("Album", id, ["name": "new"]) }
        try requireEqual(try subject.value("name", of: id, in: snapshot), "old", "the value")
    },
    shared(
        "a snapshot that is taken during a save shows what the other handle saved before",
        proves: [
            "PersistentStore.beginSave(): If the store can",
            "PersistentStore.beginSave(): This also applies after",
        ]
    ) {
        subject in
        let other = try subject.openAgain()
        defer { try? other.store.close() }
        let fixture = try LabelFixture(subject)
        try fixture.requireMembers(0, in: subject, "at first")
        try fixture.insertMember(other)
        try fixture.requireMembersDuringDeletion(subject)
    },
    shared(
        "metadata shows what the other handle saved",
        proves: ["PersistentStore.metadata(): Returns the store's current"]
    ) { subject in
        let other = try subject.openAgain()
        defer { try? other.store.close() }
        try requireEqual(try subject.store.metadata().values["a"], nil, "the value at first")
        try other.save { $0.request.metadata = ["a": 1] }
        try requireEqual(
            try subject.store.metadata().values["a"], 1, "the value set by the other handle")
        try subject.save { $0.request.metadata = ["b": 2] }
        let values = try other.store.metadata().values
        try requireEqual(values["a"], 1, "the value that stays")
        try requireEqual(values["b"], 2, "the value set by the first")
    },
    shared(
        "closing one handle leaves the other open",
        proves: ["PersistentStore.close(): Other handles of the"]
    ) { subject in
        let other = try subject.openAgain()
        let id = try other.insert("Album")
        try other.store.close()
        try requireEqual(try subject.ids(try subject.plan("Album")), [id], "the objects")
        try subject.insert("Album")
    },
]
