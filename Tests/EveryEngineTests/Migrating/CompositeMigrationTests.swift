import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport
import MigrationSupport
import Testing

/// A composite whose elements change, and with them the columns of a SQLite store.
@Suite struct `Migration of composites` {
    /// A change of the elements of `Address` or of `Place`, which is an element of `Address`.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var address: [AttributeDescription] = Change.address
        var place: [AttributeDescription] = Change.place
        /// The values after the migration.
        let expected: Value

        static let place = [
            AttributeDescription("name", .string), AttributeDescription("zip", .integer16),
        ]
        static let address = [AttributeDescription("street", .string), composite("place", "Place")]

        static func composite(_ name: String, _ composite: String) -> AttributeDescription {
            var attribute = AttributeDescription(name, .composite)
            attribute.compositeName = composite
            return attribute
        }
    }

    private static let values = Value.composite([
        "street": "Main Street", "place": .composite(["name": "Bonn", "zip": 17]),
    ])

    private static func required(_ name: String, _ value: Value) -> AttributeDescription {
        var attribute = AttributeDescription(name, .string)
        (attribute.isOptional, attribute.defaultValue) = (false, value)
        return attribute
    }

    private static let changes = [
        Change(
            testDescription: "an element is added",
            address: Change.address + [AttributeDescription("floor", .integer16)],
            expected: values),
        Change(
            testDescription: "an element with a default value is added",
            address: Change.address + [required("country", "DE")],
            expected: .composite([
                "street": "Main Street", "country": "DE",
                "place": .composite(["name": "Bonn", "zip": 17]),
            ])),
        Change(
            testDescription: "an element is removed", address: [Change.address[1]],
            expected: .composite(["place": .composite(["name": "Bonn", "zip": 17])])),
        Change(
            testDescription: "an element is renamed",
            address: [.renamed("road", .string, from: "street"), Change.address[1]],
            expected: .composite([
                "road": "Main Street", "place": .composite(["name": "Bonn", "zip": 17]),
            ])),
        Change(
            testDescription: "an element of an element is added",
            place: Change.place + [required("code", "X")],
            expected: .composite([
                "street": "Main Street",
                "place": .composite(["name": "Bonn", "zip": 17, "code": "X"]),
            ])),
        Change(
            testDescription: "an element of an element is renamed",
            place: [.renamed("town", .string, from: "name"), Change.place[1]],
            expected: .composite([
                "street": "Main Street", "place": .composite(["town": "Bonn", "zip": 17]),
            ])),
        Change(
            testDescription: "an element of an element becomes a text",
            place: [Change.place[0], AttributeDescription("zip", .string)],
            expected: .composite([
                "street": "Main Street", "place": .composite(["name": "Bonn", "zip": "17"]),
            ])),
    ]

    private static func model(
        _ address: [AttributeDescription] = Change.address,
        _ place: [AttributeDescription] = Change.place, addressName: String = "Address"
    ) throws -> ManagedObjectModel {
        var description = ModelDescription([
            EntityDescription(
                "Person",
                [
                    .attribute("name", .string),
                    .attribute(Change.composite("home", addressName)),
                    .attribute(Change.composite("work", addressName)),
                ])
        ])
        description.composites = [
            CompositeDescription(addressName, address), CompositeDescription("Place", place),
        ]
        return try ManagedObjectModel(description)
    }

    /// Creates a store with a person at home and without work.
    private func make(_ trial: MigrationTrial, home: Value = Self.values) throws {
        let store = try trial.open(trial.old, createsMissing: true)
        defer { try? store.close() }
        let person = try #require(trial.old.entity(named: "Person"))
        let layout = store.request.layouts.layout(of: person)
        var writer = RowWriter(store: store.number)
        writer.begin(layout, key: 1, version: 1)
        for (property, slot) in zip(layout.properties, layout.slots) where property.name == "home" {
            try writer.set(home, at: slot, of: layout)
        }
        writer.endRow()
        let transaction = try store.beginSave()
        defer { transaction.rollback() }
        _ = try transaction.reserveKeys([person.number: 1])
        var request = SaveRequest()
        request.inserted.append(writer.takeBatch())
        try transaction.prepare(request)
        _ = try transaction.commit()
    }

    @Test(arguments: everyFileEngine, changes)
    func `is needed if an element changes, and keeps the values`(
        _ type: StoreType, _ change: Change
    ) throws {
        let trial = try MigrationTrial(
            type, from: Self.model(), to: Self.model(change.address, change.place))
        try make(trial)

        let refusal = #expect(throws: StoreError.self) {
            try trial.open(trial.new).close()
        }
        let plan = try trial.migration(allowsInPlace: true).run { _ in .proceed }

        guard case .modelMismatch? = refusal else {
            Issue.record("opened with \(String(describing: refusal))")
            return
        }
        #expect(plan.isNeeded)
        let persons = try trial.image().objects.values
        #expect(persons.map { $0.values["home"] } == [change.expected])
        #expect(persons.map { $0.values["work"] } == [nil])
    }

    @Test(arguments: everyFileEngine)
    func `is not needed if the elements only have another order, and each keeps its value`(
        _ type: StoreType
    ) throws {
        let places = [Change.composite("left", "Place"), Change.composite("right", "Place")]
        let trial = try MigrationTrial(
            type, from: Self.model(places),
            to: Self.model(Array(places.reversed()), Array(Change.place.reversed())))
        let values = Value.composite([
            "left": .composite(["name": "Bonn", "zip": 1]), "right": .composite(["name": "Ulm"]),
        ])
        try make(trial, home: values)

        let persons = try trial.image().objects.values

        #expect(persons.map { $0.values["home"] } == [values])
    }

    @Test(arguments: everyFileEngine, [false, true])
    func `exchanges the names of elements only with a hash modifier of one of them`(
        _ type: StoreType, hasModifier: Bool
    ) throws {
        var street = AttributeDescription.renamed("street", .string, from: "town")
        street.versionHashModifier = hasModifier ? "2" : nil
        let texts = ["street", "town"].map { AttributeDescription($0, .string) }
        let trial = try MigrationTrial(
            type, from: Self.model(texts),
            to: Self.model([street, .renamed("town", .string, from: "street")]))
        try make(trial, home: .composite(["street": "Main Street", "town": "Bonn"]))
        let manager = MigrationManager(destinationModel: trial.new)

        let warnings = ModelLinter(trial.new).warnings().filter { $0.kind == .unnoticedRename }
        let result = Result { try manager.migrateStore(at: trial.url, ofType: type) }

        let persons = try trial.image().objects.values
        if hasModifier {
            #expect(warnings.isEmpty)
            #expect(try result.get().isNeeded)
            #expect(
                persons.map { $0.values["home"] }
                    == [.composite(["street": "Bonn", "town": "Main Street"])])
        } else {
            #expect(warnings.map(\.property) == ["street", "town"])
            #expect(throws: GraphError.self) { try result.get() }
        }
    }

    @Test(arguments: everyFileEngine)
    func `treats a store whose recorded hash is another one by the model inside it`(
        _ type: StoreType
    ) throws {
        // Core Data has another formula, and Cairn had one without the elements.
        let recorded = ["Person": VersionHash(Array(repeating: 3, count: 32))]
        let old = try Self.model()
        let new = try Self.model(Change.address + [AttributeDescription("floor", .integer16)])
        let trial = try MigrationTrial(
            type, from: ManagedObjectModel(old.description, recordedHashes: recorded), to: new)
        let image = try trial.make()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: new)
        coordinator.setModelHistory {
            ModelHistory(versions: [.init(name: "1", model: old), .init(name: "2", model: new)])
        }

        try trial.open(old).close()
        #expect(throws: GraphError.self) {
            try coordinator.addPersistentStore(ofType: type, at: trial.url)
        }
        let store = try coordinator.addPersistentStore(
            ofType: type, at: trial.url,
            options: [
                .migratesAutomatically: .boolean(true), .infersMappingModel: .boolean(true),
            ])
        try coordinator.remove(store)

        #expect(try trial.image() == image)
    }

    @Test(arguments: everyFileEngine, changes)
    func `keeps the values if the composite also has another name, as that of an archive has`(
        _ type: StoreType, _ change: Change
    ) throws {
        let trial = try MigrationTrial(
            type, from: Self.model(addressName: "Person.home"),
            to: Self.model(change.address, change.place))
        try make(trial)

        _ = try trial.migration(allowsInPlace: true).run { _ in .proceed }

        let persons = try trial.image().objects.values
        #expect(persons.map { $0.values["home"] } == [change.expected])
    }

    @Test func `is refused if no element continues`() throws {
        let (old, new) = try (
            Self.model(addressName: "Other"), Self.model([AttributeDescription("floor", .string)])
        )

        let verdict = InferenceVerdict(from: old, to: new)

        #expect(verdict.refusals.map(\.property) == ["home", "work"])
        #expect(verdict.refusals.first?.reason.hasPrefix("it has another composite") == true)
    }
}
