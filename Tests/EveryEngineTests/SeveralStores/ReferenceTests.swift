import Cairn
import CairnTestSupport
import CairnTesting
import Foundation
import GraphSupport
import Testing

@Suite struct `A reference to another store` {
    @Test(arguments: GuideStack.pairs)
    func `is set to an unsaved object, saved, and read again`(_ types: [StoreType]) throws {
        let stack = try GuideStack(types)

        let unsaved = try stack.inContext { context in
            let wren = try context.species("WREN", "Wren")
            let sighting = try context.sighting("a", wren)
            let key = sighting.primitiveValue(forKey: "species") as? String
            let found = sighting.species === wren
            try context.save()
            #expect(sighting.species === wren)
            return [key, "\(found)"]
        }
        let read = try stack.inContext { context in
            let sighting = try context.sighting("a")
            let byName = try sighting.value(forKey: "species") as? Species
            return [
                sighting.species?.name, byName?.code,
                try sighting.value(forKeyPath: "species.name") as? String,
                "\(sighting.hasChanges)", "\(try sighting.isMissing(\.species))",
            ]
        }

        #expect(unsaved == ["WREN", "true"])
        #expect(read == ["Wren", "WREN", "Wren", "false", "false"])
    }

    @Test(arguments: GuideStack.pairs)
    func `whose key leads nowhere is nil and missing`(_ types: [StoreType]) throws {
        let stack = try GuideStack(types)
        try stack.fill()

        let missing = try stack.inContext { context in
            try ["a", "b", "c", "d"].map { label in
                let sighting = try context.sighting(label)
                return try "\(sighting.species?.name ?? "nil") \(sighting.isMissing("species"))"
            }
        }
        let found = try stack.inContext { context in
            let sighting = try context.sighting("c")
            let before = sighting.species?.name
            let dodo = try context.species("DODO", "Dodo")
            let after = sighting.species?.name
            try context.delete(dodo)
            let deleted = sighting.species?.name
            context.processPendingChanges()
            return [before, after, deleted, sighting.species?.name]
        }

        #expect(missing == ["Wren false", "Robin false", "nil true", "nil false"])
        #expect(found == [nil, "Dodo", nil, nil])
    }

    @Test(arguments: GuideStack.pairs)
    func `follows the destination's changes, deletion, rollback, undo and refresh`(
        _ types: [StoreType]
    ) throws {
        let stack = try GuideStack(types)
        try stack.fill()

        let names = try stack.inContext { context in
            context.undoManager = UndoManager()
            let sighting = try context.sighting("a")
            var names: [String?] = [sighting.species?.name]
            func note() {
                context.processPendingChanges()
                names.append(sighting.species?.name)
            }
            sighting.species?.code = "OTHER"
            note()
            context.undo()
            note()
            if let wren = sighting.species { try context.delete(wren) }
            note()
            context.rollback()
            note()
            sighting.species = try context.foundSpecies("ROBI")
            note()
            context.undo()
            note()
            sighting.species = nil
            note()
            context.rollback()
            note()
            try stack.inContext { other in
                try other.foundSpecies("WREN").name = "Other"
                try other.save()
            }
            try context.refreshAllObjects()
            note()
            return names
        }

        #expect(
            names == [
                "Wren", nil, "Wren", nil, "Wren", "Robin", "Wren", nil, "Wren", "Other",
            ])
    }

    @Test(arguments: GuideStack.pairs)
    func `is set and read in a child context`(_ types: [StoreType]) throws {
        let stack = try GuideStack(types)
        try stack.fill()

        let names = try stack.inContext { context in
            let egret = try context.species("EGRE", "Egret")
            let handle = ContextHandle(parent: context.handle)
            let inChild = try handle.performAndWait { child in
                let sighting = try child.sighting("a")
                let unsavedInParent = try child.foundSpecies("EGRE")
                sighting.species = unsavedInParent
                let first = sighting.species?.name
                try child.sighting("e", try child.species("KITE", "Kite"))
                let labels = try child.labels(where: "species.name == 'Kite'")
                try child.save()
                return [first, labels]
            }
            let sighting = try context.sighting("a")
            let inParent = sighting.species === egret
            let kite = try context.sighting("e").species?.name
            try context.save()
            return inChild + ["\(inParent)", kite, sighting.species?.name]
        }

        #expect(names == ["Egret", "e", "true", "Kite", "Egret"])
        #expect(try stack.labels(where: "species.name IN {'Kite', 'Egret'}") == "ae")
    }

    @Test(arguments: GuideStack.pairs)
    func `by URI gives a new object its permanent ID`(_ types: [StoreType]) throws {
        let stack = try GuideStack(types)
        try stack.fill()

        let names = try stack.inContext { context in
            let egret = try context.species(nil, "Egret")
            let sighting = try context.sighting("e", nil)
            sighting.seen = egret
            try context.sighting("a").seen = try context.foundSpecies("WREN")
            let unsaved = sighting.seen === egret
            try context.save()
            return ["\(unsaved)", sighting.seen?.name]
        }
        let found = try stack.inContext { context in
            let wren = try context.foundSpecies("WREN")
            return [
                try context.sighting("e").seen?.name,
                try context.labels(where: "seen.name == 'Egret'"),
                try context.labels(where: "seen == %@", wren),
                try context.labels(where: "seen.name != label", by: ["seen.name", "label"]),
            ]
        }
        let gone = try stack.inContext { context in
            try context.delete(try context.foundSpecies("WREN"))
            let sighting = try context.sighting("a")
            let deleted = sighting.seen?.name
            try context.save()
            return [deleted, sighting.seen?.name, "\(try sighting.isMissing(\.seen))"]
        }

        #expect(names == ["true", "Egret"])
        #expect(found == ["Egret", "e", "a", "bcdea"])
        #expect(gone == [nil, nil, "true"])
    }

    @Test func `refuses an object that it cannot lead to`() throws {
        let stack = try GuideStack([.inMemory, .inMemory])
        try stack.fill()

        let errors = try stack.inContext { context in
            let sighting = try context.sighting("a")
            let keyless = try context.species(nil, "Egret")
            let yard = try Yard(context: context)
            var errors: [String] = []
            for value in [keyless, yard, 5] as [Any] {
                errors.append(
                    "\(try graphError { try sighting.setValue(value, forKey: "species") } as Any)")
            }
            let unknown = try graphError { _ = try sighting.isMissing("label") }
            return errors + ["\(unknown as Any)", sighting.species?.name ?? ""]
        }

        #expect(errors[0].contains("“code”"), "\(errors[0])")
        #expect(errors[1].contains("an object of Species"), "\(errors[1])")
        #expect(errors[2].contains("String"), "\(errors[2])")
        #expect(errors[3].contains("a reference"), "\(errors[3])")
        #expect(errors[4] == "Wren")
    }

    @Test(arguments: GuideStack.pairs)
    func `leads back by its index`(_ types: [StoreType]) throws {
        let stack = try GuideStack(types)
        try stack.fill()

        let found = try stack.inContext { context in
            let wren = try context.foundSpecies("WREN")
            let egret = try context.species("EGRE", "Egret")
            try context.sighting("e", egret)
            try context.sighting("f", wren)
            return [
                try context.fetch(
                    Sighting.self, referringTo: wren, by: \.species,
                    sortedBy: [SortDescriptor(\.label)]
                ).map(\.label).joined(),
                try context.fetch(Sighting.self, referringTo: egret, by: \.species)
                    .map(\.label).joined(),
                try context.labels(where: "species IN %@", [wren, egret]),
                try context.labels(where: "species != %@", wren),
            ]
        }

        #expect(found == ["af", "e", "aef", "bcde"])
    }

    @Test(arguments: GuideStack.pairs)
    func `is prefetched with one fetch for all objects, and following it reads no store`(
        _ types: [StoreType]
    ) throws {
        let stack = try GuideStack(types)
        try stack.fill()

        let (names, reads) = try stack.inContext { context in
            for faults in stack.faults { faults.resetCallCounts() }
            let sightings = try context.fetch(
                Sighting.self, sortedBy: [SortDescriptor(\.label)],
                prefetching: [\.species?.family, \.species?.model])
            let fetches = stack.faults[0].callCount(of: .fetch)
            for faults in stack.faults { faults.resetCallCounts() }
            let names = sightings.prefix(2).map { sighting in
                [
                    sighting.species?.name, sighting.species?.family?.name,
                    sighting.species?.model?.name,
                ]
            }
            let reads = stack.faults.map { faults in
                [.fetch, .row, .rows, .relationship].map(faults.callCount(of:)).reduce(0, +)
            }
            return (names, [fetches] + reads)
        }

        #expect(names == [["Wren", "Singers", nil], ["Robin", nil, "Wren"]])
        // One fetch is for the species, and one for their models.
        #expect(reads == [2, 0, 0])
    }
}
