import Cairn
import CairnStore
import CairnStoreCopying
import CairnTestSupport
import GraphSupport
import MigrationSupport
import Testing

/// Two stored relationships that become each other's inverse in the new version.
@Suite struct `Relationships that become each other's inverse` {
    /// The kinds of the two relationships, `A.bs` and `B.as`.
    struct Ends: Sendable, CustomTestStringConvertible {
        var isNearToMany: Bool
        var isFarToMany: Bool
        var isOrdered = false
        /// The second relationship gets another name.
        var isRenamed = false

        static let all = [
            Ends(isNearToMany: false, isFarToMany: false),
            Ends(isNearToMany: true, isFarToMany: false),
            Ends(isNearToMany: false, isFarToMany: true),
            Ends(isNearToMany: true, isFarToMany: true),
            Ends(isNearToMany: true, isFarToMany: false, isOrdered: true),
            Ends(isNearToMany: true, isFarToMany: true, isOrdered: true),
            Ends(isNearToMany: true, isFarToMany: false, isRenamed: true),
        ]

        var testDescription: String {
            "\(isNearToMany ? "many" : "one") to \(isFarToMany ? "many" : "one")"
                + (isOrdered ? ", in order" : "") + (isRenamed ? ", renamed" : "")
        }

        var newName: String { isRenamed ? "owners" : "as" }

        func model(areJoined: Bool) throws -> ManagedObjectModel {
            func end(
                _ name: String, _ entity: String, _ inverse: String, _ isToMany: Bool
            ) -> RelationshipDescription {
                let inverse = areJoined ? inverse : nil
                return isToMany
                    ? .toMany(name, entity, inverse: inverse, isOrdered: isOrdered)
                    : .toOne(name, entity, inverse: inverse)
            }
            var far = end(areJoined ? newName : "as", "A", "bs", isFarToMany)
            if areJoined, isRenamed { far.renamingIdentifier = "as" }
            return try ManagedObjectModel([
                EntityDescription("A", [.relationship(end("bs", "B", newName, isNearToMany))]),
                EntityDescription("B", [.relationship(far)]),
            ])
        }
    }

    private typealias Pairs = [(owner: Int64, member: Int64)]

    /// Creates a store with three objects of each entity, and with pairs of `A.bs` and of `B.as`.
    private func trial(
        _ type: StoreType, _ ends: Ends, _ near: Pairs, _ far: Pairs
    ) throws -> (trial: MigrationTrial, before: StoreImage) {
        let trial = try MigrationTrial(
            type, from: ends.model(areJoined: false), to: ends.model(areJoined: true))
        let store = try trial.open(trial.old, createsMissing: true)
        defer { try? store.close() }
        var writer = RowWriter(store: store.number)
        var request = SaveRequest()
        for (name, relationship, pairs) in [("A", "bs", near), ("B", "as", far)] {
            let entity = try #require(trial.old.entity(named: name))
            let relationship = try #require(entity.relationship(named: relationship))
            let layout = store.request.layouts.layout(of: entity)
            for key in 1...3 as ClosedRange<Int64> {
                writer.begin(layout, key: key, version: 1)
                if let slot = layout.slot(named: relationship.name),
                    let pair = pairs.first(where: { $0.owner == key })
                {
                    writer.set(
                        key: pair.member, entity: relationship.destination.number, at: slot)
                }
                writer.endRow()
            }
            guard relationship.isToMany else { continue }
            for (index, pair) in pairs.enumerated() {
                request.pairs.append(
                    PairChange(
                        .insert, relationship, owner: id(pair.owner, entity, store),
                        member: id(pair.member, relationship.destination, store),
                        orderKey: ends.isOrdered ? Int64(1024 * (index + 1)) : nil))
            }
        }
        request.inserted = writer.takeBatch()
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        _ = try transaction.reserveKeys(
            Dictionary(uniqueKeysWithValues: trial.old.entities.map { ($0.number, 3) }))
        try transaction.prepare(request)
        _ = try transaction.commit()
        return (trial, try StoreImage(store))
    }

    private func id(_ key: Int64, _ entity: Entity, _ store: any PersistentStore) -> ObjectID {
        ObjectID(
            store: store.number, rootEntity: entity.rootEntity.number, entity: entity.number,
            key: key)
    }

    private func expectRefusal(_ trial: MigrationTrial, _ before: StoreImage) throws {
        let error = #expect(throws: StoreCopyError.self) {
            try trial.migration(allowsInPlace: true).run { _ in .proceed }
        }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("refused with \(String(describing: error))")
            return
        }
        #expect(findings.map { "\($0.entity).\($0.property ?? "")" } == ["A.bs"])
        let store = try trial.open(trial.old)
        let image = try StoreImage(store)
        try store.close()
        #expect(image == before)
    }

    @Test(arguments: everyFileEngine, Ends.all)
    func `may have no destinations`(_ type: StoreType, _ ends: Ends) throws {
        let (trial, before) = try trial(type, ends, [], [])

        _ = try trial.migration(allowsInPlace: true).run { _ in .proceed }

        let after = try trial.image()
        #expect(after == before)
    }

    @Test(arguments: everyFileEngine, Ends.all)
    func `keep destinations that lead back to their objects`(
        _ type: StoreType, _ ends: Ends
    ) throws {
        let near: Pairs = ends.isOrdered ? [(1, 3), (1, 2), (3, 1)] : [(1, 2), (3, 1)]
        let far: Pairs = ends.isOrdered ? [(1, 3), (2, 1), (3, 1)] : [(2, 1), (1, 3)]
        let (trial, before) = try trial(type, ends, near, far)

        _ = try trial.migration(allowsInPlace: true).run { _ in .proceed }

        let after = try trial.image()
        var expected = before
        for id in expected.objects.keys where ends.isRenamed {
            let (destination, members) = (
                expected.objects[id]?.toOnes.removeValue(forKey: "as"),
                expected.objects[id]?.toManys.removeValue(forKey: "as")
            )
            expected.objects[id]?.toOnes[ends.newName] = destination
            expected.objects[id]?.toManys[ends.newName] = members
        }
        #expect(after.differences(from: expected) == [])
    }

    @Test(arguments: everyFileEngine, Ends.all)
    func `are refused if a destination leads nowhere or elsewhere`(
        _ type: StoreType, _ ends: Ends
    ) throws {
        for (near, far) in [
            ([(1, 2)], []), ([], [(2, 1)]), ([(1, 2)], [(2, 3)]), ([(1, 2), (2, 3)], [(2, 1)]),
        ] as [(Pairs, Pairs)] {
            let (trial, before) = try trial(type, ends, near, far)

            try expectRefusal(trial, before)
        }
    }
}
