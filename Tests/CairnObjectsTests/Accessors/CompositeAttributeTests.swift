import CairnModel
import Foundation
import GraphSupport
import Testing

@testable import CairnObjects
@testable import CairnStack

private enum Quarter: String, CaseIterable, AttributeValue { case north, south }

private struct Place: CompositeAttribute, Equatable {
    var city: String?
    var number = 0
    var quarter = Quarter.south
    var exact: Point?
    var scan: Data?

    static let elements: [CompositeElement<Place>] = [
        CompositeElement("city", \.city), CompositeElement("number", \.number),
        CompositeElement("quarter", \.quarter), CompositeElement("exact", \.exact),
        CompositeElement("scan", \.scan),
    ]
}

private struct Point: CompositeAttribute, Equatable {
    var x = 1.5
    static let elements: [CompositeElement<Point>] = [CompositeElement("x", \.x)]
}

private final class House: ManagedObject {
    @Managed var place: Place?
    @Managed var other: Place
}

/// A wrong type, a wrong name and too few elements, also in a composite inside another composite.
private struct WrongPlace: CompositeAttribute {
    var city = 0
    var nubmer: Int?
    var quarter = ""
    var exact: WrongPoint?
    var scan: Data?

    static let elements: [CompositeElement<WrongPlace>] = [
        CompositeElement("city", \.city), CompositeElement("nubmer", \.nubmer),
        CompositeElement("quarter", \.quarter), CompositeElement("exact", \.exact),
        CompositeElement("scan", \.scan),
    ]
}

private struct WrongPoint: CompositeAttribute {
    static let elements: [CompositeElement<WrongPoint>] = []
}

private final class WrongHouse: ManagedObject {
    @Managed var place: WrongPlace?
    @Managed var other: String?
}

@Suite struct `Composite attributes of a class` {
    /// The elements in another order than those of the structure.
    private func model() throws -> ManagedObjectModel {
        var place = CompositeDescription(
            "Place",
            [
                AttributeDescription("scan", .transformable), AttributeDescription("city", .string),
                AttributeDescription("number", .integer64, isOptional: true),
                AttributeDescription("quarter", .string, isOptional: false),
            ])
        place.elements.append(composite("exact", "Point"))
        var description = ModelDescription([
            EntityDescription(
                "House",
                [.attribute(composite("place", "Place")), .attribute(composite("other", "Place"))])
        ])
        description.entities[0].properties[1] = .attribute(
            composite("other", "Place", isOptional: false))
        description.composites = [
            place, CompositeDescription("Point", [AttributeDescription("x", .double)]),
        ]
        return try ManagedObjectModel(description)
    }

    private func composite(
        _ name: String, _ composite: String, isOptional: Bool = true
    ) -> AttributeDescription {
        var attribute = AttributeDescription(name, .composite, isOptional: isOptional)
        attribute.compositeName = composite
        return attribute
    }

    private func withHouse(_ body: @Sendable (House) throws -> Void) throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        let context = ContextHandle(
            coordinator: coordinator, classes: ObjectClasses([House.self]))
        try context.performAndWait { try body(try House(context: $0)) }
    }

    private func misfits(_ objectClass: ManagedObject.Type) throws -> String {
        let entity = try #require(try model().entity(named: "House"))
        return ClassFit(objectClass, entity, ObjectClasses()).misfits
            .map(\.description).joined(separator: "\n")
    }

    @Test func `have all elements, including those of nested composites`() throws {
        try withHouse { house in
            let place = Place(
                city: "Rome", number: 3, quarter: .north, exact: Point(x: 2), scan: Data([1]))
            house.place = place

            #expect(house.place == place)
            let stored = try house["place"]
            #expect(
                stored
                    == .composite([
                        "city": "Rome", "number": 3, "quarter": "north",
                        "exact": .composite(["x": 2.0]), "scan": .transformable(Data([1])),
                    ]))
            house.place?.exact?.x += 1
            #expect(house.place?.exact == Point(x: 3) && house.place?.city == "Rome")
        }
    }

    @Test func `read nil as the value that their elements use for nil`() throws {
        try withHouse { house in
            #expect(house.place == nil)
            #expect(house.other == Place(number: 0, quarter: .north))

            try house.setValue(["exact": [String: Any]()], forKey: "place")
            #expect(house.place == Place(number: 0, quarter: .north, exact: Point(x: 0)))
            house.place = nil
            let stored = try house["place"]
            #expect(stored == .null)
        }
    }

    @Test func `report an element that its type does not know`() throws {
        try withHouse { house in
            try house.setValue(["quarter": "centre"], forKey: "place")
            var failures: [String] = []
            house.managedObjectContext?.faultFailureHandler = { error, _ in
                failures.append("\(error)")
            }

            let place = house.place

            #expect(place == nil)
            #expect(failures.count == 1 && failures.first?.contains("Place") == true)
        }
    }

    @Test func `fit their entity`() throws {
        #expect(try misfits(House.self) == "")
    }

    @Test func `are compared with the model, element by element`() throws {
        #expect(
            try misfits(WrongHouse.self) == """
                The class WrongHouse declares “place.city: Int”, which needs an attribute of type Integer 64, but House.place.city is an attribute of type String. Declare it as “String?”.
                The class WrongHouse declares “place.nubmer: Int?”, but the entity House has no property “place.nubmer”. Did you mean “place.number”?
                The class WrongHouse declares “place.exact: WrongPoint?”, which needs a composite with no elements, but House.place.exact is a composite that also has “x”, whose value would be lost. Declare “x: Double” in WrongPoint.
                The class WrongHouse declares “place: WrongPlace?”, which needs a composite with only “city”, “exact”, “nubmer”, “quarter”, “scan”, but House.place is a composite that also has “number”, whose value would be lost. Declare “number: Int” in WrongPlace.
                The class WrongHouse declares “other: String?”, which needs an attribute of type String, but House.other is an attribute of type Composite. Declare it as “Place”.
                """)
    }

    @Test func `name the elements that key paths lead to`() {
        #expect(Place.elementName(of: \Place.number) == "number")
        #expect(Place.elementName(of: \Place.exact) == "exact")
        #expect(Place.elementName(of: \Place.city?.count) == nil)
    }
}
