import Cairn
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
