import Cairn

/// A description of an entity's declaration in a model, in words.
struct EntitySummary {
    /// A label, such as `unique`, and the properties to which it applies.
    struct Fact {
        let label: String
        let text: String
    }

    let name: String
    let isAbstract: Bool
    /// The name of the superentity. `nil` for a root entity.
    let superentity: String?
    /// The properties that the entity itself declares: attributes, relationships, fetched properties.
    let properties: [PropertySummary]
    let facts: [Fact]

    init(_ entity: Entity) {
        let description = entity.description
        name = entity.name
        isAbstract = entity.isAbstract
        superentity = entity.superentity?.name
        properties = Self.grouped(entity.ownProperties).map(PropertySummary.init)
        var facts: [Fact] = []
        func add(_ label: String, _ texts: [String]) {
            facts += texts.map { Fact(label: label, text: $0) }
        }
        func add(_ label: String, listing names: [String]) {
            if !names.isEmpty { add(label, [names.joined(separator: ", ")]) }
        }
        let className = description.managedObjectClassName ?? "NSManagedObject"
        add("class", className == "NSManagedObject" ? [] : [className])
        add("inherits", listing: Self.grouped(entity.superentity?.properties ?? []).map(\.name))
        add("subentities", listing: entity.subentities.map(\.name))
        add("unique", description.uniquenessConstraints.map { $0.joined(separator: ", ") })
        add("index", description.fetchIndexes.map(Self.text))
        add("index", description.compoundIndexes.map { $0.joined(separator: ", ") })
        add("renamed from", description.renamingIdentifier.map { [$0] } ?? [])
        add("hash modifier", description.versionHashModifier.map { [$0] } ?? [])
        add("synchronised", description.isSyncable ? [] : ["no"])
        add("user info", listing: description.userInfo.map { "\($0) = \($1)" }.sorted())
        add("version hash", ["\(entity.versionHash.description.prefix(12))…"])
        self.facts = facts
    }

    private static func grouped(_ properties: [Property]) -> [Property] {
        func group(_ property: Property) -> Int {
            switch property {
            case .attribute: 0
            case .relationship: 1
            case .fetchedProperty: 2
            }
        }
        return (0...2).flatMap { wanted in properties.filter { group($0) == wanted } }
    }

    private static func text(of index: FetchIndexDescription) -> String {
        let elements = index.elements.map { element in
            let target =
                switch element.target {
                case .property(let name): name
                case .expression(let text): text
                }
            return target + (element.isAscending ? "" : " descending")
                + (element.type == .rTree ? " (R-tree)" : "")
        }
        return index.name + ": " + elements.joined(separator: ", ")
            + (index.partialPredicate.map { ", where \($0)" } ?? "")
    }
}
