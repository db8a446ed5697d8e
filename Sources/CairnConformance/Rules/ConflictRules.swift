import CairnModel
import CairnRows
import CairnStore
import Foundation

let conflictRules: [ConformanceRule] = [
    ConformanceRule(
        "row conflicts list every row in conflict, each with the row that is stored now",
        proves: ["SaveTransaction.prepare(_:): .rowConflicts"]
    ) { subject in
        let ids = try subject.insertAll("Album", (1...4).map { ["year": .integer($0)] })
        try subject.save { draft in
            try draft.update("Album", ids[0], ["name": "second"])
            try draft.update("Album", ids[1], ["name": "second"])
        }
        try subject.save { $0.delete(ids[2]) }
        let conflicts = try subject.rowConflicts { draft in
            try draft.insert("Album")
            try draft.update("Album", ids[0])
            try draft.update("Album", ids[2])
            try draft.update("Album", ids[3])
            draft.delete(ids[1])
        }
        try requireEqual(conflicts.map(\.id), Array(ids[0...2]), "the objects in conflict")
        try requireEqual(conflicts.map(\.expectedVersion), [1, 1, 1], "the versions expected")
        try requireEqual(conflicts.map { $0.stored?.version }, [2, 2, nil], "the rows stored now")
        let row = try requireValue(conflicts[0].stored, "the row stored now")
        try requireEqual(try subject.value("name", of: row), "second", "the value stored now")
        try requireEqual(
            try subject.rows("Album").map(\.version), [2, 2, 1], "the versions after the refusal")
    },
    ConformanceRule(
        "a stored version that is higher or lower than the expected version is a conflict",
        proves: ["RowUpdate.previousVersion: If the store contains"]
    ) { subject in
        let id = try subject.insert("Album")
        let higher = try subject.rowConflicts { try $0.update("Album", id, from: 2) }
        try requireEqual(higher.map(\.id), [id], "an update from a version that never existed")
        let deletion = try subject.rowConflicts { $0.delete(id, from: 7) }
        try requireEqual(deletion.map(\.id), [id], "a deletion from a version that never existed")
        try requireEqual(deletion.map(\.expectedVersion), [7], "the version expected")
        try require(try subject.row(of: id) != nil, "the object is still there")
    },
    ConformanceRule(
        "deleting a row that no longer exists is a conflict",
        proves: ["RowDeletion.previousVersion: If the store contains"]
    ) { subject in
        let id = try subject.insert("Album")
        try subject.save { $0.delete(id) }
        let conflicts = try subject.rowConflicts { $0.delete(id) }
        try requireEqual(conflicts.map(\.id), [id], "the object in conflict")
        try require(conflicts.allSatisfy { $0.stored == nil }, "no row is stored")
    },
    ConformanceRule(
        "inserting a row with a key that is in use is a conflict with the stored row",
        proves: ["SaveRequest.inserted: If a key already"]
    ) {
        subject in
        let id = try subject.insert("Album", ["name": "there"])
        let row = try subject.row("Album", id.key, ["name": "other"])
        let conflicts = try subject.rowConflicts { $0.request.inserted = RowBatch([row]) }
        try requireEqual(conflicts.map(\.id), [id], "the object in conflict")
        try requireEqual(conflicts.map { $0.stored?.version }, [1], "the row stored now")
        try requireEqual(try subject.value("name", of: id), "there", "the value that stays")
    },
    ConformanceRule(
        "a second change of the same object in one request is a row conflict",
        proves: ["SaveRequest: A second change of"]
    ) {
        subject in
        let ids = try subject.insertAll("Album", [[:], [:]])
        let chain = try subject.rowConflicts { draft in
            try draft.update("Album", ids[0], from: 1, ["name": "second"])
            try draft.update("Album", ids[0], from: 2, ["name": "third"])
        }
        try requireEqual(chain.map(\.id), [ids[0]], "an object that is updated twice")
        try requireEqual(chain.map { $0.stored?.version }, [1], "the version stored now")
        let gone = try subject.rowConflicts { draft in
            try draft.update("Album", ids[1])
            draft.delete(ids[1])
        }
        try requireEqual(gone.map(\.id), [ids[1]], "an object that is updated and deleted")
        try requireEqual(try subject.rows("Album").map(\.version), [1, 1], "the versions")
    },
    ConformanceRule(
        "a change that expects the stored version is not a conflict",
        proves: ["RowUpdate.previousVersion: If the store contains"]
    ) { subject in
        let ids = try subject.insertAll("Album", [[:], [:]])
        try subject.save { draft in
            try draft.update("Album", ids[0], ["name": "x"])
            draft.delete(ids[1])
        }
        try requireEqual(try subject.rows("Album").map(\.version), [2], "the versions")
    },
    ConformanceRule(
        "uniqueness conflicts list every clash, each with the row that is stored now",
        proves: ["SaveTransaction.prepare(_:): .uniquenessConflicts"]
    ) {
        subject in
        let first = try subject.insert("Track", ["code": "A", "disc": 1, "position": 1])
        let live = try subject.insert(
            "LiveTrack", ["code": "B", "disc": 1, "position": 2, "venue": "Oslo"])
        var new: [ObjectID] = []
        let conflicts = try subject.uniquenessConflicts { draft in
            new.append(try draft.insert("Track", ["code": "B"]))
            new.append(try draft.insert("LiveTrack", ["code": "A", "venue": "Oslo"]))
            new.append(try draft.insert("Track", ["disc": 1, "position": 2]))
        }
        let found = Set(conflicts.map(ClashSummary.init))
        try requireEqual(
            found,
            [
                ClashSummary("Track", ["code"], [new[0]], live),
                ClashSummary("Track", ["code"], [new[1]], first),
                ClashSummary("Track", ["disc", "position"], [new[2]], live),
                ClashSummary("LiveTrack", ["venue"], [new[1]], live),
            ], "the clashes")
        try requireEqual(try subject.rows("Track").count, 2, "the rows after the refusal")
    },
    ConformanceRule(
        "row conflicts are reported before uniqueness conflicts",
        proves: ["SaveTransaction.prepare(_:): All row conflicts are"]
    ) { subject in
        let id = try subject.insert("Track", ["code": "A"])
        let conflicts = try subject.rowConflicts { draft in
            try draft.insert("Track", ["code": "A"])
            try draft.update("Track", id, from: 3, ["code": "A"])
        }
        try requireEqual(conflicts.map(\.id), [id], "the object with another version")
    },
    ConformanceRule(
        "objects of one request that share unique values are listed in one conflict",
        proves: ["SaveTransaction.prepare(_:): .uniquenessConflicts"]
    ) {
        subject in
        var new: [ObjectID] = []
        let conflicts = try subject.uniquenessConflicts { draft in
            new.append(try draft.insert("Track", ["code": "new"]))
            new.append(try draft.insert("LiveTrack", ["code": "new"]))
            try draft.insert("Track", ["code": "newer"])
        }
        try requireEqual(conflicts.count, 1, "the number of clashes")
        try requireEqual(
            Set(conflicts.flatMap(\.requested)), Set(new), "the objects that clash")
        try require(conflicts.allSatisfy { $0.stored == nil }, "no stored row has the value")
    },
    ConformanceRule(
        "unique values can be swapped in one save",
        proves: [
            "SaveTransaction.prepare(_:): Constraints apply to the",
            "SaveTransaction.prepare(_:): Therefore objects can exchange",
        ]
    ) { subject in
        let ids = try subject.insertAll(
            "Track",
            [
                ["code": "A", "disc": 1, "position": 1], ["code": "B", "disc": 1, "position": 2],
                ["code": "C", "disc": 1, "position": 3],
            ])
        try subject.save { draft in
            try draft.update("Track", ids[0], ["code": "B", "disc": 1, "position": 2])
            try draft.update("Track", ids[1], ["code": "C", "disc": 1, "position": 3])
            try draft.update("Track", ids[2], ["code": "A", "disc": 1, "position": 1])
        }
        try requireEqual(
            try ids.map { try subject.value("code", of: $0) }, ["B", "C", "A"], "the codes")
        let clash = try subject.uniquenessConflicts { try $0.insert("Track", ["code": "B"]) }
        try requireEqual(clash.map { $0.stored?.id }, [ids[0]], "the row that has the value now")
    },
    ConformanceRule(
        "the unique value of a deleted object can be used again in the same save",
        proves: [
            "SaveTransaction.prepare(_:): Constraints apply to the",
            "SaveTransaction.prepare(_:): Therefore objects can exchange",
        ]
    ) {
        subject in
        let id = try subject.insert("Track", ["code": "A"])
        var new: ObjectID?
        try subject.save { draft in
            draft.delete(id)
            new = try draft.insert("Track", ["code": "A"])
        }
        try requireEqual(try subject.rows("Track").map(\.id), [new], "the objects")
    },
    ConformanceRule(
        "a unique value that an update replaces can be used again in the same save",
        proves: [
            "SaveTransaction.prepare(_:): Constraints apply to the",
            "SaveTransaction.prepare(_:): Therefore objects can exchange",
        ]
    ) {
        subject in
        let id = try subject.insert("Track", ["code": "A"])
        try subject.save { draft in
            try draft.insert("Track", ["code": "A"])
            try draft.update("Track", id, ["code": "B"])
        }
        try requireEqual(
            Set(try subject.rows("Track").map { try subject.value("code", of: $0) }), ["A", "B"],
            "the codes")
    },
    ConformanceRule(
        "a compound constraint is violated only by rows that share all of its values",
        proves: ["SaveTransaction.prepare(_:): The values of a"]
    ) {
        subject in
        let positions: [(Int64, Int64)] = [(1, 1), (1, 2), (2, 1), (2, 2), (12, 1), (1, 21)]
        let ids = try subject.insertAll(
            "Track", positions.map { ["disc": .integer($0.0), "position": .integer($0.1)] })
        let clash = try subject.uniquenessConflicts { draft in
            try draft.insert("Track", ["disc": 2, "position": 1])
        }
        try requireEqual(clash.map { $0.stored?.id }, [ids[2]], "the row that has both values")
        try subject.save { draft in
            try draft.update("Track", ids[0], ["disc": 1, "position": 7])
            try draft.insert("Track", ["disc": 7, "position": 1])
        }
        try requireEqual(try subject.rows("Track").count, 7, "the objects")
    },
    ConformanceRule(
        "any number of objects can have nil in a uniqueness constraint",
        proves: ["SaveTransaction.prepare(_:): `nil` is not equal"]
    ) { subject in
        try subject.insertAll("Track", [["disc": 1], ["disc": 1], [:], [:]])
        try subject.insert("LiveTrack", ["disc": 1])
        try requireEqual(try subject.rows("Track").count, 5, "the objects")
    },
    ConformanceRule(
        "unique text is compared byte by byte",
        proves: ["SaveTransaction.prepare(_:): Text and binary data"]
    ) { subject in
        var codes = ["é", "e\u{301}", "É", "E", "e", "e ", ""]
        // An engine may refuse such a text, as the topic `values` checks.
        if subject.harness.engine.capabilities.fidelity(of: .string) == .exact {
            codes.append("e\0")
        }
        try subject.insertAll("Track", codes.map { ["code": .string($0)] })
        try requireEqual(try subject.rows("Track").count, codes.count, "the objects")
    },
    ConformanceRule(
        "unique binary data is compared byte by byte, and empty data is not nil",
        proves: ["SaveTransaction.prepare(_:): Text and binary data"]
    ) {
        subject in
        let seals = [Data(), Data([0]), Data([0, 0]), Data([255]), Data("a".utf8), Data("A".utf8)]
        let ids = try subject.insertAll("Tag", seals.map { ["seal": .binary($0)] })
        try subject.insertAll("Tag", [[:], [:]])
        for (id, seal) in zip(ids, seals) {
            let clash = try subject.uniquenessConflicts {
                try $0.insert("Tag", ["seal": .binary(seal)])
            }
            try requireEqual(clash.map { $0.stored?.id }, [id], "the row that has the bytes")
        }
        try requireEqual(try subject.rows("Tag").count, 8, "the objects")
    },
    ConformanceRule(
        "an update that keeps a row's unique values is not a conflict",
        proves: ["SaveTransaction.prepare(_:): Constraints apply to the"]
    ) { subject in
        let values: [String: Value] = ["code": "A", "disc": 1, "position": 1]
        let id = try subject.insert("Track", values)
        try subject.save { try $0.update("Track", id, values) }
        try requireEqual(try subject.row(of: id)?.version, 2, "the version")
    },
    ConformanceRule(
        "an update to a unique value of another row is refused and changes nothing",
        proves: ["SaveTransaction.prepare(_:): .uniquenessConflicts"]
    ) {
        subject in
        let ids = try subject.insertAll("Track", [["code": "A"], ["code": "B"]])
        let clash = try subject.uniquenessConflicts {
            try $0.update("Track", ids[0], ["code": "B"])
        }
        try requireEqual(clash.flatMap(\.requested), [ids[0]], "the object that clashes")
        try requireEqual(clash.map { $0.stored?.id }, [ids[1]], "the row that has the value")
        try requireEqual(try subject.value("code", of: ids[0]), "A", "the value after the refusal")
    },
]

/// The parts of a uniqueness conflict that a rule compares.
private struct ClashSummary: Hashable {
    let entity: String
    let constraint: [String]
    let requested: Set<ObjectID>
    let stored: ObjectID?

    init(_ entity: String, _ constraint: [String], _ requested: Set<ObjectID>, _ stored: ObjectID?)
    {
        self.entity = entity
        self.constraint = constraint
        self.requested = requested
        self.stored = stored
    }

    init(_ conflict: UniquenessConflict) {
        self.init(
            conflict.entity, conflict.constraint, Set(conflict.requested), conflict.stored?.id)
    }
}

extension StoreSubject {
    /// Returns the conflicts that preparing the save throws, sorted by key.
    fileprivate func rowConflicts(
        _ fill: (inout SaveDraft) throws -> Void
    ) throws -> [RowConflict] {
        switch try refusal(fill) {
        case .rowConflicts(let conflicts)?: return conflicts.sorted { $0.id.key < $1.id.key }
        case let other:
            throw RuleViolation(detail: "expected row conflicts, but found \(describe(other))")
        }
    }

    fileprivate func uniquenessConflicts(
        _ fill: (inout SaveDraft) throws -> Void
    ) throws -> [UniquenessConflict] {
        switch try refusal(fill) {
        case .uniquenessConflicts(let conflicts)?: return conflicts
        case let other:
            throw RuleViolation(
                detail: "expected uniqueness conflicts, but found \(describe(other))")
        }
    }

    private func describe(_ error: StoreError?) -> String { error.map { "\($0)" } ?? "no error" }
}
