import CairnModel
import CairnStore
import Foundation
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
        try requireBusy("a save during another one") { try store.beginSave().rollback() }
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
            try overlap(first) { try subject.preparedUpdate(of: id, year: 3) }
        }
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
            try overlap(deletion) { try subject.preparedUpdate(of: id, year: 3) }
        }
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
            try overlap(deletion) { try fixture.preparedInsertion(subject) }
        }
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
            try overlap(insertion) { try fixture.preparedDeletion(subject) }
        }
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
            try overlap(first) {
                let second = try subject.store.beginSave()
                var other = SaveDraft(subject, second)
                try other.insert("Track", ["code": "same"])
                try second.prepare(other.request)
                return second
            }
        }
        try requireEqual(try subject.rows("Track").map(\.id), [id], "the objects")
    },
    parallel(
        "no other save begins and commits while a save keeps others waiting",
        proves: [
            "SaveTransaction.keepOthersWaiting(): Keeps all other saves",
            "SaveTransaction.prepare(_:): .busy",
        ]
    ) { subject in
        try subject.requireTimeoutOption()
        let location = subject.harness.location("waiting", in: subject.folder)
        let store = try subject.open(
            OpenRequest(location: location, model: subject.model, options: [.timeout: 0.05]))
        defer { try? store.close() }
        let alone = try store.beginSave()
        defer { alone.rollback() }
        try alone.keepOthersWaiting()
        try requireBusy("the other save") {
            let save = try store.beginSave()
            defer { save.rollback() }
            try save.prepare(SaveRequest(metadata: ["other": .integer(1)]))
            _ = try save.commit()
        }
        try require(
            try store.metadata().values["other"] == nil, "the other save has stored nothing")
    },
]

/// Prepares a second save on another thread, where it may wait for the first one. Commits the first one when the second
/// is prepared, was refused or has waited for a while, and then the second one.
///
/// - Throws: the error of the second save; that of the first, which must commit.
func overlap(
    _ first: any SaveTransaction,
    _ prepareSecond: @escaping @Sendable () throws -> any SaveTransaction
) throws {
    let (isPrepared, firstHasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasEnded = DispatchSemaphore(value: 0)
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    Thread {
        let result = Result {
            defer { isPrepared.signal() }
            return try prepareSecond()
        }
        firstHasEnded.wait()
        let end = Result { () throws -> Void in
            let second = try result.get()
            defer { second.rollback() }
            _ = try second.commit()
        }
        outcome.withLock { $0 = end }
        hasEnded.signal()
    }.start()
    _ = isPrepared.wait(timeout: .now() + .milliseconds(200))
    let committed = Result { try first.commit() }
    firstHasEnded.signal()
    hasEnded.wait()
    _ = try committed.get()
    try outcome.withLock { $0 }?.get()
}

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
