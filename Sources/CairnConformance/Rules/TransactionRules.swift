import CairnModel
import CairnRows
import CairnStore

/// Rules about calls of a save in the wrong order.
let transactionRules: [ConformanceRule] = [
    ConformanceRule(
        "a second prepare is refused, and the first request can still be committed",
        proves: [
            "SaveTransaction: A call out of", "SaveTransaction: Such calls are a",
            "SaveTransaction.prepare(_:): A second call throws",
            "SaveTransaction.prepare(_:): .engineFailure",
        ]
    ) {
        subject in
        let first = try subject.row("Album", 1)
        let second = SaveRequest(inserted: RowBatch([try subject.row("Album", 2)]))
        for isCommitted in [false, true] {
            let save = try subject.store.beginSave()
            defer { save.rollback() }
            try save.prepare(SaveRequest(inserted: RowBatch([first])))
            try requireError("a second prepare", .engineFailure) { try save.prepare(second) }
            if isCommitted { _ = try save.commit() } else { save.rollback() }
            try requireEqual(
                try subject.rows("Album").map(\.id), isCommitted ? [first.id] : [],
                "the objects that were saved")
        }
    },
    ConformanceRule(
        "a commit without a prepare is refused",
        proves: [
            "SaveTransaction: A call out of", "SaveTransaction: Such calls are a",
            "SaveTransaction.commit(): .engineFailure",
        ]
    ) { subject in
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        let album = try subject.entity("Album").number
        _ = try save.reserveKeys([album: 1])
        try requireError("a commit without a prepare", .engineFailure) { try save.commit() }
        save.rollback()
        try subject.insert("Album")
    },
    ConformanceRule(
        "a transaction that was committed or rolled back refuses every call",
        proves: [
            "SaveTransaction: A call out of", "SaveTransaction: Such calls are a",
            "SaveTransaction.reserveKeys(_:): .engineFailure",
            "SaveTransaction.members(_:ofDeleted:): .engineFailure",
            "SaveTransaction.commit(): .engineFailure",
        ]
    ) {
        subject in
        for isCommitted in [true, false] {
            let save = try subject.store.beginSave()
            var draft = SaveDraft(subject, save)
            try draft.insert("Album")
            try save.prepare(draft.request)
            if isCommitted { _ = try save.commit() } else { save.rollback() }
            let ended =
                isCommitted ? "a committed transaction" : "a transaction that was rolled back"
            let album = try subject.entity("Album").number
            try requireError("\(ended) reserves no keys", .engineFailure) {
                try save.reserveKeys([album: 1])
            }
            try requireError("\(ended) prepares nothing", .engineFailure) {
                try save.prepare(SaveRequest())
            }
            try requireError("\(ended) commits nothing", .engineFailure) { try save.commit() }
            let albums = try subject.relationship("Label", "albums")
            do {
                let members = try save.members(albums, ofDeleted: [])
                try require(members == nil, "\(ended) knows no members")
            } catch StoreError.engineFailure {}
        }
        try requireEqual(try subject.rows("Album").count, 1, "the objects")
        try subject.insert("Album")
    },
    ConformanceRule(
        "prepare throws .closed if the store was closed during the transaction",
        proves: [
            "PersistentStore.close(): A save that was", "SaveTransaction.prepare(_:): .closed",
        ]
    ) {
        subject in
        let save = try subject.store.beginSave()
        defer { save.rollback() }
        try subject.store.close()
        try requireError("prepare after the close", .closed) { try save.prepare(SaveRequest()) }
    },
    ConformanceRule(
        "a row of an entity that is not in the model is refused",
        proves: [
            "SaveTransaction.prepare(_:): .unsupported",
            "OpenRequest.configuration: Keys and rows of",
        ]
    ) { subject in
        let other = try ManagedObjectModel((1...40).map { EntityDescription("Entity\($0)") })
        let last = try requireValue(other.entities.last, "an entity")
        var writer = RowWriter(store: subject.store.number)
        writer.begin(RowLayouts(other).layout(of: last), key: 1, version: 1)
        writer.endRow()
        let rows = writer.takeBatch()
        try requireError("a row of an entity that is not in the model", .unsupported) {
            let save = try subject.store.beginSave()
            defer { save.rollback() }
            try save.prepare(SaveRequest(inserted: rows))
        }
        try requireError("keys for an entity that is not in the model", .unsupported) {
            let save = try subject.store.beginSave()
            defer { save.rollback() }
            return try save.reserveKeys([last.number: 1])
        }
        try subject.insert("Album")
    },
    ConformanceRule(
        "a row with an invalid key or version is refused",
        proves: [
            "SaveTransaction.prepare(_:): .engineFailure",
            "SaveRequest.inserted: Keys and versions are", "RowUpdate.row: Any other version is",
        ]
    ) { subject in
        let id = try subject.insert("Album", ["name": "kept"])
        func refuse(_ words: String, _ request: SaveRequest) throws {
            try requireError(words, .engineFailure) {
                let save = try subject.store.beginSave()
                defer { save.rollback() }
                try save.prepare(request)
            }
        }
        for key in [0, -1, .min] as [Int64] {
            let row = try subject.row("Album", key)
            try refuse("a new row with the key \(key)", SaveRequest(inserted: RowBatch([row])))
        }
        for version in [0, -1] as [Int64] {
            let row = try subject.row("Album", 99, version: version)
            try refuse("a new row of version \(version)", SaveRequest(inserted: RowBatch([row])))
        }
        let versions: [(Int64, Int64)] = [(1, 1), (1, 3), (1, 0), (.max, .min), (-1, 0)]
        for (previous, version) in versions {
            let update = RowUpdate(
                row: try subject.row("Album", id.key, version: version, ["name": "lost"]),
                previousVersion: previous, changedSlots: SlotSet())
            try refuse(
                "an update from version \(previous) to \(version)", SaveRequest(updated: [update]))
        }
        try requireEqual(try subject.rows("Album").map(\.version), [1], "the versions stored")
        try requireEqual(try subject.value("name", of: id), "kept", "the value stored")
    },
    ConformanceRule(
        "a reference to missing external data is refused when it is saved or when it is read",
        proves: [
            "StoreSnapshot.externalData(_:): .externalDataMissing",
            "SaveTransaction.prepare(_:): A row may refer",
            "SaveTransaction.prepare(_:): For a reference to",
            "SaveTransaction.prepare(_:): .unsupportedValue",
        ]
    ) {
        subject in
        let layout = subject.layouts.layout(of: try subject.entity("File"))
        let slot = try requireValue(layout.slot(named: "blob"), "the slot")
        var writer = RowWriter(store: subject.store.number)
        writer.begin(layout, key: 1, version: 1)
        let reference = ExternalReference(
            store: subject.store.number, name: "00000000-0000-4000-8000-00000000000A")
        try writer.set(.reference(reference), at: slot)
        writer.endRow()
        let rows = writer.takeBatch()
        do throws(StoreError) {
            let save = try subject.store.beginSave()
            try save.prepare(SaveRequest(inserted: rows))
            _ = try save.commit()
        } catch {
            guard case .unsupportedValue("File", "blob", _) = error else { throw error }
            return
        }
        let row = try requireValue(try subject.row(of: rows.id(at: 0)), "the row")
        try require(!row.isNull(slot), "a value that was not nil is not read as nil")
        try requireError("reading bytes that do not exist", .externalDataMissing) {
            try subject.value("blob", of: row)
        }
    },
    ConformanceRule(
        "inserted rows keep the keys and versions that they have in the request",
        proves: [
            "SaveRequest.inserted: A copy of another",
            "SaveRequest.inserted: The engine stores both",
            "SaveRequest.inserted: To-one relationships may lead",
            "SaveRequest.inserted: They are stored unchanged.",
        ]
    ) {
        subject in
        let label = try subject.id("Label", 70)
        // The album comes first, because a to-one relationship may lead to a row that comes later.
        let rows = [
            try subject.row(
                "Album", 900, version: 7, ["name": "old", "label": .objectID(label)]),
            try subject.row("Album", 12, version: 1),
            try subject.row("Label", 70, version: 40, ["name": "older"]),
        ]
        try subject.save { $0.request.inserted = RowBatch(rows) }
        for row in rows {
            let found = try requireValue(try subject.row(of: row.id), "the row \(row.key)")
            try require(
                Row.hasSameBytes(found, row), "the row \(row.key) equals the one in the request")
        }
        try requireEqual(
            try subject.members("Label", "albums", of: label).map(\.key), [900], "the members")
        try require(
            try subject.keys("Album", 1).lowerBound > 900,
            "every key up to the greatest one counts as reserved")
        try subject.save { try $0.update("Album", rows[0].id, from: 7, ["name": "new"]) }
        try requireEqual(try subject.row(of: rows[0].id)?.version, 8, "the version after a change")
    },
]
