import Cairn
import CairnConformance
import CairnTestSupport
import GraphSupport
import Testing

/// Objects with few distinct values and many relationships.
struct RandomLibrary {
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
