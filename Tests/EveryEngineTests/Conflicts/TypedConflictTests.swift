import Cairn
import CairnTestSupport
import GraphSupport
import Testing

/// A class that declares its properties in another order than the entity.
private final class Person: ManagedObject {
    @Managed var name: String?
    @Managed var email: String?
    @Managed var city: String?
}

/// Merge policies make the same decisions for objects of any class.
@Suite struct `Conflicts of typed objects` {
    private static let policies: [MergePolicyType] = [
        .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]

    @Test(arguments: everyEngine)
    func `keep each value in its own property`(_ type: StoreType) throws {
        let stack = try PeopleStack(type)
        let handle = ContextHandle(
            coordinator: stack.coordinator, classes: ObjectClasses([Person.self]))
        try handle.performAndWait { context in
            try context.insertPerson("Ann", "ann@a", city: "Oslo")
            try context.save()
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.insertPerson("Ann Lee", "ann@a", city: nil)
            try context.save()
        }

        let found = try handle.performAndWait { context in
            let people: [Person] = try context.fetch(FetchRequest<Person>())
            return people.map { [$0.name, $0.city] }
        }

        #expect(found == [["Ann Lee", "Oslo"]])
    }

    @Test(arguments: everyEngine, policies)
    func `are resolved as those of untyped objects are`(
        _ type: StoreType, _ policy: MergePolicyType
    ) throws {
        let untyped = try PeopleStack(type).transcript(policy, ObjectClasses())
        let typed = try PeopleStack(type).transcript(policy, ObjectClasses([Person.self]))

        #expect(typed == untyped)
    }
}

/// People with unique addresses, and homes that they share.
private struct PeopleStack {
    let coordinator: PersistentStoreCoordinator
    private let folder: TemporaryFolder

    init(_ type: StoreType) throws {
        folder = try TemporaryFolder()
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Self.entities))
        try coordinator.addPersistentStore(
            ofType: type, at: folder.url(of: type, "people.store"))
    }

    private static var entities: [EntityDescription] {
        var person = EntityDescription(
            "Person",
            [
                .attribute("age", .integer64), .attribute("city", .string),
                .attribute("email", .string), .attribute("name", .string),
                .toOne("home", "Home", inverse: "people"),
            ])
        person.uniquenessConstraints = [["email"]]
        return [
            person,
            EntityDescription(
                "Home",
                [.attribute("name", .string), .toMany("people", "Person", inverse: "home")]),
        ]
    }

    /// Returns the outcome of each kind of conflict under a policy.
    func transcript(
        _ policy: MergePolicyType, _ classes: ObjectClasses
    ) throws -> [String] {
        let mine = ContextHandle(coordinator: coordinator, classes: classes)
        let theirs = ContextHandle(coordinator: coordinator, classes: classes)
        var lines: [String] = []
        for conflict in PeopleConflict.allCases {
            try theirs.performAndWait { context in
                context.reset()
                try context.insertPeople()
                try context.save()
            }
            try mine.performAndWait { context in
                context.reset()
                context.retainsRegisteredObjects = true
                context.mergePolicy = StandardMergePolicy(policy)
                try conflict.prepare(in: context)
            }
            try theirs.performAndWait { context in
                try conflict.change(in: context)
                try context.save()
            }
            lines += try mine.performAndWait { ["\(conflict): \($0.saveOutcome())"] }
            lines += try mine.performAndWait { context in
                if context.hasChanges { context.rollback() }
                return try context.peopleLines()
            }
            lines += try theirs.performAndWait { context in
                context.reset()
                let lines = try context.peopleLines()
                try context.deleteEverything()
                return lines
            }
        }
        return lines
    }
}

/// The changes of a context, and those that another context saves before it.
private enum PeopleConflict: CaseIterable {
    case newWithStoredAddress, twoNewWithOneAddress, changedToStoredAddress
    case bothChanged, changedAndDeleted, deletedAndChanged

    /// Makes the changes that are saved second.
    func prepare(in context: ManagedObjectContext) throws {
        let (ann, bo) = (try context.person("Ann"), try context.person("Bo"))
        let home = try context.only("Home", where: "name == 'new'")
        switch self {
        case .newWithStoredAddress:
            let new = try context.insertPerson("Ann Lee", "ann@a", city: nil)
            try new.setValue(home, forKey: "home")
        case .twoNewWithOneAddress:
            try context.insertPerson("Cy", "cy@c", city: "Rome")
            try context.insertPerson("Cyd", "cy@c", city: nil).setValue(7, forKey: "age")
        case .changedToStoredAddress:
            try bo.setValue("ann@a", forKey: "email")
            try bo.setValue("Bergen", forKey: "city")
            try bo.setValue(home, forKey: "home")
        case .bothChanged, .changedAndDeleted:
            try ann.setValue("Ann Lee", forKey: "name")
            try ann.setValue(41, forKey: "age")
            try ann.setValue(home, forKey: "home")
        case .deletedAndChanged: try context.delete(ann)
        }
    }

    /// Makes the changes that are saved first.
    func change(in context: ManagedObjectContext) throws {
        let ann = try context.person("Ann")
        switch self {
        case .newWithStoredAddress, .twoNewWithOneAddress, .changedToStoredAddress: return
        case .bothChanged, .deletedAndChanged:
            try ann.setValue("Anna", forKey: "name")
            try ann.setValue("Molde", forKey: "city")
            try ann.setValue(nil, forKey: "home")
        case .changedAndDeleted: try context.delete(ann)
        }
    }
}

extension ManagedObjectContext {
    @discardableResult
    fileprivate func insertPerson(
        _ name: String, _ email: String, city: String?
    ) throws -> ManagedObject {
        let person = try insert("Person", ["name": name, "email": email])
        if let city { try person.setValue(city, forKey: "city") }
        return person
    }

    fileprivate func insertPeople() throws {
        let old = try insert("Home", ["name": "old"])
        _ = try insert("Home", ["name": "new"])
        for (name, email, city, age) in [
            ("Ann", "ann@a", "Oslo", 40), ("Bo", "bo@b", "Voss", 50),
        ] {
            let person = try insertPerson(name, email, city: city)
            try person.setValue(age, forKey: "age")
            try person.setValue(old, forKey: "home")
        }
    }

    fileprivate func person(_ name: String) throws -> ManagedObject {
        let person = try only("Person", where: "name == '\(name)'")
        // Fetches the values now, before others save.
        _ = try person["name"]
        return person
    }

    fileprivate func saveOutcome() -> String {
        do {
            try save()
            return "saved"
        } catch .mergeConflicts(let conflicts) {
            return "\(conflicts.count) conflicts: "
                + conflicts.map { conflict in
                    [conflict.objectSnapshot, conflict.cachedSnapshot, conflict.persistedSnapshot]
                        .map(Self.text).joined(separator: " | ")
                }.joined()
        } catch .constraintConflicts(let conflicts) {
            return "\(conflicts.count) constraints: "
                + conflicts.map { conflict in
                    ([conflict.databaseSnapshot, conflict.constraintValues]
                        + conflict.conflictingSnapshots).map(Self.text).joined(separator: " | ")
                }.joined()
        } catch {
            return "\(error)"
        }
    }

    private static func text(_ snapshot: [String: Value]?) -> String {
        (snapshot ?? [:]).filter { $0.key != "home" }
            .map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
    }

    fileprivate func peopleLines() throws -> [String] {
        var request = FetchRequest<ManagedObject>("Person")
        request.sortDescriptors = [FetchSortDescriptor("name"), FetchSortDescriptor("age")]
        return try fetch(request).map { person in
            try ["name", "email", "city", "age", "home.name"].map {
                "\(try person.value(forKeyPath: $0) ?? "nil")"
            }.joined(separator: " ")
        }
    }

    fileprivate func deleteEverything() throws {
        for entity in ["Person", "Home"] {
            for object in try fetch(FetchRequest<ManagedObject>(entity)) { try delete(object) }
        }
        try save()
    }
}
