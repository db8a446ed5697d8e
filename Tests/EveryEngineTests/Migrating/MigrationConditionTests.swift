import Cairn
import CairnStoreCopying
import CairnTestSupport
import GraphSupport
import MigrationSupport
import Testing

/// Changes that are inferred, as in Core Data, if the stored values allow them.
@Suite struct `A condition of an inferred migration` {
    private static let ways = everyFileEngine.map { ($0, false) } + [(StoreType.sqlite, true)]

    /// A change of the entity Item. Values are stored for `size`.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let old: AttributeDescription
        let new: PropertyDescription
        /// A value that the new version does not accept.
        let bad: Value
        /// A value that it accepts. `nil` if it accepts no object.
        let good: Value?
        let reason: String

        init(
            _ testDescription: String, _ old: AttributeDescription, _ new: PropertyDescription,
            bad: Value, good: Value?, _ reason: String
        ) {
            self.testDescription = testDescription
            self.old = old
            self.new = new
            self.bad = bad
            self.good = good
            self.reason = reason
        }
    }

    private static func size(
        _ type: AttributeType, isOptional: Bool = true
    ) -> AttributeDescription {
        var attribute = AttributeDescription("size", type)
        attribute.isOptional = isOptional
        return attribute
    }

    private static let changes = [
        Change(
            "becomes required", size(.string), .attribute(size(.string, isOptional: false)),
            bad: .null, good: .string("small"), "the store contains objects without a value"),
        Change(
            "is new and required", size(.string), .attribute("weight", .double, isOptional: false),
            bad: .string("small"), good: nil, "the store contains objects without a value"),
        Change(
            "is a new required relationship", size(.string),
            .toOne("above", "Item", isOptional: false), bad: .string("small"), good: nil,
            "it is now required, but the store contains objects without a destination"),
        Change(
            "becomes narrower", size(.integer64), .attribute(size(.integer16)),
            bad: .integer(40000), good: .integer(-7), "does not represent exactly"),
        Change(
            "becomes an integer", size(.double), .attribute(size(.integer32)), bad: .double(1.5),
            good: .double(2), "does not represent exactly"),
        Change(
            "becomes narrower and required", size(.integer32),
            .attribute(size(.integer16, isOptional: false)), bad: .null, good: .integer(7),
            "the store contains objects without a value"),
    ]

    private static func entities(_ property: PropertyDescription, besides: [PropertyDescription])
        -> [EntityDescription]
    {
        [
            EntityDescription("Item", besides + [property]),
            EntityDescription("Note", [.attribute("text", .string)]),
        ]
    }

    /// Creates a store with a note, and with an item for each value.
    private func trial(
        _ type: StoreType, _ change: Change, _ values: [Value]
    ) throws -> MigrationTrial {
        let isNew = change.new.name != change.old.name
        let trial = try MigrationTrial(
            type, from: Self.entities(.attribute(change.old), besides: []),
            to: Self.entities(change.new, besides: isNew ? [.attribute(change.old)] : []))
        let coordinator = PersistentStoreCoordinator(managedObjectModel: trial.old)
        let store = try coordinator.addPersistentStore(ofType: type, at: trial.url)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            try context.insertNewObject(forEntityName: "Note")
            for value in values {
                try context.insertNewObject(forEntityName: "Item").setValue(value, forKey: "size")
            }
            try context.save()
        }
        try coordinator.remove(store)
        return trial
    }

    @Test(arguments: ways, changes)
    func `is a reason to refuse a store whose objects do not meet it`(
        _ way: (type: StoreType, allowsInPlace: Bool), _ change: Change
    ) throws {
        let trial = try trial(way.type, change, [change.good ?? .null, change.bad])
        let before = try trial.image(of: trial.old)

        let error = #expect(throws: StoreCopyError.self) {
            try trial.migration(allowsInPlace: way.allowsInPlace).run { _ in .proceed }
        }

        guard case .store(.migrationRefused(_, let findings))? = error else {
            Issue.record("ended with \(String(describing: error))")
            return
        }
        #expect(findings.map(\.entity) == ["Item"])
        #expect(findings.map(\.property) == [change.new.name])
        #expect(findings.first?.reason.contains(change.reason) == true, "\(findings)")
        #expect(try trial.image(of: trial.old) == before)
    }

    @Test(arguments: ways, changes)
    func `is met by objects with fitting values, or by no objects`(
        _ way: (type: StoreType, allowsInPlace: Bool), _ change: Change
    ) throws {
        let trial = try trial(way.type, change, change.good.map { [$0] } ?? [])
        let before = try trial.image(of: trial.old)

        _ = try trial.migration(allowsInPlace: way.allowsInPlace).run { _ in .proceed }

        let expected = MigrationOracle(from: trial.old, to: trial.new).migrated(before)
        #expect(try trial.image().differences(from: expected) == [])
    }

    /// A chain of versions with a default value in between needs no values.
    @Test(arguments: ways, [true, false])
    func `is avoided by a version in between`(
        _ way: (type: StoreType, allowsInPlace: Bool), _ knowsSource: Bool
    ) throws {
        var filled = Self.size(.string, isOptional: false)
        filled.defaultValue = .string("medium")
        let required = Change(
            "", Self.size(.string), .attribute(Self.size(.string, isOptional: false)), bad: .null,
            good: nil, "")
        let trial = try trial(way.type, required, [.null])
        let between = try ManagedObjectModel(
            Self.entities(.attribute(filled), besides: []))
        var migration = try trial.migration(allowsInPlace: way.allowsInPlace)
        migration.source = trial.old
        migration.history = ModelHistory(
            versions: ((knowsSource ? [trial.old] : []) + [between, trial.new]).enumerated().map {
                .init(name: "\($0.offset)", model: $0.element)
            })

        let plan = try migration.run { _ in .proceed }

        #expect(plan.stages.count == 2)
        let values = try trial.image().objects.values.compactMap { $0.values["size"] }
        #expect(values == [.string("medium")])
    }
}
