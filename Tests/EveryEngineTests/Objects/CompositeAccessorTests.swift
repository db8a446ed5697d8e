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
}
