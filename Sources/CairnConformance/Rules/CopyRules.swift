import CairnModel
import CairnRows
import CairnStore
import Foundation

private let isNotCopied = "an engine without files holds no state to copy"

private func copying(
    _ words: String, proves: [String], file: StaticString = #fileID, line: UInt = #line,
    body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, proves: proves, needs: .files, alternative: isNotCopied,
        alternativeProves: ["PersistentStore.stateToCopy(): Returns `nil` if"], file: file,
        line: line, body: body
    ) { subject in
        try require(try subject.store.stateToCopy() == nil, "there is no state to copy")
    }
}

let copyRules: [ConformanceRule] = [
    copying(
        "a copy contains the state that was held, and no later saves",
        proves: [
            "PersistentStore.stateToCopy(): Returns the newest committed",
            "PersistentStore.stateToCopy(): Any number of states",
            "StateToCopy.write(to:reporting:): Writes the state to",
            "StateToCopy.write(to:reporting:): Later saves are not",
            "StateToCopy.write(to:reporting:): It is closed and",
        ]
    ) { subject in
        let blob: (UInt8) -> Value = { .binary(Data(repeating: $0, count: 1_500_000)) }
        let fixture = try MusicFixture(subject)
        let file = try subject.insert("File", ["name": "a", "blob": blob(0)])
        let state = try subject.stateToCopy()
        // Together, the old values are so long that an engine must want to remove their files.
        for version in 1...15 as ClosedRange<Int64> {
            try subject.save {
                try $0.update("File", file, from: version, ["blob": blob(UInt8(version))])
            }
        }
        try subject.save { draft in
            draft.delete(file, from: 16)
            try draft.insert("Album", ["name": "later"])
            try draft.update("Album", fixture.albums[1], ["name": "changed"])
        }
        let later = try subject.stateToCopy()
        try subject.insert("Album", ["name": "last"])

        let first = try subject.copy(of: state, named: "first")
        defer { try? first.store.close() }
        let second = try subject.copy(of: later, named: "second")
        defer { try? second.store.close() }

        try requireEqual(
            try first.values("name", of: "Album"), ["One", "Two", .null],
            "the objects of the first copy")
        try requireEqual(
            try second.values("name", of: "Album"), ["One", "changed", .null, "later"],
            "the objects of the second copy")
        let copied = try requireValue(try first.rows("File").first, "the object with large data")
        try requireEqual(copied.version, 1, "the version of the copied object")
        try require(
            try first.value("blob", of: copied) == blob(0), "the copied bytes are the original ones"
        )
        try requireEqual(try second.rows("File").count, 0, "the deleted objects of the second copy")
        let album = try first.id("Album", fixture.albums[0].key)
        try requireEqual(
            try first.members("Album", "tracks", of: album).map(\.key),
            try subject.members("Album", "tracks", of: fixture.albums[0]).map(\.key),
            "the members in the copy")
    },
    copying(
        "a copy has the identifier, the metadata, the names of saves and the keys of its store",
        proves: [
            "StateToCopy.write(to:reporting:): The new store has",
            "StateToCopy.write(to:reporting:): It assigns no key",
        ]
    ) { subject in
        let id = SaveID()
        try subject.save { draft in
            draft.request.id = id
            draft.request.metadata = ["a": 1]
            try draft.insert("Album")
        }
        let rolledBack = try subject.store.beginSave()
        let root = try subject.entity("Album").rootEntity.number
        let taken = try requireValue(try rolledBack.reserveKeys([root: 5])[root], "the taken keys")
        rolledBack.rollback()
        let metadata = try subject.store.metadata()

        let copy = try subject.copy(of: try subject.stateToCopy(), named: "copy")
        defer { try? copy.store.close() }

        try requireEqual(try copy.store.metadata(), metadata, "the metadata of the copy")
        try requireEqual(
            try copy.store.outcome(of: id), try subject.store.outcome(of: id),
            "what the copy knows of a save")
        let new = try copy.insert("Album")
        try require(new.key >= taken.upperBound, "the copy assigns no key that was taken")
    },
    copying(
        "saves go on while a state is held, also while it is written",
        proves: [
            "StateToCopy: It does not keep",
            "StateToCopy: A committed state of",
        ]
    ) { subject in
        try subject.insert("File", ["blob": .binary(Data(repeating: 1, count: 300_000))])
        let state = try subject.stateToCopy()
        try subject.insert("Album", ["name": "while held"])
        var count = 0
        let copy = try subject.copy(of: state, named: "copy") { _ in
            if count < 3 { try subject.insert("Album", ["name": "while written"]) }
            count += 1
        }
        defer { try? copy.store.close() }
        try requireEqual(
            try subject.rows("Album").count, 1 + min(count, 3), "the objects that were saved")
        try requireEqual(try copy.rows("Album").count, 0, "the objects in the copy")
    },
    copying(
        "a state can be taken by the holder of the write lock, and lacks what the save prepared",
        proves: ["PersistentStore.stateToCopy(): The caller may hold"]
    ) { subject in
        try subject.insert("Album", ["name": "before"])
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        var draft = SaveDraft(subject, save)
        try draft.insert("Album", ["name": "prepared"])
        try save.prepare(draft.request)
        let state = try subject.stateToCopy()
        _ = try save.commit()
        let copy = try subject.copy(of: state, named: "copy")
        defer { try? copy.store.close() }
        try requireEqual(
            try copy.values("name", of: "Album"), ["before"], "the objects in the copy")
    },
    copying(
        "a copy reports its progress, and leaves no file if the report ends it",
        proves: [
            "StateToCopy.write(to:reporting:): No file is left",
            "StateToCopy.byteCount: The number of bytes",
        ]
    ) { subject in
        try subject.insert("File", ["blob": .binary(Data(repeating: 1, count: 300_000))])
        let state = try subject.stateToCopy()
        try require(state.byteCount > 0, "the expected number of bytes is greater than 0")
        var reports: [Int64] = []
        let copy = try subject.copy(of: state, named: "copy") { reports.append($0) }
        try copy.store.close()
        try require(!reports.isEmpty, "the progress is reported")
        try require(zip(reports, reports.dropFirst()).allSatisfy(<=), "the progress only grows")
        let before = try subject.files()
        let other = subject.harness.location("other", in: subject.folder)
        try requireError("a copy that the report ends", .cancelled) {
            try state.write(to: other) { _ throws(StoreError) in throw .cancelled }
        }
        try requireEqual(
            Set(try subject.files().keys), Set(before.keys), "the files that are left")
    },
    copying(
        "a copy onto an existing store is refused, and leaves the store and its history as they were",
        proves: ["StateToCopy.write(to:reporting:): But if a store"]
    ) { subject in
        let options = subject.harness.engine.capabilities.options
        let tracks: StoreOptions = options.contains(.tracksHistory) ? [.tracksHistory: true] : [:]
        func open(_ name: String) throws -> StoreSubject {
            let location = subject.harness.location(name, in: subject.folder)
            return try subject.opened(
                OpenRequest(
                    location: location, model: subject.model, layouts: subject.layouts,
                    options: tracks))
        }
        func history(of subject: StoreSubject) throws -> [PersistentHistoryTransaction] {
            if tracks.isEmpty { return [] }
            let store = try requireValue(subject.store as? any HistoryStore, "a history")
            return try store.history(after: nil, limit: 10)
        }
        let source = try open("source")
        defer { try? source.store.close() }
        try source.insert("Album", ["name": "of the source"])
        let existing = try open("existing")
        try existing.insert("Album", ["name": "first"])
        try existing.insert("Album", ["name": "second"])
        let before = try history(of: existing)
        try existing.store.close()

        let state = try source.stateToCopy()
        let refusal = Result { try state.write(to: existing.store.request.location) { _ in } }

        guard case .failure = refusal else {
            throw RuleViolation(detail: "a store was copied onto an existing one")
        }
        let after = try open("existing")
        defer { try? after.store.close() }
        try requireEqual(
            try after.values("name", of: "Album"), ["first", "second"],
            "the objects of the existing store")
        try requireEqual(
            try history(of: after).map(\.position), before.map(\.position),
            "the history of the existing store")
    },
    copying(
        "a state of a closed store throws .closed",
        proves: ["StateToCopy: The state is held", "StateToCopy.write(to:reporting:): .closed"]
    ) { subject in
        try subject.insert("Album")
        let state = try subject.stateToCopy()
        try subject.store.close()
        let other = subject.harness.location("other", in: subject.folder)
        try requireError("writing the state", .closed) {
            try state.write(to: other) { _ in }
        }
        try requireError("a new state", .closed) { try subject.store.stateToCopy() }
    },
]

extension StoreSubject {
    /// Returns the newest state.
    ///
    /// - Throws: ``RuleNotApplicable`` if the engine cannot copy its stores.
    fileprivate func stateToCopy() throws -> any StateToCopy {
        if let state = try store.stateToCopy() { return state }
        throw RuleNotApplicable("it does not copy its stores")
    }

    /// Writes a state to a new store in the rule's folder, and opens that store.
    fileprivate func copy(
        of state: any StateToCopy, named name: String,
        reporting report: (Int64) throws -> Void = { _ in }
    ) throws -> StoreSubject {
        let location = harness.location(name, in: folder)
        var failure: (any Error)?
        try state.write(to: location) { count throws(StoreError) in
            do {
                try report(count)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return try opened(
            OpenRequest(
                location: location, model: model, layouts: layouts, createsMissing: false))
    }

    /// Returns the values of a property of all objects of an entity, by key.
    fileprivate func values(_ name: String, of entity: String) throws -> [Value] {
        try rows(entity).map { try value(name, of: $0) }
    }
}
