import Cairn

extension ChangeCase {
    private static func item(_ properties: [PropertyDescription]) -> EntityDescription {
        EntityDescription("Item", isAbstract: true, properties)
    }

    private static let magazine = EntityDescription(
        "Magazine", superentity: "Item", [.attribute("issue", .integer32)])
    private static let pulledDown = [
        item([]), EntityDescription("Atlas", superentity: "Item", [title]), magazine,
        EntityDescription("Shelf", [.toMany("items", "Item")]),
    ]

    private static let rack = EntityDescription(
        "Rack", [.toOne("top", "Item"), .toMany("others", "Item", isOrdered: true)])

    static let hierarchyCases: [ChangeCase] = [
        ChangeCase(
            "an attribute is pulled up", pulledDown,
            [
                item([title]), EntityDescription("Atlas", superentity: "Item"), magazine,
                EntityDescription("Shelf", [.toMany("items", "Item")]),
            ]),
        ChangeCase(
            "an attribute is pushed down",
            [
                item([title]), EntityDescription("Atlas", superentity: "Item"), magazine,
                EntityDescription("Shelf", [.toMany("items", "Item")]),
            ], pulledDown),
        ChangeCase(
            "an entity gets a new superentity", library,
            [author, tag, item([title])]
                + [book].changing("Book") {
                    $0.superentity = "Item"
                    $0.properties.removeAll { $0.name == "title" }
                }),
        ChangeCase(
            "an entity moves below a sibling", pulledDown,
            pulledDown.changing("Magazine") { $0.superentity = "Atlas" }),
        ChangeCase(
            "an entity leaves its hierarchy",
            [item([title]), EntityDescription("Atlas", superentity: "Item"), magazine],
            [
                item([title]), EntityDescription("Atlas", superentity: "Item"),
                EntityDescription("Magazine", [title, .attribute("issue", .integer32)]),
            ]),
        ChangeCase(
            "destinations leave a hierarchy",
            [item([title]), EntityDescription("Atlas", superentity: "Item"), magazine, rack],
            [
                item([title]), EntityDescription("Atlas", superentity: "Item"), rack,
                EntityDescription("Magazine", [title, .attribute("issue", .integer32)]),
            ]),
        ChangeCase(
            "an abstract entity becomes concrete", pulledDown,
            pulledDown.changing("Item") { $0.isAbstract = false }),
        ChangeCase(
            "a relationship is pulled up",
            [
                item([]), magazine,
                EntityDescription(
                    "Atlas", superentity: "Item", [.toOne("shelf", "Shelf", inverse: "items")]),
                EntityDescription("Shelf", [.toMany("items", "Atlas", inverse: "shelf")]),
            ],
            [
                item([.toOne("shelf", "Shelf", inverse: "items")]), magazine,
                EntityDescription("Atlas", superentity: "Item"),
                EntityDescription("Shelf", [.toMany("items", "Item", inverse: "shelf")]),
            ]),
    ]
}
