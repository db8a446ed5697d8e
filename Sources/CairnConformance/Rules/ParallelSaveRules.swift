import CairnModel
import CairnStore
import Synchronization

private let waits = "a save waits until the other saves of its store have ended"

private func parallel(
    _ words: String, proves: [String], file: StaticString = #fileID, line: UInt = #line,
    body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, proves: proves, needs: .parallelSaves, alternative: waits,
        alternativeProves: ["PersistentStore.beginSave(): If the engine has"], file: file,
        line: line, body: body
    ) { subject in
        try subject.requireTimeoutOption()
        let location = subject.harness.location("patient", in: subject.folder)
        let store = try subject.open(
            OpenRequest(location: location, model: subject.model, options: [.timeout: 0.05]))
        defer { try? store.close() }
        let save = try store.beginSave()
        defer { save.rollback() }
        let refusal = Mutex<Result<Void, any Error>?>(nil)
        onAnotherThread {
            let result = Result { try store.beginSave().rollback() }
            refusal.withLock { $0 = result }
        }
        let result = try requireValue(refusal.withLock { $0 }, "the other save's outcome")
        try requireError("a save during another one", .busy) { try result.get() }
    }
}

/// Rules about stores whose saves do not wait for each other.
let parallelSaveRules: [ConformanceRule] = [
    parallel(
        "overlapping saves of different objects both commit",
        proves: [
            "StoreCapabilities.savesInParallel: Whether saves of different",
            "StoreCapabilities.savesInParallel: The engine then detects",
        ]
    ) { subject in
        let ids = try subject.insertAll("Album", [["year": 1], ["year": 1]])
        let saves = try ids.map { try subject.preparedUpdate(of: $0, year: 2) }
        for save in saves.reversed() { _ = try save.commit() }
        for id in ids {
            try requireEqual(try subject.value("year", of: id), 2, "the value of \(id.key)")
        }
    },
    parallel(
        "of two overlapping saves of one object, the second is refused in prepare or commit",
        proves: [
            "SaveTransaction.commit(): .rowConflicts",
            "StoreCapabilities.savesInParallel: If two saves change",
            "StoreCapabilities.savesInParallel: In the other save",
        ]
    ) {
        subject in
        let id = try subject.insert("Album", ["year": 1])
        let first = try subject.preparedUpdate(of: id, year: 2)
        try requireError("the second save of the object", .rowConflicts) {
            let second = try subject.preparedUpdate(of: id, year: 3)
            defer { second.rollback() }
            _ = try first.commit()
            _ = try second.commit()
        }
        // If the second save is refused before the first one commits, the first one continues here.
        if try subject.row(of: id)?.version == 1 { _ = try first.commit() }
        try requireEqual(try subject.value("year", of: id), 2, "the value of the first save")
        try requireEqual(try subject.row(of: id)?.version, 2, "the version")
    },
    parallel(
        "a save of an object that an overlapping save deletes is refused",
        proves: [
            "SaveTransaction.commit(): .rowConflicts",
            "StoreCapabilities.savesInParallel: If two saves change",
        ]
    ) { subject in
        let id = try subject.insert("Album", ["year": 1])
        let deletion = try subject.store.beginSave()
        defer { deletion.rollback() }
        try deletion.prepare(SaveRequest(deleted: [RowDeletion(id: id, previousVersion: 1)]))
        try requireError("the change of the deleted object", .rowConflicts) {
            let change = try subject.preparedUpdate(of: id, year: 3)
            defer { change.rollback() }
            _ = try deletion.commit()
            _ = try change.commit()
        }
        if try subject.row(of: id)?.version == 1 { _ = try deletion.commit() }
        try require(try subject.row(of: id) == nil, "the object is deleted")
    },
    parallel(
        "a store that saves in parallel checks references itself",
        proves: [
            "SaveTransaction.prepare(_:): An engine that saves",
            "SaveTransaction.prepare(_:): In relationships with an",
            "SaveTransaction.prepare(_:): Members of a to-many",
            "SaveTransaction.prepare(_:): Reference conflicts are reported",
            "SaveTransaction.prepare(_:): .referenceConflicts",
            "StoreCapabilities.savesInParallel: The engine also checks",
        ]
    ) { subject in
        try LabelFixture(subject).requireReferencesChecked(subject)
    },
    parallel(
        "a save that refers to an object that an overlapping save deletes is refused",
        proves: [
            "SaveTransaction.commit(): .referenceConflicts",
            "StoreCapabilities.savesInParallel: If two saves change",
            "StoreCapabilities.savesInParallel: In the other save",
        ]
    ) {
        subject in
        let fixture = try LabelFixture(subject)
        let deletion = try fixture.preparedDeletion(subject)
        defer { deletion.rollback() }
        try requireError("the reference to the deleted object", .referenceConflicts) {
            let insertion = try fixture.preparedInsertion(subject)
            defer { insertion.rollback() }
            _ = try deletion.commit()
            _ = try insertion.commit()
        }
        if try subject.row(of: fixture.label) != nil { _ = try deletion.commit() }
        try require(try subject.rows("Album").isEmpty, "nothing refers to the deleted object")
    },
    parallel(
        "a deletion of an object that an overlapping save refers to is refused",
        proves: [
            "SaveTransaction.commit(): .referenceConflicts",
            "StoreCapabilities.savesInParallel: If two saves change",
            "StoreCapabilities.savesInParallel: In the other save",
        ]
    ) { subject in
        let fixture = try LabelFixture(subject)
        let insertion = try fixture.preparedInsertion(subject)
        defer { insertion.rollback() }
        try requireError("the deletion of the object", .referenceConflicts) {
            let deletion = try fixture.preparedDeletion(subject)
            defer { deletion.rollback() }
            _ = try insertion.commit()
            _ = try deletion.commit()
        }
        if try subject.rows("Album").isEmpty { _ = try insertion.commit() }
        try require(try subject.row(of: fixture.label) != nil, "the object is still there")
    },
    parallel(
        "of two overlapping saves that insert the same unique value, one is refused",
        proves: [
            "SaveTransaction.commit(): .uniquenessConflicts",
            "StoreCapabilities.savesInParallel: If two saves change",
            "StoreCapabilities.savesInParallel: In the other save",
        ]
    ) {
        subject in
        let first = try subject.store.beginSave()
        defer { first.rollback() }
        var draft = SaveDraft(subject, first)
        let id = try draft.insert("Track", ["code": "same"])
        try first.prepare(draft.request)
        try requireError("the second save of the value", .uniquenessConflicts) {
            let second = try subject.store.beginSave()
            defer { second.rollback() }
            var other = SaveDraft(subject, second)
            try other.insert("Track", ["code": "same"])
            try second.prepare(other.request)
            _ = try first.commit()
            _ = try second.commit()
        }
        if try subject.rows("Track").isEmpty { _ = try first.commit() }
        try requireEqual(try subject.rows("Track").map(\.id), [id], "the objects")
    },
]

extension StoreSubject {
    /// Returns a prepared save that changes an album of version 1.
    fileprivate func preparedUpdate(of id: ObjectID, year: Int64) throws -> any SaveTransaction {
        let save = try store.beginSave()
        var draft = SaveDraft(self, save)
        try draft.update("Album", id, ["year": .integer(year)])
        try save.prepare(draft.request)
        return save
    }
}
