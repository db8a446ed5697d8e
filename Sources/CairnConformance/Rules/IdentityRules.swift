import CairnModel
import CairnStore

let identityRules: [ConformanceRule] = [
    ConformanceRule("keys begin at 1 in each root entity") { subject in
        let (albums, tracks) = try (subject.keys("Album", 3), subject.keys("Track", 2))
        try requireEqual(albums.lowerBound, 1, "the first key of an entity")
        try requireEqual(albums.count, 3, "the number of keys given for 3")
        try requireEqual(tracks.lowerBound, 1, "the first key of another root entity")
    },
    ConformanceRule("a key is never given twice, even where the save that took it is rolled back") {
        subject in
        let first = try subject.keys("Album", 5)
        let second = try subject.keys("Album", 5)
        let save = try subject.store.beginSave()
        let album = try subject.entity("Album").number
        let third = try requireValue(try save.reserveKeys([album: 2])[album], "keys")
        let fourth = try requireValue(try save.reserveKeys([album: 2])[album], "keys")
        save.rollback()
        try require(first.upperBound <= second.lowerBound, "keys of a later save are higher")
        try require(second.upperBound <= third.lowerBound, "keys of a later save are higher")
        try require(third.upperBound <= fourth.lowerBound, "keys of a later call are higher")
    },
    ConformanceRule("a key is never given twice, even where its object was deleted") { subject in
        let id = try subject.insert("Album")
        try subject.save { $0.delete(id) }
        try require(
            try subject.keys("Album", 1).lowerBound > id.key, "the key is above the deleted one")
    },
    ConformanceRule("a key that a request brings counts as reserved, its object deleted or not") {
        subject in
        try subject.save { draft in
            draft.request.inserted.append(RowBatch([try subject.row("Album", 1000)]))
        }
        try subject.save { $0.delete(try subject.id("Album", 1000)) }
        try require(
            try subject.keys("Album", 1).lowerBound > 1000, "the key is above the one brought")
    },
    ConformanceRule("a subentity takes its keys from its root entity") { subject in
        let track = try subject.insert("Track")
        let live = try subject.insert("LiveTrack")
        try require(track.key != live.key, "keys are unique in a root entity's hierarchy")
        try requireEqual(
            Set(try subject.rows("Track").map(\.key)), [track.key, live.key], "the keys stored")
    },
    ConformanceRule("keys come above every key in the store") { subject in
        try subject.save { draft in
            draft.request.inserted.append(RowBatch([try subject.row("LiveTrack", 1000)]))
        }
        try require(
            try subject.keys("Track", 1).lowerBound > 1000, "the key is above the highest one")
    },
    ConformanceRule("an entity with a count of 0 is absent") { subject in
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        let (album, tag) = (try subject.entity("Album").number, try subject.entity("Tag").number)
        let keys = try save.reserveKeys([album: 0, tag: 1])
        try requireEqual(Set(keys.keys), [tag], "the entities that were given keys")
    },
    ConformanceRule("keys run out with an error that names the entity") { subject in
        try subject.save { draft in
            draft.request.inserted.append(RowBatch([try subject.row("Album", .max)]))
        }
        do {
            _ = try subject.keys("Album", 1)
        } catch StoreError.keysExhausted(let entity) {
            return try requireEqual(entity, "Album", "the entity in the error")
        }
        throw RuleViolation(detail: "there is no key above the highest one, and one was given")
    },
    ConformanceRule("an ID has the store's number, the root entity, and the concrete one") {
        subject in
        let id = try subject.insert("LiveTrack", ["title": "x"])
        let found = try subject.ids(try subject.plan("Track"))
        try requireEqual(found, [id], "the IDs found")
        let live = try subject.entity("LiveTrack")
        try requireEqual(found[0].entity, live.number, "the concrete entity in the ID")
        try requireEqual(found[0].rootEntity, live.rootEntity.number, "the root entity in the ID")
        try requireEqual(found[0].store, subject.store.number, "the store in the ID")
    },
]

extension StoreSubject {
    /// Keys that are reserved by a save that is rolled back.
    func keys(_ entity: String, _ count: Int) throws -> Range<Int64> {
        let save = try store.beginSave()
        defer { save.rollback() }
        let root = try self.entity(entity).rootEntity.number
        return try requireValue(try save.reserveKeys([root: count])[root], "keys of \(entity)")
    }
}
