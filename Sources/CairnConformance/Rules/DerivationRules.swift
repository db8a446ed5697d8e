import CairnModel
import CairnStore
import Foundation

/// Creates a rule for a model with derived attributes. The rule does not apply to an engine that refuses
/// such a model, which engines are allowed to do.
private func derived(
    _ words: String, proves: [String], file: StaticString = #fileID, line: UInt = #line,
    body: @escaping @Sendable (StoreSubject) throws -> Void
) -> ConformanceRule {
    ConformanceRule(words, proves: proves, file: file, line: line) { subject in
        let library = try subject.opened(derivedEntities, named: "derived")
        defer { try? library.store.close() }
        try body(library)
    }
}

let derivationRules: [ConformanceRule] = [
    derived(
        "a save computes derived values and ignores those in the request's rows",
        proves: ["SaveOutcome.recomputed: The rows that differ"]
    ) {
        subject in
        let before = Date()
        var id: ObjectID?
        let outcome = try subject.save {
            id = try $0.insert("Album", ["name": "Ágætis", "search": "no", "trackCount": 9])
        }
        let album = try requireValue(id, "the album")
        try requireEqual(outcome.recomputed.ids, [album], "the rows that were computed")
        try requireEqual(try subject.value("search", of: album), "agætis", "canonical:")
        try requireEqual(try subject.value("trackCount", of: album), 0, "@count")
        try requireEqual(try subject.value("labelName", of: album), .null, "a path over nil")
        guard case .date(let savedAt) = try subject.value("savedAt", of: album) else {
            throw RuleViolation(detail: "the value of now() is not a date")
        }
        // Some engines store whole microseconds.
        let allowed = before.addingTimeInterval(-0.001)...Date().addingTimeInterval(0.001)
        try require(allowed.contains(savedAt), "now() is the moment of the save")
        try requireEqual(
            try subject.value("search", of: outcome.recomputed[row: 0]), "agætis",
            "the value in the outcome")
    },
    derived(
        "an update ignores derived values that others have changed, and returns the stored ones",
        proves: ["SaveOutcome.recomputed: The rows that differ"]
    ) { subject in
        let label = try subject.insert("Label", ["name": "ÉTÉ"])
        let outcome = try subject.save {
            try $0.update("Label", label, ["name": "ÉTÉ", "country": "Canada", "search": "old"])
        }
        try requireEqual(outcome.recomputed.ids, [label], "the rows that differ from the request")
        try requireEqual(
            try subject.value("search", of: outcome.recomputed[row: 0]), "ete",
            "the value in the outcome")
        try requireEqual(try subject.value("search", of: label), "ete", "the stored value")
    },
    derived(
        "a derived value is updated when members are added, changed and removed",
        proves: ["SaveOutcome.recomputed: They include rows of"]
    ) { subject in
        let album = try subject.insert("Album")
        let ids = try subject.insertAll(
            "Track", [100, 20].map { ["seconds": $0, "album": .objectID(album)] })
        try requireEqual(try subject.value("trackCount", of: album), 2, "the count")
        try requireEqual(try subject.value("seconds", of: album), .double(120), "the sum")
        try subject.save {
            try $0.update("Track", ids[0], ["seconds": 1, "album": .objectID(album)])
        }
        try requireEqual(try subject.value("seconds", of: album), .double(21), "the sum")
        try subject.save { draft in
            try draft.update("Track", ids[0], from: 2)
            draft.delete(ids[1])
        }
        try requireEqual(try subject.value("trackCount", of: album), 0, "the count")
        try requireEqual(try subject.value("seconds", of: album), .double(0), "the sum of nothing")
    },
    derived(
        "a derived value counts the members that overlapping saves add",
        proves: ["SaveOutcome.recomputed: Derived values are also right"]
    ) { subject in
        let album = try subject.insert("Album")
        let first = try subject.preparedTrack(of: album)
        defer { first.rollback() }
        try overlap(first) { try subject.preparedTrack(of: album) }
        try requireEqual(try subject.value("trackCount", of: album), 2, "the count")
        try requireEqual(try subject.value("seconds", of: album), .double(200), "the sum")
    },
    derived(
        "a derived value is updated when a derived value that it depends on changes",
        proves: ["SaveOutcome.recomputed: They include rows of"]
    ) {
        subject in
        let label = try subject.insert("Label", ["name": "ÉTÉ"])
        let album = try subject.insert("Album", ["label": .objectID(label)])
        try requireEqual(try subject.value("labelName", of: album), "ete", "the value at first")
        try subject.save { try $0.update("Label", label, ["name": "Hiver"]) }
        try requireEqual(try subject.value("labelName", of: album), "hiver", "the value after")
    },
    derived(
        "the changes since an earlier generation contain rows whose derived values changed",
        proves: ["StoreSnapshot.changes(since:): The result must contain"]
    ) { subject in
        let album = try subject.insert("Album")
        let before = try subject.store.snapshot()
        let track = try subject.insert("Track", ["album": .objectID(album)])
        let snapshot = try subject.store.snapshot()
        guard let changes = try snapshot.changes(since: before.generation) else { return }
        try requireEqual(changes.inserted, [track], "the inserted object")
        try require(
            changes.updated.contains(album), "the object whose count of tracks changed is reported")
    },
    derived(
        "a derived value is updated when pairs are added and removed on either side",
        proves: ["SaveOutcome.recomputed: They include rows of"]
    ) {
        subject in
        let (album, genre) = (try subject.insert("Album"), try subject.insert("Genre"))
        try subject.save { try $0.pair(.insert, "Album", "genres", album, genre) }
        try requireEqual(try subject.value("genreCount", of: album), 1, "the count with a pair")
        try subject.save { $0.delete(genre) }
        try requireEqual(try subject.value("genreCount", of: album), 0, "the count without a pair")
    },
    derived(
        "updating a derived value does not change the row's version or its now() value",
        proves: ["SaveOutcome.recomputed: They include rows of"]
    ) {
        subject in
        let album = try subject.insert("Album")
        let savedAt = try subject.value("savedAt", of: album)
        try subject.insert("Track", ["album": .objectID(album)])
        try requireEqual(try subject.row(of: album)?.version, 1, "the version")
        try requireEqual(try subject.value("trackCount", of: album), 1, "the count")
        try requireEqual(try subject.value("savedAt", of: album), savedAt, "the moment")
    },
    derived(
        "uniqueness constraints apply to the computed values of derived attributes",
        proves: ["SaveTransaction.prepare(_:): Text and binary data"]
    ) {
        subject in
        let one = try subject.insert("Album", ["name": "One", "search": "x"])
        try subject.insert("Album", ["name": "Two", "search": "one"])
        let refusal = try subject.refusal {
            try $0.insert("Album", ["name": "ONE", "search": "y"])
        }
        guard case .uniquenessConflicts(let conflicts)? = refusal else {
            throw RuleViolation(
                detail: "the save was not refused, although the computed value occurs twice")
        }
        try requireEqual(conflicts.map { $0.stored?.id }, [one], "the row that has the value")
    },
]

private func derivedAttribute(
    _ name: String, _ type: AttributeType, _ expression: String
) -> PropertyDescription {
    var attribute = AttributeDescription(name, type)
    attribute.derivation = Derivation(expression: expression)
    return .attribute(attribute)
}

var derivedEntities: [EntityDescription] {
    var album = EntityDescription(
        "Album",
        [
            .attribute("name", .string), derivedAttribute("search", .string, "canonical:(name)"),
            derivedAttribute("trackCount", .integer16, "tracks.@count"),
            derivedAttribute("seconds", .double, "tracks.@sum.seconds"),
            derivedAttribute("labelName", .string, "label.search"),
            derivedAttribute("savedAt", .date, "now()"),
            derivedAttribute("genreCount", .integer64, "genres.@count"),
            .toMany("tracks", "Track", inverse: "album"),
            .toOne("label", "Label", inverse: "albums"),
            .toMany("genres", "Genre", inverse: "albums"),
        ])
    album.uniquenessConstraints = [["search"]]
    return [
        album,
        EntityDescription(
            "Track",
            [.attribute("seconds", .integer64), .toOne("album", "Album", inverse: "tracks")]),
        EntityDescription(
            "Label",
            [
                .attribute("name", .string), .attribute("country", .string),
                derivedAttribute("search", .string, "canonical:(name)"),
                .toMany("albums", "Album", inverse: "label"),
            ]),
        EntityDescription("Genre", [.toMany("albums", "Album", inverse: "genres")]),
    ]
}

extension StoreSubject {
    /// Returns a prepared save of a new track of 100 seconds.
    fileprivate func preparedTrack(of album: ObjectID) throws -> any SaveTransaction {
        let save = try store.beginSave()
        var draft = SaveDraft(self, save)
        try draft.insert("Track", ["seconds": 100, "album": .objectID(album)])
        try save.prepare(draft.request)
        return save
    }

    /// Creates a store with another model, in the rule's folder.
    ///
    /// - Throws: ``RuleNotApplicable`` if the engine refuses the model as `.unsupported`.
    func opened(
        _ entities: [EntityDescription], named name: String
    ) throws -> StoreSubject {
        let model = try ManagedObjectModel(entities)
        let request = OpenRequest(
            location: harness.location(name, in: folder), model: model)
        do {
            return try opened(request)
        } catch {
            guard case .unsupported = error else { throw error }
            throw RuleNotApplicable("it does not compute derived attributes")
        }
    }
}
