import Cairn
import Foundation
import GraphSupport
import Testing

private struct Place: CompositeAttribute, Equatable {
    var city: String?
    var exact: Point?
    static let elements: [CompositeElement<Place>] = [
        CompositeElement("city", \.city), CompositeElement("exact", \.exact),
    ]
}

private struct Point: CompositeAttribute, Equatable {
    var x: Double?
    var y: Double?
    static let elements: [CompositeElement<Point>] = [
        CompositeElement("x", \.x), CompositeElement("y", \.y),
    ]
}

private final class Person: ManagedObject {
    @Managed var name: String
    @Managed var home: Place?
}

@Suite struct `Composites as structures` {
    @Test(arguments: everyEngine)
    func `are saved and read`(_ type: StoreType) throws {
        let stack = try StudioStack(type)
        let homes = [
            "Eliot": Place(city: "Coventry", exact: Point(x: 52.4, y: nil)),
            "Woolf": Place(city: "London", exact: nil), "Homer": nil,
        ]
        let classes = ObjectClasses([Person.self])
        try stack.inContext(classes: classes) { context in
            for (name, home) in homes {
                let person = try Person(context: context)
                person.name = name
                person.home = home
            }
            try context.save()
        }

        try stack.inContext(classes: classes) { context in
            let people = try context.fetch(Person.self)
            let found = Dictionary(uniqueKeysWithValues: people.map { ($0.name, $0.home) })
            #expect(found == homes)
            let londoner = try #require(people.first { $0.name == "Woolf" })
            londoner.home?.city = "Rodmell"
            try context.save()
            try context.refreshAllObjects()

            #expect(londoner.home == Place(city: "Rodmell", exact: nil))
        }
    }

    /// A predicate, its equivalent text, and the names that both find.
    private struct Sample {
        let predicate: Predicate<Person>
        let text: String
        let names: Set<String>
    }

    private static var samples: [Sample] {
        [
            Sample(
                predicate: #Predicate { $0.home?.city == "London" }, text: "home.city == 'London'",
                names: ["Woolf"]),
            Sample(
                predicate: #Predicate { $0.home?.exact?.x == 52.4 }, text: "home.exact.x == 52.4",
                names: ["Eliot"]),
            Sample(
                predicate: #Predicate { $0.home?.city != nil && $0.home?.exact?.x == nil },
                text: "home.city != nil AND home.exact.x == nil", names: ["Woolf"]),
            Sample(
                predicate: #Predicate { $0.home?.city == nil }, text: "home.city == nil",
                names: ["Homer"]),
        ]
    }

    @Test(arguments: everyEngine)
    func `can be used in predicates, both of Swift and as text`(_ type: StoreType) throws {
        try StudioStack(type).inContext(classes: ObjectClasses([Person.self])) { context in
            for (name, home) in [
                "Eliot": Place(city: "Coventry", exact: Point(x: 52.4, y: nil)),
                "Woolf": Place(city: "London", exact: nil), "Homer": nil,
            ] {
                let person = try Person(context: context)
                person.name = name
                person.home = home
            }
            try context.save()
            let people = try context.fetch(Person.self)
            for sample in Self.samples {
                let byText: [Person] = try context.fetch(
                    FetchRequest<Person>("Person", where: sample.text))
                let found = [
                    Array(try context.fetch(Person.self, where: sample.predicate)), byText,
                    try people.filter { try sample.predicate.evaluate($0) },
                ]
                #expect(
                    found.map { Set($0.map(\.name)) } == Array(repeating: sample.names, count: 3),
                    "\(sample.text)")
            }
        }
    }
}
