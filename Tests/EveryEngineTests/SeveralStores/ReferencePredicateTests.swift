import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Predicates, orders and dictionaries over references find the same as those over relationships in one store.
@Suite struct `Predicates over references` {
    /// Conditions in which `$` stands for the reference or the relationship.
    private static let formats = [
        "$.name == 'a'", "'a' == $.name", "$.name != 'a'", "NOT ($.name != 'a')", "$.size > 2",
        "NOT ($.size > 2)", "$.size + 1 == 3", "$.name IN {'a', 'b'}", "$.size BETWEEN {1, 2}",
        "$.name BEGINSWITH 'a'", "$.name CONTAINS[cd] 'A'", "$.name.length == 1", "$.name == nil",
        "$.name != nil", "$.code == nil", "$.family.name == 'x'", "$.family == nil",
        "$.family.species.@count > 2", "ANY $.family.species.name == 'a'",
        "ALL $.family.species.size > 0", "$.model.name == 'b'", "$.model.model.size < 3",
        "$.model.model.model.name != 'c'", "$.name == label", "$.name != label",
        "$.size == $.model.size", "$.size < $.model.size", "$.name == 'a' OR label == 'b'",
        "$.name == 'a' AND label == 'b'", "yard.name == 'g' AND $.size < 3",
        "TERNARY($.size > 2, 1, 0) == 1", "TERNARY($.name == 'a', $.size, 9) > 2",
        "ANY yard.sightings.$.name == 'a'", "ALL yard.sightings.$.size < 4",
        "NONE yard.sightings.$.name == 'c'", "yard.sightings.@max.$.size == 4",
        "yard.sightings.@sum.$.size > 9",
        "SUBQUERY(yard.sightings, $s, $s.$.name == 'a').@count > 1",
        "SUBQUERY(yard.sightings, $s, $s.$.name == label).@count > 0",
        "'a' IN yard.sightings.$.name",
    ]

    private static func text(_ format: String, _ name: String) -> String {
        // `$s` is a variable.
        format.replacingOccurrences(of: "$s", with: "#s").replacingOccurrences(of: "$", with: name)
            .replacingOccurrences(of: "#s", with: "$s")
    }

    private static func fill(_ context: ManagedObjectContext, _ random: inout SeededRandom) throws {
        let families = try ["x", "y"].map { name in
            let (family, twin) = (try Family(context: context), try TwinFamily(context: context))
            (family.name, twin.name) = (name, name)
            return (family, twin)
        }
        var pairs: [(Species, Twin)] = []
        for number in 0..<12 {
            let (name, size) = (
                ["a", "b", "c"].randomElement(using: &random)!,
                Int.random(in: 0..<5, using: &random)
            )
            let species = try context.species("c\(number)", name)
            let twin = try Twin(context: context)
            (twin.code, twin.name, twin.size, species.size) = ("c\(number)", name, size, size)
            if let (family, twinFamily) = (families + [nil]).randomElement(using: &random)! {
                (species.family, twin.family) = (family, twinFamily)
            }
            if let (model, twinModel) = pairs.randomElement(using: &random) {
                (species.model, twin.model) = (model, twinModel)
            }
            pairs.append((species, twin))
        }
        let yards = try ["g", "h", "i"].map { name in
            let yard = try Yard(context: context)
            yard.name = name
            return yard
        }
        for number in 0..<40 {
            let sighting = try context.sighting(
                ["a", "b", "l\(number)"].randomElement(using: &random)!, nil)
            sighting.yard = yards.randomElement(using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: break
            case 1: try sighting.setValue("gone", forKey: "species")
            default:
                let (species, twin) = pairs.randomElement(using: &random)!
                (sighting.species, sighting.twin) = (species, twin)
            }
        }
    }

    private static func check(_ context: ManagedObjectContext, _ state: String) throws {
        let all: [Sighting] = try context.fetch(FetchRequest<Sighting>("Sighting"))
        for format in formats {
            let found = try ["species", "twin"].map { name in
                let predicate = try FetchPredicate(format: text(format, name))
                var request = FetchRequest<Sighting>("Sighting")
                request.predicate = predicate
                let fetched = Set(try context.fetch(request).map(\.objectID))
                let filtered = Set(try all.filtered(using: predicate).map(\.objectID))
                let count = try context.count(for: request)
                #expect(fetched == filtered, "\(state): \(text(format, name))")
                #expect(count == fetched.count, "\(state): \(text(format, name))")
                return fetched
            }
            #expect(found[0] == found[1], "\(state): \(format)")
        }
        for sorts in [["$.name", "label"], ["$.model.size", "label"], ["$.family.name"]] {
            let orders = try ["species", "twin"].map { name in
                var request = FetchRequest<Sighting>("Sighting")
                request.sortDescriptors = sorts.map { FetchSortDescriptor(text($0, name)) }
                let whole = try context.fetch(request).map(\.objectID)
                (request.fetchOffset, request.fetchLimit) = (3, 9)
                request.predicate = try FetchPredicate(format: text("$.size >= 1", name))
                return [whole, try context.fetch(request).map(\.objectID)]
            }
            #expect(orders[0] == orders[1], "\(state): \(sorts)")
        }
    }

    private static func checkDictionaries(_ context: ManagedObjectContext) throws {
        let plain = try ["species", "twin"].map { name in
            var request = FetchRequest<Sighting>("Sighting")
            request.propertiesToFetch = [
                "label", .keyPath("\(name).name"), .keyPath("\(name).model.size"),
            ]
            request.sortDescriptors = [
                FetchSortDescriptor("label"), FetchSortDescriptor("\(name).size"),
            ]
            return try context.fetchDictionaries(request).map { row in
                row.dictionary.sorted { $0.key < $1.key }.map {
                    "\($0.key.drop { $0 != "." })=\($0.value)"
                }
            }
        }
        let grouped = try ["species", "twin"].map { name in
            var request = FetchRequest<Sighting>("Sighting")
            request.propertiesToGroupBy = ["\(name).name"]
            request.propertiesToFetch = [
                .keyPath("\(name).name"),
                .expression(try ExpressionDescription("total", format: "sum(\(name).size)")),
            ]
            return try context.fetchDictionaries(request).map { row in
                "\(row["\(name).name"] as Any) \(row["total"] as Any)"
            }
        }
        #expect(plain[0] == plain[1])
        #expect(plain[0].count == 40)
        #expect(grouped[0] == grouped[1])
        #expect(grouped[0].count > 1)
    }

    @Test(arguments: GuideStack.pairs)
    func `agree with predicates over relationships`(_ types: [StoreType]) throws {
        let stack = try GuideStack(types)
        let seed = SeededRandom.seed(of: "predicates over references")

        try stack.inContext { context in
            var random = SeededRandom(seed: seed)
            try Self.fill(context, &random)
            try Self.check(context, "unsaved")
            try context.save()
            try Self.check(context, "saved")
        }
        try stack.inContext { context in
            try Self.check(context, "read again")
            try Self.checkDictionaries(context)
        }
    }

    @Test(arguments: GuideStack.pairs)
    func `agree if so many objects match that each reference is followed`(
        _ types: [StoreType]
    ) throws {
        let stack = try GuideStack(types)
        try stack.inContext { context in
            for number in 0..<1_100 {
                let species = try context.species("c\(number)", number % 2 == 0 ? "even" : "odd")
                species.size = 1
                if number % 100 == 7 { try context.sighting("\(number / 100)", species) }
            }
            try context.sighting("x", nil)
            try context.save()
        }

        #expect(try stack.labels(where: "species.size == 1") == "011023456789")
        #expect(try stack.labels(where: "species.size != 1") == "x")
        #expect(try stack.labels(where: "species.name == 'odd'") == "011023456789")
        #expect(try stack.labels(where: "species.code == 'c107'") == "1")
    }

    @Test(arguments: GuideStack.pairs)
    func `are explained`(_ types: [StoreType]) throws {
        let stack = try GuideStack(types)
        try stack.fill()

        let texts = try stack.inContext { context in
            try ["species.code == 'WREN'", "species.name == label"].map { format in
                var request = FetchRequest<Sighting>("Sighting")
                request.predicate = try FetchPredicate(format: format)
                return try context.explain(request).map(\.description).joined()
            }
        }

        #expect(texts[0].contains("species IN {\"WREN\"}"), "\(texts[0])")
        #expect(texts[0].contains("for related objects"), "\(texts[0])")
        #expect(texts[1].contains("a reference is followed"), "\(texts[1])")
        #expect(texts[1].contains("species.name == label"), "\(texts[1])")
    }

    @Test(arguments: GuideStack.pairs)
    func `of Swift are translated`(_ types: [StoreType]) throws {
        let stack = try GuideStack(types)
        try stack.fill()

        let found = try stack.inContext { context in
            let wren = try context.foundSpecies("WREN").entityID
            let predicates: [Predicate<Sighting>] = [
                #Predicate { $0.species?.name == "Wren" },
                #Predicate { $0.species?.entityID == wren },
                #Predicate { $0.species == nil },
                #Predicate { $0.species?.code == nil },
                #Predicate { $0.species?.model?.name == "Wren" },
                #Predicate { ($0.species?.size ?? -1) < 0 },
            ]
            return try predicates.map { predicate in
                try context.fetch(
                    Sighting.self, where: predicate, sortedBy: [SortDescriptor(\.label)]
                ).map(\.label).joined()
            } + [
                try context.fetch(
                    Sighting.self,
                    sortedBy: [SortDescriptor(\.species?.name), SortDescriptor(\.label)]
                ).map(\.label).joined()
            ]
        }

        #expect(found == ["a", "a", "d", "cd", "b", "cd", "cdba"])
    }
}
