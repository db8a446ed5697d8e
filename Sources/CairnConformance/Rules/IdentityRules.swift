import CairnModel
import CairnRows
import CairnStore
import Synchronization

let identityRules: [ConformanceRule] = [
    ConformanceRule(
        "keys begin at 1 in each root entity",
        proves: [
            "SaveTransaction.reserveKeys(_:): Returns, for each root",
            "SaveTransaction.reserveKeys(_:): Keys are greater than",
        ]
    ) { subject in
        let (albums, tracks) = try (subject.keys("Album", 3), subject.keys("Track", 2))
        try requireEqual(albums.lowerBound, 1, "the first key of an entity")
        try requireEqual(albums.count, 3, "the number of keys given for 3")
        try requireEqual(tracks.lowerBound, 1, "the first key of another root entity")
    },
    ConformanceRule(
        "a key is never reserved twice, even if the save that reserved it is rolled back",
        proves: [
            "SaveTransaction.reserveKeys(_:): A key is never",
            "SaveTransaction.reserveKeys(_:): The ID of an",
        ]
    ) {
        subject in
        let first = try subject.keys("Album", 5)
        let second = try subject.keys("Album", 5)
        let save = try subject.store.beginSave()
        let album = try subject.entity("Album").number
        let third = try requireValue(try save.reserveKeys([album: 2])[album], "keys")
        let fourth = try requireValue(try save.reserveKeys([album: 2])[album], "keys")
        save.rollback()
        try require(first.upperBound <= second.lowerBound, "keys of a later save are greater")
        try require(second.upperBound <= third.lowerBound, "keys of a later save are greater")
        try require(third.upperBound <= fourth.lowerBound, "keys of a later call are greater")
    },
    ConformanceRule(
        "a key is never reserved twice, even if its object was deleted",
        proves: [
            "SaveTransaction.reserveKeys(_:): A key is never",
            "SaveTransaction.reserveKeys(_:): The ID of an",
        ]
    ) { subject in
        let id = try subject.insert("Album")
        try subject.save { $0.delete(id) }
        try require(
            try subject.keys("Album", 1).lowerBound > id.key,
            "the key is greater than that of the deleted object")
    },
    ConformanceRule(
        "a key in a request counts as reserved, even after its object was deleted",
        proves: ["SaveRequest.inserted: The engine stores both"]
    ) {
        subject in
        try subject.save { draft in
            draft.request.inserted.append(RowBatch([try subject.row("Album", 1000)]))
        }
        try subject.save { $0.delete(try subject.id("Album", 1000)) }
        try require(
            try subject.keys("Album", 1).lowerBound > 1000,
            "the key is greater than the one that the request contains")
    },
    ConformanceRule(
        "a subentity shares the keys of its root entity",
        proves: [
            "SaveTransaction.reserveKeys(_:): Returns, for each root",
            "SaveTransaction.reserveKeys(_:): Keys are counted by",
        ]
    ) { subject in
        let track = try subject.insert("Track")
        let live = try subject.insert("LiveTrack")
        try require(track.key != live.key, "keys are unique in a root entity's hierarchy")
        try requireEqual(
            Set(try subject.rows("Track").map(\.key)), [track.key, live.key], "the keys stored")
    },
    ConformanceRule(
        "reserved keys are greater than every key in the store",
        proves: ["SaveTransaction.reserveKeys(_:): Keys are greater than"]
    ) { subject in
        try subject.save { draft in
            draft.request.inserted.append(RowBatch([try subject.row("LiveTrack", 1000)]))
        }
        try require(
            try subject.keys("Track", 1).lowerBound > 1000,
            "the key is greater than the highest one")
    },
    ConformanceRule(
        "reserving 0 keys for an entity leaves the entity out of the result",
        proves: ["SaveTransaction.reserveKeys(_:): An entity with a"]
    ) {
        subject in
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        let (album, tag) = (try subject.entity("Album").number, try subject.entity("Tag").number)
        let keys = try save.reserveKeys([album: 0, tag: 1])
        try requireEqual(Set(keys.keys), [tag], "the entities for which keys were reserved")
    },
    ConformanceRule(
        "if no key is left, reserving a key throws an error that names the entity",
        proves: ["SaveTransaction.reserveKeys(_:): .keysExhausted"]
    ) {
        subject in
        try subject.save { draft in
            draft.request.inserted.append(RowBatch([try subject.row("Album", .max)]))
        }
        do {
            _ = try subject.keys("Album", 1)
        } catch StoreError.keysExhausted(let entity) {
            return try requireEqual(entity, "Album", "the entity in the error")
        }
        throw RuleViolation(
            detail: "a key was reserved, although no key is greater than the highest one")
    },
    ConformanceRule(
        "an ID contains the store's number, the root entity and the concrete entity",
        proves: ["PersistentStore.number: The number that identifies"]
    ) {
        subject in
        let id = try subject.insert("LiveTrack", ["title": "x"])
        let found = try subject.ids(try subject.plan("Track"))
        try requireEqual(found, [id], "the IDs found")
        let live = try subject.entity("LiveTrack")
        try requireEqual(found[0].entity, live.number, "the concrete entity in the ID")
        try requireEqual(found[0].rootEntity, live.rootEntity.number, "the root entity in the ID")
        try requireEqual(found[0].store, subject.store.number, "the store in the ID")
    },
    ConformanceRule(
        "a save begins with the requested keys, on the newest state of the store",
        proves: [
            "PersistentStore.beginSave(reserving:): Begins a save like",
            "BegunSave.keys: For each root entity", "BegunSave.generation: No one else commits",
        ]
    ) {
        subject in
        let albums = try subject.insertAll("Album", [[:], [:]])
        let (album, label) = (
            try subject.entity("Album").number, try subject.entity("Label").number
        )
        let newest = try subject.store.newestGeneration()
        let begun = try subject.store.beginSave(reserving: [album: 3, label: 2])
        defer { begun.transaction.rollback() }
        try requireEqual(
            begun.keys.mapValues(\.count), [album: 3, label: 2], "the number of keys")
        let keys = try requireValue(begun.keys[album], "keys of Album")
        try require(
            keys.lowerBound > albums[1].key, "the keys are greater than every key in the store")
        if let generation = begun.generation {
            try requireEqual(generation, newest, "the state that the save is based on")
        }
        let more = try begun.transaction.reserveKeys([album: 2])
        try require(
            try requireValue(more[album], "more keys").lowerBound >= keys.upperBound,
            "keys that are reserved in the save are different ones")
        begun.transaction.rollback()
        try require(
            try subject.keys("Album", 1).lowerBound >= keys.upperBound,
            "the keys are not reserved again after a rollback")
        let without = try subject.store.beginSave(reserving: [:])
        defer { without.transaction.rollback() }
        try requireEqual(without.keys.count, 0, "the number of keys of a save that requests none")
    },
    ConformanceRule(
        "a save does not begin if its keys cannot be reserved",
        proves: [
            "PersistentStore.beginSave(reserving:): If this method throws",
            "PersistentStore.beginSave(reserving:): Rolls the save back",
            "SaveTransaction.reserveKeys(_:): .unsupported",
        ]
    ) { subject in
        let other = try ManagedObjectModel((1...40).map { EntityDescription("Entity\($0)") })
        let unknown = try requireValue(other.entities.last, "an entity").number
        let takesTimeout = subject.harness.engine.capabilities.options.contains(.timeout)
        let store = try subject.open(
            OpenRequest(
                location: subject.harness.location("impatient", in: subject.folder),
                model: subject.model, options: takesTimeout ? [.timeout: 0.05] : [:]))
        defer { try? store.close() }
        try requireError("keys for an entity that is not in the model", .unsupported) {
            try store.beginSave(reserving: [unknown: 1]).transaction.rollback()
        }
        let next = Mutex<Result<Void, any Error>?>(nil)
        onAnotherThread {
            let result = Result { try store.beginSave().rollback() }
            next.withLock { $0 = result }
        }
        try requireValue(next.withLock { $0 }, "the next save").get()
    },
    ConformanceRule(
        "keys that are reserved outside a save are not reserved again",
        proves: [
            "PersistentStore.reserveKeys(_:): Reserves keys outside of",
            "PersistentStore.reserveKeys(_:): Returns, for each root",
            "PersistentStore.reserveKeys(_:): A key is never",
        ]
    ) { subject in
        let album = try subject.entity("Album").number
        guard let first = try subject.store.reserveKeys([album: 3]) else {
            // The engine reserves keys only in saves, which the other rules test.
            return try requireEqual(try subject.keys("Album", 3).count, 3, "the number of keys")
        }
        var ranges = [try requireValue(first[album], "keys of Album")]
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        let second = try subject.store.reserveKeys([album: 2])
        ranges.append(try requireValue(second?[album], "keys that are reserved during a save"))
        ranges.append(try requireValue(try save.reserveKeys([album: 2])[album], "the save's"))
        save.rollback()
        ranges.append(try subject.keys("Album", 2))
        try requireEqual(ranges.map(\.count), [3, 2, 2, 2], "the number of keys")
        try requireEqual(Set(ranges.flatMap(Array.init)).count, 9, "the number of different keys")
        let row = try subject.row("Album", ranges[0].lowerBound, ["name": "reserved before"])
        try subject.save { $0.request.inserted = RowBatch([row]) }
        try requireEqual(
            try subject.value("name", of: row.id), "reserved before",
            "the object with a key that was reserved outside a save")
    },
]

extension StoreSubject {
    /// Returns keys that were reserved by a save that was rolled back.
    func keys(_ entity: String, _ count: Int) throws -> Range<Int64> {
        let save = try store.beginSave()
        defer { save.rollback() }
        let root = try self.entity(entity).rootEntity.number
        return try requireValue(try save.reserveKeys([root: count])[root], "keys of \(entity)")
    }
}
