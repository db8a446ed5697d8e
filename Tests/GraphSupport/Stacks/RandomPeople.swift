import Cairn
import CairnTestSupport

/// People, teams and tags, and random saves of them.
package enum PeopleModel {
    package static var entities: [EntityDescription] { [person, lead, team, tag] }

    private static var person: EntityDescription {
        var name = AttributeDescription("name", .string)
        name.preservesValueInHistoryOnDeletion = true
        return EntityDescription(
            "Person",
            [
                .attribute(name), .attribute("age", .integer32),
                .toOne("team", "Team", inverse: "people"),
                .toMany("tags", "Tag", inverse: "people"),
            ])
    }

    private static var lead: EntityDescription {
        EntityDescription("Lead", superentity: "Person", [.attribute("area", .string)])
    }

    private static var team: EntityDescription {
        EntityDescription(
            "Team",
            [
                .attribute("name", .string),
                .toMany("people", "Person", inverse: "team", isOrdered: true),
            ])
    }

    private static var tag: EntityDescription {
        var tag = EntityDescription(
            "Tag",
            [
                .attribute("name", .string), .attribute("code", .string),
                .toMany("people", "Person", inverse: "tags"),
            ])
        tag.uniquenessConstraints = [["code"]]
        return tag
    }
}

/// Random saves of people, teams and tags: insertions, updates, deletions, moves in an ordered relationship,
/// and upserts, which are insertions of tags with a code that may exist.
package struct RandomPeople: Sendable {
    private let handle: ContextHandle
    private let coordinator: PersistentStoreCoordinator
    /// The number of people above which more are deleted than inserted.
    package var greatestCount = 40

    package init(_ coordinator: PersistentStoreCoordinator) throws {
        self.coordinator = coordinator
        handle = ContextHandle(coordinator: coordinator)
        try handle.performAndWait {
            $0.mergePolicy = StandardMergePolicy.mergeByPropertyObjectTrump
        }
    }

    /// Makes one save with a few changes.
    package func save(_ random: inout SeededRandom) throws {
        let numbers = (0..<40).map { _ in Int.random(in: 0..<1_000_000, using: &random) }
        try handle.performAndWait { context in
            // Another program may have saved.
            context.reset()
            context.transactionAuthor = numbers[0].isMultiple(of: 2) ? "even" : nil
            try change(context, numbers)
            try context.save()
        }
    }

    private func change(_ context: ManagedObjectContext, _ numbers: [Int]) throws {
        let stores = coordinator.persistentStores
        var rest = numbers
        func next(_ bound: Int) -> Int { (rest.popLast() ?? 0) % max(bound, 1) }
        func isNear(_ a: ManagedObject, _ b: ManagedObject) -> Bool {
            a.objectID.store == b.objectID.store
        }
        let people: [ManagedObject] = try context.fetch(FetchRequest("Person"))
        let teams: [ManagedObject] = try context.fetch(FetchRequest("Team"))
        let tags: [ManagedObject] = try context.fetch(FetchRequest("Tag"))
        func some(_ objects: [ManagedObject]) -> ManagedObject? {
            guard !objects.isEmpty else { return nil }
            let object = objects[next(objects.count)]
            return object.isDeleted ? nil : object
        }
        // A save merges new objects only with objects that it does not change in another way.
        let isUpsert = next(5) == 0
        var codes = [0, 1, 2, 3, 4, 5]
        for _ in 0...next(4) {
            var kind = isUpsert ? 8 : next(10)
            if kind == 8, !isUpsert { kind = 9 }
            if people.count > greatestCount, kind < 3 { kind = 3 }
            switch kind {
            case 0, 1:
                let person = try context.insertNewObject(
                    forEntityName: next(2) == 0 ? "Person" : "Lead")
                try person.setValue("p\(next(100))", forKey: "name")
                try context.assign(person, to: stores[next(stores.count)])
            case 2: try some(people)?.setValue(next(90), forKey: "age")
            case 3:
                if people.count > 3, let person = some(people) { try context.delete(person) }
            case 4:
                if teams.count > 4 {
                    if let team = some(teams), next(3) == 0 { try context.delete(team) }
                } else {
                    let team = try context.insertNewObject(forEntityName: "Team")
                    try team.setValue("t\(next(100))", forKey: "name")
                    try context.assign(team, to: stores[next(stores.count)])
                }
            case 5, 6:
                guard let person = some(people), let team = some(teams), isNear(person, team) else {
                    continue
                }
                try person.setValue(next(4) == 0 ? nil : team, forKey: "team")
            case 7:
                guard let team = some(teams) else { continue }
                let members: OrderedObjects<ManagedObject> = try team.orderedObjects("people")
                guard members.count > 1, let member = try members.member(at: 0) else { continue }
                try members.move(member, to: 1 + next(members.count - 1))
            case 8:
                guard !codes.isEmpty else { continue }
                let code = codes.remove(at: next(codes.count))
                let tag = try context.insertNewObject(forEntityName: "Tag")
                try tag.setValue("c\(code)", forKey: "code")
                try tag.setValue("n\(next(100))", forKey: "name")
                try context.assign(tag, to: stores[next(stores.count)])
            default:
                guard let person = some(people), let tag = some(tags), isNear(person, tag) else {
                    continue
                }
                let set: ObjectSet<ManagedObject> = try person.objects("tags")
                if try set.contains(tag) { try set.remove(tag) } else { try set.insert(tag) }
            }
        }
    }
}
