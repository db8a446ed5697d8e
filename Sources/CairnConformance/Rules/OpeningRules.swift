import CairnModel
import CairnRows
import CairnStore
import Foundation

let openingRules: [ConformanceRule] = [
    ConformanceRule(
        "a missing store is created if the request allows it",
        proves: [
            "PersistentStore.open(_:): Creates a missing store",
            "FileStore.entityCounts(at:): Counts the rows of",
            "FileStore.entityCounts(at:): Abstract entities are included",
            "OpenRequest.createsMissing: Whether the store is",
        ]
    ) { subject in
        try require(try subject.rows("Album").isEmpty, "a new store is empty")
        let counts = try subject.store.entityCounts()
        try requireEqual(
            Set(counts.keys), Set(subject.model.entities.map(\.name)), "the entities counted")
        try require(counts.values.allSatisfy { $0 == 0 }, "every entity of a new store counts 0")
    },
    ConformanceRule(
        "opening a missing store throws .notFound if the request does not allow creating it",
        proves: [
            "PersistentStore.open(_:): Creates a missing store",
            "PersistentStore.open(_:): .notFound",
            "FileStore.recognizes(_:): Returns `false` if there",
            "FileStore.metadata(at:): .notFound",
        ]
    ) { subject in
        for isReadOnly in [false, true] {
            let location = subject.harness.location("missing", in: subject.folder)
            let request = OpenRequest(
                location: location, model: subject.model, isReadOnly: isReadOnly,
                createsMissing: isReadOnly)
            try requireError("opening a store that does not exist is refused", .notFound) {
                try subject.open(request)
            }
            try requireNoFile(at: location, "nothing is created by a refused opening")
        }
        let location = subject.harness.location("missing", in: subject.folder)
        guard let engine = subject.harness.engine as? any FileStore.Type else { return }
        try requireError("metadata of nothing is .notFound", .notFound) {
            try engine.metadata(at: location)
        }
        try requireError("the model of nothing is .notFound", .notFound) {
            try engine.model(at: location)
        }
        try require(!engine.recognizes(location), "an engine does not recognize a missing file")
    },
    ConformanceRule(
        "no error contains the password of a service's address",
        proves: ["PersistentStore.open(_:): No error contains the"]
    ) { subject in
        let other = URL(string: "https://reader@service.example/library")
        let own = subject.store.request.location.service?.urlWithPassword
        var parts = try requireValue(
            (own ?? other).flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) },
            "the address")
        let password = parts.password ?? "pass-word"
        (parts.user, parts.password) = (parts.user ?? "reader", password)
        var (nobodyThere, wrong, missing) = (parts, parts, parts)
        nobodyThere.port = 1
        wrong.password = "not-\(password)"
        missing.path += "-missing"
        for address in [nobodyThere, wrong, missing] {
            let location = try requireValue(
                address.url.flatMap(ServiceLocation.init).map(StoreLocation.service),
                "the location")
            do {
                try subject.open(
                    OpenRequest(location: location, model: subject.model, createsMissing: false)
                ).close()
            } catch {
                try require(
                    !"\(error)".contains(password), "the error does not contain the password")
            }
        }
    },
    ConformanceRule(
        "a location of a kind that the engine does not support is refused",
        proves: [
            "PersistentStore.open(_:): A location of a", "PersistentStore.open(_:): .unsupported",
        ], needs: .durability,
        alternative: "an in-memory store accepts any location as its name",
        alternativeProves: ["PersistentStore.open(_:): An engine whose stores"],
        body: { subject in
            for location in try otherKinds(of: subject) {
                try requireError("a store at \(location)", .unsupported) {
                    try subject.open(OpenRequest(location: location, model: subject.model))
                }
            }
        },
        otherwise: { subject in
            for location in try otherKinds(of: subject) {
                try subject.open(OpenRequest(location: location, model: subject.model)).close()
            }
        }),
    ConformanceRule(
        "an unknown option is refused, and no file is created",
        proves: [
            "PersistentStore.open(_:): If a creation fails",
            "PersistentStore.open(_:): .invalidOption", "OpenRequest.options: An option that the",
            "StoreOptions: An engine refuses options",
        ]
    ) {
        subject in
        let location = subject.harness.location("optional", in: subject.folder)
        let request = OpenRequest(
            location: location, model: subject.model, options: ["no engine has this": true])
        try requireError("an unknown option is refused", .invalidOption) {
            try subject.open(request)
        }
        try requireNoFile(at: location, "creation is all or nothing")
    },
    ConformanceRule(
        "an option of the engine is refused if its value has the wrong type",
        proves: [
            "PersistentStore.open(_:): .invalidOption",
            "StoreCapabilities.options: The options that `open`",
        ]
    ) {
        subject in
        for option in subject.harness.engine.capabilities.options {
            let location = subject.harness.location("optional", in: subject.folder)
            let request = OpenRequest(
                location: location, model: subject.model,
                options: [option: .array([.dictionary([:])])])
            try requireError("a list is not a valid value of “\(option)”", .invalidOption) {
                try subject.open(request)
            }
        }
    },
    ConformanceRule(
        "a store keeps its request, and its number is not a temporary one",
        proves: [
            "PersistentStore.request: The request that the",
            "StoreMetadata.identifier: The URIs of its",
        ]
    ) { subject in
        let store = subject.store
        try requireEqual(
            store.request.location.description, subject.location.description, "location")
        try require(store.request.model === subject.model, "the request contains the given model")
        try require(
            !store.number.isTemporary, "a store's number is not one of those for temporary IDs")
        let entry = try requireValue(
            StoreDirectory.shared.entry(for: store.number), "the store in the store directory")
        try requireEqual(
            entry.identifier, try store.metadata().identifier, "the identifier in object URIs")
    },
    ConformanceRule(
        "metadata contains the identifier, the type and the hash of each entity",
        proves: [
            "PersistentStore.metadata(): Returns the store's current",
            "StoreMetadata.identifier: The store's identifier, an",
            "StoreMetadata.type: The type of the",
            "StoreMetadata.entityVersionHashes: The version hash of",
        ]
    ) {
        subject in
        let metadata = try subject.store.metadata()
        try requireEqual(metadata.type, subject.harness.engine.type, "the type")
        try requireEqual(
            metadata.entityVersionHashes, subject.model.entityVersionHashes, "the hashes")
        try require(
            UUID(uuidString: metadata.identifier)?.uuidString == metadata.identifier,
            "the identifier is an upper-case UUID")
    },
    ConformanceRule(
        "two stores have different identifiers and numbers",
        proves: [
            "PersistentStore.number: The number that identifies",
            "OpenRequest.newStoreIdentifier: If `nil`, the store",
        ]
    ) { subject in
        let other = try subject.open(
            OpenRequest(
                location: subject.harness.location("other", in: subject.folder),
                model: subject.model))
        defer { try? other.close() }
        try require(
            try other.metadata().identifier != subject.store.metadata().identifier,
            "each store is given an identifier of its own")
        try require(other.number != subject.store.number, "each store has a number of its own")
    },
    ConformanceRule(
        "a store can be opened for the entities of a configuration",
        proves: ["OpenRequest.configuration: The configuration whose entities"]
    ) { subject in
        let store = try subject.open(
            OpenRequest(
                location: subject.harness.location("part", in: subject.folder),
                model: subject.model, configuration: "Albums"))
        defer { try? store.close() }
        let album = try subject.entity("Album")
        let save = try store.beginSave()
        let key = try requireValue(
            try save.reserveKeys([album.number: 1])[album.number], "the key for an album")
        var writer = RowWriter(store: store.number)
        writer.begin(subject.layouts.layout(of: album), key: key.lowerBound, version: 1)
        writer.endRow()
        try save.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try save.commit()
        let batch = try store.snapshot().cursor(FetchPlan(entity: album)).next(atMost: 5)
        try requireEqual(batch?.count, 1, "the objects of an entity of the configuration")
    },
    ConformanceRule(
        "objects of entities that are not in the store's configuration are refused",
        proves: [
            "SaveTransaction.reserveKeys(_:): .unsupported",
            "SaveTransaction.prepare(_:): .unsupported",
            "OpenRequest.configuration: The configuration whose entities",
            "OpenRequest.configuration: Keys and rows of",
        ]
    ) {
        subject in
        let part = try subject.opened(
            OpenRequest(
                location: subject.harness.location("part", in: subject.folder),
                model: subject.model, configuration: "Albums"))
        defer { try? part.store.close() }
        let row = try subject.row("Note", 1)
        let note = try subject.entity("Note").number
        try requireError("keys for an entity of another configuration", .unsupported) {
            let save = try part.store.beginSave()
            defer { save.rollback() }
            return try save.reserveKeys([note: 1])
        }
        try requireError("a row of an entity of another configuration", .unsupported) {
            let save = try part.store.beginSave()
            defer { save.rollback() }
            try save.prepare(SaveRequest(inserted: RowBatch([row])))
        }
        try requireError("a deletion of an entity of another configuration", .unsupported) {
            let save = try part.store.beginSave()
            defer { save.rollback() }
            try save.prepare(SaveRequest(deleted: [RowDeletion(id: row.id, previousVersion: 1)]))
        }
        try part.insert("LiveTrack")
        try requireEqual(try part.rows("Track").count, 1, "the objects of an entity that is held")
    },
    ConformanceRule(
        "a configuration that is not in the model is refused, and no file is created",
        proves: [
            "PersistentStore.open(_:): .unsupported",
            "OpenRequest.configuration: A configuration that the",
        ]
    ) {
        subject in
        let location = subject.harness.location("part", in: subject.folder)
        try requireError("a configuration that the model does not have", .unsupported) {
            try subject.open(
                OpenRequest(
                    location: location, model: subject.model, configuration: "Nothing so named"))
        }
        try requireNoFile(at: location, "creation is all or nothing")
    },
    ConformanceRule(
        "a closed store throws .closed, and closing it again has no effect",
        proves: [
            "PersistentStore.metadata(): .closed", "PersistentStore.snapshot(): .closed",
            "PersistentStore.beginSave(): .closed",
            "PersistentStore.close(): Snapshots that are still",
            "PersistentStore.close(): The cursors of these",
            "PersistentStore.close(): Closing a store twice", "StoreSnapshot.rows(for:): .closed",
            "RowCursor.next(atMost:): .closed",
        ]
    ) {
        subject in
        let id = try subject.insert("Album")
        let snapshot = try subject.store.snapshot()
        let cursor = try snapshot.cursor(try subject.plan("Album"))
        try subject.store.close()
        try subject.store.close()
        let store = subject.store
        try requireError("a snapshot is refused", .closed) { try store.snapshot() }
        try requireError("metadata is refused", .closed) { try store.metadata() }
        try requireError("a save is refused", .closed) { try store.beginSave() }
        try requireError("a held cursor ends", .closed) { try cursor.next(atMost: 1) }
        try requireError("a held snapshot reads no rows", .closed) { try snapshot.rows(for: [id]) }
        let plan = try subject.plan("Album")
        try requireError("a held snapshot starts no fetch", .closed) { try snapshot.cursor(plan) }
        let relationship = try subject.relationship("Album", "genres")
        try requireError("a held snapshot follows no relationships", .closed) {
            try snapshot.relatedIDs(relationship, of: [id])
        }
    },
    ConformanceRule(
        "derived attributes are computed, or the model is refused as .unsupported",
        proves: [
            "PersistentStore.open(_:): If a creation fails",
            "PersistentStore.open(_:): A model with derived",
            "SaveOutcome.recomputed: The rows that differ",
        ]
    ) {
        subject in
        var derived = AttributeDescription("search", .string)
        derived.derivation = Derivation(expression: "canonical:(name)")
        let model = try ManagedObjectModel([
            EntityDescription("Thing", [.attribute("name", .string), .attribute(derived)])
        ])
        let location = subject.harness.location("derived", in: subject.folder)
        let store: any PersistentStore
        do throws(StoreError) {
            store = try subject.open(OpenRequest(location: location, model: model))
        } catch {
            try requireEqual(StoreErrorCase(error), .unsupported, "the refusal of the model")
            try requireNoFile(at: location, "creation is all or nothing")
            throw RuleNotApplicable("it does not compute derived attributes")
        }
        defer { try? store.close() }
        try requireDerivation(of: store, model)
    },
]

/// Returns a location of each kind, except the kind of the rule's store.
private func otherKinds(of subject: StoreSubject) throws -> [StoreLocation] {
    let file = subject.folder.appending(path: "elsewhere")
    let url = URL(string: "x-cairn-no-service://localhost\(file.path)")
    let service = try requireValue(url.flatMap(ServiceLocation.init), "an address")
    return [.file(file), .memory(file.path), .service(service)].filter { other in
        switch (subject.location, other) {
        case (.file, .file), (.memory, .memory), (.service, .service): false
        default: true
        }
    }
}

/// Saves an object whose row lacks its derived value. The store must compute and report the value.
private func requireDerivation(
    of store: any PersistentStore, _ model: ManagedObjectModel
) throws {
    let thing = try requireValue(model.entity(named: "Thing"), "the entity")
    let layout = store.request.layouts.layout(of: thing)
    let save = try store.beginSave()
    let keys = try requireValue(try save.reserveKeys([thing.number: 1])[thing.number], "a key")
    var writer = RowWriter(store: store.number)
    writer.begin(layout, key: keys.lowerBound, version: 1)
    try writer.set("Ágætis", at: try requireValue(layout.slot(named: "name"), "a slot"))
    writer.endRow()
    try save.prepare(SaveRequest(inserted: writer.takeBatch()))
    let recomputed = try save.commit().recomputed
    try requireEqual(recomputed.ids.map(\.key), [keys.lowerBound], "the rows computed")
    let search = try requireValue(layout.slot(named: "search"), "a slot")
    try requireEqual(recomputed[row: 0].value(search), "agætis", "the value computed")
    let id = recomputed.id(at: 0)
    let stored = try store.snapshot().rows(for: [id])
    try requireEqual(stored.rows.map { $0.value(search) }, ["agætis"], "the value stored")
}

/// Throws an error if a file exists at the location.
func requireNoFile(
    at location: StoreLocation, _ words: @autoclosure () -> String
) throws(RuleViolation) {
    guard let url = location.fileURL else { return }
    let exists = FileManager.default.fileExists(atPath: url.path)
    try require(!exists, words())
}
