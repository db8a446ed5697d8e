import CairnModel
import CairnRows
import CairnStore

let readingRules: [ConformanceRule] = [
    ConformanceRule(
        "an ID without a row is left out of the result",
        proves: ["StoreSnapshot.rows(for:): IDs without a row"]
    ) { subject in
        let id = try subject.insert("Album")
        let rows = try subject.store.snapshot().rows(for: [
            try subject.id("Album", id.key + 1), id, try subject.id("Label", id.key),
        ])
        try requireEqual(rows.ids, [id], "the rows found")
        try require(
            try subject.store.snapshot().rows(for: []).isEmpty, "an empty list of IDs has no rows")
    },
    ConformanceRule(
        "an ID of another store or of an unknown entity has no row",
        proves: ["StoreSnapshot.rows(for:): IDs without a row"]
    ) { subject in
        let id = try subject.insert("Album")
        let stranger = ObjectID(
            store: StoreNumber(rawValue: 0x7fff_fff0), rootEntity: id.rootEntity,
            entity: id.entity, key: id.key)
        let nothing = ObjectID(
            store: id.store, rootEntity: EntityNumber(999), entity: EntityNumber(999), key: 1)
        let negative = ObjectID(
            store: id.store, rootEntity: id.rootEntity, entity: id.entity, key: -id.key)
        let rows = try subject.store.snapshot().rows(for: [stranger, nothing, negative])
        try require(rows.isEmpty, "none of them has a row")
    },
    ConformanceRule(
        "the order of the requested IDs has no effect, and duplicates are ignored",
        proves: ["StoreSnapshot.rows(for:): The rows are returned"]
    ) {
        subject in
        let ids = try subject.insertAll("Album", (0..<9).map { ["year": .integer($0)] })
        let rows = try subject.store.snapshot().rows(for: ids.reversed() + ids + [ids[4]])
        try requireEqual(
            rows.ids.map(\.key).sorted(), ids.map(\.key).sorted(), "the keys of the rows found")
        for row in rows.rows {
            let index = try requireValue(ids.firstIndex(of: row.id), "the ID of a row")
            try requireEqual(
                try subject.value("year", of: row), .integer(Int64(index)), "the row of an ID")
        }
    },
    ConformanceRule(
        "a requested ID may contain the root entity; its row has the concrete entity",
        proves: ["StoreSnapshot.rows(for:): The concrete entity in"]
    ) {
        subject in
        let live = try subject.insert("LiveTrack", ["venue": "Oslo"])
        let known = try subject.id("Track", live.key)
        let row = try requireValue(try subject.row(of: known), "the row of a root entity's ID")
        try requireEqual(row.entity, try subject.entity("LiveTrack").number, "the row's entity")
        try requireEqual(try subject.value("venue", of: row), "Oslo", "a subentity's value")
    },
    ConformanceRule(
        "a row that is read alone equals the same row of many, and a missing row is nil",
        proves: [
            "StoreSnapshot.row(for:): Returns the stored row",
            "StoreSnapshot.row(for:): Returns `nil` if the",
        ]
    ) { subject in
        let ids = try subject.insertAll("Album", (0..<9).map { ["year": .integer($0)] })
        let live = try subject.insert("LiveTrack", ["venue": "Oslo"])
        let snapshot = try subject.store.snapshot()
        let missing = try subject.id("Album", 1_000_000)
        // IDs without a row are requested in between, because an engine may continue from the position
        // that it read last.
        for id in [ids[4], ids[0], missing, ids[8], ids[8], missing, live, ids[1]] {
            let many = try snapshot.rows(for: [id])
            let alone = try snapshot.row(for: id)
            try requireEqual(alone?.id, many.ids.first, "the ID of a row that is read alone")
            guard let alone else { continue }
            try require(
                Row.hasSameBytes(alone, many[row: 0]),
                "the row equals the one that is read with others")
        }
    },
    ConformanceRule(
        "one call can return the rows of more than a thousand IDs",
        proves: ["StoreSnapshot.rows(for:): Returns the stored row"]
    ) { subject in
        let ids = try subject.insertAll("Album", (0..<1500).map { ["year": .integer($0)] })
        let rows = try subject.store.snapshot().rows(for: ids)
        try requireEqual(Set(rows.ids), Set(ids), "the rows found")
        try requireEqual(
            Set(try subject.ids(try subject.plan("Album"), atMost: 100)), Set(ids),
            "the objects fetched")
    },
    ConformanceRule(
        "a batch is never empty, and has at most as many rows as requested",
        proves: [
            "RowCursor.next(atMost:): Returns the next matches",
            "RowCursor.next(atMost:): After the last match",
            "RowCursor.next(atMost:): A batch may have",
        ]
    ) {
        subject in
        let ids = try subject.insertAll("Album", Array(repeating: [:], count: 10))
        let snapshot = try subject.store.snapshot()
        for count in [1, 3, 5, 10, 11] {
            let cursor = try snapshot.cursor(try subject.plan("Album"))
            try requireEqual(
                Set(try subject.drain(cursor, atMost: count).ids), Set(ids),
                "the objects read in batches of \(count)")
        }
        let none = try snapshot.cursor(try subject.plan("Tag")).next(atMost: 5)
        try require(
            none == nil, "the cursor returns nil at the end, or immediately if nothing matches")
    },
    ConformanceRule(
        "a batch outlives its cursor and its snapshot",
        proves: ["RowCursor.next(atMost:): A batch can be"]
    ) { subject in
        let id = try subject.insert("Album", ["name": .string(String(repeating: "x", count: 5000))])
        var cursor: (any RowCursor)? = try subject.store.snapshot()
            .cursor(try subject.plan("Album"))
        let batch = try requireValue(try cursor?.next(atMost: 5), "a batch")
        cursor = nil
        try subject.save { try $0.update("Album", id, ["name": "y"]) }
        try requireEqual(
            try subject.value("name", of: batch[row: 0]),
            .string(String(repeating: "x", count: 5000)), "the value in the batch")
    },
    ConformanceRule(
        "a cursor keeps its snapshot alive",
        proves: [
            "StoreSnapshot: A snapshot ends when",
            "StoreSnapshot.cursor(_:): The cursor reads from",
        ]
    ) { subject in
        try subject.insertAll("Album", Array(repeating: [:], count: 30))
        let cursor = try subject.store.snapshot().cursor(try subject.plan("Album"))
        let first = try requireValue(try cursor.next(atMost: 10), "the first batch").count
        try subject.save { draft in
            for row in try subject.rows("Album") { draft.delete(row.id) }
        }
        try requireEqual(try subject.drain(cursor).count, 30 - first, "the rest of the rows")
    },
    ConformanceRule(
        "objects of subentities match only if the plan includes subentities",
        proves: ["FetchPlan.includesSubentities: Whether objects of subentities"]
    ) {
        subject in
        let track = try subject.insert("Track")
        let live = try subject.insert("LiveTrack")
        try requireEqual(
            Set(try subject.ids(try subject.plan("Track"))), [track, live], "all tracks")
        try requireEqual(
            try subject.ids(try subject.plan("Track", includesSubentities: false)), [track],
            "tracks without those of subentities")
        try requireEqual(try subject.ids(try subject.plan("LiveTrack")), [live], "live tracks")
        let counts = try subject.store.entityCounts()
        try requireEqual(counts["Track"], 1, "the count of tracks, without those of subentities")
        try requireEqual(counts["LiveTrack"], 1, "the count of live tracks")
    },
    ConformanceRule(
        "a fetch of IDs returns batches without rows, and IDs with the concrete entity",
        proves: [
            "FetchPlan.Output.ids: IDs with the concrete",
            "FetchPlan.Output.ids: The batches contain no",
        ]
    ) { subject in
        try subject.insert("Track")
        try subject.insert("LiveTrack")
        let ids = try subject.ids(try subject.plan("Track", output: .ids))
        try requireEqual(
            Set(ids.map(\.entity)),
            [try subject.entity("Track").number, try subject.entity("LiveTrack").number],
            "the entities in the IDs")
    },
]
