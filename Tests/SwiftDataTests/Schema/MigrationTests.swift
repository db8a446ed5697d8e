import CairnTestSupport
import Foundation
import SwiftData
import Testing

enum ContactsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Contact.self] }

    @Model final class Contact {
        var fullName: String
        var age: Int

        init(fullName: String, age: Int) {
            self.fullName = fullName
            self.age = age
        }
    }
}

enum ContactsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Contact.self] }

    @Model final class Contact {
        @Attribute(originalName: "fullName") var name: String
        var age: Int
        var city: String = "unknown"
        var family: String?

        init(name: String, age: Int) {
            self.name = name
            self.age = age
        }
    }
}

enum ContactsV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Contact.self] }

    @Model final class Contact {
        @Attribute(.unique) var name: String
        var age: Int
        var city: String = "unknown"
        var family: String

        init(name: String, family: String) {
            self.name = name
            self.family = family
            age = 0
        }
    }
}

enum ContactsPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
        [ContactsV1.self, ContactsV2.self, ContactsV3.self]
    }
    static var stages: [MigrationStage] { [toV2, toV3] }

    static let toV2 = MigrationStage.lightweight(
        fromVersion: ContactsV1.self, toVersion: ContactsV2.self)

    static let toV3 = MigrationStage.custom(
        fromVersion: ContactsV2.self, toVersion: ContactsV3.self,
        willMigrate: { context in
            // Unique names and a family for each, before the new version demands both.
            var seen: Set<String> = []
            for contact in try context.fetch(FetchDescriptor<ContactsV2.Contact>()) {
                contact.family = contact.name.split(separator: " ").last.map(String.init) ?? ""
                if !seen.insert(contact.name).inserted { context.delete(contact) }
            }
            try context.save()
        },
        didMigrate: { context in
            for contact in try context.fetch(FetchDescriptor<ContactsV3.Contact>()) {
                contact.age += 1
            }
        })
}

enum FailingPlan: SchemaMigrationPlan {
    struct Failure: Error {}

    static var schemas: [any VersionedSchema.Type] { ContactsPlan.schemas }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: ContactsV1.self, toVersion: ContactsV2.self,
                willMigrate: { context in
                    try context.delete(model: ContactsV1.Contact.self)
                    try context.save()
                    throw Failure()
                }, didMigrate: nil)
        ]
    }
}

@Suite struct `A migration` {
    /// Creates a store of the first version with three contacts, two of them equal.
    private func firstStore(_ folder: TemporaryFolder, _ engine: String) throws
        -> ModelConfiguration
    {
        let configuration = ModelConfiguration(url: folder.file("contacts"), storeType: engine)
        let context = ModelContext(
            try ModelContainer(
                for: Schema(versionedSchema: ContactsV1.self), configurations: configuration))
        for name in ["Ann Bo", "Cy Dee", "Ann Bo"] {
            context.insert(ContactsV1.Contact(fullName: name, age: 30))
        }
        try context.save()
        return configuration
    }

    @Test(arguments: ["SQLite", "LMDB", "XML", "Binary"])
    func `that is inferred renames and adds attributes`(_ engine: String) throws {
        let folder = try TemporaryFolder()
        let configuration = try firstStore(folder, engine)

        let container = try ModelContainer(
            for: Schema(versionedSchema: ContactsV2.self), configurations: configuration)

        let contacts = try ModelContext(container)
            .all(ContactsV2.Contact.self, by: SortDescriptor(\.name))
        #expect(contacts.map(\.name) == ["Ann Bo", "Ann Bo", "Cy Dee"])
        #expect(contacts.map(\.city) == ["unknown", "unknown", "unknown"])
        #expect(contacts.map(\.family) == [nil, nil, nil])
    }

    @Test(arguments: ["SQLite", "LMDB", "XML", "Binary"])
    func `with a plan passes through its stages`(_ engine: String) throws {
        let folder = try TemporaryFolder()
        let configuration = try firstStore(folder, engine)

        let container = try ModelContainer(
            for: Schema(versionedSchema: ContactsV3.self), migrationPlan: ContactsPlan.self,
            configurations: configuration)

        let contacts = try ModelContext(container)
            .all(ContactsV3.Contact.self, by: SortDescriptor(\.name))
        #expect(contacts.map(\.name) == ["Ann Bo", "Cy Dee"])
        #expect(contacts.map(\.family) == ["Bo", "Dee"])
        #expect(contacts.map(\.age) == [31, 31])
    }

    @Test func `whose code throws leaves the store unchanged`() throws {
        let folder = try TemporaryFolder()
        let configuration = try firstStore(folder, "SQLite")

        #expect(throws: (any Error).self) {
            try ModelContainer(
                for: Schema(versionedSchema: ContactsV2.self), migrationPlan: FailingPlan.self,
                configurations: configuration)
        }

        let container = try ModelContainer(
            for: Schema(versionedSchema: ContactsV1.self), configurations: configuration)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<ContactsV1.Contact>()) == 3)
    }

    @Test(arguments: [true, false])
    func `by a lightweight stage keeps the history`(_ namesSchema: Bool) throws {
        func configuration(_ schema: Schema) -> ModelConfiguration {
            namesSchema
                ? ModelConfiguration(schema: schema, url: folder.file("contacts"))
                : ModelConfiguration(url: folder.file("contacts"))
        }
        let folder = try TemporaryFolder()
        let (old, new) = (
            Schema(versionedSchema: ContactsV1.self), Schema(versionedSchema: ContactsV2.self)
        )
        do {
            let context = ModelContext(
                try ModelContainer(for: old, configurations: configuration(old)))
            context.author = "app"
            context.insert(ContactsV1.Contact(fullName: "Ann Bo", age: 30))
            try context.save()
        }

        let container = try ModelContainer(
            for: new, migrationPlan: ContactsPlan.self, configurations: configuration(new))

        let history = try ModelContext(container)
            .fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(history.first?.author == "app")
        #expect(history.count == 2, "The migration in place is a transaction, as in Core Data.")
    }

    @Test func `is not needed for a store of the same version`() throws {
        let folder = try TemporaryFolder()
        let configuration = try firstStore(folder, "SQLite")

        let container = try ModelContainer(
            for: Schema(versionedSchema: ContactsV1.self), migrationPlan: ContactsPlan.self,
            configurations: configuration)

        #expect(try ModelContext(container).fetchCount(FetchDescriptor<ContactsV1.Contact>()) == 3)
    }

    @Test func `lets two versions of a class be used in one process`() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let first = ModelContext(
            try ModelContainer(for: ContactsV1.Contact.self, configurations: memory))
        let second = ModelContext(
            try ModelContainer(for: ContactsV2.Contact.self, configurations: memory))
        first.insert(ContactsV1.Contact(fullName: "Ann", age: 1))
        second.insert(ContactsV2.Contact(name: "Ben", age: 2))
        try first.save()
        try second.save()

        #expect(try first.all(ContactsV1.Contact.self).map(\.fullName) == ["Ann"])
        #expect(try second.all(ContactsV2.Contact.self).map(\.name) == ["Ben"])
        #expect(throws: (any Error).self) { try first.all(ContactsV2.Contact.self) }
    }
}

@Suite struct `A version of a schema` {
    @Test func `is compared number by number`() {
        let versions = [Schema.Version(1, 2, 0), Schema.Version(1, 10, 0), Schema.Version(2, 0, 0)]

        #expect(versions.sorted() == versions && versions[1].description == "1.10.0")
    }
}
