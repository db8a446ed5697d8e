import CairnModel
import CairnRows
import CairnStore
import Foundation

/// The promise of engines whose rows do not outlive the process.
private let isNewEachTime = "a store that is not durable is new and empty each time it is opened"

private let requireNew: ConformanceRule.Body = { subject in
    try subject.insert("Album")
    let identifier = try subject.store.metadata().identifier
    try subject.store.close()
    let again = try subject.openAgain(createsMissing: true)
    defer { try? again.store.close() }
    try require(try again.rows("Album").isEmpty, "the store is empty")
    try require(
        try again.store.metadata().identifier != identifier, "the store is another one")
}

private func durable(
    _ words: String, proves: [String], file: StaticString = #fileID, line: UInt = #line,
    body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, proves: proves, needs: .durability, alternative: isNewEachTime,
        alternativeProves: ["StoreCapabilities.isDurable: A store that is"], file: file, line: line,
        body: body,
        otherwise: requireNew)
}

let reopeningRules: [ConformanceRule] = [
    durable(
        "rows, versions, members and order are unchanged after the store is opened again",
        proves: ["StoreCapabilities.isDurable: Whether rows outlive the"]
    ) {
        subject in
        let fixture = try MusicFixture(subject)
        let album = fixture.albums[0]
        try subject.save { try $0.update("Album", fixture.albums[1], ["name": "changed"]) }
        let rows = try subject.rows("Track")
        let tracks = try subject.members("Album", "tracks", of: album)
        let genres = try subject.members("Album", "genres", of: album)
        let again = try subject.reopened()
        defer { try? again.store.close() }
        let found = try again.rows("Track")
        try requireEqual(found.map(\.id), rows.map(\.id), "the objects")
        for (old, new) in zip(rows, found) {
            try require(Row.hasSameBytes(old, new), "the row \(old.key) is unchanged")
        }
        try requireEqual(
            try again.value("name", of: fixture.albums[1]), "changed", "the value changed last")
        try requireEqual(try again.row(of: fixture.albums[1])?.version, 2, "the version")
        try requireEqual(try again.members("Album", "tracks", of: album), tracks, "the order")
        try requireEqual(try again.members("Album", "genres", of: album), genres, "the pairs")
    },
    durable(
        "the last reordering is kept after the store is opened again",
        proves: ["StoreCapabilities.isDurable: Whether rows outlive the"]
    ) { subject in
        let fixture = try MusicFixture(subject)
        let album = fixture.albums[0]
        let tracks = try subject.members("Album", "tracks", of: album)
        try subject.save { draft in
            try draft.touch("Album", album, from: 1, ["name": "One", "year": 1959])
            try draft.pair(.reorder, "Album", "tracks", album, tracks[1], order: 1)
        }
        let again = try subject.reopened()
        defer { try? again.store.close() }
        try requireEqual(
            try again.members("Album", "tracks", of: album), tracks.reversed(), "the order")
    },
    durable(
        "identifier, number, metadata and hashes are the same after the store is opened again",
        proves: ["StoreMetadata.identifier: The store's identifier, an"]
    ) {
        subject in
        try subject.save { $0.request.metadata = metadataSamples }
        let before = try subject.store.metadata()
        let again = try subject.reopened()
        defer { try? again.store.close() }
        let after = try again.store.metadata()
        try requireEqual(after.identifier, before.identifier, "the identifier")
        try requireEqual(after.entityVersionHashes, before.entityVersionHashes, "the hashes")
        for (name, value) in metadataSamples {
            try requireEqual(after.values[name], value, "the application value “\(name)”")
        }
        try requireEqual(again.store.number, subject.store.number, "the store's number")
    },
    durable(
        "metadata and the model can be read without opening the store",
        proves: [
            "FileStore.recognizes(_:): Returns whether the file",
            "FileStore.metadata(at:): Reads a store's metadata",
            "FileStore.model(at:): Reads the model that",
            "FileStore.entityCounts(at:): Counts the rows of",
            "FileStore.entityCounts(at:): Abstract entities are included",
        ]
    ) { subject in
        try subject.insertAll("Track", [[:], [:]])
        try subject.insert("LiveTrack")
        try subject.save { $0.request.metadata = ["mine": 7] }
        let open = try subject.store.metadata()
        try subject.store.close()
        let engine = try subject.fileEngine()
        let metadata = try engine.metadata(at: subject.location)
        try requireEqual(metadata.identifier, open.identifier, "the identifier")
        try requireEqual(metadata.type, engine.type, "the type")
        try requireEqual(metadata.entityVersionHashes, open.entityVersionHashes, "the hashes")
        try requireEqual(metadata.values["mine"], 7, "the application value")
        try require(engine.recognizes(subject.location), "the engine recognizes its file")
        guard let model = try engine.model(at: subject.location) else { return }
        try requireEqual(
            try ManagedObjectModel(model).entityVersionHashes, open.entityVersionHashes,
            "the hashes of the model inside the store")
        let counts = try engine.entityCounts(at: subject.location)
        try requireEqual(counts["Track"], 2, "the tracks counted without a model")
        try requireEqual(counts["LiveTrack"], 1, "the live tracks counted without a model")
    },
    durable(
        "a key is never reserved twice, even after the store is opened again",
        proves: [
            "SaveTransaction.reserveKeys(_:): A key is never",
            "SaveTransaction.reserveKeys(_:): The ID of an",
        ]
    ) {
        subject in
        let id = try subject.insert("Album")
        try subject.save { $0.delete(id) }
        let rolledBack = try subject.keys("Album", 5)
        let again = try subject.reopened()
        defer { try? again.store.close() }
        try require(
            try again.keys("Album", 1).lowerBound >= rolledBack.upperBound,
            "the key is greater than all keys that were reserved before")
    },
    durable(
        "every value is unchanged after the store is opened again",
        proves: ["StoreCapabilities.Fidelity.exact: Every value is read"]
    ) { subject in
        let fixture = try FetchFixture(subject)
        let blob = Data(repeating: 9, count: 300_000)
        let file = try subject.insert("File", ["blob": .binary(blob)])
        let again = try subject.reopened()
        defer { try? again.store.close() }
        for row in fixture.all.rows {
            let found = try requireValue(try again.row(of: row.id), "the row \(row.key)")
            try require(Row.hasSameBytes(row, found), "the row \(row.key) is unchanged")
        }
        try require(
            try again.value("blob", of: file) == .binary(blob),
            "the bytes that are stored outside the row")
    },
    durable(
        "a read-only store refuses saves with .readOnly and changes no file",
        proves: [
            "PersistentStore.beginSave(): Throws `.readOnly` if the",
            "PersistentStore.beginSave(): .readOnly", "PersistentStore.reserveKeys(_:): .readOnly",
            "OpenRequest.isReadOnly: The engine then refuses",
        ]
    ) {
        subject in
        let fixture = try MusicFixture(subject)
        try subject.store.close()
        let before = try subject.files()
        let reader = try subject.openAgain(isReadOnly: true)
        try requireError("a save is refused", .readOnly) { try reader.store.beginSave() }
        let counts = [try reader.entity("Album").number: 1]
        try requireError("a save with keys is refused", .readOnly) {
            try reader.store.beginSave(reserving: counts)
        }
        do {
            let keys = try reader.store.reserveKeys(counts)
            try require(keys == nil, "a read-only store reserves no keys")
        } catch StoreError.readOnly {}
        try requireEqual(
            try reader.rows("Album").map(\.id), fixture.albums, "the objects that are read")
        try reader.store.close()
        let after = try subject.files()
        for (path, bytes) in before {
            try require(after[path] == bytes, "\(path) is unchanged")
        }
    },
    durable(
        "a model with more entities reads the same objects, even if entity numbers differ",
        proves: [
            "PersistentStore.open(_:): The model may have",
            "PersistentStore.open(_:): The store then has",
        ]
    ) {
        subject in
        let fixture = try MusicFixture(subject)
        let tracks = try subject.rows("Track").map(\.key)
        let titles = try subject.rows("Track").map { try subject.value("title", of: $0) }
        try subject.store.close()
        let other = try subject.opened(subject.requestWithLargerModel())
        defer { try? other.store.close() }
        let ids = try other.ids(try other.plan("Track", output: .ids)).sorted { $0.key < $1.key }
        try requireEqual(ids.map(\.key), tracks, "the keys of the tracks")
        let live = try other.entity("LiveTrack").number
        try requireEqual(ids.map { $0.entity == live }, [false, true, false], "the live tracks")
        try requireEqual(
            try other.rows("Track").map { try other.value("title", of: $0) }, titles, "the titles")
        let album = try other.id("Album", fixture.albums[0].key)
        try requireEqual(
            try other.members("Album", "tracks", of: album).map(\.entity),
            [try other.entity("Track").number, live], "the entities of an album's tracks")
        try requireEqual(try other.rows("Aaa").count, 0, "the objects of a new entity")
        try requireEqual(try other.rows("Bootleg").count, 0, "the objects of a new subentity")
    },
    durable(
        "what was saved with a model that has more entities can be read with that model",
        proves: [
            "PersistentStore.open(_:): The model may have",
            "PersistentStore.open(_:): The store then has",
        ]
    ) {
        subject in
        let fixture = try MusicFixture(subject)
        try subject.store.close()
        let other = try subject.opened(subject.requestWithLargerModel())
        let album = try other.id("Album", fixture.albums[1].key)
        var (live, tag) = (album, album)
        try other.save { draft in
            live = try draft.insert("LiveTrack", ["venue": "Blackhawk", "album": .objectID(album)])
            tag = try draft.insert("Tag", ["best": .objectID(live), "name": "live"])
            try draft.pair(.insert, "Album", "tracks", album, live, order: 1)
            try draft.pair(.insert, "Tag", "tracks", tag, live, order: 1, inverseOrder: 1)
            try draft.update("Album", album, ["name": "changed"])
        }
        try other.store.close()
        let again = try other.opened(other.requestWithLargerModel())
        defer { try? again.store.close() }
        let entity = try again.entity("LiveTrack").number
        try requireEqual(try again.row(of: live)?.entity, entity, "the entity of a new object")
        try requireEqual(
            try again.value("venue", of: live), "Blackhawk", "a value of the new object")
        guard case .objectID(let best) = try again.value("best", of: tag) else {
            throw RuleViolation(detail: "the to-one relationship does not lead to the new object")
        }
        try requireEqual(best.entity, entity, "the entity that a to-one leads to")
        try requireEqual(
            try again.members("Tag", "tracks", of: tag).map(\.entity), [entity],
            "the entity of a member of a pair")
        try requireEqual(
            try again.members("Album", "tracks", of: album).first?.entity, entity,
            "the entity of an ordered member")
        try requireEqual(try again.value("name", of: album), "changed", "a value that was changed")
    },
    durable(
        "an object of an entity that was added later is saved, or refused as .unsupported",
        proves: ["PersistentStore.open(_:): Saving an object of"]
    ) {
        subject in
        let fixture = try MusicFixture(subject)
        try subject.store.close()
        for entity in ["Aaa", "Bootleg"] {
            let other = try subject.opened(subject.requestWithLargerModel())
            var isSaved = true
            do {
                _ = try other.insert(entity, ["word": "new"])
            } catch StoreError.unsupported {
                isSaved = false
            }
            try other.store.close()
            let again = try subject.opened(subject.requestWithLargerModel())
            let words = try again.rows(entity).map { try again.value("word", of: $0) }
            try requireEqual(words, isSaved ? ["new"] : [], "the objects of \(entity)")
            let albums = try again.rows("Album")
            try requireEqual(albums.map(\.key), fixture.albums.map(\.key), "the other objects")
            try again.store.close()
        }
    },
    durable(
        "a store is opened for a configuration, or refused, after other entities changed",
        proves: ["PersistentStore.open(_:): Entities outside the request's"]
    ) {
        subject in
        try subject.insert("Album")
        try subject.store.close()
        var description = subject.model.description
        description.entities.removeAll { $0.name == "Note" }
        description.entities.append(
            EntityDescription(
                "Note", [.attribute("other", .integer16), .toMany("others", "Note")]))
        let changed = try ManagedObjectModel(description)
        for count in 1...2 {
            let request = OpenRequest(
                location: subject.location, model: changed, configuration: "Albums")
            let other: StoreSubject
            do {
                other = try subject.opened(request)
            } catch StoreError.unsupported {
                // Nothing was changed: the store can be opened as before.
                let again = try subject.openAgain()
                try requireEqual(try again.rows("Album").count, 1, "the objects after the refusal")
                return try again.store.close()
            }
            try requireEqual(try other.rows("Album").count, count, "the objects that are held")
            try other.insert("Album")
            try other.store.close()
        }
    },
    durable(
        "a store of another model is refused with the names of the entities that differ",
        proves: [
            "PersistentStore.open(_:): The model of the",
            "PersistentStore.open(_:): Otherwise `.modelMismatch` names each",
            "PersistentStore.open(_:): .modelMismatch",
        ]
    ) {
        subject in
        try subject.insert("Album")
        try subject.store.close()
        var description = subject.model.description
        description.entities.removeAll { $0.name == "Note" || $0.name == "File" }
        description.entities.append(EntityDescription("Note", [.attribute("other", .integer16)]))
        let other = try ManagedObjectModel(description)
        do {
            let request = OpenRequest(location: subject.location, model: other)
            try subject.open(request).close()
        } catch StoreError.modelMismatch(_, let differences) {
            // A store may contain more entities than the model has. Only the entities that both have must
            // agree.
            let note = try requireValue(
                differences.first { $0.entity == "Note" }, "the entity that differs, by name")
            try requireEqual(
                note.stored, subject.model.entity(named: "Note")?.versionHash, "the stored hash")
            try requireEqual(
                note.model, other.entity(named: "Note")?.versionHash, "the model's hash")
            try require(
                !differences.contains { $0.entity == "Album" },
                "an entity that does not differ is not listed"
            )
            return
        }
        throw RuleViolation(
            detail: "the store was opened although the model has other version hashes")
    },
]

extension StoreSubject {
    /// Returns a request to open the store with a larger model. It has two more root entities, one before
    /// all others and one among them, and one more subentity.
    fileprivate func requestWithLargerModel() throws -> OpenRequest {
        var description = model.description
        let new = [("Aaa", nil), ("Motet", nil), ("Bootleg", "Track")] as [(String, String?)]
        for (name, superentity) in new where model.entity(named: name) == nil {
            description.entities.append(
                EntityDescription(
                    name, superentity: superentity,
                    [.attribute("word", .string), .toOne("track", "Track")]))
        }
        return OpenRequest(
            location: location, model: try ManagedObjectModel(description), createsMissing: false)
    }
}
