import CairnModel
import CairnStore
import Foundation

let fetchingRules: [ConformanceRule] =
    KitModel.comparable.map { (name, type) in
        ConformanceRule(
            "every operator finds the same \(type) values as evaluation in memory, also nil",
            proves: ["FetchPlan.predicate: The condition for matches"]
        ) { subject in
            let fixture = try FetchFixture(subject)
            for predicate in FetchFixture.predicates(on: name, type) {
                try fixture.requireAgreement(predicate)
            }
        }
    }
    + KitModel.ordered.map { (name, type) in
        ConformanceRule(
            "\(type) values have the same order as in memory, with nil first if ascending",
            proves: [
                "BoundSort: In ascending order, `nil`", "BoundSort: A descending sort reverses",
                "BoundSort.isAscending: `false` reverses the whole",
            ]
        ) { subject in
            let fixture = try FetchFixture(subject)
            for isAscending in [true, false] {
                let plan = try subject.plan("Sample", sorts: [(name, isAscending)])
                let ids = try fixture.requireAgreement(plan, "\(name), \(isAscending)")
                let values = try ids.map { try subject.value(name, of: $0).isNull }
                let nils = values.count { $0 }
                let edge = isAscending ? values.prefix(nils) : values.suffix(nils)
                try require(edge.allSatisfy { $0 }, "nil comes before everything")
            }
        }
    } + textRules + pagingRules + generatedRules

private let textRules: [ConformanceRule] = [
    ConformanceRule(
        "text is compared by Unicode scalars; [c] ignores case and [d] ignores diacritics",
        proves: ["FetchPlan.predicate: The condition for matches"]
    ) {
        subject in
        let names: [Value] = ["Äb", "äB", "ab", "AB", "b", "", .null, "a%", "a_", "straße"]
        let ids = try subject.insertAll("Album", names.map { ["name": $0] })
        for (format, expected) in textExpectations {
            try requireEqual(
                try subject.ids(try subject.plan("Album", format)).map(\.key).sorted(),
                expected.map { ids[$0].key }, "the matches of \(format)")
        }
    },
    ConformanceRule(
        "nil equals only nil, and NOT matches everything that its operand does not match",
        proves: ["FetchPlan.predicate: The condition for matches"]
    ) { subject in
        let years: [Value] = [1990, 2000, .null]
        let ids = try subject.insertAll("Album", years.map { ["year": $0] })
        let expectations: [(String, [Int])] = [
            ("year == nil", [2]), ("year != nil", [0, 1]), ("year != 1990", [1, 2]),
            ("year < 2000", [0]), ("NOT (year < 2000)", [1, 2]), ("NOT (year == 1990)", [1, 2]),
            ("year IN {1990, 2010}", [0]), ("NOT (year IN {1990})", [1, 2]),
            ("year BETWEEN {1990, 2000}", [0, 1]), ("TRUEPREDICATE", [0, 1, 2]),
            ("FALSEPREDICATE", []), ("year == 1990 OR year == nil", [0, 2]),
            ("year > 1000 AND year < 1995", [0]), ("label.name == nil", [0, 1, 2]),
        ]
        for (format, expected) in expectations {
            try requireEqual(
                try subject.ids(try subject.plan("Album", format)).map(\.key).sorted(),
                expected.map { ids[$0].key }, "the matches of \(format)")
        }
    },
    ConformanceRule(
        "predicates follow relationships: ANY, ALL, NONE, counts and sums",
        proves: ["FetchPlan.predicate: The condition for matches"]
    ) { subject in
        let fixture = try MusicFixture(subject)
        for (format, expected) in relationshipExpectations {
            try requireEqual(
                try subject.ids(try subject.plan("Album", format)).map(\.key).sorted(),
                expected.map { fixture.albums[$0].key }, "the matches of \(format)")
        }
    },
]

private let textExpectations: [(String, [Int])] = [
    ("name == 'ab'", [2]), ("name ==[c] 'AB'", [2, 3]), ("name ==[d] 'ab'", [2]),
    ("name ==[cd] 'ab'", [0, 1, 2, 3]), ("name == ''", [5]),
    ("name != 'ab'", [0, 1, 3, 4, 5, 6, 7, 8, 9]),
    ("name BEGINSWITH 'a'", [2, 7, 8]), ("name BEGINSWITH[cd] 'A'", [0, 1, 2, 3, 7, 8]),
    ("name ENDSWITH 'B'", [1, 3]), ("name CONTAINS '%'", [7]), ("name CONTAINS '_'", [8]),
    ("name LIKE 'a*'", [2, 7, 8]), ("name LIKE 'a?'", [2, 7, 8]),
    ("name LIKE[c] '?B'", [0, 1, 2, 3]),
    ("name MATCHES 'a.'", [2, 7, 8]), ("name IN {'b', ''}", [4, 5]), ("name < 'a'", [3, 5]),
    ("name > 'straße'", [0, 1]), ("name CONTAINS[c] 'STRASSE'", [9]),
]

private let relationshipExpectations: [(String, [Int])] = [
    ("ANY tracks.length > 100", [0]), ("ALL tracks.length > 10", [0, 2]),
    ("NONE tracks.length > 100", [1, 2]), ("tracks.@count == 0", [2]), ("tracks.@count > 1", [0]),
    ("tracks.@sum.length == 5", [1]), ("label.name == 'Blue'", [0, 2]),
    ("ANY genres.name == 'jazz'", [0, 1]), ("ANY tracks.title BEGINSWITH 'S'", [0, 1]),
    ("SUBQUERY(tracks, $t, $t.length > 50).@count == 2", [0]), ("label == nil", [1]),
]

private let pagingRules: [ConformanceRule] = [
    ConformanceRule(
        "offset and limit apply to the objects that match the predicate",
        proves: [
            "FetchPlan: The stages are executed", "FetchPlan.offset: The number of matches",
            "FetchPlan.limit: The maximum number of",
        ]
    ) {
        subject in
        try subject.insertAll("Album", (0..<20).map { ["year": .integer($0 % 7)] })
        let fixture = try FetchFixture(subject, entity: "Album")
        for format in [nil, "year > 2", "year == nil", "name == nil AND year IN {1, 2}"] {
            for (offset, limit) in [(0, 5), (3, 4), (18, 9), (40, 1), (0, 0), (2, nil)] {
                let plan = try subject.plan(
                    "Album", format, sorts: [("year", false)], offset: offset, limit: limit)
                try fixture.requireAgreement(plan, "\(format ?? "all") \(offset) \(limit ?? -1)")
                let unsorted = try subject.plan("Album", format, offset: offset, limit: limit)
                try requireEqual(
                    try subject.ids(unsorted).count, try fixture.expected(unsorted).count,
                    "the number of matches without an order")
            }
        }
    },
    ConformanceRule(
        "a count is the number of matches within offset and limit",
        proves: ["StoreSnapshot.count(_:): Returns the exact number"]
    ) { subject in
        try subject.insertAll("Album", (0..<20).map { ["year": .integer($0 % 7)] })
        try subject.insertAll("Track", [[:], [:], ["title": "x"]])
        try subject.insert("LiveTrack", ["title": "x"])
        let fixture = try FetchFixture(subject, entity: "Album")
        for format in [nil, "year > 2", "year == nil", "name == nil AND year IN {1, 2}"] {
            for (offset, limit) in [(0, nil), (0, 5), (3, 4), (18, 9), (40, 1), (0, 0), (2, nil)] {
                let plan = try subject.plan("Album", format, offset: offset, limit: limit)
                guard let count = try subject.store.snapshot().count(plan) else { continue }
                try requireEqual(count, try fixture.expected(plan).count, "the count")
            }
        }
        for includesSubentities in [true, false] {
            let plan = try subject.plan(
                "Track", "title == 'x'", includesSubentities: includesSubentities)
            guard let count = try subject.store.snapshot().count(plan) else { continue }
            try requireEqual(count, includesSubentities ? 2 : 1, "the count of tracks")
        }
    },
    ConformanceRule(
        "ties in a sort are resolved by the next sort, and finally by key",
        proves: [
            "FetchPlan.sorts: The sort keys, the", "FetchPlan.sorts: Remaining ties are decided",
            "BoundSort.path: It ends in an",
        ]
    ) { subject in
        try subject.insertAll(
            "Album",
            (0..<24).map {
                ["year": $0 % 5 == 0 ? .null : .integer($0 % 3), "name": $0 % 2 == 0 ? "a" : "b"]
            })
        let fixture = try FetchFixture(subject, entity: "Album")
        for first in [true, false] {
            for second in [true, false] {
                let plan = try subject.plan("Album", sorts: [("year", first), ("name", second)])
                try fixture.requireAgreement(plan, "year \(first), name \(second)")
            }
            try fixture.requireAgreement(
                try subject.plan("Album", sorts: [("year", first)]), "year \(first)")
            try fixture.requireAgreement(
                try subject.plan("Album", sorts: [("self", first)]), "self \(first)")
        }
    },
    ConformanceRule(
        "a sort of text uses scalar, case-insensitive or standard order, as requested",
        proves: [
            "BoundSort: Text is ordered by", "BoundSort.TextOrder.scalars: By Unicode scalars.",
            "BoundSort.TextOrder.caseInsensitive: By Unicode scalars after",
            "BoundSort.TextOrder.standard: By text with case",
        ]
    ) {
        subject in
        let names: [Value] = [
            "b10", "B9", "b9", "ä", "a", "A", "", .null, "z", "Z", "\u{FB01}", "straße", "STRASSE",
        ]
        try subject.insertAll("Album", names.map { ["name": $0] })
        let fixture = try FetchFixture(subject, entity: "Album")
        let path = try BoundPath(keyPath: "name", entity: try subject.entity("Album"))
        for order in [BoundSort.TextOrder.scalars, .caseInsensitive, .standard] {
            for isAscending in [true, false] {
                var plan = try subject.plan("Album", offset: 1, limit: 9)
                plan.sorts = [BoundSort(path, isAscending: isAscending, textOrder: order)]
                try fixture.requireAgreement(plan, "names, \(order)")
            }
        }
    },
    ConformanceRule(
        "a sort can follow to-one relationships, and a nil destination sorts as nil",
        proves: ["BoundSort.path: A single-valued path.", "BoundSort.path: It ends in an"]
    ) {
        subject in
        _ = try MusicFixture(subject)
        let fixture = try FetchFixture(subject, entity: "Album")
        for isAscending in [true, false] {
            try fixture.requireAgreement(
                try subject.plan("Album", sorts: [("label.name", isAscending), ("name", true)]),
                "label.name")
            try fixture.requireAgreement(
                try subject.plan("Album", sorts: [("tracks.@count", isAscending)]), "a count")
        }
    },
    ConformanceRule(
        "the objects after another one are those that are sorted after it by their IDs",
        proves: ["FetchPlan.predicate: The condition for matches"]
    ) { subject in
        let ids = try subject.insertAll("Album", (0..<9).map { ["year": .integer($0 % 2)] })
            .sorted { $0.key < $1.key }
        for start in [0, 4, 8] {
            var plan = try subject.plan("Album", sorts: [("self", true)], limit: 3)
            plan.predicate = .comparison(
                BoundComparison(
                    .path(BoundPath(leaf: .object)), .greaterThan,
                    .constant(.objectID(ids[start]))))
            try requireEqual(
                try subject.ids(plan), Array(ids.dropFirst(start + 1).prefix(3)),
                "the objects after the one with the key \(ids[start].key)")
        }
    },
    ConformanceRule(
        "a fetch of IDs returns the same objects in the same order as a fetch of rows",
        proves: ["FetchPlan.output: Whether matches are returned"]
    ) { subject in
        try subject.insertAll("Album", (0..<15).map { ["year": .integer($0 * 7 % 5)] })
        for format in [nil, "year > 1", "name == nil AND ANY tracks.length > 1"] {
            let rows = try subject.plan(
                "Album", format, sorts: [("year", true)], offset: 1, limit: 8)
            var ids = rows
            ids.output = .ids
            try requireEqual(
                try subject.ids(ids), try subject.ids(rows), "the IDs of \(format ?? "all")")
        }
    },
    ConformanceRule(
        "a fetch of some slots returns rows with these slots' values, and with their IDs and versions",
        proves: [
            "FetchPlan.slots: The slots whose values", "FetchPlan.slots: `nil` for all slots.",
            "FetchPlan.slots: An engine may return", "FetchPlan.slots: Every row has its",
        ]
    ) { subject in
        let fixture = try FetchFixture(subject)
        let slotCount = subject.layouts.layout(of: try subject.entity("Sample").number)?.slots.count
        for step in 1..<4 {
            var plan = try subject.plan("Sample", sorts: [("self", step == 2)])
            var slots = SlotSet()
            for slot in stride(from: step - 1, to: slotCount ?? 0, by: step) { slots.insert(slot) }
            plan.slots = slots
            try fixture.requireValues(of: plan, reading: slots)
        }
    },
]

private let generatedRules: [ConformanceRule] = [
    ConformanceRule(
        "what the engine reports as completed equals the evaluation of the rows",
        proves: [
            "PersistentStore: An engine may leave", "PersistentStore: It reports which parts",
            "FetchPlan: An engine completes any", "FetchPlan: It may evaluate any",
            "FetchPlan: If it does not", "FetchPlan: It reports what it",
            "CompletedStages: The stages of a",
            "CompletedStages.remainingPredicate: The part of the",
            "CompletedStages.isSorted: Whether the matches come",
            "CompletedStages.isPaged: Whether offset and limit",
        ]
    ) {
        subject in
        _ = try MusicFixture(subject, copies: 12)
        for name in ["Album", "Track", "Label"] {
            try GeneratedFetches(subject, entity: name).run(count: 150)
        }
    },
    ConformanceRule(
        "indexes do not change the results of fetches, even after updates and deletions",
        proves: ["FetchPlan.predicate: The condition for matches"]
    ) { subject in
        let fixture = try FetchFixture(subject, filling: "IndexedSample")
        let ids = fixture.all.ids
        let texts = try ids.map { try subject.value("text", of: $0) }
        try subject.save { draft in
            for (id, text) in zip(ids.prefix(9), texts.suffix(9)) {
                try draft.update("IndexedSample", id, ["text": text, "small": 7])
            }
            for id in ids.dropFirst(9).prefix(4) { draft.delete(id) }
        }
        try GeneratedFetches(subject, entity: "IndexedSample").run(count: 200)
    },
    ConformanceRule(
        "random predicates on every type find the same objects as evaluation in memory",
        proves: ["FetchPlan.predicate: The condition for matches"]
    ) { subject in
        _ = try FetchFixture(subject)
        try GeneratedFetches(subject, entity: "Sample").run(count: 200)
    },
]
