import CairnModel
import CairnRows
import CairnStore
import Foundation

private func referring(
    _ words: String, file: StaticString = #fileID, line: UInt = #line,
    body: @escaping ConformanceRule.Body
) -> ConformanceRule {
    ConformanceRule(
        words, needs: .references,
        alternative: "objects without references are identified by their keys, also in URIs",
        file: file, line: line, body: body
    ) { subject in
        let id = try subject.insert("Album", ["name": "one"])
        try requireEqual(
            id.uriRepresentation().lastPathComponent, "p\(id.key)", "the last part of the URI")
        try requireEqual(try subject.id(id.uriRepresentation()), id, "the object of the URI")
        try requireEqual(
            subject.store.referenceObject(for: id), .number(id.key), "the reference of the object")
    }
}

/// Rules for engines that identify objects by text or UUIDs.
let referenceRules: [ConformanceRule] = [
    referring("each object has its own reference, and is found by the reference and by its URI") {
        subject in
        let ids = try subject.insertEverywhere()
        let references = try ids.map { id in
            try requireValue(
                subject.store.referenceObject(for: id), "the reference of a saved object")
        }
        try requireEqual(Set(references).count, ids.count, "the number of different references")
        try require(
            references.contains { $0.kind != nil }, "some objects are identified by text or UUIDs")
        for (id, reference) in zip(ids, references) {
            let entity = try requireValue(subject.model.entity(numbered: id.entity), "an entity")
            try requireEqual(
                subject.store.objectID(for: entity, referenceObject: reference), id,
                "the object of a reference")
            try requireEqual(try subject.id(id.uriRepresentation()), id, "the object of a URI")
            try requireEqual(try subject.row(of: id)?.id, id, "the object of the row")
        }
    },
    referring("a reference has the same number in all snapshots and handles") { subject in
        let ids = try subject.insertAll("Album", ["a", "b", "c"].map { ["name": .string($0)] })
        let before = try subject.store.snapshot()
        let numbers = try subject.numbersByName(in: before)
        let other = subject.isDurable ? try subject.openAgain() : subject
        defer { if subject.isDurable { try? other.store.close() } }
        try other.save { draft in
            draft.delete(ids[0])
            try draft.insertAll("Album", ["d", "e"].map { ["name": .string($0)] })
        }
        let after = try subject.store.snapshot()
        try requireEqual(
            try subject.numbersByName(in: before), numbers, "the numbers in an earlier snapshot")
        for (name, key) in try subject.numbersByName(in: after) where numbers[name] != nil {
            try requireEqual(key, numbers[name], "the number of “\(name)” in a later snapshot")
        }
        try requireEqual(
            try other.numbersByName(in: other.store.snapshot()),
            try subject.numbersByName(in: after), "the numbers that another handle reads")
        try requireEqual(
            try subject.numbersByName(in: after).count, 4, "the number of different objects")
    },
    referring("a reference is never assigned twice, even if its object was deleted or never saved")
    { subject in
        var known: [ReferenceObject] = []
        func note(_ ids: [ObjectID]) {
            known += ids.compactMap { subject.store.referenceObject(for: $0) }
        }
        let deleted = try subject.insertAll("Album", [[:], [:]])
        note(deleted)
        try subject.save { draft in for id in deleted { draft.delete(id) } }
        note(try subject.keys("Album", 3).map { try subject.id("Album", $0) })
        note(try subject.insertAll("Album", [[:], [:], [:]]))
        if subject.isDurable {
            let again = try subject.reopened()
            defer { try? again.store.close() }
            note(try again.insertAll("Album", [[:], [:]]))
        }
        try requireEqual(Set(known).count, known.count, "the number of different references")
    },
    referring("an object with a key that was not reserved gets a reference when it is saved") {
        subject in
        let row = try subject.row("Album", 1000, ["name": "brought"])
        try subject.save { $0.request.inserted = RowBatch([row]) }
        let uri = row.id.uriRepresentation()
        try require(
            subject.store.referenceObject(for: row.id) != nil, "the object has a reference")
        try requireEqual(try subject.id(uri), row.id, "the object of the URI")
        guard subject.isDurable else { return }
        let worker = try subject.openedElsewhere()
        try requireEqual(
            try worker.require(.names([uri])).texts, ["brought"],
            "the object that another process finds")
    },
    referring("a URI leads to the same object in every process and after the store is opened again")
    {
        subject in
        // Reserves numbers that another process does not assign in the same way.
        _ = try subject.keys("Album", 5)
        _ = try subject.keys("Person", 7)
        let names = ["a", "b", "c"]
        let albums = try subject.insertAll("Album", names.map { ["name": .string($0)] })
        let people = try subject.insertAll("Person", names.map { ["name": .string($0)] })
        let uris = (albums + people).reversed().map { $0.uriRepresentation() }
        let wanted = Array((names + names).reversed())
        guard subject.isDurable else {
            return try requireEqual(
                try uris.map { try subject.name(of: try subject.id($0)) }, wanted, "the objects")
        }
        let worker = try subject.openedElsewhere()
        try requireEqual(
            try worker.require(.names(uris)).texts, wanted, "the objects in another process")
        let theirs = try worker.require(.insert(["theirs"])).uris
        try requireEqual(
            try theirs.map { try subject.name(of: try subject.id($0)) }, ["theirs"],
            "the object that another process saved")
        let again = try subject.reopened()
        defer { try? again.store.close() }
        try requireEqual(
            try uris.map { try again.name(of: try again.id($0)) }, wanted,
            "the objects after opening again")
    },
    referring("relationships lead to the same objects in every process") { subject in
        for entity in ["Album", "Person", "Label"] { _ = try subject.keys(entity, 4) }
        let (album, label) = try subject.insertRelated()
        let questions = [
            ("Album", "label", album, ["label"]), ("Album", "tracks", album, ["", ""]),
            ("Album", "genres", album, ["first", "second"]), ("Label", "boss", label, ["boss"]),
            ("Label", "albums", label, ["album"]),
        ]
        let worker = subject.isDurable ? try subject.openedElsewhere() : nil
        for (entity, relationship, owner, wanted) in questions {
            let uri = owner.uriRepresentation()
            let found =
                try worker?.require(
                    .related(uri, entity: entity, relationship: relationship)
                ).texts ?? subject.names(entity, relationship, of: uri)
            try requireEqual(found.sorted(), wanted, "the names in \(entity).\(relationship)")
        }
    },
    referring("a reference without an object has no row") { subject in
        try subject.insert("Album", ["name": "there"])
        for kind in [nil] + ReferenceObject.Kind.allCases.map(Optional.some) {
            let reference = kind?.makeReference() ?? .number(4711)
            guard
                let id = subject.store.objectID(
                    for: try subject.entity("Album"), referenceObject: reference)
            else { continue }
            try requireEqual(
                try subject.row(of: id)?.id, nil, "the row of a reference without an object")
            try requireEqual(
                try subject.members("Album", "tracks", of: id), [],
                "the members of a reference without an object")
        }
    },
]

extension StoreSubject {
    fileprivate var isDurable: Bool { harness.engine.capabilities.isDurable }

    /// Saves objects of several root entities.
    fileprivate func insertEverywhere() throws -> [ObjectID] {
        try ["Album", "Tag", "Genre", "Label", "Person", "Note", "Sample", "LiveTrack"].flatMap {
            try insertAll($0, [[:], [:]])
        }
    }

    /// Saves an album with a label, tracks and genres, and a boss for the label.
    fileprivate func insertRelated() throws -> (album: ObjectID, label: ObjectID) {
        var made: (album: ObjectID, label: ObjectID)?
        let boss = try insert("Person", ["name": "boss"])
        try save { draft in
            let label = try draft.insert("Label", ["name": "label", "boss": .objectID(boss)])
            try draft.update("Person", boss, ["name": "boss", "leads": .objectID(label)])
            let album = try draft.insert("Album", ["name": "album", "label": .objectID(label)])
            for _ in 0..<2 { try draft.insert("Track", ["album": .objectID(album)]) }
            for name in ["first", "second"] {
                let genre = try draft.insert("Genre", ["name": .string(name)])
                try draft.pair(.insert, "Album", "genres", album, genre)
            }
            made = (album, label)
        }
        return try requireValue(made, "the album")
    }

    /// Returns the numbers of all albums in a snapshot, by name.
    fileprivate func numbersByName(in snapshot: any StoreSnapshot) throws -> [String: Int64] {
        var numbers: [String: Int64] = [:]
        for row in try rows("Album", in: snapshot) {
            numbers[try name(of: row.id, in: snapshot)] = row.key
        }
        return numbers
    }
}
