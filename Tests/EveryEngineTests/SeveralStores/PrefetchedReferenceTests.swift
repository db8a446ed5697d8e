import Cairn
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Testing

@Suite struct `A prefetched reference` {
    @Test(arguments: GuideStack.pairs)
    func `leads elsewhere after changes of its key, of the destination, and of both by others`(
        _ types: [StoreType]
    ) throws {
        let stack = try GuideStack(types)
        try stack.fill()

        let names = try stack.inContext { context in
            let sightings = try context.fetch(
                Sighting.self, sortedBy: [SortDescriptor(\.label)], prefetching: [\.species])
            var names: [[String?]] = []
            func note() { names.append(sightings.map { $0.species?.name }) }
            note()
            let (wren, robin) = (sightings[0].species, sightings[1].species)
            sightings[0].species = robin
            note()
            context.rollback()
            note()
            wren?.code = "RARE"
            note()
            context.rollback()
            try stack.inContext { other in
                // The keys of the two species are exchanged in two saves, because they are unique.
                let (first, second) = (
                    try other.foundSpecies("WREN"), try other.foundSpecies("ROBI")
                )
                first.code = "NONE"
                try other.save()
                second.code = "WREN"
                try other.save()
                first.code = "ROBI"
                try other.save()
            }
            note()
            try context.refreshAllObjects()
            note()
            try context.delete(try context.foundSpecies("WREN"))
            note()
            return names
        }

        #expect(
            names == [
                ["Wren", "Robin", nil, nil], ["Robin", "Robin", nil, nil],
                ["Wren", "Robin", nil, nil], [nil, "Robin", nil, nil],
                ["Wren", "Robin", nil, nil], ["Robin", "Wren", nil, nil],
                [nil, "Wren", nil, nil],
            ])
    }

    /// 700 keys take two fetches, or one fetch of all species if there are fewer than twice as many.
    @Test(arguments: [[StoreType.sqlite, .lmdb], [.inMemory, .binary]], [0, 900])
    func `of many objects leads to the same objects as one that was not prefetched`(
        _ types: [StoreType], _ others: Int
    ) throws {
        let stack = try GuideStack(types)
        try stack.inContext { context in
            for index in 0..<700 {
                try context.sighting("\(index)", context.species("code \(index)", "\(index)"))
            }
            for index in 0..<others { try context.species("other \(index)", "other") }
            try context.save()
        }

        let (wrong, reads) = try stack.inContext { context in
            // Unsaved changes count: this key leads to another species, and this species is new.
            try context.foundSpecies("code 5").code = "changed"
            try context.sighting("5").species = try context.species("code 6000", "5")
            for faults in stack.faults { faults.resetCallCounts() }
            let sightings = try context.fetch(Sighting.self, prefetching: [\.species])
            let fetches = stack.faults[0].callCount(of: .fetch)
            let wrong = sightings.filter { $0.species?.name != $0.label }.map(\.label)
            let later = stack.faults.map { $0.callCount(of: .fetch) }[0] - fetches
            return (wrong, [sightings.count, later])
        }

        #expect(wrong == [])
        #expect(reads == [700, 0])
    }
}
