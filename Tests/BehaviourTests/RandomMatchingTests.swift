import Cairn
import CairnConformance
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Compares random predicates on a random library. `CAIRN_SEED` repeats a run.
@Suite struct `Random predicates in memory` {
    private static let seed = SeededRandom.seed(of: "predicates in memory")

    @Test(arguments: chosenEngines)
    func `match the objects that a fetch finds`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            var library = RandomLibrary(seed: Self.seed)
            try library.grow(context)
            try context.save()
            let telling = try library.compare(context, count: 150) { predicate, objects, request in
                let found: [ManagedObject] = try context.fetch(request)
                #expect(
                    Set(try objects.filtered(using: predicate)) == Set(found), "\(predicate)")
                return found.count
            }

            #expect(telling > 20)
        }
    }

    @Test(arguments: chosenEngines)
    func `match unsaved objects as they do after the save`(_ type: StoreType) throws {
        try inLibrary(type) { context throws in
            var library = RandomLibrary(seed: Self.seed &+ 1)
            try library.grow(context)
            try context.save()
            try library.change(context)
            try library.grow(context)
            var found: [(FetchRequest<ManagedObject>, Set<ManagedObject>)] = []
            _ = try library.compare(context, count: 150) { predicate, objects, request in
                found.append((request, Set(try objects.filtered(using: predicate))))
                return 0
            }
            try context.save()

            for (request, expected) in found {
                let after: [ManagedObject] = try context.fetch(request)
                #expect(Set(after) == expected, "\(request.predicate as Any)")
            }
        }
    }
}

/// Objects with few distinct values and many relationships.
private struct RandomLibrary {
    private var random: SeededRandom
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
    }

    mutating func grow(_ context: ManagedObjectContext) throws {
        var all: [String: [ManagedObject]] = [:]
        for (entity, count) in [("Author", 6), ("Tag", 3), ("Book", 9), ("Novel", 4)] {
            for _ in 0..<count {
                let object = try context.insert(entity)
                all[entity, default: []].append(object)
                try fill(object)
            }
        }
        try link(all)
    }

    /// Changes a third of the objects, sets some values to nil, and deletes one object.
    mutating func change(_ context: ManagedObjectContext) throws {
        for name in ["Author", "Tag", "Book"] {
            let objects: [ManagedObject] = try context.fetch(FetchRequest(name))
            for object in objects where below(3) == 0 { try fill(object) }
            try context.delete(objects[below(objects.count)])
        }
        context.processPendingChanges()
    }

    private mutating func fill(_ object: ManagedObject) throws {
        for attribute in object.entity.attributes where !attribute.isTransient {
            if attribute.isOptional, below(4) == 0 {
                try object.setValue(nil, forKey: attribute.name)
                continue
            }
            let value: Any =
                switch attribute.type {
                case .string: ["ann", "Ann", "Änn", "bob", "b*b"][below(5)]
                case .boolean: below(2) == 0
                case .double: Double(below(5)) / 2
                default: below(6)
                }
            try object.setValue(value, forKey: attribute.name)
        }
    }

    private mutating func link(_ all: [String: [ManagedObject]]) throws {
        let (authors, tags) = (all["Author", default: []], all["Tag", default: []])
        for author in authors where below(2) == 0 {
            try author.setValue(authors[below(authors.count)], forKey: "mentor")
            try author.objects("friends").insert(authors[below(authors.count)])
        }
        for book in all["Book", default: []] + all["Novel", default: []] {
            if below(4) > 0 { try book.setValue(authors[below(authors.count)], forKey: "author") }
            for tag in tags where below(3) == 0 { try book.objects("tags").insert(tag) }
        }
    }

    /// Calls the body with random predicates on each entity, the context's objects of that entity, and the
    /// corresponding fetch. Returns how many fetches found some objects but not all.
    mutating func compare(
        _ context: ManagedObjectContext, count: Int,
        _ body: (FetchPredicate, [ManagedObject], FetchRequest<ManagedObject>) throws -> Int
    ) throws -> Int {
        let samples = try samples(context)
        var telling = 0
        for name in ["Author", "Book"] {
            let entity = try #require(context.managedObjectModel.entity(named: name))
            let objects: [ManagedObject] = try context.fetch(FetchRequest(name))
            var generator = PredicateGenerator(
                seed: seed, entity: entity, samples: samples,
                ids: objects.map(\.objectID).filter { !$0.isTemporary })
            for _ in 0..<count {
                let predicate = generator.predicate()
                guard (try? predicate.bound(to: entity)) != nil else { continue }
                var request = FetchRequest<ManagedObject>(name)
                request.predicate = predicate
                let found = try body(predicate, objects, request)
                if found > 0, found < objects.count { telling += 1 }
            }
        }
        return telling
    }

    private func samples(_ context: ManagedObjectContext) throws -> [String: [Value]] {
        var samples: [String: [Value]] = [:]
        for name in ["Author", "Tag", "Book"] {
            for object in try context.fetch(FetchRequest<ManagedObject>(name)) {
                for attribute in object.entity.attributes where !attribute.isTransient {
                    samples[PredicateGenerator.sampleKey(attribute), default: []].append(
                        try object[attribute.name])
                }
            }
        }
        return samples
    }

    private mutating func below(_ bound: Int) -> Int {
        Int(random.next() % UInt64(max(bound, 1)))
    }
}
