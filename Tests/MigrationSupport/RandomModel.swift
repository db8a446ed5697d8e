import Cairn
import CairnTestSupport

/// A model with a few entities that is created and changed at random. There are few names, so that new parts
/// often reuse names of earlier parts.
package struct RandomModel {
    package private(set) var entities: [EntityDescription] = []
    /// Readable descriptions of the changes.
    package private(set) var log: [String] = []
    private var random: SeededRandom

    private static let entityNames = ["A", "B", "C", "D", "E", "F"]
    private static let attributeNames = ["a", "b", "c", "d", "e", "f", "g"]
    private static let relationshipNames = ["p", "q", "r", "s", "t", "u"]
    private static let types: [AttributeType] = [
        .string, .integer16, .integer32, .integer64, .double, .float, .boolean, .date, .uuid,
        .binary, .decimal, .uri,
    ]

    package init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for _ in 0..<Int.random(in: 2...4, using: &random) { addEntity() }
        for _ in 0..<Int.random(in: 4...9, using: &random) { addAttribute() }
        for _ in 0..<Int.random(in: 1...4, using: &random) { addRelationship() }
        log = []
    }

    /// Changes the model as the author of its next version would.
    package mutating func change() {
        log = []
        for index in entities.indices {
            entities[index].renamingIdentifier = nil
            entities[index].versionHashModifier = "next"
            for position in entities[index].properties.indices {
                entities[index].properties[position].setRenamingIdentifier(nil)
            }
        }
        for _ in 0..<Int.random(in: 1...4, using: &random) { changeOnce() }
    }

    private mutating func changeOnce() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: addEntity()
        case 1: removeEntity()
        case 2: renameEntities()
        case 3: moveEntity()
        case 4: toggleAbstract()
        case 5, 6: addAttribute()
        case 7: removeAttribute()
        case 8, 9: renameAttributes()
        case 10: changeAttribute { $0.isOptional.toggle() }
        case 11:
            let type = Self.types.randomElement(using: &random) ?? .string
            changeAttribute {
                $0.type = type
                $0.defaultValue = .null
            }
        case 12, 13: addRelationship()
        case 14: removeRelationship()
        case 15: renameRelationship()
        case 16:
            changeRelationship {
                $0.isToMany.toggle()
                $0.isOrdered = false
                $0.maximumCount = $0.isToMany ? 0 : 1
            }
        case 17: changeRelationship { if $0.isToMany { $0.isOrdered.toggle() } }
        case 18: moveProperty()
        default:
            let destination = entities.randomElement(using: &random)?.name
            changeRelationship { it in
                guard it.inverse == nil, let destination else { return }
                it.destination = destination
            }
        }
    }

    // MARK: Picking

    private mutating func anyEntity() -> Int? { entities.indices.randomElement(using: &random) }

    private mutating func anyProperty(
        _ isWanted: (PropertyDescription) -> Bool
    ) -> (entity: Int, property: Int)? {
        let all = entities.indices.flatMap { entity in
            entities[entity].properties.indices.filter { isWanted(entities[entity].properties[$0]) }
                .map { (entity: entity, property: $0) }
        }
        return all.randomElement(using: &random)
    }

    /// Returns the names of the properties in an entity's whole hierarchy.
    private func takenNames(_ index: Int) -> Set<String> {
        let root = rootName(of: entities[index].name)
        return Set(
            entities.filter { rootName(of: $0.name) == root }.flatMap { $0.properties.map(\.name) })
    }

    private func rootName(of name: String) -> String {
        var (name, steps) = (name, 0)
        while steps < entities.count,
            let above = entities.first(where: { $0.name == name })?.superentity
        {
            (name, steps) = (above, steps + 1)
        }
        return name
    }

    private mutating func freeName(_ pool: [String], besides taken: Set<String>) -> String? {
        pool.filter { !taken.contains($0) }.randomElement(using: &random)
    }

    // MARK: Entities

    private mutating func addEntity() {
        guard let name = freeName(Self.entityNames, besides: Set(entities.map(\.name))) else {
            return
        }
        var entity = EntityDescription(name)
        if Bool.random(using: &random) {
            entity.superentity = entities.randomElement(using: &random)?.name
        }
        entity.isAbstract = Int.random(in: 0..<6, using: &random) == 0
        log.append("entity \(name) added below \(entity.superentity ?? "none")")
        entities.append(entity)
        if entity.superentity == nil, Int.random(in: 0..<3, using: &random) == 0,
            let below = entities.indices.dropLast().filter({ entities[$0].superentity == nil })
                .randomElement(using: &random)
        {
            entities[below].superentity = name
            log.append("entity \(entities[below].name) put below \(name)")
        }
    }

    private mutating func removeEntity() {
        guard entities.count > 1, let index = anyEntity() else { return }
        let removed = entities.remove(at: index)
        log.append("entity \(removed.name) removed")
        for other in entities.indices {
            if entities[other].superentity == removed.name {
                entities[other].superentity = removed.superentity
            }
            entities[other].properties.removeAll {
                guard case .relationship(let it) = $0 else { return false }
                return it.destination == removed.name
            }
        }
    }

    /// Renames one entity, or exchanges the names of several entities.
    private mutating func renameEntities() {
        let picked = Array(
            entities.indices.shuffled(using: &random)
                .prefix(Int.random(in: 1...3, using: &random)))
        let names = picked.map { entities[$0].name }
        let fresh = freeName(Self.entityNames, besides: Set(entities.map(\.name)))
        let newNames = picked.count == 1 ? [fresh ?? names[0]] : names.dropFirst() + [names[0]]
        let renamed = Dictionary(zip(names, newNames)) { first, _ in first }
        log.append("entities renamed: \(renamed)")
        for index in entities.indices {
            if let name = renamed[entities[index].name] {
                entities[index].renamingIdentifier =
                    entities[index].renamingIdentifier ?? entities[index].name
                entities[index].name = name
            }
            entities[index].superentity = entities[index].superentity.map { renamed[$0] ?? $0 }
            for position in entities[index].properties.indices {
                guard case .relationship(var it) = entities[index].properties[position] else {
                    continue
                }
                it.destination = renamed[it.destination] ?? it.destination
                entities[index].properties[position] = .relationship(it)
            }
        }
    }

    private mutating func moveEntity() {
        guard let index = anyEntity() else { return }
        let above = entities.randomElement(using: &random)?.name
        entities[index].superentity = Bool.random(using: &random) ? nil : above
        log.append("\(entities[index].name) moved below \(entities[index].superentity ?? "none")")
    }

    private mutating func toggleAbstract() {
        guard let index = anyEntity() else { return }
        entities[index].isAbstract.toggle()
        log.append("\(entities[index].name) abstract: \(entities[index].isAbstract)")
    }

    // MARK: Attributes

    private mutating func addAttribute() {
        guard let index = anyEntity(),
            let name = freeName(Self.attributeNames, besides: takenNames(index))
        else { return }
        let type = Self.types.randomElement(using: &random) ?? .string
        var attribute = AttributeDescription(name, type)
        attribute.isOptional = Int.random(in: 0..<3, using: &random) > 0
        if !attribute.isOptional { attribute.defaultValue = Self.defaultValue(type) }
        if type == .binary {
            attribute.allowsExternalBinaryDataStorage = Bool.random(using: &random)
        }
        log.append("\(entities[index].name).\(name) added, \(type), \(attribute.isOptional)")
        entities[index].properties.append(.attribute(attribute))
    }

    private static func defaultValue(_ type: AttributeType) -> Value {
        switch type {
        case .string: .string("default")
        case .integer16, .integer32, .integer64: .integer(7)
        case .double: .double(1.5)
        case .float: .float(2.5)
        case .boolean: .boolean(true)
        default: .null
        }
    }

    private mutating func removeAttribute() {
        guard let (entity, property) = anyProperty(\.isAttribute) else { return }
        let removed = entities[entity].properties.remove(at: property)
        log.append("\(entities[entity].name).\(removed.name) removed")
    }

    /// Renames one attribute, or exchanges the names of several attributes of one entity.
    private mutating func renameAttributes() {
        guard let index = anyEntity() else { return }
        let all = entities[index].properties.indices.filter {
            entities[index].properties[$0].isAttribute
        }
        let count = Int.random(in: 1...3, using: &random)
        let picked = Array(all.shuffled(using: &random).prefix(count))
        guard !picked.isEmpty else { return }
        let names = picked.map { entities[index].properties[$0].name }
        let fresh = freeName(Self.attributeNames, besides: takenNames(index))
        let newNames = picked.count == 1 ? [fresh ?? names[0]] : names.dropFirst() + [names[0]]
        log.append("\(entities[index].name): \(names) renamed to \(newNames)")
        for (position, name) in zip(picked, newNames) {
            entities[index].properties[position].rename(to: name)
        }
    }

    private mutating func changeAttribute(_ change: (inout AttributeDescription) -> Void) {
        guard let (entity, property) = anyProperty(\.isAttribute),
            case .attribute(var attribute) = entities[entity].properties[property]
        else { return }
        change(&attribute)
        if attribute.type != .binary { attribute.allowsExternalBinaryDataStorage = false }
        if !attribute.isOptional, attribute.defaultValue == .null {
            attribute.defaultValue = Self.defaultValue(attribute.type)
        }
        entities[entity].properties[property] = .attribute(attribute)
        log.append(
            "\(entities[entity].name).\(attribute.name): \(attribute.type),"
                + " optional \(attribute.isOptional)")
    }

    /// Pulls a property up to the superentity, or pushes it down.
    private mutating func moveProperty() {
        guard let (entity, property) = anyProperty(\.isAttribute) else { return }
        let name = entities[entity].name
        let targets = entities.indices.filter {
            entities[$0].superentity == name || entities[entity].superentity == entities[$0].name
        }
        guard let target = targets.randomElement(using: &random) else { return }
        let moved = entities[entity].properties.remove(at: property)
        entities[target].properties.append(moved)
        log.append("\(name).\(moved.name) moved to \(entities[target].name)")
    }

    // MARK: Relationships

    private mutating func addRelationship() {
        guard let near = anyEntity(), let far = anyEntity(),
            let name = freeName(Self.relationshipNames, besides: takenNames(near))
        else { return }
        let inverseName = freeName(
            Self.relationshipNames,
            besides: takenNames(far).union(takenNames(near)).union([name]))
        let hasInverse = inverseName != nil && Int.random(in: 0..<4, using: &random) > 0
        var relationship = makeRelationship(name, entities[far].name)
        if let inverseName, hasInverse {
            relationship.inverse = inverseName
            var inverse = makeRelationship(inverseName, entities[near].name)
            inverse.inverse = name
            entities[far].properties.append(.relationship(inverse))
        }
        entities[near].properties.append(.relationship(relationship))
        log.append(
            "\(entities[near].name).\(name) → \(entities[far].name) added,"
                + " inverse \(relationship.inverse ?? "none"), to-many \(relationship.isToMany)")
    }

    private mutating func makeRelationship(
        _ name: String, _ destination: String
    ) -> RelationshipDescription {
        let isToMany = Bool.random(using: &random)
        var it = RelationshipDescription(name, to: destination, isToMany: isToMany, inverse: nil)
        it.isOptional = Int.random(in: 0..<3, using: &random) > 0
        it.isOrdered = isToMany && Int.random(in: 0..<3, using: &random) == 0
        return it
    }

    private mutating func removeRelationship() {
        guard let (entity, property) = anyProperty({ !$0.isAttribute }),
            case .relationship(let removed) = entities[entity].properties[property]
        else { return }
        entities[entity].properties.remove(at: property)
        let removesInverse = Bool.random(using: &random)
        log.append(
            "\(entities[entity].name).\(removed.name) removed, with inverse \(removesInverse)")
        updateInverse(of: removed) { removesInverse ? nil : $0.withInverse(nil) }
    }

    private mutating func renameRelationship() {
        guard let (entity, property) = anyProperty({ !$0.isAttribute }),
            case .relationship(let before) = entities[entity].properties[property],
            let name = freeName(Self.relationshipNames, besides: takenNames(entity))
        else { return }
        entities[entity].properties[property].rename(to: name)
        updateInverse(of: before) { $0.withInverse(name) }
        log.append("\(entities[entity].name).\(before.name) renamed to \(name)")
    }

    private mutating func updateInverse(
        of relationship: RelationshipDescription,
        _ update: (RelationshipDescription) -> RelationshipDescription?
    ) {
        guard let inverse = relationship.inverse,
            let far = entities.firstIndex(where: { $0.name == relationship.destination })
        else { return }
        entities[far].properties = entities[far].properties.compactMap {
            guard case .relationship(let it) = $0, it.name == inverse else { return $0 }
            return update(it).map { .relationship($0) }
        }
    }

    private mutating func changeRelationship(_ change: (inout RelationshipDescription) -> Void) {
        guard let (entity, property) = anyProperty({ !$0.isAttribute }),
            case .relationship(var it) = entities[entity].properties[property]
        else { return }
        change(&it)
        entities[entity].properties[property] = .relationship(it)
        log.append(
            "\(entities[entity].name).\(it.name) → \(it.destination): to-many \(it.isToMany),"
                + " ordered \(it.isOrdered)")
    }
}

extension RelationshipDescription {
    fileprivate func withInverse(_ name: String?) -> RelationshipDescription {
        var relationship = self
        relationship.inverse = name
        return relationship
    }
}

extension PropertyDescription {
    fileprivate var isAttribute: Bool { if case .attribute = self { true } else { false } }

    fileprivate mutating func setRenamingIdentifier(_ identifier: String?) {
        switch self {
        case .attribute(var it):
            it.renamingIdentifier = identifier
            self = .attribute(it)
        case .relationship(var it):
            it.renamingIdentifier = identifier
            self = .relationship(it)
        case .fetchedProperty: break
        }
    }

    /// Renames the property and records its previous name.
    fileprivate mutating func rename(to name: String) {
        switch self {
        case .attribute(var it):
            it.renamingIdentifier = it.renamingIdentifier ?? it.name
            it.name = name
            self = .attribute(it)
        case .relationship(var it):
            it.renamingIdentifier = it.renamingIdentifier ?? it.name
            it.name = name
            self = .relationship(it)
        case .fetchedProperty: break
        }
    }
}
